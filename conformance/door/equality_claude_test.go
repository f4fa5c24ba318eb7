package door_test

import (
	"context"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"strings"
	"testing"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook"
	claudecases "github.com/snaphook-go/snaphook/conformance/judge/claudecases"
	"github.com/snaphook-go/snaphook/conformance/judge/llxprtcases"
	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/run/judge"
	"github.com/snaphook-go/snaphook/settings"
	"github.com/snaphook-go/snaphook/wire"
)

func TestThroughAgentClaudesHooksSayTheSame(t *testing.T) {
	if _, found := llxprtcases.Dir("claude"); !found {
		t.Skip("the cases are found by the path of their source: run without -trimpath")
	}
	ran := 0
	for _, c := range claudecases.Cases(t) {
		fire := claudeFires[c.Event] // the event of the case's first step
		if fire == nil {
			if claudeOthers[c.Event] == "" {
				t.Errorf("%s: nothing fires %s through agent; write how, or why not", c.Name, c.Event)
			}
			continue
		}
		ran++
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			one, two := c.Prepare(t, ""), c.Prepare(t, "")
			sys := pipeline.NewSystem(pipeline.Config{Load: []pipeline.Load{claudeOf(one).Load}, Log: testkit.Quiet})
			defer sys.Close()
			ses, err := sys.NewSession(t.Context(), pipeline.SessionConfig{
				ID: claudecases.SessionID, Dir: one.Dir, Transcript: one.Transcript, Interactive: one.Host.Interactive, Untrusted: !one.Host.Trusted,
			})
			if err != nil {
				t.Fatal(err)
			}
			hooks, err := snaphook.Open(snaphook.Config{Dialects: beside("claude", snaphook.Claude(claudeOf(two))), Log: testkit.Quiet})
			if err != nil {
				t.Fatal(err)
			}
			defer hooks.Close()
			s, err := hooks.NewSession(t.Context(), snaphook.SessionConfig{
				ID: claudecases.SessionID, Dir: two.Dir, Transcript: two.Transcript, Interactive: two.Host.Interactive, Untrusted: !two.Host.Trusted,
			})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _, _ = ses.Close(context.Background()), s.Close(context.Background()) }()
			alone, through := fire(t, ses, s, wire.Object(one.Input), wire.Object(two.Input))
			if alone.Ask && !two.Host.Interactive {
				alone.Ask, alone.Denied = false, true
				through.Reason = alone.Reason // package snaphook adds a note that there is no user
			}
			same(t, alone, through, one.Dir, two.Dir)
		})
	}
	if ran < 50 {
		t.Errorf("%d cases were run; want the corpus", ran)
	}
}

// claudeOf returns a case's settings.
func claudeOf(p *claudecases.Prepared) claude.Settings {
	sources := map[string]hook.Source{"managed": hook.Managed, "flag": hook.Flag, "local": hook.Local, "project": hook.Project, "user": hook.User}
	return claude.Settings{
		Layers: lo.Map(p.LayerFiles, func(l claudecases.LayerFile, _ int) settings.Layer {
			return settings.Layer{Name: l.Name, Source: sources[l.Name], File: l.File, Strict: true}
		}),
		Plugins: lo.Map(p.Plugins, func(q claudecases.Plugin, _ int) claude.Plugin {
			return claude.Plugin{Name: q.Name, Marketplace: q.Marketplace, Root: q.Root, Data: q.Hooks, Options: q.Options}
		}),
		Environ: p.Environ(), Model: scripted{p.Model}, Agent: scripted{p.Model},
	}
}

// scripted returns the case's answers in place of the models.
type scripted struct{ *claudecases.LLM }

func (s scripted) Generate(ctx context.Context, r judge.ModelRequest) (string, error) {
	return s.LLM.Generate(ctx, "prompt", r.Model, r.Prompt)
}

func (s scripted) RunAgent(ctx context.Context, r judge.AgentRequest) (string, error) {
	return s.LLM.Generate(ctx, "agent", r.Model, r.Prompt)
}

