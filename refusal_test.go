package snaphook_test

import (
	"context"
	"errors"
	"testing"

	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

// The model writes the arguments of a tool. What is not JSON must not switch off
// the guards outside the process, which can be given nothing else.
func TestArgumentsThatAreNotJSONAreBlocked(t *testing.T) {
	for name, text := range map[string]string{
		"cut": `{"command":"rm -rf /"`, "in single quotes": `'rm'`, "a trailing comma": `{"command":"rm",}`, "a raw tab": "{\"command\":\"rm\t-rf\"}",
	} {
		sys := pipeline.NewSystem(pipeline.Config{})
		defer sys.Close()
		s, err := sys.NewSession(t.Context(), pipeline.SessionConfig{Dir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		guard := &hook.Hook{Command: "guard", Type: "command", Runner: never{t}}
		for _, of := range []struct{ dialect, event string }{{"claude", "PreToolUse"}, {"claude", "PermissionRequest"}, {"llxprt", "BeforeTool"}} {
			h := *guard
			h.Dialect, h.Event = of.dialect, of.event
			pipeline.Register(s, &h)
		}
		arguments, wrong := wire.Object(text), new(hook.InputError)
		pre, err := claude.PreToolUse.Fire(t.Context(), s, &claude.PreToolUseInput{Name: "Bash", Input: arguments})
		if !errors.As(err, &wrong) || !pre.Blocked() || pre.Specific.PermissionDecision != hook.Deny {
			t.Errorf("%s: PreToolUse: %v, %q", name, err, pre.Specific.PermissionDecision)
		}
		asked, err := claude.PermissionRequest.Fire(t.Context(), s, &claude.PermissionRequestInput{PreToolUseInput: claude.PreToolUseInput{Name: "Bash", Input: arguments}})
		if !errors.As(err, &wrong) || !asked.Blocked() || asked.Specific.Decision.Behavior != "deny" {
			t.Errorf("%s: PermissionRequest: %v, %+v", name, err, asked.Specific)
		}
		call := llxprt.BeforeToolInput{Name: "run_shell_command", Input: arguments}
		before, err := llxprt.BeforeTool.Fire(t.Context(), s, &call)
		if !errors.As(err, &wrong) || llxprt.ApplyBeforeTool(&call, before).Run {
			t.Errorf("%s: BeforeTool: %v, the tool runs", name, err)
		}
	}
}

// never is a hook outside the process that must not run.
type never struct{ t *testing.T }

func (n never) Run(context.Context, hook.Call) (hook.Reply, error) {
	n.t.Error("a hook ran")
	return hook.Reply{}, nil
}
