package pipeline

import (
	"slices"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/hook"
)

// renew returns the plan with the changes that were made to the session's hooks
// while the one at ran had its turn.
func (f *fireRun[In, Out]) renew(plan []*hook.Hook, ran int) []*hook.Hook {
	now := f.s.view()
	if now == f.view {
		return plan
	}
	f.view = now
	had := plan[:ran+1]
	changed := f.event.plan(f.ctx, f.s, f.in.value, true)
	if changed == nil {
		return had
	}
	if i := slices.Index(changed.Run, plan[ran]); i >= 0 {
		return slices.Concat(had, changed.Run[i+1:])
	}
	left := lo.Filter(
		changed.Run,
		func(h *hook.Hook, _ int) bool { // it has removed itself, and a new one is the last of its rank
			return slices.Contains(plan[ran+1:], h) || h.Rank >= plan[ran].Rank && !slices.Contains(had, h)
		},
	)
	return slices.Concat(had, left)
}
