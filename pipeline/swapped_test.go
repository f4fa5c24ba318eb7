package pipeline_test

import (
	"context"
	"errors"
	"testing"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
)

// A guard that differs from the hook that the user agreed to does not run, and blocks.
func TestAGuardThatWasChangedBlocks(t *testing.T) {
	refuses := func(context.Context, hook.Call) (hook.Reply, error) {
		return hook.Reply{}, &hook.ClassError{Class: hook.ClassUntrusted, Err: errors.New("g.sh has changed")}
	}
	open, ask := map[hook.Class]hook.Action{}, map[hook.Class]hook.Action{hook.ClassUntrusted: hook.FailAsk}
	for _, test := range []struct {
		name   string
		change func(*hook.Hook)
		blocks bool
	}{
		{"without a policy", func(*hook.Hook) {}, true},
		{"whose policy is open", func(h *hook.Hook) { h.Policy = &hook.EffectivePolicy{OnFailure: open} }, true},
		{"whose policy asks, where no user can be asked", func(h *hook.Hook) { h.Policy = &hook.EffectivePolicy{OnFailure: ask} }, true},
		{"in the background, which guards nothing", func(h *hook.Hook) { h.Background = hook.Async }, false},
		{"of a project without trust, which a policy does not close", func(h *hook.Hook) {
			h.Runner = runner(func(context.Context, hook.Call) (hook.Reply, error) { return hook.Reply{}, hook.ErrUntrusted })
		}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := configured("Call", "g.sh", refuses)
			test.change(h)
			_, s := start(t, pipeline.Config{Load: []pipeline.Load{loads(h)}})
			res := fire(t, event, s, call{Tool: "write"})
			if res.Blocked() != test.blocks {
				t.Errorf("blocked %t, want %t: %+v", res.Blocked(), test.blocks, res.Output)
			}
		})
	}
	h := configured("Tells", "g.sh", refuses)
	_, s := start(t, pipeline.Config{Load: []pipeline.Load{loads(h)}})
	if res := fire(t, tells, s, call{Tool: "write"}); res.Blocked() || res.FailedOpen() != 1 {
		t.Errorf("an event that cannot block: %+v", res.Output)
	}
}

var tells = pipeline.Declare(dialect, pipeline.Spec[call, edit]{Name: "Tells", Can: pipeline.CanAddContext})
