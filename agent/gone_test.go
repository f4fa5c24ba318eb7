package agent_test

import (
	"context"
	"errors"
	"testing"

	"github.com/snaphook-go/snaphook/agent"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/wire"
)

// Whatever keeps guards from answering, a tool call is denied, with an error or a reason.
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
			after func(*agent.Session)
			call  *agent.ToolCall
		}{
			"a caller that is gone": {ctx: gone, call: &agent.ToolCall{Name: "execute_command", Input: wire.Object(`{"cmd":"ls"}`)}},
			"a closed session":      {ctx: t.Context(), after: func(s *agent.Session) { _ = s.Close(t.Context()) }, call: &agent.ToolCall{Name: "look"}},
			"no JSON":               {ctx: t.Context(), call: &agent.ToolCall{Name: "execute_command", Input: wire.Object(`{"cmd":"ls"`)}},
			"no call":               {ctx: t.Context()},
		} {
			s := open(t, agent.Config{}, files)
			if dialect == "host" {
				agent.OnBeforeTool(s, "guard", func(context.Context, agent.ToolCall) (agent.Verdict, error) {
					return agent.Verdict{Decision: hook.Deny}, nil
				})
			}
			if test.after != nil {
				test.after(s)
			}
			if !s.Active(agent.BeforeTool) {
				t.Errorf("%s, %s: not active, so that a host does not ask", dialect, name)
			}
			if v, err := s.BeforeTool(test.ctx, test.call); !v.Denied() || err == nil && v.Reason == "" {
				t.Errorf("%s, %s: %+v, %v", dialect, name, v, err)
			}
		}
	}
}

func TestAWordThatIsNoDecisionDenies(t *testing.T) {
	s := open(t, agent.Config{}, nil)
	agent.OnBeforeTool(s, "guard", func(context.Context, agent.ToolCall) (agent.Verdict, error) {
		return agent.Verdict{Decision: "Deny"}, nil
	})
	if v, err := s.BeforeTool(t.Context(), &agent.ToolCall{Name: "look"}); !v.Denied() {
		t.Errorf("%+v, %v", v, err)
	}
}

func TestHooksAreAddedToHooksThatAreThere(t *testing.T) {
	for name, at := range map[string]agent.Scope{"nothing": nil, "no session": (*agent.Session)(nil), "no hooks": (*agent.Hooks)(nil)} {
		func() {
			defer func() {
				if _, told := recover().(string); !told {
					t.Errorf("%s: want to be told what is wrong", name)
				}
			}()
			agent.OnBeforeTool(at, "guard", func(context.Context, agent.ToolCall) (agent.Verdict, error) { return agent.Verdict{}, errors.New("x") })
		}()
	}
}
