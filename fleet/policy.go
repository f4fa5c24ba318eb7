package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"aead.dev/minisign"
	"github.com/go-json-experiment/json"
	"github.com/google/renameio/v2/maybe"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/snaphook-go/snaphook/internal/bounded"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/policy"
)

// PolicyOptions configure the source of a policy.
type PolicyOptions struct {
	Key   minisign.PublicKey // public key of those who may push
	Cache string             // directory for the last good policy, used by this process only; created if missing

	// Accept is called with every verified policy before it takes effect; an error refuses it. A worker loads the hooks
	// here. If Accept is nil, every verified policy is accepted.
	Accept func(context.Context, *Bundle) error

	Role string       // role in the status: agent or worker; empty means agent
	Host string       // host in the status; empty means the system's host name
	Log  *slog.Logger // nil means [slog.Default]
}

// Policy follows the policy of the fleet in a process. Its methods may be called from many goroutines.
type Policy struct {
	nc      *nats.Conn
	opts    PolicyOptions
	current atomic.Pointer[Bundle]
	status  *statusWriter
	ended   chan struct{}
	cancel  context.CancelFunc

	mu      sync.Mutex
	refused map[string]error // why objects were refused, by the object's name and instance
	changed []*func(*Bundle)
	first   chan struct{} // closed when the first policy takes effect
}

// Watch follows the policy in the object store snaphook-policy. The cached policy takes effect at once if its
// signature is valid, even without a server. A policy with an invalid signature, an older revision, a file
// name that leads outside its directory, or hooks that cannot be loaded is refused: the refusal is logged
// and in the status, and the last good policy stays in force. No check depends on a clock. Close the Policy after use.
//
// It returns an error if the cache cannot be used.
func Watch(ctx context.Context, nc *nats.Conn, opts PolicyOptions) (*Policy, error) {
	opts.Role, opts.Host = cmp.Or(opts.Role, "agent"), cmp.Or(opts.Host, hostname())
	opts.Log = cmp.Or(opts.Log, slog.Default())
	if opts.Cache == "" {
		return nil, errors.New("the policy needs a directory for its cache; set Cache")
	}
	if err := os.MkdirAll(opts.Cache, 0o700); err != nil {
		return nil, fmt.Errorf("the cache of the policy: %w", err)
	}
	p := &Policy{
		nc: nc, opts: opts, ended: make(chan struct{}), refused: map[string]error{}, first: make(chan struct{}),
		status: newStatusWriter(nc, opts),
	}
	ctx, p.cancel = context.WithCancel(ctx)
	p.load(ctx)
	go func() {
		defer close(p.ended)
		var both sync.WaitGroup
		both.Go(func() { p.status.run(ctx) })
		both.Go(func() { p.follow(ctx) })
		both.Wait()
	}()
	return p, nil
}

// Current returns the policy in force; nil if there is none yet. It costs a nanosecond.
func (p *Policy) Current() *Bundle { return p.current.Load() }

// Revision returns the revision of the policy in force, or 0 if there is none yet.
func (p *Policy) Revision() uint64 {
	if b := p.Current(); b != nil {
		return b.Revision
	}
	return 0
}

// Ready returns a channel that is closed when there is a policy.
func (p *Policy) Ready() <-chan struct{} { return p.first }

// Errors returns the reasons for which policies were refused, until a policy that is newer than the refused ones is
// accepted.
func (p *Policy) Errors() []string { return p.status.errors() }

// Changed calls f with each policy that takes effect from now on, one after another, until remove is called.
func (p *Policy) Changed(f func(*Bundle)) (remove func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.changed = append(p.changed, &f)
	return sync.OnceFunc(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.changed = slices.DeleteFunc(slices.Clone(p.changed), func(other *func(*Bundle)) bool { return other == &f })
	})
}

// Reloads reads the settings of a system again with each policy that takes effect. If that fails, the system
// keeps its hooks, and the failure is in the status. remove ends this.
func (p *Policy) Reloads(sys *pipeline.System) (remove func()) {
	return p.Changed(func(*Bundle) {
		if err := sys.Reload(context.Background()); err != nil {
			p.refuse("", fmt.Errorf("the hooks cannot be loaded again: %w", err))
		}
	})
}

// Close ends the watch, and returns when its goroutines have ended. The policy in force stays.
func (p *Policy) Close() {
	p.cancel()
	<-p.ended
}

const (
	cachedBundle    = "policy.tar"
	cachedSignature = "policy.tar.minisig"
	overlayName     = policy.FileName
)

// load puts the cached policy in force.
func (p *Policy) load(ctx context.Context) {
	text, err := bounded.ReadFile(ctx, filepath.Join(p.opts.Cache, cachedBundle), maxPacked)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	var signature []byte
	if err == nil {
		signature, err = bounded.ReadFile(ctx, filepath.Join(p.opts.Cache, cachedSignature), maxSignature)
	}
	if err == nil {
		err = p.take(ctx, text, signature, true)
	}
	if err != nil {
		p.refuse("", fmt.Errorf("the policy in the cache %s: %w", p.opts.Cache, err))
	}
}

