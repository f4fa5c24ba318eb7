package fleet

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/policy"
)

// WorkOptions configure a worker.
type WorkOptions struct {
	Policy PolicyOptions // its Accept is called before the worker's own
	Serve  ServeOptions
	Loads  Loads // nil means [LinkedLoads]

	// System configures the engine of each policy; the worker sets Load and Policy.
	System pipeline.Config

	// Session configures each session; the worker sets the agent's facts and Dir.
	Session pipeline.SessionConfig

	State *State // state of hooks; nil: the state of a session stays on this host

	// Observers returns the observers of a revision's engine, such as its recorder; they end with the engine.
	// It may be nil.
	Observers func(revision uint64) []pipeline.Observer
}

// Worker runs the hooks of the policy for agents.
type Worker struct {
	Policy *Policy

	nc      *nats.Conn
	opts    WorkOptions
	server  *Server
	metrics *Metrics
	ended   chan struct{}
}

// policyEngine is the engine of one policy.
type policyEngine struct {
	revision uint64
	sys      *pipeline.System
	sessions *SessionCache
}

func (e *policyEngine) close() {
	e.sessions.Close()
	_ = e.sys.Close() // never fails
}

// Work runs the hooks of the policy for requesting agents, as soon as there is a policy. It returns when the
// worker accepts requests. When ctx ends, the worker drains, and [Worker.Wait] returns when it has drained.
func Work(ctx context.Context, nc *nats.Conn, opts WorkOptions) (*Worker, error) {
	if opts.Loads == nil {
		opts.Loads = LinkedLoads
	}
	w := &Worker{nc: nc, opts: opts, metrics: opts.Serve.Metrics, ended: make(chan struct{})}
	serving, stop := context.WithCancel(context.Background())
	var err error
	if w.server, err = Serve(serving, nc, nil, opts.Serve); err != nil {
		stop()
		return nil, err
	}
	first := opts.Policy.Accept
	opts.Policy.Role = "worker"
	opts.Policy.Accept = func(ctx context.Context, b *Bundle) error {
		if first != nil {
			if err := first(ctx, b); err != nil {
				return err
			}
		}
		return w.accept(ctx, b)
	}
	w.Policy, err = Watch(context.WithoutCancel(ctx), nc, opts.Policy)
	if err != nil {
		stop()
		w.server.Wait()
		return nil, err
	}
	go func() {
		defer close(w.ended)
		<-ctx.Done()
		w.Policy.Close()
		stop()
		w.server.Wait()
	}()
	return w, nil
}

// Wait returns when the worker has ended.
func (w *Worker) Wait() { <-w.ended }

// accept creates the engine of a policy, and serves requests with it.
func (w *Worker) accept(ctx context.Context, b *Bundle) error {
	known := map[string]bool{}
	for _, e := range linkedEvents() {
		known[e.Info().FullName()] = true
	}
	for _, name := range b.Events {
		if !known[name] {
			return fmt.Errorf("it has hooks for %s, an event that this worker does not know; run a worker that links the dialect", name)
		}
	}
	e, err := w.engine(ctx, b)
	if err != nil {
		return err
	}
	if err := w.server.Swap(b.Revision, e.sessions.Session, e.close); err != nil {
		e.close()
		return err
	}
	return nil
}

func (w *Worker) engine(ctx context.Context, b *Bundle) (*policyEngine, error) {
	cfg := w.opts.System
	cfg.Load = w.opts.Loads(b.Dir)
	if w.metrics != nil {
		cfg.Observe = append(cfg.Observe[:len(cfg.Observe):len(cfg.Observe)], w.metrics)
	}
	if w.opts.Observers != nil {
		cfg.Observe = append(cfg.Observe[:len(cfg.Observe):len(cfg.Observe)], w.opts.Observers(b.Revision)...)
	}
	if text, err := overlayText(b.Dir); err != nil {
		return nil, err
	} else if text != nil {
		o, problems := policy.Parse(policy.Machine, overlayName, text)
		if len(problems) > 0 {
			return nil, problems[0]
		}
		cfg.Policy.Overlays = append(cfg.Policy.Overlays[:len(cfg.Policy.Overlays):len(cfg.Policy.Overlays)], *o)
	}
	sys := pipeline.NewSystem(cfg)
	session := w.opts.Session
	session.Dir = b.Dir
	e := &policyEngine{b.Revision, sys, NewSessionCache(sys, session)}
	e.sessions.State = w.opts.State
	ses, err := sys.NewSession(ctx, session)
	if err == nil {
		var wrong []string
		for _, p := range ses.Problems() {
			if p.Fatal || isBelow(b.Dir, p.Position.File) {
				wrong = append(wrong, p.String())
			}
		}
		if len(wrong) > 0 {
			err = fmt.Errorf("its settings have mistakes: %s", strings.Join(wrong, "; "))
		}
	}
	if err != nil {
		e.close()
		return nil, fmt.Errorf("its hooks cannot be loaded: %w", err)
	}
	return e, nil
}

// Handler serves /healthz, which succeeds while the process runs; /readyz, which succeeds if the worker has a
// policy and a connection, and otherwise returns the reason; and /metrics, for Prometheus.
func (w *Worker) Handler() http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	if w.metrics != nil {
		registry.MustRegister(w.metrics)
	}
	gauge := func(name, help string, f func() float64) {
		registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "snaphook_" + name, Help: help}, f))
	}
	gauge("policy_revision", "The revision of the policy in force; 0: none.", func() float64 { return float64(w.Policy.Revision()) })
	gauge("requests_running", "Requests that run.", func() float64 { running, _ := w.server.Load(); return float64(running) })
	gauge("requests_waiting", "Requests that wait.", func() float64 { _, waiting := w.server.Load(); return float64(waiting) })
	gauge("connected", "1 while the server can be reached.", func() float64 {
		if w.nc.IsConnected() {
			return 1
		}
		return 0
	})
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(rw http.ResponseWriter, _ *http.Request) { fmt.Fprintln(rw, "ok") })
	mux.HandleFunc("GET /readyz", func(rw http.ResponseWriter, _ *http.Request) {
		if why := w.notReady(); why != "" {
			http.Error(rw, why, http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintf(rw, "ok, revision %d\n", w.Policy.Revision())
	})
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError), MaxRequestsInFlight: 4,
	}))
	return mux
}

// notReady returns the reason why the worker accepts no requests; it returns "" if the worker accepts requests.
func (w *Worker) notReady() string {
	select {
	case <-w.ended:
		return "the worker has ended"
	default:
	}
	switch {
	case !w.nc.IsConnected():
		return "there is no connection to the server"
	case w.Policy.Current() == nil:
		return "there is no policy yet"
	}
	return ""
}
