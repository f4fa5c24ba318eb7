package stages

import (
	"fmt"
	"iter"
	"runtime/debug"
	"slices"

	"github.com/snaphook-go/snaphook/hook"
)

// Reduce takes the reports of hooks as they finish, puts them in plan order, and
// merges what the hooks said. The answer depends on the order of the plan alone,
// never on which hook was faster.
//
// room has a place for the report of each hook, by its Index, and becomes the
// reports of the result. A report that is in its place is not copied; the others
// must not point into room.
//
// When merge returns early, Reduce calls enough, which has to cancel what is
// still running, and collects the reports that are left. Reports of hooks that
// were never started are absent from the result.
//
// A merge that panics costs its own answer only: the first answer that blocks
// stands in for it, so that no guard is lost, and the error says what happened.
func Reduce[Out any](
	reports iter.Seq[*hook.Report[Out]],
	room []hook.Report[Out],
	merge hook.Reducer[Out],
	enough func(),
) (hook.Result[Out], error) {
	c := collector[Out]{reports: reports, all: room, come: make([]bool, len(room)), enough: enough}
	output, err := c.merge(merge)
	c.drain()
	res := hook.Result[Out]{Output: output, Answered: c.said, Reports: c.present()}
	if err != nil {
		res.Output = firstBlock(res.Reports)
	}
	return res, err
}

// ReduceOne is [Reduce] for a plan of one hook that has run. reports is its report,
// and becomes that of the result.
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

// silence is the answers of hooks that gave none.
func silence[Out any](func(hook.Output[Out]) bool) {}

type collector[Out any] struct {
	reports iter.Seq[*hook.Report[Out]]
	all     []hook.Report[Out] // by index
	come    []bool             // which of them are there
	enough  func()
	said    bool
	drained bool
	panic   *hook.PanicError
}

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

// outputs returns the answers in plan order, each as soon as the ones before it
// are there. It reads the reports to their end whatever its consumer does.
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
	for ; open && next < len(c.all); next++ { // a chain may end early, and a merge may range twice
		open = c.give(next, yield)
	}
	if c.panic != nil {
		panic(c.panic) // now that the others have been heard
	}
}

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

func (c *collector[Out]) take(r *hook.Report[Out]) {
	for r.Index >= len(c.all) { // a plan can grow
		c.all, c.come = append(c.all, hook.Report[Out]{}), append(c.come, false)
	}
	if at := &c.all[r.Index]; at != r {
		*at = *r
	}
	c.come[r.Index] = true
	c.said = c.said || r.Answered
}

// present returns the reports that have come.
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

// drain lets the hooks run for a merge that never looked at their answers.
func (c *collector[Out]) drain() {
	if c.drained {
		return
	}
	c.drained = true
	for r := range c.reports {
		c.take(r)
	}
}

func firstBlock[Out any](reports []hook.Report[Out]) (out hook.Output[Out]) {
	for _, r := range reports {
		if r.Output.Decision.Blocks() {
			return r.Output
		}
	}
	return out
}
