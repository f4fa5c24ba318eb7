package door_test

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook"
	"github.com/snaphook-go/snaphook/conformance/judge/clicases"
	"github.com/snaphook-go/snaphook/events/copilot"
	"github.com/snaphook-go/snaphook/events/copilot/door"
	"github.com/snaphook-go/snaphook/events/format"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

func TestThroughTheDoorCopilotsHooksSayTheSame(t *testing.T) {
	_, dir := clicases.Dialects()
	cases, err := clicases.Load(filepath.Join(dir, "copilot"))
	if err != nil {
		t.Skip(err) // the directory in SNAPHOOK_CASES has no cases of Copilot
	}
	compared := 0
	for _, c := range cases {
		for i, step := range c.All() {
			in := wire.Object(step.Input)
			args := copilotArgs(in, "toolArgs")
			if _, ok := copilotMoments[strings.TrimPrefix(step.Event, "copilot.")]; !ok || in.Get("toolCalls") != nil || args != nil && !args.IsObject() {
				continue // no moment has several calls, or a call whose arguments are a text
			}
			compared++
			t.Run(c.Name+" "+step.Event, func(t *testing.T) {
				t.Parallel()
				compareCopilot(t, &c, i)
			})
		}
	}
	if compared < 80 {
		t.Errorf("%d events are compared; want those of the corpus", compared)
	}
}

// compareCopilot fires the steps of a case up to index last, each directly and through package snaphook. It compares
// the two answers to the step at last.
func compareCopilot(t *testing.T, c *clicases.Case, last int) {
	one, two := prepared(t, c), prepared(t, c)
	args := one.All()[last].Args
	untrusted := slices.Contains(args, "--untrusted")
	interactive := slices.Contains(args, "--interactive")
	profile := copilot.CLI
	if i := slices.Index(args, "--profile"); i >= 0 {
		profile = copilot.Surface(args[i+1])
	}
	settings := func(p *clicases.Prepared) copilot.Settings {
		return copilot.Settings{Environ: p.Environ(), Profile: profile}
	}
	sys := pipeline.NewSystem(pipeline.Config{Load: []pipeline.Load{settings(one).Load}, Log: testkit.Quiet})
	defer sys.Close()
	for i := range last + 1 {
		step, other := one.All()[i], two.All()[i]
		if err := lo.CoalesceOrEmpty(one.Write(&step), two.Write(&other)); err != nil {
			t.Fatal(err)
		}
	}
	ses, err := sys.NewSession(t.Context(), pipeline.SessionConfig{ID: "s-1", Dir: one.Dir, Untrusted: untrusted, Interactive: interactive})
	if err != nil {
		t.Fatal(err)
	}
	hooks, err := snaphook.Open(snaphook.Config{Dialects: beside("copilot", door.Copilot(settings(two))), Log: testkit.Quiet})
	if err != nil {
		t.Fatal(err)
	}
	defer hooks.Close()
	s, err := hooks.NewSession(t.Context(), snaphook.SessionConfig{ID: "s-1", Dir: two.Dir, Untrusted: untrusted, Interactive: interactive})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = ses.Close(context.Background()), s.Close(context.Background()) }()
	for i := range last + 1 {
		step, other := one.All()[i], two.All()[i]
		event := strings.TrimPrefix(step.Event, "copilot.")
		through, ok := copilotMoments[event]
		if !ok {
			continue
		}
		alone := copilotAlone(t, ses, event, wire.Object(step.Input))
		v, err := through(t.Context(), s, wire.Object(other.Input))
		if i == last {
			got := of(t, v, err)
			alone.Input, got.Input = lo.CoalesceOrEmpty(alone.Input, "{}"), lo.CoalesceOrEmpty(got.Input, "{}")
			same(t, alone, got, one.Dir, two.Dir, filepath.Dir(one.Dir), filepath.Dir(two.Dir))
		}
	}
}

// copilotAlone fires the dialect's own event, and returns the answer in its effects.
func copilotAlone(t *testing.T, ses *pipeline.Session, event string, in wire.Object) answer {
	t.Helper()
	declared, ok := lo.Find(pipeline.Events(copilot.Dialect), func(d pipeline.Declared) bool { return d.Info().Name == event })
	if !ok {
		t.Fatalf("there is no event %s", event)
	}
	res, err := declared.FireJSON(t.Context(), ses, in)
	if err != nil {
		t.Fatal(err)
	}
	e := res.Effects.(*format.Effects)
	a := answer{
		Denied: lo.FromPtr(e.Decision) == hook.Deny, Ask: lo.FromPtr(e.Decision) == hook.Ask, Reason: lo.FromPtr(res.Reason),
		Stop: res.Stop, StopReason: lo.FromPtr(e.StopReason), Continue: lo.FromPtr(e.Followup), Input: string(e.UpdatedInput),
		Contexts: strings.Join(e.AdditionalContext, "\n"), Result: string(e.UpdatedOutput),
	}
	if event == "preToolUse" || event == "permissionRequest" {
		args := lo.CoalesceOrEmpty(string(copilotArgs(in, "toolArgs")), string(copilotArgs(in, "toolInput")), "{}")
		a.Input = lo.CoalesceOrEmpty(a.Input, args)
	}
	if event == "postToolUse" {
		a.Contexts = strings.Join(e.ModelSees, "\n")
	}
	if now := wire.Object(e.UpdatedOutput); event == "postToolUse" && now != nil {
		a.Result = string(wire.Quote(lo.CoalesceOrEmpty(now.Text("textResultForLlm"), string(now))))
	}
	return a
}

