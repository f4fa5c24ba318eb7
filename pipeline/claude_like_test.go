package pipeline_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
)

// lively is a dialect with options that the dialect of the other tests leaves out, such as Newline, HostLast
// and Detaches.
var lively = &pipeline.Dialect{
	Name:     "lively",
	Unit:     time.Second,
	Rules:    pipeline.Rules{Exits: hook.Exits{0: hook.ParseAnswer, 2: hook.DenyWithReason, hook.OtherStatus: hook.ParseOrFail}, Text: hook.TextIgnored, Timeout: time.Minute},
	Newline:  true,
	HostLast: true,
	Detaches: true,
}

// livelyEvent declares an event of the dialect lively. Its Refine writes to each report, which
// the race detector compares with the writes of background hooks.
func livelyEvent(name string, ev pipeline.Spec[call, edit]) *pipeline.Event[call, edit] {
	ev.Name, ev.Subject = name, func(c *call) *string { return &c.Tool }
	if ev.Refine == nil {
		ev.Refine = func(_ *pipeline.Session, _ *call, r *hook.Report[edit]) { r.Notes = append(r.Notes, "refined") }
	}
	return pipeline.Declare(lively, ev)
}

var toolDone = livelyEvent("Done", pipeline.Spec[call, edit]{})

// of returns a hook of the settings for an event of any dialect.
func of(e *pipeline.Event[call, edit], command string, r hook.Runner) *hook.Hook {
	h := configured(e.Info().Name, command, nil)
	h.Dialect, h.Runner = e.Info().Dialect, r
	return h
}

// behind returns a hook of the event toolDone that runs in the background.
func behind(command string, how hook.Background, r runner) *hook.Hook {
	h := of(toolDone, command, r)
	h.Background = how
	return h
}

// leaves is a hook that goes to the background while it runs, after a second.
type leaves struct {
	wish time.Duration
	rest runner
}

func (l leaves) Run(ctx context.Context, c hook.Call) (hook.Reply, error) {
	select {
	case <-time.After(time.Second):
	case <-ctx.Done():
		return hook.Reply{}, ctx.Err()
	}
	ctx, done := c.Detach(l.wish)
	go func() { done(l.rest(ctx, c)) }()
	return hook.Reply{}, hook.ErrDetached
}

// says returns a hook that answers after a while with a context for the model.
func says(d time.Duration) runner {
	return func(ctx context.Context, c hook.Call) (hook.Reply, error) {
		select {
		case <-time.After(d):
			return hook.Reply{Stdout: fmt.Appendf(nil, `{"hookSpecificOutput":{"additionalContext":%q}}`, c.Hook.Command)}, nil
		case <-ctx.Done():
			return hook.Reply{}, ctx.Err()
		}
	}
}

// host receives the results of background hooks.
type host struct {
	mu  sync.Mutex
	all []pipeline.Finished
}

func (h *host) finished(f pipeline.Finished) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all = append(h.all, f)
}

// open makes a system, and a session with the functions of a host. System and session are closed when the test ends.
func open(t *testing.T, cfg pipeline.Config, host pipeline.SessionConfig) (*pipeline.System, *pipeline.Session) {
	t.Helper()
	if cfg.Log == nil {
		cfg.Log = quiet
	}
	sys := pipeline.NewSystem(cfg)
	t.Cleanup(func() { sys.Close() })
	return sys, visit(t, sys, host)
}

// visit makes another session of a system.
func visit(t *testing.T, sys *pipeline.System, host pipeline.SessionConfig) *pipeline.Session {
	t.Helper()
	host.ID, host.Dir = "s1", "/tmp"
	s, err := sys.NewSession(context.Background(), host)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close(context.Background()) })
	return s
}

// ended returns a context that has ended.
func ended() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}
