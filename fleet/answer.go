package fleet

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"

	"github.com/snaphook-go/snaphook/bus"
	"github.com/snaphook-go/snaphook/wire"
)

// Codes of errors of workers, in addition to those of package bus.
const (
	Overloaded    bus.Code = "overloaded"     // the worker is at its limit: the event was not fired, ask again
	Expired       bus.Code = "expired"        // the request's time ran out before the event was fired
	NoPolicy      bus.Code = "no_policy"      // the worker has no policy yet
	OtherRevision bus.Code = "other_revision" // the worker runs another revision of the policy
	TooLarge      bus.Code = "too_large"      // the response is larger than a message of the server
)

// version is the version of the micro service.
const version = "1.0.0"

// request is a request that a worker handles.
type request struct {
	dialect, event string
	revision       uint64 // the revision in the subject; 0 if it has none
	host, session  string
	dir            string
	timeout        time.Duration
	merged         bool // the agent wants the merged answer
	payload        jsontext.Value
	known          bool // the worker has the event
}

// respond makes the response to a request.
type respond func(ctx context.Context, r *request) bus.Response

// answerer holds the subscriptions of a worker. It has its own connection, because NATS reports only that all
// subscriptions of a connection have drained, not that a single subscription has.
type answerer struct {
	nc      *nats.Conn
	opts    ServeOptions
	log     *slog.Logger
	queue   queue
	respond respond
	ctx     context.Context // context of the fires
	cancel  context.CancelCauseFunc

	mu       sync.Mutex
	services []micro.Service
}

func newAnswerer(of *nats.Conn, opts ServeOptions, f respond) (*answerer, error) {
	opts = opts.filled()
	own := of.Opts
	own.ClosedCB, own.ConnectedCB = nil, nil
	own.ReconnectBufSize = 0 // 0 is the default size; responses are buffered while the server is away
	own.Name = Service + " worker"
	nc, err := own.Connect()
	if err != nil {
		return nil, fmt.Errorf("the worker's connection: %w", err)
	}
	a := &answerer{nc: nc, opts: opts, log: opts.Log, respond: f}
	a.queue = queue{limit: opts.Concurrency, most: opts.Queue, perHost: opts.PerHost}
	a.ctx, a.cancel = context.WithCancelCause(context.Background())
	return a, nil
}

