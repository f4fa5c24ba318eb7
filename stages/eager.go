package stages

import (
	"context"
	"iter"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/sourcegraph/conc/pool"

	"github.com/snaphook-go/snaphook/hook"
)

// patience is how often a second goroutine lets others run before it takes a hook for
// one that waits: some ten microseconds. It counts, since a clock may stand still.
const patience = 1000

// eager is Parallel for hooks that are likely to be ready at once. They run one after
// the other where their reports are read; when one of them waits, a pool runs the
// others at the same time.
//
// A consumer that merges answers in plan order misses nothing: the hook that runs
// where it reads is the first in the plan without a report, until the pool runs.
func (s Spawn[In, Out]) eager(
	ctx context.Context,
	cancel context.CancelCauseFunc,
	limit int,
) iter.Seq[*hook.Report[Out]] {
	return func(yield func(*hook.Report[Out]) bool) {
		e := &early[In, Out]{Spawn: s, ctx: ctx, left: len(s.Plan)}
		e.starts.Add(1)
		go e.watch(limit)
		defer e.end(cancel)
		stopped := false
		hear := func(r *hook.Report[Out]) {
			if !stopped && !yield(r) {
				stopped = true
				cancel(hook.ErrNotNeeded)
			}
		}
		for e.state.Load() != pooled {
			i := int(e.next.Add(1)) - 1
			if i >= len(s.Plan) {
				break
			}
			e.left-- // before: the hook may end this goroutine
			hear(s.Each(ctx, i, s.Plan[i], s.In))
		}
		if e.left == 0 {
			return
		}
		close(e.free)
		e.free = nil
		for e.left > 0 {
			r := <-e.reports
			e.left--
			hear(r)
		}
	}
}

// The states of early hooks.
const (
	watched = iota // they run one after the other
	pooled         // a pool runs them
	over
)

// early are hooks of which the first ones run without a pool.
type early[In, Out any] struct {
	Spawn[In, Out]
	ctx    context.Context
	left   int // reports that have not been read; of the goroutine that reads
	next   atomic.Int32
	state  atomic.Int32
	starts sync.WaitGroup

	// They are there once the state is pooled.
	pool    *pool.Pool
	reports chan *hook.Report[Out]
	free    chan struct{} // closed when no hook runs where reports are read; then nil
}

// watch runs the hooks on a pool when they take long.
func (e *early[In, Out]) watch(limit int) {
	defer e.starts.Done()
	for range patience {
		if e.state.Load() != watched {
			return
		}
		runtime.Gosched()
	}
	workers, free := pool.New().WithMaxGoroutines(max(1, limit)), make(chan struct{})
	e.pool, e.free, e.reports = workers, free, make(chan *hook.Report[Out], len(e.Plan))
	if !e.state.CompareAndSwap(watched, pooled) {
		return
	}
	workers.Go(func() { <-free }) // for the hook that runs where reports are read
	for range len(e.Plan) - int(e.next.Load()) {
		workers.Go(func() {
			if i := int(e.next.Add(1)) - 1; i < len(e.Plan) {
				e.one(e.ctx, i, e.Plan[i], e.reports)
			}
		})
	}
}

// end waits until every hook has gone, also where the consumer has panicked.
func (e *early[In, Out]) end(cancel context.CancelCauseFunc) {
	cancel(hook.ErrNotNeeded)
	if e.state.CompareAndSwap(watched, over) || e.state.Load() == over {
		return
	}
	if e.free != nil {
		close(e.free)
	}
	for ; e.left > 0; e.left-- {
		<-e.reports
	}
	e.starts.Wait()
	e.pool.Wait()
}
