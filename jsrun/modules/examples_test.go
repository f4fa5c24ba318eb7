package modules_test

import (
	"context"
	"testing"

	"github.com/snaphook-go/snaphook/events/xcsh"
	examples "github.com/snaphook-go/snaphook/examples/xcsh"
	"github.com/snaphook-go/snaphook/jsrun/modules"
	"github.com/snaphook-go/snaphook/wire"
)

// The examples behave equally in Go and in TypeScript.
func TestExamplesInBothLanguages(t *testing.T) {
	const dir = "../../examples/xcsh/"
	for _, example := range []struct {
		file string
		f    xcsh.Factory
		use  func(*testing.T, *host)
	}{
		{"permission-gate.ts", examples.PermissionGate, usePermissionGate},
		{"redactor.ts", examples.Redactor, useRedactor},
		{"context-filter.ts", examples.ContextFilter, useContextFilter},
		{"handoff.ts", examples.Handoff, useHandoff},
	} {
		t.Run(example.file, func(t *testing.T) {
			h := opened(t, xcsh.Config{}, &modules.Loader{})
			for _, err := range h.Load(t.Context(), []string{dir + example.file}, ".") {
				t.Fatal(err)
			}
			example.use(t, h)
		})
		t.Run(example.file+" in Go", func(t *testing.T) {
			h := opened(t, xcsh.Config{}, &modules.Loader{})
			if err := h.Add("example", example.f); err != nil {
				t.Fatal(err)
			}
			example.use(t, h)
		})
	}
}

func usePermissionGate(t *testing.T, h *host) {
	for _, step := range []struct {
		hasUI, yes    bool
		command, want string
	}{
		{true, false, "ls", ""}, {false, true, "rm -rf /", "rm -rf blocked (no UI)"},
		{true, false, "rm -rf /", "user denied command"}, {true, true, "rm -rf /tmp/x", ""},
	} {
		h.Initialize(xcsh.Host{UI: h, HasUI: step.hasUI})
		h.yes = step.yes
		r, err := h.call(t.Context(), "bash", `{"command":"`+step.command+`"}`)
		if err != nil || (r != nil && r.Block) != (step.want != "") || r != nil && r.Reason != step.want {
			t.Errorf("%s: %+v, %v, want %q", step.command, r, err, step.want)
		}
	}
	h.heard(t, "confirm: Dangerous command, Allow: rm -rf /", "confirm: Dangerous command, Allow: rm -rf /tmp/x")
}

func useRedactor(t *testing.T, h *host) {
	for tool, want := range map[string]string{"read": "API_KEY=[REDACTED] PORT=80", "bash": "API_KEY=abc PORT=80"} {
		execute := func(context.Context, string, wire.Object, func(*xcsh.Output)) (*xcsh.Output, error) {
			return &xcsh.Output{Content: []xcsh.Part{xcsh.TextPart("API_KEY=abc PORT=80"), xcsh.ImagePart("image/png", "AAAA")}}, nil
		}
		o, err := xcsh.WrapTool(h.Modules, tool, xcsh.OutputShape[wire.Object](), execute)(t.Context(), "1", wire.Object(`{}`), nil)
		if err != nil || len(o.Content) != 2 || o.Content[0].Text("text") != want || o.Content[1].Text("data") != "AAAA" {
			t.Errorf("%s: %+v, %v, want %q", tool, o, err, want)
		}
	}
}

func useContextFilter(t *testing.T, h *host) {
	messages := []xcsh.Message{
		{Object: wire.Object(`{"role":"user","content":"hi"}`)},
		{Object: wire.Object(`{"role":"custom","customType":"debug-only","content":"x"}`)},
		{Object: wire.Object(`{"role":"custom","customType":"note","content":"y"}`)},
	}
	r, err := xcsh.Context.Fire(t.Context(), h.Modules, &xcsh.ContextEvent{Messages: messages})
	got := xcsh.ApplyContext(messages, r)
	if err != nil || len(got) != 2 || got[0].Text("content") != "hi" || got[1].Text("content") != "y" {
		t.Errorf("got %s, %v", got, err)
	}
}

func useHandoff(t *testing.T, h *host) {
	cancelled := false
	h.Initialize(xcsh.Host{
		WaitForIdle: func(context.Context) error { h.say("idle"); return nil },
		NewSession: func(_ context.Context, opt xcsh.NewSession) (bool, error) {
			h.say("new session after %q", opt.ParentSession)
			return cancelled, nil
		},
	})
	h.Slash(t.Context(), "/handoff the tests")
	cancelled = true
	h.Slash(t.Context(), "/handoff nothing")
	h.heard(t, "idle", `new session after ""`, `message: handoff "Continue: the tests" {true }`, "idle", `new session after ""`)
}
