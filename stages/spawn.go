package stages

import (
	"context"
	"iter"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/sourcegraph/conc/pool"

	"github.com/snaphook-go/snaphook/hook"
)

// Each runs the hook at index i of a plan and returns its report, which does not change afterwards. It never panics,
// and returns soon after ctx ends. A hook that calls runtime.Goexit keeps Each from returning; see Exited of [Spawn].
type Each[In, Out any] func(ctx context.Context, i int, h *hook.Hook, in In) *hook.Report[Out]

// Spawn configures how the hooks of a plan run: [Spawn.Parallel] runs them on a bounded pool, [Spawn.Fold] one after
// another.
type Spawn[In, Out any] struct {
	Plan     []*hook.Hook
	In       In
	Each     Each[In, Out]
	Announce bool // before each hook starts, yield a report that only has Started

	// Ready tells Parallel that the hooks probably return at once, like Go functions: Parallel then starts its pool
	// only when a hook does not return at once. With Announce, Ready has no effect.
	Ready bool

	// Exited returns the report of a hook that ended its goroutine with runtime.Goexit. Nil: a report with only the
	// hook and its index.
	Exited func(i int) *hook.Report[Out]

	// Chain holds the indexes, in order, of hooks that Parallel runs one after another, while the others run in
	// parallel. After each hook of the Chain, Next is called with its report, on the chain's goroutine; Next must not
	// panic. A Chain disables Ready. Empty: all hooks run in parallel.
	Chain []int
	Next  func(In, *hook.Report[Out]) (In, bool)

	Unstoppable bool // Fold continues after ctx has ended

	// Renew, if not nil, returns the current plan after Fold has run the hook at index ran; hooks
	// up to ran never change.
	Renew func(plan []*hook.Hook, ran int) []*hook.Hook
}

// Fold runs the hooks of a plan one at a time, on the caller's goroutine. next
// gets each report and returns the input of the next hook
// (applyHookOutputToInput), or ends the chain.
//
// A chain also ends when ctx does: later hooks do not start and have no report.
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

// Parallel runs the hooks of a plan on a bounded pool, at most limit hooks at a time, and yields their
// reports as the hooks finish.
//
// cancel has to end ctx. Parallel calls cancel when the consumer stops early or has read the last report. Parallel
// returns when the last hook has returned. After cancel, hooks outside of the Chain that have not started are still
// passed to Each, with ctx ended.
func (s Spawn[In, Out]) Parallel(
	ctx context.Context,
	cancel context.CancelCauseFunc,
	limit int,
) iter.Seq[*hook.Report[Out]] {
	return func(yield func(*hook.Report[Out]) bool) {
		p := &parallel[In, Out]{Spawn: s, yield: yield, reports: make([]*hook.Report[Out], len(s.Plan)), chained: s.In}
		p.crew = crew{
			hooks: p, size: len(s.Plan), limit: max(1, limit), chain: s.Chain, announce: s.Announce, ctx: ctx, cancel: cancel,
		}
		if s.Ready && !s.Announce && len(s.Chain) == 0 {
			p.crew.runEagerly()
		} else {
			p.crew.runPooled()
		}
	}
}

// parallel adapts the hooks of one plan to a [crew], and stores their reports.
type parallel[In, Out any] struct {
	Spawn[In, Out]
	crew    crew
	reports []*hook.Report[Out] // by index in the plan; written before the turn is sent
	yield   func(*hook.Report[Out]) bool
	chained In // input of the chain's next hook; used only by the chain's goroutine
}

func (p *parallel[In, Out]) run(i int) (returned bool) { return p.runWith(i, p.In) }

func (p *parallel[In, Out]) runWith(i int, in In) (returned bool) {
	p.reports[i] = p.Each(p.crew.ctx, i, p.Plan[i], in)
	return p.reports[i] != nil
}

func (p *parallel[In, Out]) runChained(i int) (returned bool) { return p.runWith(i, p.chained) }

func (p *parallel[In, Out]) next(i int) (goOn bool) {
	p.chained, goOn = p.Next(p.chained, p.reports[i])
	return goOn
}

func (p *parallel[In, Out]) exited(i int) {
	if p.Exited != nil {
		p.reports[i] = p.Exited(i)
		return
	}
	p.reports[i] = &hook.Report[Out]{Hook: p.Plan[i], Index: i}
}

func (p *parallel[In, Out]) deliver(t turn) (goOn bool) {
	if t.started {
		return p.yield(&hook.Report[Out]{Hook: p.Plan[t.place], Index: t.place, Started: true})
	}
	return p.yield(p.reports[t.place])
}

// turn is a message from a worker to the consumer: the hook at an index of the plan has started, or its report is
// ready. It does not contain the report, so that the pool is compiled once and not for each type of answer.
type turn struct {
	place   int
	started bool
}

// planned is a [parallel] without its type parameters.
type planned interface {
	run(i int) (returned bool)        // returns false, or does not return, if the hook called runtime.Goexit
	runChained(i int) (returned bool) // like run, for a hook of the chain
	next(i int) (goOn bool)           // reports whether the chain continues after hook i
	exited(i int)                     // writes the report of a hook that called runtime.Goexit
	deliver(t turn) (goOn bool)       // yields the report to the consumer
}

