package pipeline

import (
	"context"
	"sync"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/stages"
)

// fireRun is one fire in flight.
type fireRun[In, Out any] struct {
	event         *Event[In, Out]
	s             *Session
	plan          *stages.Planned
	in            *input[In]
	runs          []hookRun[Out]     // by place in the plan
	reports       []hook.Report[Out] // so, too; they become those of the result
	result        *hook.Result[Out]
	contexts      []lazyContext // of hooks in Go that run one after the other, by place in the plan
	began         time.Time
	number        int64           // among the session's fires
	watcher       *watcher[Out]   // of a stream; nil if there is none
	failed        error           // why the hooks cannot be asked, or not all of them
	vars          *varsDir        // where hooks leave variables; nil if they do not
	noVars        error           // why they cannot, though the event lets them
	ctx           context.Context // own, or what the budget makes of it
	fireContext   lazyContext
	inflightEntry inflight
	listed        bool            // in the list of those that Close ends
	info          *FireInfo       // nil if there are no observers
	observed      context.Context // the caller's, or what observers have made of it

	view     *view      // the hooks as they were when the plan was made, of a live event
	first    input[In]  // room for what in points at
	encoding sync.Mutex // guards first.encoded and first.members
	firstRan bool       // the first hook has run

	again bool // the second round of a fire, of hooks that are asked again
	base  int  // how many reports come before its own
}

// begin prepares a fire; it returns nil when the plan is that no hook runs. Its
// end has to be called when the reports have been read.
func (e *Event[In, Out]) begin(ctx context.Context, s *Session, in In, plan *stages.Planned) *fireRun[In, Out] {
	plan, closed := open(plan)
	f := &fireRun[In, Out]{event: e, s: s, plan: plan, began: time.Now(), observed: ctx}
	f.first.value = in
	f.in = &f.first
	f.logPlan(ctx)
	if len(s.sys.cfg.Observe) > 0 {
		f.observed = f.startObserving(ctx)
	}
	if len(plan.Run) == 0 && !closed {
		f.endObserving(&e.empty, nil)
		return nil
	}
	f.alloc()
	if f.enter(); f.failed == nil {
		f.openVars()
	}
	return f
}

// enter lists the fire with its system, and looks at its input.
func (f *fireRun[In, Out]) enter() {
	f.fireContext.parent, f.fireContext.session = f.observed, f.s
	f.ctx, f.inflightEntry.ctx = &f.fireContext, &f.fireContext
	if f.number, f.listed = f.s.shard.begin(&f.inflightEntry); !f.listed {
		f.fireContext.end(hook.ErrClosed)
		f.failed = hook.ErrClosed
		return
	}
	if f.failed = f.checkInput(); f.failed != nil {
		return
	}
	if f.event.spec.Rules.Live {
		f.view = f.s.view()
	}
	f.budget()
}

// alloc makes room for the result, apart from f, which a result must not keep alive.
func (f *fireRun[In, Out]) alloc() {
	if n := len(f.plan.Run); n > 1 {
		f.runs, f.reports, f.result = make([]hookRun[Out], n), make([]hook.Report[Out], n), new(hook.Result[Out])
		return
	}
	lone := new(struct {
		run    [1]hookRun[Out]
		report [1]hook.Report[Out]
		result hook.Result[Out]
	})
	f.runs, f.reports, f.result = lone.run[:], lone.report[:], &lone.result
}

func (f *fireRun[In, Out]) end() {
	f.fireContext.end(hook.ErrNotNeeded)
	if !f.listed {
		return
	}
	f.s.unspend(f.notStarted())
	f.s.release(f.vars)
	f.s.shard.end(&f.inflightEntry)
}

// notStarted returns the hooks that run once, and which it has not come to.
func (f *fireRun[In, Out]) notStarted() (hooks []*hook.Hook) {
	for i, h := range f.plan.Run {
		if h.Once && (i >= len(f.runs) || !f.runs[i].started) {
			hooks = append(hooks, h)
		}
	}
	return hooks
}

// waitsFor reports whether the fire goes on only when the hook is done.
func waitsFor(h *hook.Hook) bool { return h.Background == hook.Foreground || h.Func != nil }

// budget ends the fire when the longest hook that it waits for has had its time.
func (f *fireRun[In, Out]) budget() {
	if !f.event.spec.Rules.Budget {
		return
	}
	var longest time.Duration
	for _, h := range f.plan.Run {
		d := f.event.timeout(h)
		if !waitsFor(h) {
			continue
		}
		if d == 0 {
			return
		}
		longest = max(longest, d)
	}
	f.ctx = lazyTimeout(f.ctx, longest, time.Now())
}
