package agent_test

import (
	"context"
	"errors"
	"testing"

	"github.com/snaphook-go/snaphook/agent"
	"github.com/snaphook-go/snaphook/hook"
)

func TestAMomentWithoutInputIsADenial(t *testing.T) {
	s, ctx := open(t, agent.Config{}, nil), t.Context()
	for _, hooks := range []string{"no hook", "a hook"} {
		for name, fire := range map[string]func() (*agent.Verdict, error){
			"Start":         func() (*agent.Verdict, error) { return s.Start(ctx, nil) },
			"Prompt":        func() (*agent.Verdict, error) { return s.Prompt(ctx, nil) },
			"BeforeModel":   func() (*agent.Verdict, error) { return s.BeforeModel(ctx, nil) },
			"AfterModel":    func() (*agent.Verdict, error) { return s.AfterModel(ctx, nil) },
			"ToolChoice":    func() (*agent.Verdict, error) { return s.ToolChoice(ctx, nil) },
			"BeforeTool":    func() (*agent.Verdict, error) { return s.BeforeTool(ctx, nil) },
			"AfterTool":     func() (*agent.Verdict, error) { return s.AfterTool(ctx, nil) },
			"Permission":    func() (*agent.Verdict, error) { return s.Permission(ctx, nil) },
			"SubagentStart": func() (*agent.Verdict, error) { return s.SubagentStart(ctx, nil) },
			"SubagentStop":  func() (*agent.Verdict, error) { return s.SubagentStop(ctx, nil) },
			"Stop":          func() (*agent.Verdict, error) { return s.Stop(ctx, nil) },
			"BeforeCompact": func() (*agent.Verdict, error) { return s.BeforeCompact(ctx, nil) },
			"AfterCompact":  func() (*agent.Verdict, error) { return s.AfterCompact(ctx, nil) },
			"Notify":        func() (*agent.Verdict, error) { return s.Notify(ctx, nil) },
			"End":           func() (*agent.Verdict, error) { return s.End(ctx, nil) },
		} {
			v, err := fire()
			if wrong := new(hook.InputError); !errors.As(err, &wrong) || wrong.Event != name || !v.Denied() {
				t.Errorf("%s with %s and a nil pointer: %+v, %v; want a denial, and an error that names it", name, hooks, v, err)
			}
		}
		agent.OnBeforeModel(s, "test", func(context.Context, agent.BeforeModelInput) (v agent.Verdict, _ error) { return v, nil })
	}
}