// crew runs the hooks of a plan in parallel.
type crew struct {
	hooks    planned
	size     int   // number of hooks in the plan
	limit    int   // number of hooks that may run at the same time
	chain    []int // indexes of hooks that run one after another, as one task of the pool
	announce bool
	ctx      context.Context
	cancel   context.CancelCauseFunc

	// Only runEagerly uses the fields below.
	left   int // reports that the consumer has not read
	next   atomic.Int32
	phase  atomic.Int32
	starts sync.WaitGroup
	pool   *pool.Pool // set, like the fields below, before the phase becomes pooled
	turns  chan turn
	free   chan struct{} // closed, then set to nil, when no hook runs on the consumer's goroutine
}

// runPooled runs every hook on a pool.
func (c *crew) runPooled() {
	room := c.size // for all turns: a worker never waits for the consumer
	if c.announce {
		room *= 2
	}
	turns := make(chan turn, room)
	go func() { // submitting blocks while the pool is full, which must not block the consumer
		workers := pool.New().WithMaxGoroutines(c.limit)
		for i := range c.size {
			switch {
			case !slices.Contains(c.chain, i):
				workers.Go(func() { c.runOne(i, turns) })
			case i == c.chain[0]:
				workers.Go(func() { c.runChain(c.chain, turns) })
			}
		}
		workers.Wait()
		close(turns)
	}()
	defer func() {
		c.cancel(hook.ErrNotNeeded)
		for range turns { // wait until every worker has returned
		}
	}()
	for t := range turns {
		if !c.hooks.deliver(t) {
			return
		}
	}
}

// runOne runs a hook on a worker and sends its turns.
func (c *crew) runOne(i int, turns chan<- turn) {
	if c.announce {
		turns <- turn{i, true}
	}
	returned := false
	defer func() {
		if !returned {
			c.hooks.exited(i)
		}
		turns <- turn{i, false}
	}()
	returned = c.hooks.run(i)
}

// runChain runs the hooks of a chain on a worker, one after another, and sends their turns. The chain goes on after a
// hook that called runtime.Goexit. After ctx has ended no further hook starts.
func (c *crew) runChain(chain []int, turns chan<- turn) {
	i, rest, returned := chain[0], chain[1:], false
	if c.announce {
		turns <- turn{i, true}
	}
	defer func() {
		if !returned {
			c.hooks.exited(i)
		}
		goOn := c.hooks.next(i) // before the consumer gets the report
		turns <- turn{i, false}
		if goOn && len(rest) > 0 && c.ctx.Err() == nil {
			c.runChain(rest, turns)
		}
	}()
	returned = c.hooks.runChained(i)
}

// patience is the number of yields, some ten microseconds, after which the watching goroutine assumes that the hook
// blocks. It does not measure time, because the clock may be a fake one.
const patience = 1000

// The phases of runEagerly.
const (
	watched = iota // hooks run one after the other
	pooled         // a pool runs them
	over
)

// runEagerly runs hooks that probably return at once, one after another on the consumer's goroutine. When a hook
// blocks, a pool runs the remaining hooks in parallel.
//
// The single goroutine does not delay a consumer that merges answers in plan order: until the pool runs, the running
// hook is the first in the plan without a report.
func (c *crew) runEagerly() {
	c.left = c.size
	c.starts.Add(1)
	go c.watch()
	defer c.end()
	stopped := false
	deliver := func(i int) {
		if !stopped && !c.hooks.deliver(turn{place: i}) {
			stopped = true
			c.cancel(hook.ErrNotNeeded)
		}
	}
	for c.phase.Load() != pooled {
		i := int(c.next.Add(1)) - 1
		if i >= c.size {
			break
		}
		c.left-- // before the call: the hook may end this goroutine
		c.hooks.run(i)
		deliver(i)
	}
	if c.left == 0 {
		return
	}
	close(c.free)
	c.free = nil
	for c.left > 0 {
		t := <-c.turns
		c.left--
		deliver(t.place)
	}
}

// watch starts the pool when a hook takes long.
func (c *crew) watch() {
	defer c.starts.Done()
	for range patience {
		if c.phase.Load() != watched {
			return
		}
		runtime.Gosched()
	}
	workers, free := pool.New().WithMaxGoroutines(c.limit), make(chan struct{})
	c.pool, c.free, c.turns = workers, free, make(chan turn, c.size)
	if !c.phase.CompareAndSwap(watched, pooled) {
		return
	}
	workers.Go(func() { <-free }) // occupies a worker for the hook on the consumer's goroutine
	for range c.size - int(c.next.Load()) {
		workers.Go(func() {
			if i := int(c.next.Add(1)) - 1; i < c.size {
				c.runOne(i, c.turns)
			}
		})
	}
}

// end waits until every hook has returned, even if the consumer has panicked.
func (c *crew) end() {
	c.cancel(hook.ErrNotNeeded)
	if c.phase.CompareAndSwap(watched, over) || c.phase.Load() == over {
		return
	}
	if c.free != nil {
		close(c.free)
	}
	for ; c.left > 0; c.left-- {
		<-c.turns
	}
	c.starts.Wait()
	c.pool.Wait()
}