// copilotArgs returns arguments, which may be the JSON text of an object.
func copilotArgs(in wire.Object, member string) wire.Object {
	value := in.Get(member)
	if text, isText := wire.Text(value); isText {
		return wire.Object(text)
	}
	return wire.Object(value)
}

func copilotCall(in wire.Object, member string) snaphook.ToolCall {
	return snaphook.ToolCall{ID: in.Text("toolUseId"), Name: in.Text("toolName"), Input: copilotArgs(in, member)}
}

// copilotMoments maps an event to a function that fires its moment with the input of the event.
var copilotMoments = map[string]func(context.Context, *snaphook.Session, wire.Object) (*snaphook.Verdict, error){
	"sessionStart": func(ctx context.Context, s *snaphook.Session, in wire.Object) (*snaphook.Verdict, error) {
		return s.Start(ctx, &snaphook.StartInput{Source: in.Text("source")})
	},
	"sessionEnd": func(ctx context.Context, s *snaphook.Session, in wire.Object) (*snaphook.Verdict, error) {
		return s.End(ctx, &snaphook.EndInput{Reason: in.Text("reason")})
	},
	"userPromptSubmitted": func(ctx context.Context, s *snaphook.Session, in wire.Object) (*snaphook.Verdict, error) {
		return s.Prompt(ctx, &snaphook.PromptInput{Text: in.Text("prompt")})
	},
	"preToolUse": func(ctx context.Context, s *snaphook.Session, in wire.Object) (*snaphook.Verdict, error) {
		call := copilotCall(in, "toolArgs")
		return s.BeforeTool(ctx, &call)
	},
	"permissionRequest": func(ctx context.Context, s *snaphook.Session, in wire.Object) (*snaphook.Verdict, error) {
		return s.Permission(ctx, &snaphook.PermissionInput{ToolCall: copilotCall(in, "toolInput")})
	},
	"postToolUse": func(ctx context.Context, s *snaphook.Session, in wire.Object) (*snaphook.Verdict, error) {
		text := wire.Object(in.Get("toolResult")).Text("textResultForLlm")
		v, err := s.AfterTool(ctx, &snaphook.AfterToolInput{ToolCall: copilotCall(in, "toolArgs"), Result: snaphook.ToolResult{Text: text}})
		return inputless(v), err
	},
	"postToolUseFailure": func(ctx context.Context, s *snaphook.Session, in wire.Object) (*snaphook.Verdict, error) {
		v, err := s.AfterTool(ctx, &snaphook.AfterToolInput{
			ToolCall: copilotCall(in, "toolArgs"), Result: snaphook.ToolResult{Text: in.Text("error"), Failed: true},
		})
		return inputless(v), err
	},
	"preCompact": func(ctx context.Context, s *snaphook.Session, in wire.Object) (*snaphook.Verdict, error) {
		return s.BeforeCompact(ctx, &snaphook.BeforeCompactInput{Trigger: in.Text("trigger"), Instructions: in.Text("customInstructions")})
	},
	"subagentStart": func(ctx context.Context, s *snaphook.Session, in wire.Object) (*snaphook.Verdict, error) {
		return s.SubagentStart(ctx, &snaphook.SubagentStartInput{Type: in.Text("agentName")})
	},
	"subagentStop": func(ctx context.Context, s *snaphook.Session, in wire.Object) (*snaphook.Verdict, error) {
		return s.SubagentStop(ctx, &snaphook.SubagentStopInput{ID: in.Text("agentId"), Type: in.Text("agentName"), Answer: in.Text("response")})
	},
	"agentStop": func(ctx context.Context, s *snaphook.Session, in wire.Object) (*snaphook.Verdict, error) {
		return s.Stop(ctx, &snaphook.StopInput{Again: string(in.Get("stop_hook_active")) == "true"})
	},
	"notification": func(ctx context.Context, s *snaphook.Session, in wire.Object) (*snaphook.Verdict, error) {
		return s.Notify(ctx, &snaphook.NotifyInput{Type: in.Text("notification_type"), Title: in.Text("title"), Message: in.Text("message")})
	},
}

// inputless removes the arguments from a verdict, because no event changes them after the tool has run.
func inputless(v *snaphook.Verdict) *snaphook.Verdict {
	if v != nil {
		v.Input = nil
	}
	return v
}