// serve answers the requests on a subject, which may have wildcards, as a micro service.
func (a *answerer) serve(name, subject string, revision uint64) (micro.Service, error) {
	metadata := map[string]string{"host": a.opts.Host}
	if revision > 0 {
		metadata["revision"] = strconv.FormatUint(revision, 10)
	}
	service, err := micro.AddService(a.nc, micro.Config{
		Name: name, Version: version, QueueGroup: Service, Metadata: metadata,
		Description: "runs the hooks of agents' events",
	})
	if err != nil {
		return nil, fmt.Errorf("the service %s: %w", name, err)
	}
	if err := service.AddEndpoint("fire", micro.HandlerFunc(a.handle), micro.WithEndpointSubject(subject)); err != nil {
		_ = service.Stop() // a service without an endpoint answers nothing
		return nil, fmt.Errorf("the service %s: %w", name, err)
	}
	if err := a.nc.FlushTimeout(a.opts.Drain); err != nil && a.nc.IsConnected() {
		_ = service.Stop()
		return nil, fmt.Errorf("the service %s: the server does not answer: %w", name, err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.services = append(a.services, service)
	return service, nil
}

// handle queues a request, or refuses it at once. It does not block.
func (a *answerer) handle(msg micro.Request) {
	r := read(msg)
	began := time.Now()
	err := a.queue.put(r.host, func() {
		if r.timeout > 0 && time.Since(began) > r.timeout {
			a.send(msg, r, failed(r, Expired, "the agent's time limit of %v passed before the event could be fired", r.timeout))
			return
		}
		ctx, cancel := context.WithTimeout(a.ctx, a.opts.limit(r.timeout)-time.Since(began))
		defer cancel()
		a.send(msg, r, a.respond(ctx, r))
		a.opts.Metrics.answered(r, time.Since(began))
	})
	if err != nil {
		a.opts.Metrics.refused(r)
		a.send(msg, r, failed(r, Overloaded, "%v; ask again", err))
	}
}

// send sends a response, and logs a failure.
func (a *answerer) send(msg micro.Request, r *request, response bus.Response) {
	text := bus.Encode(response)
	if r.merged && response.Output != nil && response.Output.Merged != nil {
		text = jsontext.Value(wire.Object(text).With(mergedMember, jsontext.Value(*response.Output.Merged)))
	}
	if most := a.nc.MaxPayload() - maxHeaders; a.nc.IsConnected() && int64(len(text)) > most {
		response = failed(r, TooLarge, "the response has %d bytes, and the server takes %d; raise its max_payload", len(text), most)
		text = bus.Encode(response)
	}
	headers := nats.Header{}
	if at := a.opts.revision(); at > 0 {
		headers[RevisionHeader] = []string{strconv.FormatUint(at, 10)}
	}
	if failure := response.Error; failure != nil {
		a.opts.Metrics.errored(failure.Code)
		headers[micro.ErrorCodeHeader] = []string{string(failure.Code)}
		headers[micro.ErrorHeader] = []string{oneLine(failure.Message)}
	}
	// Respond and Error of msg would race with package micro: they write a field that micro reads when handle has
	// returned.
	if err := a.nc.PublishMsg(&nats.Msg{Subject: msg.Reply(), Header: headers, Data: text}); err != nil {
		a.log.Warn("a response is lost", slog.String("subject", msg.Subject()), slog.String("error", err.Error()))
	}
}

// mergedMember is the member of a response that holds the answer merged by the worker's engine.
const mergedMember = "merged"

// maxHeaders limits the bytes of a response's headers.
const maxHeaders = 4 << 10

// oneLine returns a text that fits into a header.
func oneLine(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	return text[:min(len(text), 1024)]
}

// read parses a request, which may be any text.
func read(msg micro.Request) *request {
	parts := strings.Split(strings.TrimPrefix(msg.Subject(), FirePrefix), ".")
	headers := msg.Headers()
	r := &request{
		dialect: undots.Replace(parts[0]), payload: msg.Data(),
		session: headers.Get(SessionHeader), host: headers.Get(HostHeader), dir: headers.Get(DirHeader),
		merged: headers.Get(MergedHeader) != "",
	}
	if len(parts) > 1 {
		r.event = undots.Replace(parts[1])
	}
	if len(parts) > 2 {
		r.revision, _ = strconv.ParseUint(parts[2], 10, 64) // the subscription matches only numbers here
	}
	if ms, err := strconv.ParseInt(headers.Get(TimeoutHeader), 10, 64); err == nil && ms > 0 {
		r.timeout = time.Duration(min(ms, int64(maxTimeout/time.Millisecond))) * time.Millisecond
	}
	return r
}

// failed returns the response to a request whose event was not fired.
func failed(r *request, code bus.Code, format string, args ...any) bus.Response {
	return bus.Response{
		CorrelationID: wire.Object(r.payload).Text("correlationId"),
		Error:         &bus.Error{Code: code, Message: fmt.Sprintf(format, args...)},
	}
}

// stop ends the subscription of a service; requests that it has received are still answered.
func (a *answerer) stop(service micro.Service) {
	if err := service.Stop(); err != nil {
		a.log.Warn("a service does not stop", slog.String("error", err.Error()))
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for i, other := range a.services {
		if other == service {
			a.services = append(a.services[:i], a.services[i+1:]...)
			return
		}
	}
}

// drain stops receiving requests, and returns when all received requests are answered. After the drain time
// it cancels their fires; the responses then report this.
func (a *answerer) drain() {
	defer a.nc.Close()
	a.mu.Lock()
	services := a.services
	a.services = nil
	a.mu.Unlock()
	for _, service := range services {
		if err := service.Stop(); err != nil {
			a.log.Warn("a service does not stop", slog.String("error", err.Error()))
		}
	}
	late := time.AfterFunc(a.opts.Drain, func() { a.cancel(fmt.Errorf("the worker ends")) })
	defer late.Stop()
	for due := time.Now().Add(a.opts.Drain); a.nc.NumSubscriptions() > 0 && time.Now().Before(due); {
		tick := time.NewTimer(2 * time.Millisecond)
		<-tick.C
	}
	a.queue.wait()
	a.cancel(nil)
	if err := a.nc.FlushTimeout(time.Second); err != nil {
		a.log.Warn("the last responses may be lost", slog.String("error", err.Error()))
	}
}
