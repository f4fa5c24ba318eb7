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

// patience is how often the reader lets others run, without a report, before
// it takes a hook for one that waits: some ten microseconds.
const patience = 64

// eager is Parallel for hooks that are likely to be ready at once. One goroutine
// runs them one after the other; when one waits, a pool runs the others at the
// same time.
func (s Spawn[In, Out]) eager(
	ctx context.Context,
	cancel context.CancelCauseFunc,
	limit int,
) iter.Seq[hook.Report[Out]] {
	return func(yield func(hook.Report[Out]) bool) {
		var first sync.WaitGroup
		var next atomic.Int32 // the hook to run
		reports := make(chan hook.Report[Out], s.room())
		work := func() {
			for i := int(next.Add(1)) - 1; i < len(s.Plan); i = int(next.Add(1)) - 1 {
				s.one(ctx, i, s.Plan[i], reports)
			}
		}
		first.Go(work)
		var others *pool.Pool // not nil: a hook waits
		waits := func() {
			others = pool.New().WithMaxGoroutines(max(1, limit))
			for range min(limit-1, len(s.Plan)-int(next.Load())) {
				others.Go(work)
			}
		}
		left, stopped := s.room(), false
		defer func() {
			cancel(hook.ErrNotNeeded)
			for ; left > 0; left-- { // wait until every hook has gone
				receive(reports, &others, waits)
			}
			first.Wait()
			if others != nil {
				others.Wait()
			}
		}()
		for left > 0 && !stopped {
			r := receive(reports, &others, waits)
			left--
			stopped = !yield(r)
		}
	}
}

// receive returns the next report. It calls waits when none comes soon.
func receive[Out any](reports <-chan hook.Report[Out], others **pool.Pool, waits func()) hook.Report[Out] {
	for range patience {
		if len(reports) > 0 || *others != nil {
			return <-reports
		}
		runtime.Gosched()
	}
	waits()
	return <-reports
}
