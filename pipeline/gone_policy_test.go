package pipeline_test

import (
	"context"
	"errors"
	"testing"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/policy"
)

// A policy for one failure class has no effect on other classes: unless its map has the class cancelled or a default,
// the fire's own denial stays.
func TestOnlyAnOverlayThatNamesItDecidesAboutACallerThatIsGone(t *testing.T) {
	open, closed := hook.FailOpen, hook.FailClosed
	for name, test := range map[string]struct {
		onFailure policy.OnFailure
		blocked   bool
	}{
		"nothing":            {nil, true},
		"another class":      {policy.OnFailure{hook.ClassTimeout: open}, true},
		"another, closed":    {policy.OnFailure{hook.ClassTimeout: closed, hook.ClassExit: open}, true},
		"it is open":         {policy.OnFailure{hook.ClassCancelled: open}, false},
		"it is closed":       {policy.OnFailure{hook.ClassCancelled: closed}, true},
		"all are open":       {policy.OnFailure{policy.Default: open}, false},
		"all but it":         {policy.OnFailure{policy.Default: open, hook.ClassCancelled: closed}, true},
		"all closed, it not": {policy.OnFailure{policy.Default: closed, hook.ClassCancelled: open}, false},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, leave := context.WithCancel(t.Context())
			h := configured("Call", "guard", func(context.Context, hook.Call) (hook.Reply, error) {
				leave()
				<-ctx.Done()
				return hook.Reply{}, context.Cause(ctx)
			})
			o := policy.Overlay{Rules: []policy.Rule{{OnFailure: test.onFailure}}}
			_, s := start(t, under(o, h))
			res, err := event.Fire(ctx, s, &call{Tool: "write"})
			if res.Blocked() != test.blocked || test.blocked != (err != nil) && !errors.Is(err, context.Canceled) {
				t.Errorf("blocked %v, %v; want %v", res.Blocked(), err, test.blocked)
			}
		})
	}
}
