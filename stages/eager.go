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
) iter.Seq[hook.Report[Out]] {
	return func(yield func(hook.Report[Out]) bool) {
		e := &early[In, Out]{Spawn: s, ctx: ctx, limit: limit, left: len(s.Plan)}
		e.starts.Add(1)
		go e.watch()
		defer e.end(cancel)
		stopped := false
		hear := func(r hook.Report[Out]) {
			e.left--
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
			hear(s.Each(ctx, i, s.Plan[i], s.In))
		}
		if e.left == 0 {
			return
		}
		e.starts.Wait()
		e.pool.Go(e.work) // in place of this goroutine, which reads from here on
		for e.left > 0 {
			hear(<-e.reports)
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
	ctx     context.Context
	limit   int
	left    int // reports that have not been read; of the goroutine that reads
	next    atomic.Int32
	state   atomic.Int32
	starts  sync.WaitGroup
	pool    *pool.Pool // valid when starts is done and the state is pooled
	reports chan hook.Report[Out]
}

// watch starts the pool when the hooks take long.
func (e *early[In, Out]) watch() {
	defer e.starts.Done()
	for range patience {
		if e.state.Load() != watched {
			return
		}
		runtime.Gosched()
	}
	workers, reports := pool.New().WithMaxGoroutines(max(1, e.limit)), make(chan hook.Report[Out], len(e.Plan))
	e.pool, e.reports = workers, reports
	if !e.state.CompareAndSwap(watched, pooled) {
		return
	}
	for range min(e.limit-1, len(e.Plan)-int(e.next.Load())) { // one runs where reports are read
		workers.Go(e.work)
	}
}

func (e *early[In, Out]) work() {
	for i := int(e.next.Add(1)) - 1; i < len(e.Plan); i = int(e.next.Add(1)) - 1 {
		e.reports <- e.Each(e.ctx, i, e.Plan[i], e.In)
	}
}

// end waits until every hook has gone, also where the consumer has panicked.
func (e *early[In, Out]) end(cancel context.CancelCauseFunc) {
	cancel(hook.ErrNotNeeded)
	if e.state.CompareAndSwap(watched, over) || e.state.Load() == over {
		return
	}
	e.starts.Wait()
	if e.left > 0 {
		e.pool.Go(e.work)
	}
	for ; e.left > 0; e.left-- {
		<-e.reports
	}
	e.pool.Wait()
}
