package stages

import (
	"runtime"

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
func (c *crew) eager(limit int) {
	c.left = len(c.plan)
	c.starts.Add(1)
	go c.watch(limit)
	defer c.end()
	stopped := false
	hear := func(r any) {
		if !stopped && !c.hooks.hear(r) {
			stopped = true
			c.cancel(hook.ErrNotNeeded)
		}
	}
	for c.state.Load() != pooled {
		i := int(c.next.Add(1)) - 1
		if i >= len(c.plan) {
			break
		}
		c.left-- // before: the hook may end this goroutine
		hear(c.hooks.run(i))
	}
	if c.left == 0 {
		return
	}
	close(c.free)
	c.free = nil
	for c.left > 0 {
		r := <-c.reports
		c.left--
		hear(r)
	}
}

// The states of early hooks.
const (
	watched = iota // they run one after the other
	pooled         // a pool runs them
	over
)

// watch runs the hooks on a pool when they take long.
func (c *crew) watch(limit int) {
	defer c.starts.Done()
	for range patience {
		if c.state.Load() != watched {
			return
		}
		runtime.Gosched()
	}
	workers, free := pool.New().WithMaxGoroutines(max(1, limit)), make(chan struct{})
	c.pool, c.free, c.reports = workers, free, make(chan any, len(c.plan))
	if !c.state.CompareAndSwap(watched, pooled) {
		return
	}
	workers.Go(func() { <-free }) // for the hook that runs where reports are read
	for range len(c.plan) - int(c.next.Load()) {
		workers.Go(func() {
			if i := int(c.next.Add(1)) - 1; i < len(c.plan) {
				c.one(i, c.reports)
			}
		})
	}
}

// end waits until every hook has gone, also where the consumer has panicked.
func (c *crew) end() {
	c.cancel(hook.ErrNotNeeded)
	if c.state.CompareAndSwap(watched, over) || c.state.Load() == over {
		return
	}
	if c.free != nil {
		close(c.free)
	}
	for ; c.left > 0; c.left-- {
		<-c.reports
	}
	c.starts.Wait()
	c.pool.Wait()
}
