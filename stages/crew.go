package stages

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/sourcegraph/conc/pool"

	"github.com/snaphook-go/snaphook/hook"
)

// crew runs the hooks of a plan at the same time. It knows their reports as any, a
// [*hook.Report], so that it is compiled once, and not for each type of answers.
type crew struct {
	hooks    hooks
	plan     []*hook.Hook
	announce bool
	ctx      context.Context
	cancel   context.CancelCauseFunc

	early // of hooks that are ready at once
}

// hooks is a [worker] without the types of its input and answers.
type hooks interface {
	run(i int) (report any)
	started(i int) (report any)  // of a hook that begins
	exited(i int) (report any)   // of one that has ended its goroutine
	hear(report any) (goOn bool) // hands a report to the consumer
}

// parallel runs the hooks on a pool.
func (c *crew) parallel(limit int) {
	reports := make(chan any, c.room())
	go func() { // submitting blocks while the pool is full, and the reader must not
		workers := pool.New().WithMaxGoroutines(max(1, limit))
		for i := range c.plan {
			workers.Go(func() { c.one(i, reports) })
		}
		workers.Wait()
		close(reports)
	}()
	defer func() {
		c.cancel(hook.ErrNotNeeded)
		for range reports { // wait until every worker has gone
		}
	}()
	for r := range reports {
		if !c.hooks.hear(r) {
			return
		}
	}
}

// room is for all reports: a worker never waits for the reader.
func (c *crew) room() int {
	if c.announce {
		return 2 * len(c.plan)
	}
	return len(c.plan)
}

func (c *crew) one(i int, reports chan<- any) {
	if c.announce {
		reports <- c.hooks.started(i)
	}
	var r any
	defer func() {
		if r == nil {
			r = c.hooks.exited(i)
		}
		reports <- r
	}()
	r = c.hooks.run(i)
}

// early are hooks of which the first ones run without a pool.
type early struct {
	left   int // reports that have not been read; of the goroutine that reads
	next   atomic.Int32
	state  atomic.Int32
	starts sync.WaitGroup

	// They are there once the state is pooled.
	pool    *pool.Pool
	reports chan any
	free    chan struct{} // closed when no hook runs where reports are read; then nil
}
