package snaphook_test

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook"
	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
	"github.com/snaphook-go/snaphook/wire"
)

// acmeStage fires Acme's event before a tool.
func acmeStage() snaphook.Stage {
	return snaphook.Fires(AcmeBeforeRun,
		func(c *snaphook.ToolCall) AcmeCall { return AcmeCall{Tool: c.Name, Args: c.Input} },
		func(res *hook.Result[AcmeAnswer], v *snaphook.Verdict) { v.Input = res.Specific.Args })
}

func acmeConfig() snaphook.DialectConfig {
	return snaphook.DialectConfig{Argument: func(_ snaphook.Kind, canonical string) string {
		return map[string]string{"command": "cmd"}[canonical]
	}}
}

func TestADialectOfOnesOwnComposesWithTheOthers(t *testing.T) {
	log := slog.New(slog.DiscardHandler)
	hooks, err := snaphook.Open(snaphook.Config{Log: log, Tools: []snaphook.Tool{{Name: "sh", Kind: snaphook.Shell}}, Dialects: []*snaphook.Dialect{
		snaphook.Claude(snaphook.ClaudeConfig{Layers: []settings.Layer{{Name: "user", Source: hook.User, Data: []byte(
			`{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"echo '{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"updatedInput\":{\"command\":\"claude\"}}}'"}]}]}}`)}}}),
		snaphook.LLxprt(snaphook.LLxprtConfig{Layers: []settings.Layer{}}), snaphook.Xcsh(snaphook.XcshConfig{NoProject: true}),
		snaphook.NewDialect(Acme, acmeConfig(), acmeStage()),
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer hooks.Close()
	s, err := hooks.NewSession(t.Context(), snaphook.SessionConfig{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(t.Context())
	remove := AcmeBeforeRun.On(s.Pipeline(), "rewrite", func(_ context.Context, c AcmeCall) (o hook.Output[AcmeAnswer], err error) {
		o.Specific.Args = c.Args.With("cmd", wire.Quote("acme"))
		o.Context, o.Message = "for the model", "for the user"
		return o, nil
	})
	v, err := s.BeforeTool(t.Context(), &snaphook.ToolCall{Name: "sh", Input: wire.Object(`{"command":"ls"}`)})
	if err != nil || v.Denied() || string(v.Input) != `{"command":"acme"}` || len(v.Conflicts) != 1 || len(v.Reports) != 2 {
		t.Errorf("got %+v, %v; want the command of the last dialect, and a conflict", v, err)
	}
	if !slices.Equal(v.Context, []string{"for the model"}) || !slices.Equal(v.Messages, []string{"for the user"}) {
		t.Errorf("context %q, messages %q", v.Context, v.Messages)
	}
	remove()
	AcmeBeforeRun.On(s.Pipeline(), "guard", func(context.Context, AcmeCall) (hook.Output[AcmeAnswer], error) {
		return hook.Output[AcmeAnswer]{Decision: hook.Block, Reason: "no", Stop: true, StopReason: "end"}, nil
	})
	v, err = s.BeforeTool(t.Context(), &snaphook.ToolCall{Name: "sh", Input: wire.Object(`{"command":"ls"}`)})
	if err != nil || !v.Denied() || v.Reason != "no" || !v.Stop || v.StopReason != "end" {
		t.Errorf("got %+v, %v; want a denial and a stop", v, err)
	}
}

func TestADialectThatCannotBeUsedIsAnErrorOfOpen(t *testing.T) {
	other := &pipeline.Dialect{Name: "other"}
	for want, all := range map[string][]*snaphook.Dialect{
		"no dialect":                  {snaphook.NewDialect(nil, snaphook.DialectConfig{})},
		"of another dialect":          {snaphook.NewDialect(other, snaphook.DialectConfig{}, acmeStage())},
		"two stages":                  {snaphook.NewDialect(Acme, snaphook.DialectConfig{}, acmeStage(), acmeStage())},
		"Stage is empty":              {snaphook.NewDialect(Acme, snaphook.DialectConfig{}, snaphook.Stage{})},
		`cannot have the name "host"`: {snaphook.NewDialect(&pipeline.Dialect{Name: "host"}, snaphook.DialectConfig{})},
		"acme is given twice":         {snaphook.NewDialect(Acme, snaphook.DialectConfig{}), snaphook.NewDialect(Acme, snaphook.DialectConfig{})},
		"with the profile":            {snaphook.LLxprt(snaphook.LLxprtConfig{}), snaphook.LLxprt(snaphook.LLxprtConfig{})},
		"one of them has no Profile":  {snaphook.LLxprt(snaphook.LLxprtConfig{}), snaphook.LLxprt(snaphook.LLxprtConfig{Profile: llxprt.Gemini})},
	} {
		if _, err := snaphook.Open(snaphook.Config{Dialects: all}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v; want an error with %q", err, want)
		}
	}
}

// Each hook follows the rules of its own system when both profiles are in one session.
func TestBothProfilesOfLLxprtRunTogether(t *testing.T) {
	profile := func(p llxprt.Profile, command string) *snaphook.Dialect {
		hooks := `{"tools":{"enableHooks":true},"hooks":{"BeforeTool":[{"hooks":[{"type":"command","command":` + string(wire.Quote(command)) +
			`}]}],"AfterTool":[{"hooks":[{"type":"command","command":` + string(wire.Quote(command)) + `}]}]}}`
		return snaphook.LLxprt(snaphook.LLxprtConfig{Profile: p, Layers: []settings.Layer{{Name: "user", Source: hook.User, Data: []byte(hooks)}}})
	}
	// Status 3 with a text denies in Gemini CLI, and is a warning in LLxprt Code.
	for _, tt := range []struct {
		llxprt, gemini   string
		denied, replaced bool
	}{
		{"echo no >&2; exit 3", "true", false, false},
		{"true", "echo no >&2; exit 3", true, true},
		{"echo no >&2; exit 2", "true", true, false},
		{"echo no >&2; exit 2", "echo no >&2; exit 2", true, true},
	} {
		for _, dialects := range [][]*snaphook.Dialect{
			{profile(llxprt.LLxprt, tt.llxprt), profile(llxprt.Gemini, tt.gemini)},
			{profile(llxprt.Gemini, tt.gemini), snaphook.Claude(snaphook.ClaudeConfig{Layers: []settings.Layer{}}), profile(llxprt.LLxprt, tt.llxprt)},
		} {
			hooks, err := snaphook.Open(snaphook.Config{Log: slog.New(slog.DiscardHandler), Dialects: dialects})
			if err != nil {
				t.Fatal(err)
			}
			s, err := hooks.NewSession(t.Context(), snaphook.SessionConfig{Dir: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			call := &snaphook.ToolCall{Name: "ls", Input: wire.Object(`{}`)}
			v, err := s.BeforeTool(t.Context(), call)
			if err != nil || v.Denied() != tt.denied || len(v.Reports) != 2 || v.Reports[0].Hook == v.Reports[1].Hook {
				t.Errorf("LLxprt %q, Gemini %q: got %+v, %v; want denied %v, and two hooks", tt.llxprt, tt.gemini, v, err, tt.denied)
			}
			v, err = s.AfterTool(t.Context(), &snaphook.AfterToolInput{ToolCall: *call, Result: snaphook.ToolResult{Text: "x"}})
			if err != nil || (v.Result != nil) != tt.replaced {
				t.Errorf("LLxprt %q, Gemini %q: got %+v, %v; want the result replaced %v", tt.llxprt, tt.gemini, v, err, tt.replaced)
			}
			hooks.Close()
		}
	}
}
