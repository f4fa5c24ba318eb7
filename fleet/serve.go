package fleet

import (
	"cmp"
	"context"
	"log/slog"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"

	"github.com/snaphook-go/snaphook/bus"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

// ServeOptions configure the serving of requests. The zero ServeOptions serve all linked events.
type ServeOptions struct {
	// Events lists the events that may be requested; nil means all events of every linked dialect.
	Events []pipeline.Declared

	// Concurrency limits the requests that are served at the same time; 0 means 4 for each processor, and at least 16.
	// Queue limits the waiting requests, and PerHost the waiting requests of one host; further requests are refused at
	// once with [Overloaded]. 0 means 64 times Concurrency for Queue, and a quarter of Queue for PerHost.
	Concurrency, Queue, PerHost int

	// Timeout limits a request without a timeout of its own; 0 means 1 min.
	Timeout time.Duration

	// Drain limits the time to finish requests at the end, after which they are cancelled; 0 means 30 s.
	Drain time.Duration

	Host    string       // name of this worker's host; empty means the system's host name
	Log     *slog.Logger // nil means [slog.Default]
	Metrics *Metrics     // nil: no metrics

	revision func() uint64 // returns the revision of the policy in force
}

// maxTimeout limits the timeout of one request.
const maxTimeout = time.Hour

func (o ServeOptions) filled() ServeOptions {
	if o.Events == nil {
		o.Events = linkedEvents()
	}
	o.Concurrency = cmp.Or(o.Concurrency, max(16, 4*runtime.GOMAXPROCS(0)))
	o.Queue = cmp.Or(o.Queue, 64*o.Concurrency)
	o.PerHost = cmp.Or(o.PerHost, max(1, o.Queue/4))
	o.Timeout, o.Drain = cmp.Or(o.Timeout, time.Minute), cmp.Or(o.Drain, 30*time.Second)
	o.Host, o.Log = cmp.Or(o.Host, hostname()), cmp.Or(o.Log, slog.Default())
	if o.revision == nil {
		o.revision = func() uint64 { return 0 }
	}
	return o
}

// limit returns the timeout of a request; named is the timeout in the request, or 0.
func (o ServeOptions) limit(named time.Duration) time.Duration {
	if named > 0 {
		return named
	}
	return o.Timeout
}

func hostname() string {
	name, err := os.Hostname()
	if err != nil {
		return "unknown"
	}
	return name
}

// hostDialect is the dialect of a program's own hooks, which are functions: workers cannot run them.
const hostDialect = "host"

// linkedEvents returns the events of the linked dialects.
func linkedEvents() (events []pipeline.Declared) {
	for _, e := range pipeline.Events(nil) {
		if e.Info().Dialect != hostDialect {
			events = append(events, e)
		}
	}
	return events
}

// Agent describes the sender of a request.
type Agent struct {
	Session, Dir, Transcript string // facts of the agent on its machine; they may be empty
	Host                     string
}

// Sessions returns the session in which a request of an agent is fired, and a function to call after the
// fire. It is called from many goroutines.
type Sessions func(ctx context.Context, from Agent) (s *pipeline.Session, done func(), err error)

// OneSession returns Sessions that always return s. Requests of another session are refused.
func OneSession(s *pipeline.Session) Sessions {
	return func(context.Context, Agent) (*pipeline.Session, func(), error) { return s, func() {}, nil }
}

// Server answers requests until its context ends.
type Server struct {
	answers *answerer
	events  map[string]bus.Events // by dialect
	current atomic.Pointer[generation]
	ended   chan struct{}

	mu   sync.Mutex
	kept []*generation // the generations with a service, the newest last
}

// generation holds the sessions of one revision of the policy.
type generation struct {
	revision uint64
	sessions Sessions
	service  micro.Service // serves the agents with the same revision; nil for revision 0
	retire   func()        // called when its last request is answered; may be nil
	users    sync.WaitGroup
	mu       sync.Mutex
	retired  bool
}

// enter counts a request; it returns false if the generation has been retired.
func (g *generation) enter() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.retired {
		return false
	}
	g.users.Add(1)
	return true
}

func (g *generation) end() {
	g.mu.Lock()
	g.retired = true
	g.mu.Unlock()
	g.users.Wait()
	if g.retire != nil {
		g.retire()
	}
}

