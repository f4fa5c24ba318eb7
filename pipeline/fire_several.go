package pipeline

import (
	"context"
	"iter"
	"slices"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/stages"
)

// runHooks returns the reports of the hooks, which it runs.
func (f *fireRun[Out]) runHooks() iter.Seq[*hook.Report[Out]] {
	spawn := stages.Spawn[*input, Out]{
		Plan:        f.plan.Run,
		In:          f.in,
		Each:        f.runNext,
		Announce:    f.watcher != nil,
		Unstoppable: f.event.rules.Unstoppable,
		Ready:       f.untyped().inside(),
		Exited:      func(i int) *hook.Report[Out] { return &f.reports[i] },
	}
	if len(f.plan.Run) == 1 || f.plan.Sequential || f.event.rules.Sequential {
		if f.event.rules.Live {
			spawn.Renew = f.untyped().renew
		}
		return spawn.Fold(f.ctx, f.next)
	}
	if spawn.Ready {
		f.contexts = make([]lazyContext, len(f.plan.Run))
	}
	return spawn.Parallel(f.ctx, f.fireContext.end, f.s.sys.limit)
}

// inside reports whether all hooks of the plan are functions of the program.
func (f *fireBase) inside() bool {
	return !slices.ContainsFunc(f.plan.Run, func(h *hook.Hook) bool { return h.Func == nil })
}

// next returns the input of the hook after r, or ends the chain.
func (f *fireRun[Out]) next(in *input, r *hook.Report[Out]) (*input, bool) {
	if f.event.spec.Blocks(&r.Output) || f.failed != nil && f.failed != hook.ErrClosed {
		return in, false
	}
	if f.event.spec.chainIn == nil || !r.Answered || r.Err != nil || r.Output.Synthetic {
		return in, true
	}
	return &input{value: f.event.spec.chain(f.event.spec.chainIn, in.value, &r.Output)}, true
}

// runNext runs the hook at a place of the plan, unless it is the first and has run.
func (f *fireRun[Out]) runNext(ctx context.Context, i int, h *hook.Hook, in *input) *hook.Report[Out] {
	if i >= len(f.runs) { // a sequential plan can grow
		f.runs, f.reports = append(f.runs, hookRun{}), append(f.reports, hook.Report[Out]{})
	}
	if i > 0 || !f.firstRan {
		f.runHook(ctx, i, h, in)
	}
	return &f.reports[i]
}

// renew returns the plan with the changes that were made to the session's hooks
// while the hook at ran was running.
func (f *fireBase) renew(plan []*hook.Hook, ran int) []*hook.Hook {
	now := f.s.view()
	if now == f.view {
		return plan
	}
	f.view = now
	had := plan[:ran+1]
	changed := f.of.plan(f.ctx, f.s, f.in.value, true)
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
