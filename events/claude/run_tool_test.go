package claude_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

type (
	gateOutput  = hook.Output[claude.PreToolUseOutput]
	afterOutput = hook.Output[claude.PostToolUseOutput]
)

// toolSession returns a session with one hook before a tool, and one after it.
func toolSession(t *testing.T, before gateOutput, after afterOutput) *pipeline.Session {
	t.Helper()
	sys := pipeline.NewSystem(pipeline.Config{Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(func() { _ = sys.Close() })
	s, err := sys.NewSession(t.Context(), pipeline.SessionConfig{ID: "s-1", Dir: t.TempDir(), Interactive: true})
	if err != nil {
		t.Fatal(err)
	}
	claude.PreToolUse.On(s, "before", func(context.Context, claude.PreToolUseInput) (gateOutput, error) { return before, nil })
	claude.PostToolUse.On(s, "after", func(context.Context, claude.PostToolUseInput) (afterOutput, error) { return after, nil })
	return s
}

func TestRunTool(t *testing.T) {
	broken := errors.New("broken")
	permission := func(d hook.Decision, why string) gateOutput {
		o := gateOutput{}
		o.Specific.PermissionDecision, o.Specific.PermissionDecisionReason = d, why
		return o
	}
	rewrite := permission(hook.Allow, "")
	rewrite.Specific.UpdatedInput = wire.Object(`{"command":"ls"}`)
	edit := afterOutput{}
	edit.Specific.UpdatedToolOutput = jsontext.Value(`"edited"`)
	yes := func(context.Context, string) bool { return true }
	no := func(context.Context, string) bool { return false }
	for name, tt := range map[string]struct {
		before   gateOutput
		after    afterOutput
		ask      func(context.Context, string) bool
		failed   error
		ran      string // the arguments that the tool got; empty if it did not run
		reason   string // of a refusal
		response string
		feedback string
	}{
		"no objection":                  {ran: `{"command":"rm"}`, response: `"rm"`},
		"a denial":                      {before: permission(hook.Deny, "no"), reason: "no"},
		"a question":                    {before: permission(hook.Ask, "sure?"), ask: yes, ran: `{"command":"rm"}`, reason: "sure?", response: `"rm"`},
		"a question with the answer no": {before: permission(hook.Ask, "sure?"), ask: no, reason: "sure?"},
		"a question and no user":        {before: permission(hook.Ask, "sure?"), reason: "sure?"},
		"a stop":                        {before: gateOutput{Stop: true, StopReason: "enough"}, ask: yes},
		"a rewrite":                     {before: rewrite, ran: `{"command":"ls"}`, response: `"ls"`},
		"an edit of the result":         {after: edit, ran: `{"command":"rm"}`, response: `"edited"`},
		"an objection to the result": {
			after: afterOutput{Decision: hook.Block, Reason: "bad"}, ran: `{"command":"rm"}`, response: `"rm"`, feedback: "bad",
		},
		"a tool that fails": {failed: broken, ran: `{"command":"rm"}`},
	} {
		t.Run(name, func(t *testing.T) {
			s, ran := toolSession(t, tt.before, tt.after), ""
			call := claude.PreToolUseInput{Name: "Bash", Input: wire.Object(`{"command":"rm"}`), ID: "c-1"}
			gate, after, err := claude.RunTool(t.Context(), s, &call, func(_ context.Context, in wire.Object) (jsontext.Value, error) {
				ran = string(in)
				return wire.Quote(in.Text("command")), tt.failed
			}, tt.ask)
			if ran != tt.ran || gate.Reason != tt.reason || !errors.Is(err, tt.failed) {
				t.Errorf("the tool ran with %q, reason %q, %v; want %q, %q, %v", ran, gate.Reason, err, tt.ran, tt.reason, tt.failed)
			}
			if (after != nil) != (tt.ran != "") || after != nil && (string(after.Response) != tt.response || after.Feedback != tt.feedback) {
				t.Errorf("after the tool: %+v; want the response %s and the feedback %q", after, tt.response, tt.feedback)
			}
			if string(call.Input) != `{"command":"rm"}` {
				t.Errorf("the caller's call was changed to %s", call.Input)
			}
		})
	}
}

// If the fire fails, the tool does not run.
func TestRunToolRefusesWhatHooksCannotSee(t *testing.T) {
	sys := pipeline.NewSystem(pipeline.Config{Log: slog.New(slog.DiscardHandler)})
	closed, err := sys.NewSession(t.Context(), pipeline.SessionConfig{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if err := sys.Close(); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		s    *pipeline.Session
		args string
	}{
		"a system that is closed":      {closed, `{}`},
		"arguments that are no object": {toolSession(t, gateOutput{}, afterOutput{}), `{"command":`},
		"no session":                   {nil, `{}`},
	} {
		t.Run(name, func(t *testing.T) {
			call := claude.PreToolUseInput{Name: "Bash", Input: wire.Object(tt.args)}
			gate, err := claude.GateTool(t.Context(), tt.s, &call)
			if err == nil || gate.Run || gate.Decision != hook.Deny || gate.Reason == "" {
				t.Errorf("got %+v, %v; want a denial with a reason, and an error", gate, err)
			}
			_, after, err := claude.RunTool(t.Context(), tt.s, &call, func(context.Context, wire.Object) (jsontext.Value, error) {
				t.Error("the tool ran")
				return nil, nil
			}, func(context.Context, string) bool { return true })
			if err == nil || after != nil {
				t.Errorf("got %+v, %v; want an error", after, err)
			}
		})
	}
}
