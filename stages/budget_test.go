package stages_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/match"
	"github.com/snaphook-go/snaphook/stages"
)

// slow is a matcher that takes a while, and never matches.
type slow time.Duration

func (s slow) Match(string) bool {
	testkit.Sleep(time.Duration(s))
	return false
}

func TestAllMatchersOfAPlanShareOneTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var hooks []*hook.Hook
		for range 200 {
			hooks = append(hooks, &hook.Hook{Selection: hook.Selection{Matcher: slow(30 * time.Millisecond)}})
		}
		hooks = append(hooks, &hook.Hook{Selection: hook.Selection{Matcher: match.Names{"other"}}}, &hook.Hook{Selection: hook.Selection{Matcher: match.Names{"text"}}})
		start := time.Now()
		p := stages.PlanWithin(t.Context(), hooks, "text", stages.Limits{Matching: 100 * time.Millisecond})
		if took := time.Since(start); took != 120*time.Millisecond || !p.Late {
			t.Errorf("planned in %v, late %v; want four matchers to be asked, in 120ms", took, p.Late)
		}
		if len(p.Run) != 196+1 || len(p.Skipped) != 4+1 {
			t.Errorf("%d hooks run and %d do not; want those that were not asked to match, and a list of names to count", len(p.Run), len(p.Skipped))
		}
	})
}

func TestNoMatcherIsAskedWhenTheContextHasEnded(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	hooks := []*hook.Hook{{Selection: hook.Selection{Matcher: slow(0)}}, {Selection: hook.Selection{Matcher: match.Names{"other"}}}}
	if p := stages.PlanWithin(ctx, hooks, "text", stages.Limits{Matching: time.Hour}); len(p.Run) != 1 || !p.Late {
		t.Errorf("%d hooks run, late %v; want the one whose matcher could take long", len(p.Run), p.Late)
	}
	if p := stages.PlanWithin(t.Context(), hooks, "text", stages.Limits{Matching: time.Hour}); len(p.Run) != 0 || p.Late {
		t.Errorf("%d hooks run, late %v; want none", len(p.Run), p.Late)
	}
}
