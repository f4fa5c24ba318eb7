package pipeline_test

import (
	"context"
	"errors"
	"testing"

	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
)

// A loader that panics does not end the program: no session opens; a reload fails and keeps the
// guards.
func TestSettingsWhoseReaderPanicsAreAnError(t *testing.T) {
	text := `{"tools": {"enableHooks": true}, "hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "exit 2"}]}]}}`
	read := llxprt.Settings{Layers: []settings.Layer{{Source: hook.Project, File: "p.json", Data: []byte(text)}}}.Load
	broken := true
	sys := pipeline.NewSystem(pipeline.Config{Load: []pipeline.Load{func(ctx context.Context, at pipeline.Workspace) (pipeline.Loaded, error) {
		if broken {
			panic("no reader of this")
		}
		return read(ctx, at)
	}}})
	cfg := pipeline.SessionConfig{ID: "s", Dir: t.TempDir()}
	var failed *hook.PanicError
	if ses, err := sys.NewSession(t.Context(), cfg); ses != nil || !errors.As(err, &failed) {
		t.Fatalf("got a session %v, %v; want none, and what panicked", ses != nil, err)
	}
	broken = false
	ses, err := sys.NewSession(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	broken = true
	if err := sys.Reload(t.Context()); !errors.As(err, &failed) {
		t.Errorf("Reload: %v, want what panicked", err)
	}
	if !llxprt.BeforeTool.Active(ses) {
		t.Error("the settings that could not be read again took the guard away")
	}
}