// Serve answers the requests of agents, of any language, by fires in sessions: a NATS micro service named
// snaphook, on snaphook.v1.fire.DIALECT.EVENT in the queue group snaphook. A request has the form of package
// bus, {"correlationId", "eventName", "input"}; the subject replaces an absent eventName. The response has
// the form of package bus too, with an error object for every event that was not fired. sessions may be nil:
// then requests are answered with [NoPolicy] until [Server.Swap].
//
// Serve returns when the server accepts requests. When ctx ends, the server drains: it accepts no more
// requests, and [Server.Wait] returns when all accepted ones are answered. The server has a connection of its
// own, with the options of nc.
func Serve(ctx context.Context, nc *nats.Conn, sessions Sessions, opts ServeOptions) (*Server, error) {
	s := &Server{events: map[string]bus.Events{}, ended: make(chan struct{})}
	s.current.Store(&generation{sessions: sessions})
	opts.revision = func() uint64 { return s.current.Load().revision }
	var err error
	if s.answers, err = newAnswerer(nc, opts, s.respond); err != nil {
		return nil, err
	}
	byDialect := map[string][]pipeline.Declared{}
	for _, e := range s.answers.opts.Events {
		if _, err := Subject(e.Info().Dialect, e.Info().Name); err != nil {
			s.answers.nc.Close()
			return nil, err
		}
		byDialect[e.Info().Dialect] = append(byDialect[e.Info().Dialect], e)
	}
	for dialect, events := range byDialect {
		s.events[dialect] = bus.EventsByName(events)
	}
	if _, err := s.answers.serve(Service, FirePrefix+"*.*", 0); err != nil {
		s.answers.nc.Close()
		return nil, err
	}
	go func() {
		defer close(s.ended)
		<-ctx.Done()
		s.answers.drain()
		s.mu.Lock()
		defer s.mu.Unlock()
		s.current.Load().end()
		for _, old := range s.kept {
			if old != s.current.Load() {
				old.end()
			}
		}
	}()
	return s, nil
}

// Wait returns when the server's context has ended and every accepted request is answered.
func (s *Server) Wait() { <-s.ended }

// Load returns the numbers of running and of waiting requests.
func (s *Server) Load() (running, waiting int) { return s.answers.queue.load() }

// Swap makes the server use the sessions of another revision for new requests. Agents with the previous
// revision are served with it until the next Swap; running requests keep their sessions. retire, which may be
// nil, is called once when the sessions serve no more requests.
func (s *Server) Swap(revision uint64, sessions Sessions, retire func()) error {
	next := &generation{revision: revision, sessions: sessions, retire: retire}
	s.mu.Lock()
	defer s.mu.Unlock()
	var err error
	if revision > 0 {
		subject := atRevision(FirePrefix+"*.*", revision)
		if next.service, err = s.answers.serve(Service+"-policy", subject, revision); err != nil {
			return err
		}
	}
	first := s.current.Swap(next)
	if first.service == nil {
		go first.end()
	}
	s.kept = append(s.kept, next)
	for len(s.kept) > 2 {
		old := s.kept[0]
		s.kept = s.kept[1:]
		if old.service != nil {
			s.answers.stop(old.service)
		}
		go old.end()
	}
	return nil
}

// find returns the generation for a request, and enters it.
func (s *Server) find(revision uint64) *generation {
	for {
		g := s.current.Load()
		if revision != 0 && revision != g.revision {
			s.mu.Lock()
			g = nil
			for _, old := range s.kept {
				if old.revision == revision {
					g = old
				}
			}
			s.mu.Unlock()
			if g == nil {
				return nil
			}
			if g.enter() {
				return g
			}
			return nil
		}
		if g.enter() {
			return g
		} // the generation has just been swapped: try again
		if g == s.current.Load() {
			return nil // the server has ended
		}
	}
}

// respond fires the event of a request.
func (s *Server) respond(ctx context.Context, r *request) bus.Response {
	events := s.events[r.dialect]
	r.known = events[r.event] != nil
	g := s.find(r.revision)
	if g == nil {
		return failed(r, OtherRevision, "the worker has revision %d of the policy, and the agent has revision %d",
			s.current.Load().revision, r.revision)
	}
	defer g.users.Done()
	if g.sessions == nil {
		return failed(r, NoPolicy, "the worker has no policy yet; push one with snaphook fleet push")
	}
	o := wire.Object(r.payload)
	if err := o.Check(); len(o) > 0 && err != nil {
		return failed(r, bus.InvalidRequest, "the request is not a JSON object: %v", err)
	}
	name := o.Get("eventName")
	switch {
	case !o.IsObject() || len(o) == 0: // package bus reports the mistake
	case name == nil:
		r.payload = jsontext.Value(o.With("eventName", wire.Quote(r.event)))
	case o.Text("eventName") != r.event:
		return failed(r, bus.InvalidRequest, "the eventName is %.100s, and the subject names %q; leave eventName out", name, r.event)
	}
	if events == nil {
		return failed(r, bus.UnsupportedEvent, "the worker does not know the dialect %q", r.dialect)
	}
	input := wire.Object(o.Get("input"))
	from := Agent{Session: r.session, Dir: r.dir, Host: r.host}
	if input.IsObject() && len(input) > 0 {
		from.Session = cmp.Or(input.Text("session_id"), r.session)
		from.Dir = cmp.Or(input.Text("cwd"), r.dir)
		from.Transcript = input.Text("transcript_path")
	}
	ses, done, err := g.sessions(ctx, from)
	if err != nil {
		return failed(r, bus.InternalError, "%v", err)
	}
	defer done()
	return events.Respond(ctx, ses, r.payload)
}
