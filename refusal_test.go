package snaphook_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

// The model writes the arguments of a tool. Arguments that are not JSON block the call: guards
// outside the process can read only JSON, and must not be skipped.
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
		guard := &hook.Hook{Identity: hook.Identity{Command: "guard", Type: "command"}, Runner: never{t}}
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

// If guards cannot run, because the caller's context has ended or the session is empty, the result blocks too, since a
// host may ignore the error.
func TestACallerThatIsGoneRunsNoTool(t *testing.T) {
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	sys := pipeline.NewSystem(pipeline.Config{Log: slog.New(slog.DiscardHandler)})
	defer sys.Close()
	s, err := sys.NewSession(t.Context(), pipeline.SessionConfig{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range []struct{ dialect, event string }{
		{"claude", "PreToolUse"}, {"claude", "PermissionRequest"}, {"claude", "UserPromptSubmit"}, {"claude", "Elicitation"},
		{"llxprt", "BeforeTool"}, {"llxprt", "BeforeAgent"}, {"llxprt", "BeforeModel"},
	} {
		pipeline.Register(s, &hook.Hook{Identity: hook.Identity{Dialect: of.dialect, Event: of.event, Command: "guard", Type: "command"}, Runner: never{t}})
	}
	checks := map[string]func(*pipeline.Session) (blocked bool, _ error){
		"PreToolUse": func(s *pipeline.Session) (bool, error) {
			res, err := claude.PreToolUse.Fire(gone, s, &claude.PreToolUseInput{Name: "Bash"})
			return res.Blocked() && res.Specific.PermissionDecision == hook.Deny, err
		},
		"PermissionRequest": func(s *pipeline.Session) (bool, error) {
			res, err := claude.PermissionRequest.Fire(gone, s, &claude.PermissionRequestInput{PreToolUseInput: claude.PreToolUseInput{Name: "Bash"}})
			return res.Blocked() && res.Specific.Decision != nil && res.Specific.Decision.Behavior == "deny", err
		},
		"UserPromptSubmit": func(s *pipeline.Session) (bool, error) {
			res, err := claude.UserPromptSubmit.Fire(gone, s, &claude.UserPromptSubmitInput{Prompt: "go"})
			return res.Blocked(), err
		},
		"Elicitation": func(s *pipeline.Session) (bool, error) {
			res, err := claude.Elicitation.Fire(gone, s, &claude.ElicitationInput{})
			return res.Blocked() && res.Specific.Action == "decline", err
		},
		"BeforeTool": func(s *pipeline.Session) (bool, error) {
			call := llxprt.BeforeToolInput{Name: "run_shell_command"}
			res, err := llxprt.BeforeTool.Fire(gone, s, &call)
			return res.Blocked() && !llxprt.ApplyBeforeTool(&call, res).Run, err
		},
		"BeforeAgent": func(s *pipeline.Session) (bool, error) {
			in := llxprt.BeforeAgentInput{Prompt: "go"}
			res, err := llxprt.BeforeAgent.Fire(gone, s, &in)
			return res.Blocked() && !llxprt.ApplyBeforeAgent(res).Run, err
		},
		"BeforeModel": func(s *pipeline.Session) (bool, error) {
			in := llxprt.BeforeModelInput{Request: wire.Object(`{}`)}
			res, err := llxprt.BeforeModel.Fire(gone, s, &in)
			return res.Blocked(), err
		},
	}
	for name, blocked := range checks {
		if got, err := blocked(s); !got || !errors.Is(err, context.Canceled) {
			t.Errorf("%s with a context that has ended: %v, blocked %v", name, err, got)
		}
		if got, err := blocked(new(pipeline.Session)); !got || err == nil {
			t.Errorf("%s in an empty session: %v, blocked %v", name, err, got)
		}
	}
}

// A hook in Go that misspells a decision fails.
func TestAGoGuardThatMisspellsItsDecisionHasFailed(t *testing.T) {
	for name, test := range map[string]struct {
		word           hook.Decision
		fails, blocked bool
	}{
		"denies": {"deny", false, true}, "denies by the older word": {"block", false, true},
		"misspelt": {"Deny", true, false}, "no word": {"no!", true, false}, "allows": {"allow", false, false},
	} {
		sys := pipeline.NewSystem(pipeline.Config{Log: slog.New(slog.DiscardHandler)})
		defer sys.Close()
		s, err := sys.NewSession(t.Context(), pipeline.SessionConfig{Dir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		claude.PreToolUse.On(s, "guard", func(context.Context, claude.PreToolUseInput) (o hook.Output[claude.PreToolUseOutput], _ error) {
			o.Specific.PermissionDecision = test.word
			return o, nil
		})
		claude.PermissionRequest.On(s, "guard", func(context.Context, claude.PermissionRequestInput) (o hook.Output[claude.PermissionRequestOutput], _ error) {
			o.Specific.Decision = &claude.Grant{Behavior: string(test.word)}
			return o, nil
		})
		llxprt.BeforeTool.On(s, "guard", func(context.Context, llxprt.BeforeToolInput) (o hook.Output[llxprt.BeforeToolOutput], _ error) {
			o.Specific.PermissionDecision = test.word
			return o, nil
		})
		pre, _ := claude.PreToolUse.Fire(t.Context(), s, &claude.PreToolUseInput{Name: "Bash"})
		asked, _ := claude.PermissionRequest.Fire(t.Context(), s, &claude.PermissionRequestInput{PreToolUseInput: claude.PreToolUseInput{Name: "Bash"}})
		call := llxprt.BeforeToolInput{Name: "run_shell_command"}
		before, _ := llxprt.BeforeTool.Fire(t.Context(), s, &call)
		for event, got := range map[string]struct {
			failed  int
			blocked bool
		}{
			"PreToolUse": {pre.FailedOpen(), pre.Blocked()}, "PermissionRequest": {asked.FailedOpen(), asked.Blocked()},
			"BeforeTool": {before.FailedOpen(), !llxprt.ApplyBeforeTool(&call, before).Run},
		} {
			if (got.failed == 1) != test.fails || got.blocked != test.blocked {
				t.Errorf("%s, %s: %d failed open, blocked %v; want %v, %v", name, event, got.failed, got.blocked, test.fails, test.blocked)
			}
		}
	}
}
