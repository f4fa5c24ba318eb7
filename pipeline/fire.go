package pipeline

import (
	"context"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/sound"
	"github.com/snaphook-go/snaphook/stages"
)

// fireRun is one fire in flight.
type fireRun[Out any] struct {
	fireState
	event   *core[Out]
	reports []hook.Report[Out] // by place in the plan; they become those of the result
	result  *hook.Result[Out]
	watcher *watcher[Out] // of a stream; nil if there is none
}

// fireBase is the part of a fire that does not depend on the type of the answers. A fireRun
// has its fields, and not its methods: those of what is embedded are compiled once more for
// every type.
type fireBase fireState

// untyped is the fire without the type of its answers.
func (f *fireRun[Out]) untyped() *fireBase { return (*fireBase)(&f.fireState) }

// fireState has the fields of a fireBase.
type fireState struct {
	of            *declaration
	s             *Session
	plan          *stages.Planned
	in            *input
	runs          []hookRun     // by place in the plan
	replies       []hook.Reply  // the same; nil if no hook runs outside the process, and needs JSON
	contexts      []lazyContext // the same for hooks in Go that run one after the other
	began         time.Time
	number        int64           // among the session's fires
	failed        error           // why the hooks cannot be asked, or not all of them
	vars          *varsDir        // where hooks leave variables; nil if they do not
	noVars        error           // why they cannot, though the event lets them
	ctx           context.Context // own, or what the budget makes of it
	fireContext   lazyContext
	inflightEntry inflight
	listed        bool            // in the list of those that Close ends
	text          sound.Text      // in the input
	info          *FireInfo       // nil if there are no observers
	observed      context.Context // the caller's, or what observers have made of it

	view     *view      // the hooks as they were when the plan was made, of a live event
	first    input      // room for what in points at
	encoding sync.Mutex // guards first.encoded and first.members
	firstRan bool       // the first hook has run

	again bool // the second round of a fire, of hooks that are asked again
	base  int  // how many reports come before its own
}

// merge runs the hooks of a plan and merges what they said. A watcher may be nil; f is
// room for the fire.
func (e *core[Out]) merge(
	ctx context.Context,
	s *Session,
	in any,
	plan *stages.Planned,
	w *watcher[Out],
	f *fireRun[Out],
) (*hook.Result[Out], error) {
	f.event, f.watcher = e, w
	f.fireState = fireState{
		of: (*declaration)(&e.outline), s: s, plan: plan, began: time.Now(), observed: ctx, text: f.text,
	}
	f.first.value, f.in = in, &f.first
	isClosed := false
	if last := len(plan.Run) - 1; last >= 0 && plan.Run[last] == closed {
		own := *plan
		own.Run = own.Run[:last:last]
		f.plan, isClosed = &own, true
	}
	if plan.Panicked != nil {
		f.untyped().logPanicked(ctx)
	}
	if s.sys.debug {
		f.untyped().logPlan(ctx)
	}
	if len(s.sys.cfg.Observe) > 0 {
		f.observed = f.untyped().startObserving(ctx)
	}
	res, err := e.empty, error(nil)
	if len(f.plan.Run) > 0 || isClosed {
		f.alloc()
		f.untyped().enter()
		defer f.untyped().end()
		if f.failed == nil && e.rules.EnvFile != "" {
			f.untyped().openVars()
		}
		res, err = f.ask(ctx)
	}
	if f.info != nil {
		f.endObserving(res, err)
	}
	return res, err
}

// enter lists the fire with its system, and finds what is wrong with its input before any
// hook runs. The end of the fire has to be called when the reports have been read.
func (f *fireBase) enter() {
	f.fireContext.parent, f.fireContext.session = f.observed, f.s
	f.ctx, f.inflightEntry.ctx = &f.fireContext, &f.fireContext
	if f.number, f.listed = f.s.shard.begin(&f.inflightEntry); !f.listed {
		f.fireContext.end(hook.ErrClosed)
		f.failed = hook.ErrClosed
		return
	}
	if f.text == (sound.Text{}) { // nothing is known of it
		if err := f.of.input.checked(f.in.value); err != nil {
			f.failed = &hook.InputError{Event: f.of.full, Err: err}
			return
		}
	}
	if f.replies != nil {
		if _, f.failed = f.payload(f.in); f.failed != nil { // made once, before the hooks share it
			return
		}
	}
	if f.of.rules.Live {
		f.view = f.s.view()
	}
	if f.of.rules.Budget {
		f.budget()
	}
}

