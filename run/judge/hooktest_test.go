package judge_test

import (
	"context"
	"testing"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/hooktest"
	"github.com/snaphook-go/snaphook/run/judge"
	"github.com/snaphook-go/snaphook/wire"
)

// reasons is a host whose model and agent return the result of hooktest.Answer as the reason of a verdict.
type reasons struct{}

func (reasons) verdict(ctx context.Context, given string) (string, error) {
	answer, err := hooktest.Answer(ctx, []byte(given))
	return `{"ok": false, "reason": ` + string(wire.Quote(string(answer))) + `}`, err
}

func (m reasons) Generate(ctx context.Context, r judge.ModelRequest) (string, error) {
	return m.verdict(ctx, r.Prompt)
}

func (m reasons) RunAgent(ctx context.Context, r judge.AgentRequest) (string, error) {
	return m.verdict(ctx, r.Prompt)
}

func TestPromptsAndAgentsHold(t *testing.T) {
	answer := func(v judge.Verdict) hook.Reply { return hook.Reply{Exit: 2, Stderr: []byte(v.Reason)} }
	theirs := hooktest.Unbounded("what a model says is the host's to bound, before it is text")
	t.Run("prompt", func(t *testing.T) {
		hooktest.Runner(t, &judge.Judge{Model: reasons{}, Prompt: "Is this safe? $ARGUMENTS", Answer: answer}, theirs)
	})
	t.Run("agent", func(t *testing.T) {
		hooktest.Runner(t, &judge.Judge{Agent: reasons{}, Prompt: "Is this safe?", Answer: answer}, theirs)
	})
}
