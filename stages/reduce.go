package stages

import (
	"fmt"
	"iter"
	"runtime/debug"
	"slices"

	"github.com/snaphook-go/snaphook/hook"
)

// Reduce consumes the reports of hooks as they finish, puts their answers in plan order, and merges them with merge,
// which gets each answer as soon as all earlier ones have arrived. The result depends on the order of the plan, never
// on which hook was faster.
//
// room has an element for the report of each hook, by its Index, and becomes the Reports of the result. A report that
// is already in its element is not copied; other reports must not point into room.
//
// When merge returns early, Reduce calls enough, which has to cancel the running hooks, and collects the remaining
// reports. Hooks that did not start have no report in the result.
//
// If merge panics, the first answer that blocks becomes the merged answer, so that no denial is lost, and Reduce
// returns an error.
func Reduce[Out any](
	reports iter.Seq[*hook.Report[Out]],
	room []hook.Report[Out],
	merge hook.Reducer[Out],
	enough func(),
) (hook.Result[Out], error) {
	c := collector[Out]{reports: reports, all: room, come: make([]bool, len(room)), enough: enough}
	output, err := c.merge(merge)
	c.drain()
	res := hook.Result[Out]{Output: output, Answered: c.answered, Reports: c.present()}
	if err != nil {
		res.Output = firstBlock(res.Reports)
	}
	return res, err
}

// ReduceOne is [Reduce] for a plan of one hook that has already run. It needs no iterator, which saves ten of twenty
// allocations. reports has the hook's report, and becomes the Reports of the result.
func ReduceOne[Out any](reports []hook.Report[Out], merge hook.Reducer[Out]) (res hook.Result[Out], err error) {
	r := &reports[0]
	res.Answered, res.Reports = r.Answered, reports
	defer func() {
		if v := recover(); v != nil {
			res.Output = firstBlock(res.Reports)
			err = fmt.Errorf("the reducer panicked: %w", &hook.PanicError{Value: v, Stack: debug.Stack()})
		}
	}()
	if !r.Answered {
		res.Output = merge(silence[Out])
		return res, nil
	}
	res.Output = merge(func(yield func(hook.Output[Out]) bool) { yield(r.Output) })
	return res, nil
}

// silence is an empty sequence of answers.
func silence[Out any](func(hook.Output[Out]) bool) {}

// collector puts arriving reports in plan order.
type collector[Out any] struct {
	reports  iter.Seq[*hook.Report[Out]]
	all      []hook.Report[Out] // by index
	come     []bool             // whether the report has arrived
	enough   func()
	answered bool // at least one hook gave an answer
	drained  bool // all reports have been consumed
	panic    *hook.PanicError
}

// merge runs the reducer and turns a panic into an error.
func (c *collector[Out]) merge(merge hook.Reducer[Out]) (out hook.Output[Out], err error) {
	defer func() {
		if v := recover(); v != nil {
			if c.panic == nil {
				c.panic = &hook.PanicError{Value: v, Stack: debug.Stack()}
			}
			err = fmt.Errorf("the reducer panicked: %w", c.panic)
		}
	}()
	return merge(c.outputs), nil
}

// outputs yields the answers in plan order, each as soon as all earlier reports have arrived. It consumes every report,
// even if yield returns false.
func (c *collector[Out]) outputs(yield func(hook.Output[Out]) bool) {
	next, open := 0, true
	if !c.drained {
		c.drained = true
		for r := range c.reports {
			c.take(r)
			for ; open && next < len(c.all) && c.come[next]; next++ {
				open = c.give(next, yield)
			}
			if !open && c.panic == nil {
				c.enough()
			}
		}
	}
	for ; open && next < len(c.all); next++ { // a chain may end early, and a merge may iterate twice
		open = c.give(next, yield)
	}
	if c.panic != nil {
		panic(c.panic) // the panic of the reducer was held back until all reports had arrived
	}
}

// give yields the answer at index i, if there is one.
func (c *collector[Out]) give(i int, yield func(hook.Output[Out]) bool) (goOn bool) {
	if !c.come[i] || !c.all[i].Answered {
		return true
	}
	defer func() {
		if v := recover(); v != nil {
			c.panic = &hook.PanicError{Value: v, Stack: debug.Stack()}
			goOn = false
		}
	}()
	return yield(c.all[i].Output)
}

// take stores a report at its index.
func (c *collector[Out]) take(r *hook.Report[Out]) {
	for r.Index >= len(c.all) { // a plan can grow
		c.all, c.come = append(c.all, hook.Report[Out]{}), append(c.come, false)
	}
	if at := &c.all[r.Index]; at != r {
		*at = *r
	}
	c.come[r.Index] = true
	c.answered = c.answered || r.Answered
}

// present returns the reports that have arrived.
func (c *collector[Out]) present() []hook.Report[Out] {
	if !slices.Contains(c.come, false) {
		return c.all
	}
	reports := c.all[:0]
	for i := range c.all {
		if c.come[i] {
			reports = append(reports, c.all[i])
		}
	}
	return reports
}

// drain consumes the reports if the reducer never iterated over the answers, because hooks run only while their reports
// are consumed.
func (c *collector[Out]) drain() {
	if c.drained {
		return
	}
	c.drained = true
	for r := range c.reports {
		c.take(r)
	}
}

// firstBlock returns the first answer that blocks, or an empty one.
func firstBlock[Out any](reports []hook.Report[Out]) (out hook.Output[Out]) {
	for _, r := range reports {
		if r.Output.Decision.Blocks() {
			return r.Output
		}
	}
	return out
}
