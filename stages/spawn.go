package stages

import (
	"context"
	"iter"

	"github.com/sourcegraph/conc/pool"

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
	if s.Ready && !s.Announce {
		return s.eager(ctx, cancel, limit)
	}
	return func(yield func(*hook.Report[Out]) bool) {
		reports := make(chan *hook.Report[Out], s.room())
		go func() { // submitting blocks while the pool is full, and the reader must not
			workers := pool.New().WithMaxGoroutines(max(1, limit))
			for i, h := range s.Plan {
				workers.Go(func() { s.one(ctx, i, h, reports) })
			}
			workers.Wait()
			close(reports)
		}()
		defer func() {
			cancel(hook.ErrNotNeeded)
			for range reports { // wait until every worker has gone
			}
		}()
		for r := range reports {
			if !yield(r) {
				return
			}
		}
	}
}

// room is for all reports: a worker never waits for the reader.
func (s Spawn[In, Out]) room() int {
	if s.Announce {
		return 2 * len(s.Plan)
	}
	return len(s.Plan)
}

func (s Spawn[In, Out]) one(ctx context.Context, i int, h *hook.Hook, reports chan<- *hook.Report[Out]) {
	if s.Announce {
		reports <- &hook.Report[Out]{Hook: h, Index: i, Started: true}
	}
	var r *hook.Report[Out]
	defer func() {
		switch {
		case r != nil:
		case s.Exited != nil:
			r = s.Exited(i)
		default:
			r = &hook.Report[Out]{Hook: h, Index: i}
		}
		reports <- r
	}()
	r = s.Each(ctx, i, h, s.In)
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
