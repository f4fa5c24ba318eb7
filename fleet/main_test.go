package fleet

import (
	"context"
	"log/slog"
	"os"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"go.uber.org/goleak"

	"github.com/snaphook-go/snaphook/fleet/embedded"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
)

func TestMain(m *testing.M) {
	if role := os.Getenv(roleVariable); role != "" {
		os.Exit(runRole(role))
	}
	// The client leaks this goroutine if a connection closes while an object is being stored.
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction(
		"github.com/nats-io/nats.go/jetstream.(*jetStream).resetPendingAcksOnReconnect"))
}

var quiet = slog.New(slog.DiscardHandler)

// startServer starts a server with JetStream, and with the buckets of the fleet.
func startServer(t testing.TB) (url string) {
	t.Helper()
	s, err := embedded.Start(embedded.Options{URL: "nats://127.0.0.1:0", Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	nc := connect(t, s.ClientURL())
	if err := Prepare(t.Context(), nc, 1, Retention{}); err != nil {
		t.Fatal(err)
	}
	return s.ClientURL()
}

func connect(t testing.TB, url string) *nats.Conn {
	t.Helper()
	nc, err := Connect(url, ConnectOptions{Need: true, Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc
}

// serve serves with sessions until the test ends.
func serve(t testing.TB, nc *nats.Conn, sessions Sessions, opts ServeOptions) *Server {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	opts.Log = quiet
	s, err := Serve(ctx, nc, sessions, opts)
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		s.Wait()
	})
	return s
}

// system makes a system that is closed at the end of the test.
func system(t testing.TB, cfg pipeline.Config) *pipeline.System {
	t.Helper()
	cfg.Log = quiet
	sys := pipeline.NewSystem(cfg)
	t.Cleanup(func() { _ = sys.Close() })
	return sys
}

func session(t testing.TB, sys *pipeline.System) *pipeline.Session {
	t.Helper()
	s, err := sys.NewSession(t.Context(), pipeline.SessionConfig{ID: "s-1", Dir: t.TempDir(), State: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// sessionsOf returns sessions of a system for any agent.
func sessionsOf(t testing.TB, sys *pipeline.System) Sessions {
	c := NewSessionCache(sys, pipeline.SessionConfig{Dir: t.TempDir(), State: t.TempDir()})
	t.Cleanup(c.Close)
	return c.Session
}

// hooked returns a load of one hook, without settings.
func hooked(dialect, event string, r hook.Runner) pipeline.Load {
	return func(context.Context, pipeline.Workspace) (pipeline.Loaded, error) {
		return pipeline.Loaded{Hooks: []*hook.Hook{{
			Identity: hook.Identity{ID: "project/" + event + "/0/0", Dialect: dialect, Event: event, Type: "command", Source: hook.Project},
			Runner:   r,
		}}}, nil
	}
}

// runner is a hook as a function.
type runner func(context.Context, hook.Call) (hook.Reply, error)

func (r runner) Run(ctx context.Context, c hook.Call) (hook.Reply, error) { return r(ctx, c) }

// says is a hook that prints an answer.
func says(stdout string) runner {
	return func(context.Context, hook.Call) (hook.Reply, error) { return hook.Reply{Stdout: []byte(stdout)}, nil }
}

// patience limits the wait for a result on a slow machine.
const patience = 20 * time.Second
