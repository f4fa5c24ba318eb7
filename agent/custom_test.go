package agent_test

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/agent"
	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
	"github.com/snaphook-go/snaphook/wire"
)

// acmeStage fires Acme's event before a tool.
func acmeStage() agent.Stage {
	return agent.Fires(AcmeBeforeRun,
		func(c *agent.ToolCall) AcmeCall { return AcmeCall{Tool: c.Name, Args: c.Input} },
		func(res *hook.Result[AcmeAnswer], v *agent.Verdict) { v.Input = res.Specific.Args })
}

func acmeConfig() agent.DialectConfig {
	return agent.DialectConfig{Argument: func(_ agent.Kind, canonical string) string {
		return map[string]string{"command": "cmd"}[canonical]
	}}
}

func TestADialectOfOnesOwnComposesWithTheOthers(t *testing.T) {
	log := slog.New(slog.DiscardHandler)
	hooks, err := agent.Open(agent.Config{Log: log, Tools: []agent.Tool{{Name: "sh", Kind: agent.Shell}}, Dialects: []*agent.Dialect{
		agent.Claude(agent.ClaudeConfig{Layers: []settings.Layer{{Name: "user", Source: hook.User, Data: []byte(
			`{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"echo '{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"updatedInput\":{\"command\":\"claude\"}}}'"}]}]}}`)}}}),
		agent.LLxprt(agent.LLxprtConfig{Layers: []settings.Layer{}}), agent.Xcsh(agent.XcshConfig{NoProject: true}),
		agent.NewDialect(Acme, acmeConfig(), acmeStage()),
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer hooks.Close()
	s, err := hooks.NewSession(t.Context(), agent.SessionConfig{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(t.Context())
	remove := AcmeBeforeRun.On(s.Pipeline(), "rewrite", func(_ context.Context, c AcmeCall) (o hook.Output[AcmeAnswer], err error) {
		o.Specific.Args = c.Args.With("cmd", wire.Quote("acme"))
		o.Context, o.Message = "for the model", "for the user"
		return o, nil
	})
	v, err := s.BeforeTool(t.Context(), &agent.ToolCall{Name: "sh", Input: wire.Object(`{"command":"ls"}`)})
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
	v, err = s.BeforeTool(t.Context(), &agent.ToolCall{Name: "sh", Input: wire.Object(`{"command":"ls"}`)})
	if err != nil || !v.Denied() || v.Reason != "no" || !v.Stop || v.StopReason != "end" {
		t.Errorf("got %+v, %v; want a denial and a stop", v, err)
	}
}

func TestADialectThatCannotBeUsedIsAnErrorOfOpen(t *testing.T) {
	other := &pipeline.Dialect{Name: "other"}
	for want, all := range map[string][]*agent.Dialect{
		"no dialect":                 {agent.NewDialect(nil, agent.DialectConfig{})},
		"of another dialect":         {agent.NewDialect(other, agent.DialectConfig{}, acmeStage())},
		"two stages":                 {agent.NewDialect(Acme, agent.DialectConfig{}, acmeStage(), acmeStage())},
		"Stage is empty":             {agent.NewDialect(Acme, agent.DialectConfig{}, agent.Stage{})},
		`cannot be called "host"`:    {agent.NewDialect(&pipeline.Dialect{Name: "host"}, agent.DialectConfig{})},
		"acme is given twice":        {agent.NewDialect(Acme, agent.DialectConfig{}), agent.NewDialect(Acme, agent.DialectConfig{})},
		"with the profile":           {agent.LLxprt(agent.LLxprtConfig{}), agent.LLxprt(agent.LLxprtConfig{})},
		"one of them has no Profile": {agent.LLxprt(agent.LLxprtConfig{}), agent.LLxprt(agent.LLxprtConfig{Profile: llxprt.Gemini})},
	} {
		if _, err := agent.Open(agent.Config{Dialects: all}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v; want an error with %q", err, want)
		}
	}
}

// Both profiles in one session: every hook ends by the rules of its own system.
func TestBothProfilesOfLLxprtRunTogether(t *testing.T) {
	profile := func(p llxprt.Profile, command string) *agent.Dialect {
		hooks := `{"tools":{"enableHooks":true},"hooks":{"BeforeTool":[{"hooks":[{"type":"command","command":` + string(wire.Quote(command)) +
			`}]}],"AfterTool":[{"hooks":[{"type":"command","command":` + string(wire.Quote(command)) + `}]}]}}`
		return agent.LLxprt(agent.LLxprtConfig{Profile: p, Layers: []settings.Layer{{Name: "user", Source: hook.User, Data: []byte(hooks)}}})
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
		for _, dialects := range [][]*agent.Dialect{
			{profile(llxprt.LLxprt, tt.llxprt), profile(llxprt.Gemini, tt.gemini)},
			{profile(llxprt.Gemini, tt.gemini), agent.Claude(agent.ClaudeConfig{Layers: []settings.Layer{}}), profile(llxprt.LLxprt, tt.llxprt)},
		} {
			hooks, err := agent.Open(agent.Config{Log: slog.New(slog.DiscardHandler), Dialects: dialects})
			if err != nil {
				t.Fatal(err)
			}
			s, err := hooks.NewSession(t.Context(), agent.SessionConfig{Dir: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			call := &agent.ToolCall{Name: "ls", Input: wire.Object(`{}`)}
			v, err := s.BeforeTool(t.Context(), call)
			if err != nil || v.Denied() != tt.denied || len(v.Reports) != 2 || v.Reports[0].Hook == v.Reports[1].Hook {
				t.Errorf("LLxprt %q, Gemini %q: got %+v, %v; want denied %v, and two hooks", tt.llxprt, tt.gemini, v, err, tt.denied)
			}
			v, err = s.AfterTool(t.Context(), &agent.AfterToolInput{ToolCall: *call, Result: agent.ToolResult{Text: "x"}})
			if err != nil || (v.Result != nil) != tt.replaced {
				t.Errorf("LLxprt %q, Gemini %q: got %+v, %v; want the result replaced %v", tt.llxprt, tt.gemini, v, err, tt.replaced)
			}
			hooks.Close()
		}
	}
}
