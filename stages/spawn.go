package stages

import (
	"context"
	"iter"

	"github.com/snaphook-go/snaphook/hook"
)

// Each runs one hook of a plan and returns its report, which does not change from
// then on. It never panics, and returns soon after ctx has ended. A hook may end its
// goroutine; see Exited of [Spawn].
type Each[In, Out any] func(ctx context.Context, i int, h *hook.Hook, in In) *hook.Report[Out]

// Spawn is how the hooks of a plan are run.
type Spawn[In, Out any] struct {
	Plan     []*hook.Hook
	In       In
	Each     Each[In, Out]
	Announce bool // a report that has Started, and nothing else, comes before each hook

	// Ready says that the hooks are likely to be ready at once, as functions of
	// the program are: Parallel starts no pool until one of them waits. Where their
	// beginnings are announced it has no effect.
	Ready bool

	// Exited returns the report of a hook that has ended its goroutine
	// (runtime.Goexit), so that Each did not return. Nil: it has the hook alone.
	Exited func(i int) *hook.Report[Out]

	Unstoppable bool // Fold goes on when ctx has ended

	// Renew is asked by Fold after each hook, the one at ran, for the plan as
	// it is now, which is the same up to there. Nil: it stays.
	Renew func(plan []*hook.Hook, ran int) []*hook.Hook
}

// Parallel runs the hooks of a plan at the same time, at most limit of them,
// on a bounded pool. Reports come as the hooks finish, through a channel.
//
// cancel has to end ctx. Parallel calls it when the consumer stops early, or
// has read the last report, and returns when the last hook has gone. A hook
// whose turn comes after that is still given to Each, with ctx ended.
func (s Spawn[In, Out]) Parallel(
	ctx context.Context,
	cancel context.CancelCauseFunc,
	limit int,
) iter.Seq[*hook.Report[Out]] {
	return func(yield func(*hook.Report[Out]) bool) {
		w := &worker[In, Out]{
			spawn: s, yield: yield, crew: crew{plan: s.Plan, announce: s.Announce, ctx: ctx, cancel: cancel},
		}
		w.crew.hooks = w
		if s.Ready && !s.Announce {
			w.crew.eager(limit)
		} else {
			w.crew.parallel(limit)
		}
	}
}

// worker is what a [crew] knows of a Spawn.
type worker[In, Out any] struct {
	crew  crew
	spawn Spawn[In, Out]
	yield func(*hook.Report[Out]) bool
}

func (w *worker[In, Out]) run(i int) (report any) {
	if r := w.spawn.Each(w.crew.ctx, i, w.spawn.Plan[i], w.spawn.In); r != nil {
		return r
	}
	return nil
}

func (w *worker[In, Out]) started(i int) (report any) {
	return &hook.Report[Out]{Hook: w.spawn.Plan[i], Index: i, Started: true}
}

func (w *worker[In, Out]) exited(i int) (report any) {
	if w.spawn.Exited != nil {
		return w.spawn.Exited(i)
	}
	return &hook.Report[Out]{Hook: w.spawn.Plan[i], Index: i}
}

func (w *worker[In, Out]) hear(report any) (goOn bool) {
	r, _ := report.(*hook.Report[Out])
	return w.yield(r)
}

// Fold runs the hooks of a plan one at a time, on the caller's goroutine. next
// is told each report and returns the input of the hook after it
// (applyHookOutputToInput), or ends the chain.
//
// A chain also ends when ctx does: hooks after that point are not started
// and have no report.
func (s Spawn[In, Out]) Fold(
	ctx context.Context,
	next func(In, *hook.Report[Out]) (In, bool),
) iter.Seq[*hook.Report[Out]] {
	return func(yield func(*hook.Report[Out]) bool) {
		in, plan := s.In, s.Plan
		for i := 0; i < len(plan); i++ {
			h := plan[i]
			if i > 0 && ctx.Err() != nil && !s.Unstoppable {
				return
			}
			if s.Announce && !yield(&hook.Report[Out]{Hook: h, Index: i, Started: true}) {
				return
			}
			r := s.Each(ctx, i, h, in)
			var goOn bool
			in, goOn = next(in, r)
			if !yield(r) || !goOn {
				return
			}
			if s.Renew != nil {
				plan = s.Renew(plan, i)
			}
		}
	}
}
