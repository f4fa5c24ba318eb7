package pipeline_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
)

var (
	budgeted   = declare("Budgeted", pipeline.Rules{Budget: true, Timeout: 2 * time.Second})
	budgetedBy = declare("BudgetedOneByOne", pipeline.Rules{Budget: true, Timeout: 2 * time.Second, Sequential: true, LateBlocks: true})
)

func TestABudgetIsTheTimeOfTheWholeFire(t *testing.T) {
	tests := map[string]struct {
		event   *pipeline.Event[call, edit]
		workers int
		times   []time.Duration // time limits of the hooks, each of which needs 3s; 0 is the event's timeout
		took    time.Duration
		late    int // hooks without an answer at the end of the budget
	}{
		"the event's":                {budgeted, 8, []time.Duration{0, 0, 0}, 2 * time.Second, 3},
		"in which waiting counts":    {budgeted, 1, []time.Duration{4 * time.Second, 4 * time.Second}, 4 * time.Second, 1},
		"the longest of the hooks'":  {budgeted, 8, []time.Duration{time.Second, 5 * time.Second}, 3 * time.Second, 1},
		"one by one":                 {budgetedBy, 8, []time.Duration{5 * time.Second, 5 * time.Second, 5 * time.Second}, 5 * time.Second, 1},
		"none with one without time": {budgeted, 1, []time.Duration{0, -1, -1}, 8 * time.Second, 1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var hooks []*hook.Hook
				for i, d := range test.times {
					h := of(test.event, string(rune('a'+i)), says(3*time.Second))
					h.Timeout = d
					hooks = append(hooks, h)
				}
				_, s := start(t, pipeline.Config{Workers: test.workers, Load: []pipeline.Load{loads(hooks...)}})
				began := time.Now()
				res := fire(t, test.event, s, call{Tool: "write"})
				late := 0
				for _, err := range res.Errs() {
					var timeout *hook.TimeoutError
					if !errors.As(err, &timeout) {
						t.Errorf("a hook failed with %v, want it to be late", err)
					}
					late++
				}
				if took := time.Since(began); took != test.took || late != test.late {
					t.Errorf("%d hooks were late after %v; want %d after %v", late, took, test.late, test.took)
				}
				if late > 0 && res.Blocked() != (test.event == budgetedBy) {
					t.Errorf("blocked %v; want a late hook to block where the event says so", res.Blocked())
				}
			})
		})
	}
}

// Hooks for which the fire does not wait do not extend its budget.
func TestABudgetDoesNotWaitForTheBackground(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		away := of(budgeted, "away", says(3*time.Second))
		away.Background, away.Timeout = hook.Async, -1
		_, s := open(t, pipeline.Config{Load: []pipeline.Load{loads(away, of(budgeted, "slow", runner(hangs)))}}, pipeline.SessionConfig{})
		began := time.Now()
		res := fire(t, budgeted, s, call{Tool: "write"})
		if took := time.Since(began); took != 2*time.Second || !errors.Is(res.Reports[1].Err, context.DeadlineExceeded) {
			t.Errorf("%v after %v; want 2s for the other hook", res.Errs(), took)
		}
		if err := s.Wait(t.Context()); err != nil || len(s.NextTurn()) != 1 {
			t.Errorf("the hook in the background has not answered: %v", err)
		}
	})
}

// A hook in Go may ignore its context: an answer after the time limit has no effect.
func TestABudgetIsForFunctionsToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, s := start(t, pipeline.Config{})
		budgeted.On(s, "slow", func(context.Context, call) (output, error) {
			time.Sleep(3 * time.Second)
			return output{Decision: hook.Deny}, nil
		})
		if res := fire(t, budgeted, s, call{Tool: "write"}); res.Blocked() || !errors.Is(res.Reports[0].Err, context.DeadlineExceeded) {
			t.Errorf("decision %q, err %v; want a late hook", res.Decision, res.Reports[0].Err)
		}
	})
}
