package fleet

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sort"
	"strconv"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// HostStatus is the state of the policy in one process.
type HostStatus struct {
	Host      string     `json:"host"`
	Role      string     `json:"role"`     // agent or worker
	Instance  string     `json:"instance"` // id of the process
	Revision  uint64     `json:"revision"` // revision in force; 0 means that no policy is in force, and gates block
	Activated *time.Time `json:"activated"`
	Errors    []string   `json:"errors"` // reasons for which newer policies were refused
	Seen      time.Time  `json:"seen"`   // time of the status, by the server's clock
}

// Status is the state of the policy on all hosts.
type Status struct {
	Revision uint64       `json:"revision"` // the revision pushed last; 0: none
	Hosts    []HostStatus `json:"hosts"`    // sorted by host, role and instance
}

// ReadStatus returns the last status of every process that has sent one in the last ten minutes.
func ReadStatus(ctx context.Context, nc *nats.Conn) (*Status, error) {
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, err
	}
	status := &Status{Hosts: []HostStatus{}}
	keys, err := js.KeyValue(ctx, PolicyBucket)
	if err != nil {
		return nil, bucketError("bucket", PolicyBucket, err)
	}
	switch last, err := keys.Get(ctx, revisionKey); {
	case err == nil:
		status.Revision, _ = strconv.ParseUint(string(last.Value()), 10, 64)
	case !errors.Is(err, jetstream.ErrKeyNotFound):
		return nil, fmt.Errorf("the revision of the policy: %w", err)
	}
	hosts, err := js.KeyValue(ctx, HostsBucket)
	if err != nil {
		return nil, bucketError("bucket", HostsBucket, err)
	}
	watcher, err := hosts.WatchAll(ctx, jetstream.IgnoreDeletes())
	if err != nil {
		return nil, fmt.Errorf("the hosts: %w", err)
	}
	defer watcher.Stop()
	for entry := range watcher.Updates() {
		if entry == nil {
			break
		}
		var host HostStatus
		if json.Unmarshal(entry.Value(), &host) != nil {
			host = HostStatus{Host: entry.Key(), Errors: []string{"its status cannot be read"}}
		}
		host.Seen = entry.Created()
		status.Hosts = append(status.Hosts, host)
	}
	sort.Slice(status.Hosts, func(i, j int) bool {
		a, b := status.Hosts[i], status.Hosts[j]
		return a.Host+"\x00"+a.Role+"\x00"+a.Instance < b.Host+"\x00"+b.Role+"\x00"+b.Instance
	})
	return status, ctx.Err()
}

// statusEvery is the interval at which a process sends its status.
const statusEvery = 2 * time.Minute

// statusWriter sends the status of one process to the server.
type statusWriter struct {
	nc  *nats.Conn
	log *slog.Logger
	key string

	mu   sync.Mutex
	host HostStatus
	news chan struct{}
}

func newStatusWriter(nc *nats.Conn, opts PolicyOptions) *statusWriter {
	instance := newID()
	return &statusWriter{
		nc: nc, log: opts.Log, news: make(chan struct{}, 1),
		key:  hostToken(opts.Host) + "." + hostToken(opts.Role) + "." + instance,
		host: HostStatus{Host: opts.Host, Role: opts.Role, Instance: instance, Errors: []string{}},
	}
}

func (w *statusWriter) activate(revision uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now().UTC()
	w.host.Revision, w.host.Activated, w.host.Errors = revision, &now, []string{}
	signal(w.news, struct{}{})
}

// mostErrors limits the errors of a status, and mostErrorText the bytes of each.
const mostErrors, mostErrorText = 8, 2 << 10

func (w *statusWriter) fail(why error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := why.Error()
	text = text[:min(len(text), mostErrorText)]
	if !slices.Contains(w.host.Errors, text) {
		w.host.Errors = append(slices.Clone(w.host.Errors), text)
		w.host.Errors = w.host.Errors[max(0, len(w.host.Errors)-mostErrors):]
	}
	signal(w.news, struct{}{})
}

func (w *statusWriter) errors() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.host.Errors)
}

// run sends the status when it changes, and at intervals.
func (w *statusWriter) run(ctx context.Context) {
	for {
		wait := statusEvery
		if err := w.write(ctx); err != nil && ctx.Err() == nil {
			w.log.Debug("the status cannot be published", slog.String("error", err.Error()))
			wait = 2 * time.Second
		}
		timer := time.NewTimer(wait)
		select {
		case <-w.news:
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return
		}
		timer.Stop()
	}
}

func (w *statusWriter) write(ctx context.Context) error {
	w.mu.Lock()
	text, err := json.Marshal(w.host)
	w.mu.Unlock()
	if err != nil {
		return err
	}
	js, err := jetstream.New(w.nc)
	if err != nil {
		return err
	}
	// The status is published to the subject of its key, without opening the bucket: a host has no other right.
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	_, err = js.Publish(ctx, "$KV."+HostsBucket+"."+w.key, text)
	return err
}