// alloc makes room for the result, apart from f, which a result must not keep alive.
func (f *fireRun[Out]) alloc() {
	if n := len(f.plan.Run); n > 1 {
		f.runs, f.reports, f.result = make([]hookRun, n), make([]hook.Report[Out], n), new(hook.Result[Out])
		if slices.ContainsFunc(f.plan.Run, func(h *hook.Hook) bool { return h.Runner != nil }) {
			f.replies = make([]hook.Reply, n)
		}
		return
	}
	lone := new(struct {
		run    [1]hookRun
		reply  [1]hook.Reply
		report [1]hook.Report[Out]
		result hook.Result[Out]
	})
	f.runs, f.reports, f.result = lone.run[:], lone.report[:], &lone.result
	if len(f.plan.Run) == 1 && f.plan.Run[0].Runner != nil {
		f.replies = lone.reply[:]
	}
}

// ask runs the hooks and makes the result of what they said. What panics beside hooks,
// such as a function of the event, is an error of the fire, which then blocks.
func (f *fireRun[Out]) ask(ctx context.Context) (res *hook.Result[Out], err error) {
	e, sys := f.event, f.s.sys
	res = f.result
	defer func() {
		if v := recover(); v != nil {
			err = &hook.PanicError{Value: v, Stack: debug.Stack()}
			res = e.refuse(f.s, f.in.value, res, err)
		}
	}()
	if f.failed == nil || f.failed == hook.ErrClosed {
		if err := f.reduce(res); err != nil {
			f.untyped().logReducer(err)
		}
		if e.spec.Rewrites != nil && len(res.Reports) > 1 {
			res.Conflicts = conflicts(e, res.Reports)
		}
		if slices.ContainsFunc(f.plan.Run, func(h *hook.Hook) bool { return h.Policy != nil }) {
			f.hold(res)
		}
		if sys.ctx.Err() != nil || f.observed.Err() != nil {
			if err := f.unfinished(res); err != nil {
				f.failed = err
			}
		}
		if sys.rechecks.Load() {
			f.recheck(res)
		}
		if f.failed == nil && e.spec.conclude != nil {
			f.conclude(res)
		}
		if sys.debug {
			f.logResult(res)
		}
	}
	if f.failed != nil {
		return e.refuse(f.s, f.in.value, res, f.failed), f.failed
	}
	if e.rules.Propagate {
		if err := f.propagated(res); err != nil {
			return res, err
		}
	}
	if e.rules.Unstoppable {
		return res, nil // nothing is missing
	}
	return res, ctx.Err()
}

// reduce runs the hooks and merges what they said. Most fires have one hook,
// for which nothing has to be streamed.
func (f *fireRun[Out]) reduce(res *hook.Result[Out]) (err error) {
	if len(f.plan.Run) == 0 {
		return nil // of a closed system
	}
	if len(f.plan.Run) == 1 && f.watcher == nil {
		f.runHook(f.ctx, 0, f.plan.Run[0], f.in)
		if !f.event.rules.Live || f.s.view() == f.view {
			*res, err = stages.ReduceOne(f.reports, f.event.spec.Reduce)
			return err
		}
		f.firstRan = true
	}
	*res, err = stages.Reduce(
		f.watched(),
		f.reports,
		f.event.spec.Reduce,
		func() { f.fireContext.end(hook.ErrNotNeeded) },
	)
	return err
}

func (f *fireBase) end() {
	f.fireContext.end(hook.ErrNotNeeded)
	if !f.listed {
		return
	}
	if slices.ContainsFunc(f.plan.Run, func(h *hook.Hook) bool { return h.Once }) {
		f.s.unspend(f.notStarted())
	}
	if f.vars != nil {
		f.s.release(f.vars)
	}
	f.s.shard.end(&f.inflightEntry)
}

// varsDir is where the hooks of one fire leave their variables. The mutex of the
// session's memory guards it.
type varsDir struct {
	event string
	path  string
	hooks int
	users int  // the fire, and those of its hooks that are in the background
	stale bool // what is in it counts no more, and the last user removes it
}

// openVars makes the directory of a fire whose hooks may leave variables; it
// takes the place of the one that the event had before. Without it the hooks
// run all the same: they have other things to do.
func (f *fireBase) openVars() {
	needed := func(h *hook.Hook) bool { return h.Runner != nil && !h.NoEnvFile }
	if !slices.ContainsFunc(f.plan.Run, needed) {
		return
	}
	dir, err := f.s.scratch(f.of.name)
	if err == nil {
		err = makeVars(dir)
	}
	if err != nil {
		f.noVars = err
		f.s.sys.log.LogAttrs(
			f.ctx,
			slog.LevelWarn,
			"hooks cannot leave variables",
			slog.String("event", f.of.info().FullName()),
			slog.String("error", err.Error()),
		)
		return
	}
	f.vars = &varsDir{event: f.of.name, path: dir, hooks: len(f.plan.Run), users: 1}
	m := f.s.state()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.forget(f.of.name)
	m.vars = append(m.vars, f.vars)
}
