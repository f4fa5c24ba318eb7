package snaphook_test

import (
	"context"
	"errors"
	"testing"

	"github.com/snaphook-go/snaphook"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/wire"
)

// A tool call is denied, with an error or a reason, whenever its guards cannot answer.
func TestAToolWhoseGuardsCannotAnswerIsDenied(t *testing.T) {
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	settings := map[string]map[string]string{
		"claude": {".claude/settings.json": `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "exit 2"}]}]}}`},
		"llxprt": {".llxprt/settings.json": `{"tools": {"enableHooks": true}, "hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "exit 2"}]}]}}`},
		"host":   {},
	}
	for dialect, files := range settings {
		for name, test := range map[string]struct {
			ctx   context.Context
			after func(*snaphook.Session)
			call  *snaphook.ToolCall
		}{
			"a caller that is gone": {ctx: gone, call: &snaphook.ToolCall{Name: "execute_command", Input: wire.Object(`{"cmd":"ls"}`)}},
			"a closed session":      {ctx: t.Context(), after: func(s *snaphook.Session) { _ = s.Close(t.Context()) }, call: &snaphook.ToolCall{Name: "look"}},
			"no JSON":               {ctx: t.Context(), call: &snaphook.ToolCall{Name: "execute_command", Input: wire.Object(`{"cmd":"ls"`)}},
			"no call":               {ctx: t.Context()},
		} {
			s := open(t, snaphook.Config{}, files)
			if dialect == "host" {
				snaphook.OnBeforeTool(s, "guard", func(context.Context, snaphook.ToolCall) (snaphook.Verdict, error) {
					return snaphook.Verdict{Decision: hook.Deny}, nil
				})
			}
			if test.after != nil {
				test.after(s)
			}
			if !s.Active(snaphook.BeforeTool) {
				t.Errorf("%s, %s: not active, so that a host does not ask", dialect, name)
			}
			if v, err := s.BeforeTool(test.ctx, test.call); !v.Denied() || err == nil && v.Reason == "" {
				t.Errorf("%s, %s: %+v, %v", dialect, name, v, err)
			}
		}
	}
}

func TestAWordThatIsNoDecisionDenies(t *testing.T) {
	s := open(t, snaphook.Config{}, nil)
	snaphook.OnBeforeTool(s, "guard", func(context.Context, snaphook.ToolCall) (snaphook.Verdict, error) {
		return snaphook.Verdict{Decision: "Deny"}, nil
	})
	if v, err := s.BeforeTool(t.Context(), &snaphook.ToolCall{Name: "look"}); !v.Denied() {
		t.Errorf("%+v, %v", v, err)
	}
}

func TestHooksAreAddedToHooksThatAreThere(t *testing.T) {
	for name, at := range map[string]snaphook.Scope{"nothing": nil, "no session": (*snaphook.Session)(nil), "no hooks": (*snaphook.Hooks)(nil)} {
		func() {
			defer func() {
				if _, told := recover().(string); !told {
					t.Errorf("%s: want to be told what is wrong", name)
				}
			}()
			snaphook.OnBeforeTool(at, "guard", func(context.Context, snaphook.ToolCall) (snaphook.Verdict, error) {
				return snaphook.Verdict{}, errors.New("x")
			})
		}()
	}
}
