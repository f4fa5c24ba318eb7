package snaphook_test

import (
	"context"
	"errors"
	"testing"

	"github.com/snaphook-go/snaphook"
	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/wire"
)

func TestAMomentWithoutInputIsADenial(t *testing.T) {
	s, ctx := open(t, snaphook.Config{}, nil), t.Context()
	for _, hooks := range []string{"no hook", "a hook"} {
		for name, fire := range map[string]func() (*snaphook.Verdict, error){
			"Start":         func() (*snaphook.Verdict, error) { return s.Start(ctx, nil) },
			"Prompt":        func() (*snaphook.Verdict, error) { return s.Prompt(ctx, nil) },
			"BeforeModel":   func() (*snaphook.Verdict, error) { return s.BeforeModel(ctx, nil) },
			"AfterModel":    func() (*snaphook.Verdict, error) { return s.AfterModel(ctx, nil) },
			"ToolChoice":    func() (*snaphook.Verdict, error) { return s.ToolChoice(ctx, nil) },
			"BeforeTool":    func() (*snaphook.Verdict, error) { return s.BeforeTool(ctx, nil) },
			"AfterTool":     func() (*snaphook.Verdict, error) { return s.AfterTool(ctx, nil) },
			"Permission":    func() (*snaphook.Verdict, error) { return s.Permission(ctx, nil) },
			"SubagentStart": func() (*snaphook.Verdict, error) { return s.SubagentStart(ctx, nil) },
			"SubagentStop":  func() (*snaphook.Verdict, error) { return s.SubagentStop(ctx, nil) },
			"Stop":          func() (*snaphook.Verdict, error) { return s.Stop(ctx, nil) },
			"BeforeCompact": func() (*snaphook.Verdict, error) { return s.BeforeCompact(ctx, nil) },
			"AfterCompact":  func() (*snaphook.Verdict, error) { return s.AfterCompact(ctx, nil) },
			"Notify":        func() (*snaphook.Verdict, error) { return s.Notify(ctx, nil) },
			"End":           func() (*snaphook.Verdict, error) { return s.End(ctx, nil) },
		} {
			v, err := fire()
			if wrong := new(hook.InputError); !errors.As(err, &wrong) || wrong.Event != name || !v.Denied() {
				t.Errorf("%s with %s and a nil pointer: %+v, %v; want a denial, and an error that names it", name, hooks, v, err)
			}
		}
		snaphook.OnBeforeModel(s, "test", func(context.Context, snaphook.BeforeModelInput) (v snaphook.Verdict, _ error) { return v, nil })
	}
}

func TestArgumentsThatAreNoObjectAreRefusedAtEveryMomentOfATool(t *testing.T) {
	s, ctx, seen := open(t, snaphook.Config{}, nil), t.Context(), 0
	if err := s.Modules().Add("gate", func(api *xcsh.API) error {
		xcsh.ToolCall.On(api, func(context.Context, *xcsh.ToolCallEvent, *xcsh.HookContext) (*xcsh.ToolCallResult, error) {
			seen++
			return nil, nil
		})
		xcsh.ToolResult.On(api, func(context.Context, *xcsh.ToolResultEvent, *xcsh.HookContext) (*xcsh.ToolResultOverride, error) {
			seen++
			return nil, nil
		})
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	claude.PermissionRequest.On(s.Pipeline(), "gate", func(context.Context, claude.PermissionRequestInput) (o hook.Output[claude.PermissionRequestOutput], err error) {
		seen++
		return o, nil
	})
	for _, name := range []string{"execute_command", "undeclared"} {
		for _, args := range []string{`[1]`, `00`, `{"cmd":"ls"`, `{"cmd":"ls"}{}`} {
			call := snaphook.ToolCall{Name: name, Input: wire.Object(args)}
			for moment, fire := range map[string]func() (*snaphook.Verdict, error){
				"BeforeTool": func() (*snaphook.Verdict, error) { return s.BeforeTool(ctx, &call) },
				"AfterTool":  func() (*snaphook.Verdict, error) { return s.AfterTool(ctx, &snaphook.AfterToolInput{ToolCall: call}) },
				"Permission": func() (*snaphook.Verdict, error) { return s.Permission(ctx, &snaphook.PermissionInput{ToolCall: call}) },
			} {
				v, err := fire()
				wrong := new(hook.InputError)
				if !errors.As(err, &wrong) || wrong.Event != "snaphook."+moment || !v.Denied() || seen > 0 {
					t.Errorf("%s of %s with %s: %+v, %v, seen %d times; want an input error, a denial, and no hook", moment, name, args, v, err, seen)
				}
			}
		}
	}
}

func TestAnOriginalThatIsNoJSONIsADenial(t *testing.T) {
	s, seen := open(t, snaphook.Config{}, nil), 0
	claude.PreToolUse.On(s.Pipeline(), "gate", func(context.Context, claude.PreToolUseInput) (o hook.Output[claude.PreToolUseOutput], err error) {
		seen++
		return o, nil
	})
	for _, original := range []string{`{"cmd":`, `{"cwd":1}]`, `[1]`} {
		call := command("ls")
		call.Original = wire.Object(original)
		v, err := s.BeforeTool(t.Context(), call)
		if wrong := new(hook.InputError); !errors.As(err, &wrong) || !v.Denied() || seen > 0 {
			t.Errorf("the original %s: %+v, %v, seen %d times; want an input error, a denial, and no hook", original, v, err, seen)
		}
	}
}
