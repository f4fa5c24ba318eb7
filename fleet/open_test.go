package fleet

import (
	"testing"

	"github.com/snaphook-go/snaphook"
	"github.com/snaphook-go/snaphook/pipeline"
)

// In a program that opens its hooks with the root package, a tool call asks the workers.
func TestAProgramAsksTheFleet(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	nc := connect(t, startServer(t))
	worker := system(t, pipeline.Config{Load: []pipeline.Load{hooked("claude", "PreToolUse", says(`{"decision":"block","reason":"by the fleet"}`))}})
	serve(t, nc, sessionsOf(t, worker), ServeOptions{})
	h, err := snaphook.Open(snaphook.Config{
		Log: quiet, Dialects: []*snaphook.Dialect{snaphook.Claude(snaphook.ClaudeConfig{})},
		Load: []pipeline.Load{Hooks(nc, HookOptions{})},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	s, err := h.NewSession(t.Context(), snaphook.SessionConfig{ID: "s", Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	v, err := s.BeforeTool(t.Context(), &snaphook.ToolCall{ID: "c", Name: "Bash", Input: snaphook.Object(`{"command":"ls"}`)})
	if err != nil || !v.Denied() || v.Reason != "by the fleet" {
		t.Errorf("got %+v, %v; want the worker's denial", v, err)
	}
}