func claudeCall(o wire.Object) claude.PreToolUseInput {
	return claude.PreToolUseInput{Name: o.Text("tool_name"), Input: wire.Object(o.Get("tool_input")), ID: o.Text("tool_use_id")}
}

func agentCall(o wire.Object) snaphook.ToolCall {
	return snaphook.ToolCall{Name: o.Text("tool_name"), Input: wire.Object(o.Get("tool_input")), ID: o.Text("tool_use_id")}
}

func contexts(d claude.Directive) string { return strings.Join(d.Context, "\n") }

var claudeFires = map[string]fires{
	"PreToolUse": func(t *testing.T, ses *pipeline.Session, s *snaphook.Session, one, two wire.Object) (answer, answer) {
		call, other := claudeCall(one), agentCall(two)
		res, err := claude.PreToolUse.Fire(t.Context(), ses, &call)
		if err != nil {
			t.Fatal(err)
		}
		v := claude.ApplyPreToolUse(&call, res)
		got, err := s.BeforeTool(t.Context(), &other)
		return answer{
			Denied: v.Decision == hook.Deny, Ask: v.Decision == hook.Ask || v.Decision == hook.Defer, Reason: v.Reason,
			Stop: v.Stop, StopReason: v.StopReason, Input: string(v.Input), Contexts: contexts(v.Directive),
		}, of(t, got, err)
	},
	"PostToolUse": func(t *testing.T, ses *pipeline.Session, s *snaphook.Session, one, two wire.Object) (answer, answer) {
		res, err := claude.PostToolUse.Fire(t.Context(), ses, &claude.PostToolUseInput{PreToolUseInput: claudeCall(one), Response: one.Get("tool_response")})
		if err != nil {
			t.Fatal(err)
		}
		v := claude.ApplyPostToolUse(&claude.PostToolUseInput{}, res)
		got, err := s.AfterTool(t.Context(), &snaphook.AfterToolInput{ToolCall: agentCall(two), Result: snaphook.ToolResult{Data: two.Get("tool_response")}})
		return answer{
			Denied: v.Feedback != "", Reason: v.Feedback, Stop: v.Stop, StopReason: v.StopReason, Contexts: contexts(v.Directive),
			Result: string(res.Specific.UpdatedToolOutput),
		}, of(t, got, err)
	},
	"UserPromptSubmit": func(t *testing.T, ses *pipeline.Session, s *snaphook.Session, one, two wire.Object) (answer, answer) {
		res, err := claude.UserPromptSubmit.Fire(t.Context(), ses, &claude.UserPromptSubmitInput{Prompt: one.Text("prompt")})
		if err != nil {
			t.Fatal(err)
		}
		v := claude.ApplyUserPromptSubmit(res)
		got, err := s.Prompt(t.Context(), &snaphook.PromptInput{Text: two.Text("prompt")})
		return answer{Denied: !v.Run && !v.Stop, Reason: v.Reason, Stop: v.Stop, StopReason: v.StopReason, Contexts: contexts(v.Directive)}, of(t, got, err)
	},
	"Stop": func(t *testing.T, ses *pipeline.Session, s *snaphook.Session, one, two wire.Object) (a, b answer) {
		active := one.Get("stop_hook_active").Kind() == 't'
		res, err := claude.Stop.Fire(t.Context(), ses, &claude.StopInput{Active: active, Message: one.Text("last_assistant_message")})
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.Stop(t.Context(), &snaphook.StopInput{Answer: two.Text("last_assistant_message"), Again: active})
		b = of(t, got, err)
		return stopped(claude.ApplyStop(res), b), b
	},
	"SessionStart": func(t *testing.T, ses *pipeline.Session, s *snaphook.Session, one, two wire.Object) (answer, answer) {
		res, err := claude.SessionStart.Fire(t.Context(), ses, &claude.SessionStartInput{Source: one.Text("source")})
		if err != nil {
			t.Fatal(err)
		}
		v := claude.ApplyLifecycle(res)
		got, err := s.Start(t.Context(), &snaphook.StartInput{Source: two.Text("source")})
		return answer{Stop: v.Stop, StopReason: v.StopReason, Contexts: contexts(v)}, of(t, got, err)
	},
}
