package snaphook_test

import (
	"context"
	"testing"

	"github.com/snaphook-go/snaphook"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/wire"
)

// These are the types of the two callbacks that adk-go calls around a tool. docs/embedding.md shows how to call
// snaphook from the callbacks.
type (
	// adkContext matches adk-go's tool context: a context that also has the id of the call.
	adkContext interface {
		context.Context
		FunctionCallID() string
	}
	adkTool   interface{ Name() string }
	adkBefore func(ctx adkContext, t adkTool, args map[string]any) (map[string]any, error)
	adkAfter  func(ctx adkContext, t adkTool, args, result map[string]any, err error) (map[string]any, error)
)

// before and after return the two callbacks for adk-go. The callback of before rewrites the arguments in place; to
// refuse a call, it returns a result in place of the tool's result.
func before(s *snaphook.Session) adkBefore {
	return func(ctx adkContext, t adkTool, args map[string]any) (refused map[string]any, err error) {
		in, err := wire.Of(args)
		if err != nil {
			return nil, err
		}
		v, err := s.BeforeTool(ctx, &snaphook.ToolCall{ID: ctx.FunctionCallID(), Name: t.Name(), Input: in})
		if err != nil || v.Denied() || v.Stop || v.Decision == hook.Ask {
			return map[string]any{"error": v.Reason + v.StopReason}, err
		}
		clear(args)
		return nil, v.Input.Into(&args)
	}
}

func after(s *snaphook.Session) adkAfter {
	return func(ctx adkContext, t adkTool, args, result map[string]any, failed error) (map[string]any, error) {
		in, err := wire.Of(args)
		if err != nil {
			return nil, err
		}
		data, err := wire.Of(result)
		if err != nil {
			return nil, err
		}
		r := snaphook.ToolResult{Text: string(data), Data: []byte(data), Failed: failed != nil}
		if failed != nil {
			r = snaphook.ToolResult{Text: failed.Error(), Failed: true}
		}
		call := snaphook.ToolCall{ID: ctx.FunctionCallID(), Name: t.Name(), Input: in}
		v, err := s.AfterTool(ctx, &snaphook.AfterToolInput{ToolCall: call, Result: r})
		switch {
		case err != nil:
			return nil, err
		case v.Result != nil:
			return map[string]any{"output": v.Result.Text}, nil
		case v.Denied() || len(v.Context) > 0:
			return map[string]any{"output": result, "feedback": append(v.Context, v.Reason)}, nil
		}
		return nil, nil // adk-go keeps the tool's result
	}
}

type (
	adkCall struct{ context.Context }
	named   string
)

func (adkCall) FunctionCallID() string { return "c-1" }
func (n named) Name() string           { return string(n) }

func TestCallbacksOfFrameworks(t *testing.T) {
	for name, tt := range map[string]struct {
		before, after snaphook.Verdict
		adk           string // the tool result that the model gets
	}{
		"none":             {adk: `ran {"cmd":"ls"}`},
		"deny":             {before: snaphook.Verdict{Decision: hook.Deny, Reason: "no"}, adk: `{"error":"no"}`},
		"rewrite":          {before: snaphook.Verdict{Input: wire.Object(`{"cmd":"true"}`)}, adk: `ran {"cmd":"true"}`},
		"stop":             {before: snaphook.Verdict{Stop: true, StopReason: "enough"}, adk: `{"error":"enough"}`},
		"context":          {after: snaphook.Verdict{Context: []string{"fyi"}}, adk: `{"feedback":["fyi",""],"output":{"text":"ran {\"cmd\":\"ls\"}"}}`},
		"rewritten result": {after: snaphook.Verdict{Result: &snaphook.ToolResult{Text: "new"}}, adk: `{"output":"new"}`},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, snaphook.Config{}, nil)
			snaphook.OnBeforeTool(s, "test", func(context.Context, snaphook.ToolCall) (snaphook.Verdict, error) { return tt.before, nil })
			snaphook.OnAfterTool(s, "test", func(context.Context, snaphook.AfterToolInput) (snaphook.Verdict, error) { return tt.after, nil })
			if got := runADK(t, s); got != tt.adk {
				t.Errorf("adk: the model gets %s; want %s", got, tt.adk)
			}
		})
	}
}

// runADK calls the two callbacks as adk-go does: a result of before replaces the tool call, and a result of after
// replaces the tool's result.
func runADK(t *testing.T, s *snaphook.Session) string {
	t.Helper()
	ctx, tool, args := adkCall{t.Context()}, named("execute_command"), map[string]any{"cmd": "ls"}
	refused, err := before(s)(ctx, tool, args)
	if err != nil {
		t.Fatal(err)
	}
	if refused != nil {
		return canonical(t, refused)
	}
	ran := "ran " + canonical(t, args)
	changed, err := after(s)(ctx, tool, args, map[string]any{"text": ran}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if changed != nil {
		return canonical(t, changed)
	}
	return ran
}

func canonical(t *testing.T, v any) string {
	t.Helper()
	o, err := wire.Of(v)
	if err != nil {
		t.Fatal(err)
	}
	return testkit.Canonical(string(o))
}
