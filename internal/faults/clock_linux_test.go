package faults

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/hook"
)

// Setting the system's clock changes no time limit. The limit of a Go hook is a deadline of its context; the limit of a
// command, like every wait of the engine, is the difference of two readings of time.Now, passed to poll(2). All these
// limits count on the monotonic clock, which cannot be set; only the timestamps for hooks and observers use the wall
// clock. A deadline that had lost its monotonic reading would follow the wall clock.
func TestATimeLimitIsOnTheMonotonicClock(t *testing.T) {
	leavesNothing(t)
	w := open(t, setup{})
	llxprt.BeforeTool.On(w.ses, "reader", func(ctx context.Context, _ llxprt.BeforeToolInput) (o hook.Output[llxprt.BeforeToolOutput], err error) {
		deadline, ok := ctx.Deadline()
		if !ok || !strings.Contains(deadline.String(), " m=") {
			o.Reason = deadline.String()
			o.Decision = hook.Deny
		}
		return o, nil
	})
	if res := w.fire(t); res.Blocked() {
		t.Errorf("the deadline is %s, without a reading of the monotonic clock", res.Reason)
	}
}

// An agent sleeps, as its machine may do, and wakes up after the hook's timeout. An answer that the hook gave in time
// counts. In this test the hook puts the agent to sleep.
func TestAnAnswerGivenWhileTheAgentSleptCounts(t *testing.T) {
	if !alone(t) {
		return
	}
	leavesNothing(t)
	eachForm(t, `kill -STOP $PPID; (sleep 0.5; kill -CONT $PPID) & echo '{"decision":"deny","reason":"in time"}'`, setup{timeout: 300 * time.Millisecond}, func(t *testing.T, w *world) {
		res := w.fire(t)
		w.check(t, res, want{blocked: true, reason: "in time"})
		if took := res.Reports[0].Elapsed; took < 300*time.Millisecond {
			t.Errorf("took %v: the agent was not asleep", took)
		}
		w.alive(t)
	})
}
