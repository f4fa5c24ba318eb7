package xcsh_test

import (
	"log/slog"
	"testing"

	"go.uber.org/goleak"

	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/hooktest"
	"github.com/snaphook-go/snaphook/pipeline"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var quiet = slog.New(slog.DiscardHandler)

// start returns modules of a new session.
func start(t testing.TB, cfg xcsh.Config) *xcsh.Modules {
	t.Helper()
	if cfg.Log == nil {
		cfg.Log = quiet
	}
	return xcsh.New(session(t), cfg)
}

func session(t testing.TB) *pipeline.Session {
	t.Helper()
	return hooktest.Session(t, hooktest.Configure(func(_ *pipeline.Config, c *pipeline.SessionConfig) { c.ID = "s" }))
}

// add loads a module, and fails the test if that fails.
func add(t *testing.T, m *xcsh.Modules, path string, f xcsh.Factory) {
	t.Helper()
	if err := m.Add(path, f); err != nil {
		t.Fatal(err)
	}
}

// errorsOf collects the errors that m reports, as "path event message".
func errorsOf(m *xcsh.Modules) *[]string {
	var all []string
	m.Listen(&xcsh.Listener{Failed: func(e xcsh.HookError) { all = append(all, e.Path+" "+e.Event+" "+e.Message) }})
	return &all
}