// pollEvery is the interval at which the objects are listed again, in case the watch has missed one.
const pollEvery = 20 * time.Second

// follow puts new policies in force until ctx ends.
func (p *Policy) follow(ctx context.Context) {
	up := make(chan struct{}, 1)
	states := p.nc.StatusChanged(nats.CONNECTED)
	defer p.nc.RemoveStatusListener(states)
	go func() { // ends when the status listener is closed
		for range states {
			signal(up, struct{}{})
		}
	}()
	for wait := 100 * time.Millisecond; ctx.Err() == nil; wait = min(2*wait, 2*time.Second) {
		err := p.watch(ctx, up)
		if err == nil {
			wait = 50 * time.Millisecond // time to list the objects again
		} else if ctx.Err() == nil {
			p.opts.Log.Debug("the policy cannot be watched", slog.String("error", err.Error()))
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
		case <-up:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// watch puts new policies in force until it is time to list the objects again.
func (p *Policy) watch(ctx context.Context, up <-chan struct{}) error {
	js, err := jetstream.New(p.nc)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, pollEvery)
	defer cancel()
	store, err := js.ObjectStore(ctx, PolicyBucket)
	if err != nil {
		return bucketError("object store", PolicyBucket, err)
	}
	watcher, err := store.Watch(ctx)
	if err != nil {
		return err
	}
	defer watcher.Stop()
	known := map[uint64]*jetstream.ObjectInfo{}
	initial := true
	for {
		select {
		case info, open := <-watcher.Updates():
			switch {
			case !open:
				return nil
			case info == nil:
				initial = false
			case !info.Deleted && objectRevision(info.Name) > 0:
				known[objectRevision(info.Name)] = info
			}
			if !initial {
				if err := p.tryNewest(ctx, known); err != nil {
					return err
				}
			}
		case <-up:
			return nil
		case <-ctx.Done():
			return nil
		}
	}
}

// tryNewest puts the newest valid policy in force. An error means that it cannot be read now.
func (p *Policy) tryNewest(ctx context.Context, known map[uint64]*jetstream.ObjectInfo) error {
	var revisions []uint64
	for revision := range known {
		revisions = append(revisions, revision)
	}
	slices.Sort(revisions)
	var newer []error // the errors of the newer revisions, which were tried first and refused
	for _, revision := range slices.Backward(revisions) {
		info := known[revision]
		instance := info.Name + " " + info.NUID
		p.mu.Lock()
		bad := p.refused[instance]
		p.mu.Unlock()
		if bad != nil {
			newer = append(newer, bad)
			continue
		}
		if revision <= p.Revision() {
			return nil
		}
		text, err := p.fetch(ctx, info)
		if err != nil && !errors.As(err, new(*TooLargeError)) {
			return fmt.Errorf("%s: %w", info.Name, err)
		}
		if err == nil {
			err = p.take(ctx, text, []byte(info.Metadata["minisig"]), false)
		}
		if err == nil {
			for _, why := range newer {
				p.status.fail(why) // accepting this revision has removed the errors from the status
			}
		}
		if err == nil || ctx.Err() != nil {
			return nil
		}
		err = fmt.Errorf("revision %d of the policy is refused: %w", revision, err)
		p.refuse(instance, err)
		newer = append(newer, err)
	}
	return nil
}

// fetchTime limits the time to read an object.
const fetchTime = 5 * time.Second

// fetch reads an object, within the limit of a bundle. It asks for one chunk after the other: ObjectStore.Get leaks a
// goroutine if its subscription fails after the first chunk. fetch checks no digest, because its caller checks the
// signature.
func (p *Policy) fetch(ctx context.Context, info *jetstream.ObjectInfo) ([]byte, error) {
	if info.Size > maxPacked {
		return nil, &TooLargeError{int64(info.Size)}
	}
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	subject := "$O." + PolicyBucket + ".C." + info.NUID
	var text []byte
	for next := uint64(1); uint64(len(text)) < info.Size; {
		sequence, chunk, err := p.nextMessage(ctx, "OBJ_"+PolicyBucket, subject, next)
		if err != nil {
			return nil, err
		}
		text, next = append(text, chunk...), sequence+1
		if len(text) > maxPacked {
			return nil, &TooLargeError{int64(len(text))}
		}
	}
	return text, nil
}

// nextMessage returns the first message of a stream that has the subject and at least the sequence number. The agents
// and workers of examples/fleet/nats.conf have permission for its request, but not for the request of Stream.GetMsg.
func (p *Policy) nextMessage(ctx context.Context, stream, subject string, sequence uint64) (uint64, []byte, error) {
	request, err := json.Marshal(map[string]any{"seq": sequence, "next_by_subj": subject})
	if err != nil {
		return 0, nil, err
	}
	msg, err := p.nc.RequestWithContext(ctx, "$JS.API.STREAM.MSG.GET."+stream, request)
	if err != nil {
		return 0, nil, err
	}
	var answer struct {
		Error   *jetstream.APIError `json:"error"`
		Message *struct {
			Sequence uint64 `json:"seq"`
			Data     []byte `json:"data"`
		} `json:"message"`
	}
	switch err := json.Unmarshal(msg.Data, &answer); {
	case err != nil:
		return 0, nil, err
	case answer.Error != nil:
		return 0, nil, answer.Error
	case answer.Message == nil || answer.Message.Sequence < sequence || len(answer.Message.Data) == 0:
		return 0, nil, fmt.Errorf("the server's answer for %s of %s has no message", subject, stream)
	}
	return answer.Message.Sequence, answer.Message.Data, nil
}

// refuse records that a policy is refused, and logs it. instance identifies its object.
func (p *Policy) refuse(instance string, why error) {
	if instance != "" {
		p.mu.Lock()
		if len(p.refused) > 1024 {
			clear(p.refused)
		}
		p.refused[instance] = why
		p.mu.Unlock()
	}
	p.status.fail(why)
	p.opts.Log.Error("a policy is refused", slog.String("error", why.Error()),
		slog.Uint64("revision", p.Revision()), slog.String("stays", "the policy in force"))
}

// take verifies a policy, and puts it in force if it is valid.
func (p *Policy) take(ctx context.Context, text, signature []byte, cached bool) error {
	if err := verify(p.opts.Key, text, signature); err != nil {
		return err
	}
	m, files, err := unpack(text)
	if err != nil {
		return err
	}
	if last := p.Revision(); m.Revision <= last {
		return fmt.Errorf("revision %d is not newer: revision %d is in force", m.Revision, last)
	}
	bundle := &Bundle{Manifest: m, Digest: digest(text)}
	bundle.Dir, err = p.place(bundle, files)
	if err != nil {
		return fmt.Errorf("the cache of the policy: %w", err)
	}
	if err := p.accept(ctx, bundle); err != nil {
		_ = os.RemoveAll(bundle.Dir)
		return err
	}
	if !cached {
		err = p.keep(text, signature)
	}
	p.put(bundle, err)
	return nil
}

// place writes the files of a policy to a new directory.
func (p *Policy) place(b *Bundle, files []bundleFile) (string, error) {
	cache, err := realDir(p.opts.Cache)
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp(cache, fmt.Sprintf("revision-%d-", b.Revision))
	if err != nil {
		return "", err
	}
	return dir, writeFiles(dir, files)
}

// accept reads the overlay of a policy, and calls the program's Accept.
func (p *Policy) accept(ctx context.Context, b *Bundle) error {
	text, err := overlayText(b.Dir)
	if err == nil && text != nil {
		b.Overlay, err = overlay(filepath.Join(b.Dir, overlayName), text)
	}
	if err != nil {
		return fmt.Errorf("its overlay: %w", err)
	}
	if p.opts.Accept == nil {
		return nil
	}
	return p.opts.Accept(ctx, b)
}

// overlayText reads the overlay in a directory. It returns nil if the directory has no overlay.
func overlayText(dir string) ([]byte, error) {
	text, err := bounded.ReadFile(context.Background(), filepath.Join(dir, overlayName), MaxBundle)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return text, err
}

// keep writes a policy to the cache. If a crash interrupts keep, the signature does not match the bundle, and the cache
// is refused.
func (p *Policy) keep(text, signature []byte) error {
	err := maybe.WriteFile(filepath.Join(p.opts.Cache, cachedSignature), signature, 0o600)
	if err == nil {
		err = maybe.WriteFile(filepath.Join(p.opts.Cache, cachedBundle), text, 0o600)
	}
	return err
}

// put puts a policy in force.
func (p *Policy) put(b *Bundle, kept error) {
	before := p.current.Swap(b)
	p.status.activate(b.Revision)
	if kept != nil {
		p.status.fail(fmt.Errorf("the cache of the policy: %w; after a restart without a server, every event that can block blocks", kept))
	}
	p.opts.Log.Info("a policy takes effect", slog.Uint64("revision", b.Revision), slog.Int("events", len(b.Events)))
	p.mu.Lock()
	if before == nil {
		close(p.first)
	}
	changed := p.changed
	p.mu.Unlock()
	for _, f := range changed {
		(*f)(b)
	}
	p.sweep(b.Dir, before)
}

// sweep removes the directories of policies other than the current and the previous one.
func (p *Policy) sweep(now string, before *Bundle) {
	entries, err := os.ReadDir(p.opts.Cache)
	if err != nil {
		return
	}
	for _, e := range entries {
		name := e.Name()
		if strings.HasPrefix(name, "revision-") && name != filepath.Base(now) && (before == nil || name != filepath.Base(before.Dir)) {
			_ = os.RemoveAll(filepath.Join(p.opts.Cache, name))
		}
	}
}
