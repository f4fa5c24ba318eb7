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
	"github.com/snaphook-go/snaphook/events/codex"
	"github.com/snaphook-go/snaphook/events/codex/door"
	"github.com/snaphook-go/snaphook/events/format"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

func TestThroughTheDoorCodexsHooksSayTheSame(t *testing.T) {
	_, dir := clicases.Dialects()
	cases, err := clicases.Load(filepath.Join(dir, "codex"))
	if err != nil {
		t.Skip(err) // the directory in SNAPHOOK_CASES has no cases of Codex
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			one, two := prepared(t, &c), prepared(t, &c)
			untrusted := slices.ContainsFunc(one.All(), func(s clicases.Step) bool { return slices.Contains(s.Args, "--untrusted") })
			sys := pipeline.NewSystem(pipeline.Config{Load: []pipeline.Load{codex.Settings{Environ: one.Environ()}.Load}, Log: testkit.Quiet})
			defer sys.Close()
			ses, err := sys.NewSession(t.Context(), pipeline.SessionConfig{ID: "s-1", Dir: one.Dir, Untrusted: untrusted})
			if err != nil {
				t.Fatal(err)
			}
			hooks, err := snaphook.Open(snaphook.Config{
				Dialects: beside("codex", door.Codex(codex.Settings{Environ: two.Environ()})), Log: testkit.Quiet,
			})
			if err != nil {
				t.Fatal(err)
			}
			defer hooks.Close()
			s, err := hooks.NewSession(t.Context(), snaphook.SessionConfig{ID: "s-1", Dir: two.Dir, Untrusted: untrusted})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _, _ = ses.Close(context.Background()), s.Close(context.Background()) }()
			for i, step := range one.All() {
				other := two.All()[i]
				if err := lo.CoalesceOrEmpty(one.Write(&step), two.Write(&other)); err != nil {
					t.Fatal(err)
				}
				event := strings.TrimPrefix(step.Event, "codex.")
				through, ok := codexMoments[event]
				if !ok {
					continue // no moment corresponds to Interrupt
				}
				alone := codexAlone(t, ses, event, wire.Object(step.Input))
				v, err := through(t.Context(), s, wire.Object(other.Input))
				same(t, alone, of(t, v, err), one.Dir, two.Dir)
			}
		})
	}
}

func prepared(t *testing.T, c *clicases.Case) *clicases.Prepared {
	root := testkit.Dir(t)
	p, err := c.Prepare(root)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// codexAlone fires the dialect's own event, and returns the answer in its effects.
func codexAlone(t *testing.T, ses *pipeline.Session, event string, in wire.Object) answer {
	t.Helper()
	for _, declared := range pipeline.Events(codex.Dialect) {
		if declared.Info().Name != event {
			continue
		}
		res, err := declared.FireJSON(t.Context(), ses, in)
		if err != nil {
			t.Fatal(err)
		}
		e := res.Effects.(*format.Effects)
		input := string(e.UpdatedInput)
		if event == "PreToolUse" || event == "PermissionRequest" {
			input = lo.CoalesceOrEmpty(input, string(in.Get("tool_input")))
		}
		return answer{
			Denied: lo.FromPtr(e.Decision) == hook.Deny, Reason: lo.FromPtr(res.Reason), Stop: res.Stop, StopReason: lo.FromPtr(e.StopReason),
			Continue: lo.FromPtr(e.Followup), Input: input, Contexts: strings.Join(e.AdditionalContext, "\n"), Result: string(e.UpdatedOutput),
		}
	}
	t.Fatalf("there is no event %s", event)
	return answer{}
}

// codexMoments maps an event to a function that fires its moment with the input of the event.
var codexMoments = map[string]func(context.Context, *snaphook.Session, wire.Object) (*snaphook.Verdict, error){
	"SessionStart": func(ctx context.Context, s *snaphook.Session, in wire.Object) (*snaphook.Verdict, error) {
		return s.Start(ctx, &snaphook.StartInput{Source: in.Text("source"), Model: in.Text("model")})
	},
	"SessionEnd": func(ctx context.Context, s *snaphook.Session, in wire.Object) (*snaphook.Verdict, error) {
		return s.End(ctx, &snaphook.EndInput{Reason: in.Text("reason")})
	},
	"UserPromptSubmit": func(ctx context.Context, s *snaphook.Session, in wire.Object) (*snaphook.Verdict, error) {
		return s.Prompt(ctx, &snaphook.PromptInput{Text: in.Text("prompt")})
	},
	"PreToolUse": func(ctx context.Context, s *snaphook.Session, in wire.Object) (*snaphook.Verdict, error) {
		call := agentCall(in)
		return s.BeforeTool(ctx, &call)
	},
	"PermissionRequest": func(ctx context.Context, s *snaphook.Session, in wire.Object) (*snaphook.Verdict, error) {
		return s.Permission(ctx, &snaphook.PermissionInput{ToolCall: agentCall(in)})
	},
	"PostToolUse": func(ctx context.Context, s *snaphook.Session, in wire.Object) (*snaphook.Verdict, error) {
		v, err := s.AfterTool(ctx, &snaphook.AfterToolInput{ToolCall: agentCall(in), Result: snaphook.ToolResult{Data: in.Get("tool_response")}})
		v.Input = nil // no event of Codex changes the input after the tool has run
		return v, err
	},
	"PreCompact": func(ctx context.Context, s *snaphook.Session, in wire.Object) (*snaphook.Verdict, error) {
		return s.BeforeCompact(ctx, &snaphook.BeforeCompactInput{Trigger: in.Text("trigger")})
	},
	"PostCompact": func(ctx context.Context, s *snaphook.Session, in wire.Object) (*snaphook.Verdict, error) {
		return s.AfterCompact(ctx, &snaphook.AfterCompactInput{Trigger: in.Text("trigger")})
	},
	"SubagentStart": func(ctx context.Context, s *snaphook.Session, in wire.Object) (*snaphook.Verdict, error) {
		return s.SubagentStart(ctx, &snaphook.SubagentStartInput{ID: in.Text("agent_id"), Type: in.Text("agent_type")})
	},
	"SubagentStop": func(ctx context.Context, s *snaphook.Session, in wire.Object) (*snaphook.Verdict, error) {
		return s.SubagentStop(ctx, &snaphook.SubagentStopInput{
			ID: in.Text("agent_id"), Type: in.Text("agent_type"), Again: string(in.Get("stop_hook_active")) == "true", Answer: in.Text("last_assistant_message"),
		})
	},
	"Stop": func(ctx context.Context, s *snaphook.Session, in wire.Object) (*snaphook.Verdict, error) {
		return s.Stop(ctx, &snaphook.StopInput{Again: string(in.Get("stop_hook_active")) == "true", Answer: in.Text("last_assistant_message")})
	},
}
