package hooktest

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/run"
)

// Option configures a [Session].
type Option func(*sessionSetup)

type sessionSetup struct {
	system  pipeline.Config
	session pipeline.SessionConfig
	files   map[string]string
	hooks   []func(pipeline.Scope)
}

// Settings writes settings into the session's directory and makes load read them:
//
//	t.Setenv("HOME", t.TempDir()) // ignore your own settings
//	…
//	hooktest.Settings(".claude/settings.json", `{"hooks": …}`, claude.Settings{}.Load)
//
// The path is relative to the session's directory.
func Settings(path, text string, load pipeline.Load) Option {
	return func(s *sessionSetup) {
		s.files[path] = text
		s.system.Load = append(s.system.Load, load)
	}
}

// File writes a file below the session's directory, such as the script of a hook. A file whose text begins with #!
// is executable.
func File(path, text string) Option { return func(s *sessionSetup) { s.files[path] = text } }

// On adds a hook written in Go.
func On[In, Out any](event *pipeline.Event[In, Out], name string, f hook.Func[In, Out], how ...pipeline.Option) Option {
	return func(s *sessionSetup) {
		s.hooks = append(s.hooks, func(at pipeline.Scope) { event.On(at, name, f, how...) })
	}
}

// Configure calls change with the configurations of the system and the session.
func Configure(change func(*pipeline.Config, *pipeline.SessionConfig)) Option {
	return func(s *sessionSetup) { change(&s.system, &s.session) }
}

// Session returns a session in a temporary directory, with the settings, files and hooks of opts, and without a log.
// When the test ends, the system is closed, and the test fails for each goroutine that the test started and that still
// exists two seconds later. Goroutines are recognised by their profiler labels: tests may run in parallel, and labels
// that the test sets itself are overwritten.
//
// Inside a synctest bubble the session uses the bubble's clock; see [FakeClock].
func Session(t testing.TB, opts ...Option) *pipeline.Session {
	t.Helper()
	checkLeaks(t)
	return open(t, opts)
}

// FakeClock calls f in a synctest bubble, with a session like that of [Session]: timeouts pass at once, and nothing
// sleeps. Hooks that are processes need real time, and fail with an error that says this.
func FakeClock(t *testing.T, f func(t *testing.T, s *pipeline.Session), opts ...Option) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { // synctest itself fails for leaked goroutines
		f(t, open(t, append(opts, Configure(func(c *pipeline.Config, _ *pipeline.SessionConfig) {
			wrap := c.Wrap
			c.Wrap = func(h *hook.Hook, r hook.Runner) hook.Runner {
				if _, process := r.(*run.Command); process {
					return noProcess{}
				}
				if wrap != nil {
					return wrap(h, r)
				}
				return r
			}
		}))))
	})
}

func open(t testing.TB, opts []Option) *pipeline.Session {
	t.Helper()
	s := sessionSetup{files: map[string]string{}}
	s.system.Log = slog.New(slog.NewTextHandler(io.Discard, &slog.HandlerOptions{Level: slog.LevelError}))
	s.session.ID, s.session.Dir = "hooktest", t.TempDir()
	for _, opt := range opts {
		opt(&s)
	}
	for path, text := range s.files {
		write(t, filepath.Join(s.session.Dir, filepath.FromSlash(path)), text)
	}
	sys := pipeline.NewSystem(s.system)
	t.Cleanup(func() {
		if err := sys.Close(); err != nil {
			t.Errorf("closing the system: %v", err)
		}
	})
	session, err := sys.NewSession(context.Background(), s.session)
	if err != nil {
		t.Fatalf("the session: %v", err)
	}
	for _, problem := range session.Problems() {
		t.Errorf("settings: %v", problem)
	}
	for _, add := range s.hooks {
		add(session)
	}
	return session
}

func write(t testing.TB, path, text string) {
	t.Helper()
	mode := os.FileMode(0o600)
	if len(text) > 1 && text[:2] == "#!" {
		mode = 0o700
	}
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), mode)); err != nil {
		t.Fatal(err)
	}
}

// noProcess is the Runner of commands under a fake clock. It always fails.
type noProcess struct{}

var errNoProcess = errors.New("a process runs in real time: use Session instead of FakeClock")

// Run fails.
func (noProcess) Run(context.Context, hook.Call) (hook.Reply, error) {
	return hook.Reply{}, errNoProcess
}
