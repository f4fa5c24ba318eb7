package pipeline

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/stages"
)

// fire is the part of Fire after the guard. It takes a copy of the input
// before anything can hold on to it, so that the caller's stays on its stack.
//
//go:noinline
func (e *Event[In, Out]) fire(ctx context.Context, s *Session, in *In, hooks *selector) (*hook.Result[Out], error) {
	if e.spec.Forget != nil {
		e.forget(s, in)
	}
	plan := hooks.plan(ctx, e.subject.of(in))
	if plan.Open != nil {
		plan = e.narrow(s, *in, plan, true)
	}
	if len(plan.Run) == 0 && !s.sys.observed() {
		return &e.empty, nil
	}
	return e.merge(ctx, s, *in, plan, nil)
}

// plan selects the hooks for an input; nil if none could run. If they are
// going to, those that run once are spent.
func (e *Event[In, Out]) plan(ctx context.Context, s *Session, in In, spend bool) *stages.Planned {
	v := s.view()
	if e.slot >= len(v.active) || v.active[e.slot] == nil {
		return nil
	}
	plan := v.active[e.slot].plan(ctx, e.subject.of(&in))
	if plan.Open != nil {
		return e.narrow(s, in, plan, spend)
	}
	return plan
}

// narrow decides a plan for which the subject is not enough.
func (e *Event[In, Out]) narrow(s *Session, in In, plan *stages.Planned, spend bool) *stages.Planned {
	var detail *hook.ConditionInput
	if e.spec.ConditionInput != nil {
		d := e.spec.ConditionInput(&in)
		d.Dir = e.dir(s, &in)
		detail = &d
	}
	for {
		n := plan.Narrow(detail, s.isSpent)
		if !spend || !slices.ContainsFunc(n.Run, func(h *hook.Hook) bool { return h.Once }) || s.spend(n.Run) {
			return &n
		}
	}
}

// dir is the directory in which the agent works.
func (e *Event[In, Out]) dir(s *Session, in *In) string {
	if e.spec.Dir != nil {
		return cmp.Or(e.spec.Dir(in), s.dir)
	}
	return s.dir
}

// merge runs the hooks of a plan and merges what they said. A watcher may be nil.
func (e *Event[In, Out]) merge(
	ctx context.Context,
	s *Session,
	in In,
	plan *stages.Planned,
	w *watcher[Out],
) (*hook.Result[Out], error) {
	f := e.begin(ctx, s, in, plan)
	if f == nil {
		return &e.empty, nil
	}
	defer f.end()
	f.watcher = w
	res, err := f.conclusion(ctx)
	f.endObserving(res, err)
	return res, err
}

// conclusion runs the hooks and merges their answers.
func (f *fireRun[In, Out]) conclusion(ctx context.Context) (*hook.Result[Out], error) {
	e, res := f.event, f.result
	if f.failed == nil || f.failed == hook.ErrClosed {
		f.ask(res)
	}
	if f.failed != nil {
		return e.refuse(f.s, &f.in.value, res, f.failed), f.failed
	}
	if err := f.propagated(res); err != nil {
		return res, err
	}
	if e.spec.Rules.Unstoppable {
		return res, nil // nothing is missing
	}
	return res, ctx.Err()
}

// ask runs the hooks and makes the result of what they said.
func (f *fireRun[In, Out]) ask(res *hook.Result[Out]) {
	if err := f.reduce(res); err != nil {
		f.logReducer(err)
	}
	res.Conflicts = conflicts(f.event, res.Reports)
	if slices.ContainsFunc(f.plan.Run, func(h *hook.Hook) bool { return h.Policy != nil }) {
		f.hold(res)
	}
	if err := f.unfinished(res); err != nil {
		f.failed = err
	}
	f.recheck(res)
	if f.failed == nil && f.event.spec.Conclude != nil {
		f.conclude(res)
	}
	f.logResult(res)
}

// propagated is the error of a hook that is Fire's.
func (f *fireRun[In, Out]) propagated(res *hook.Result[Out]) error {
	if !f.event.spec.Rules.Propagate {
		return nil
	}
	for i := range res.Reports {
		if err := res.Reports[i].Err; err != nil && !errors.Is(err, hook.ErrNotNeeded) &&
			f.propagates(&res.Reports[i]) {
			return err
		}
	}
	return nil
}

// reduce runs the hooks and merges what they said. Most fires have one hook,
// for which nothing has to be streamed.
func (f *fireRun[In, Out]) reduce(res *hook.Result[Out]) (err error) {
	if len(f.plan.Run) == 0 {
		return nil // of a closed system
	}
	if len(f.plan.Run) == 1 && f.watcher == nil {
		f.runHook(f.ctx, 0, f.plan.Run[0], f.in)
		if !f.event.spec.Rules.Live || f.s.view() == f.view {
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

// runHooks returns the reports of the hooks, which it runs.
func (f *fireRun[In, Out]) runHooks() iter.Seq[*hook.Report[Out]] {
	spawn := stages.Spawn[*input[In], Out]{
		Plan:        f.plan.Run,
		In:          f.in,
		Each:        f.runNext,
		Announce:    f.watcher != nil,
		Unstoppable: f.event.spec.Rules.Unstoppable,
		Ready:       f.inside(),
		Exited:      func(i int) *hook.Report[Out] { return &f.reports[i] },
	}
	if len(f.plan.Run) == 1 || f.plan.Sequential || f.event.spec.Rules.Sequential {
		if f.event.spec.Rules.Live {
			spawn.Renew = f.renew
		}
		return spawn.Fold(f.ctx, f.next)
	}
	if spawn.Ready {
		f.contexts = make([]lazyContext, len(f.plan.Run))
	}
	return spawn.Parallel(f.ctx, f.fireContext.end, f.s.sys.limit)
}

// inside reports whether all hooks of the plan are functions of the program.
func (f *fireRun[In, Out]) inside() bool {
	return !slices.ContainsFunc(f.plan.Run, func(h *hook.Hook) bool { return h.Func == nil })
}

// runsOutside reports whether a hook of the plan needs the input as JSON.
func (f *fireRun[In, Out]) runsOutside() bool {
	return slices.ContainsFunc(f.plan.Run, func(h *hook.Hook) bool { return h.Runner != nil })
}

// next returns the input of the hook after r, or ends the chain.
func (f *fireRun[In, Out]) next(in *input[In], r *hook.Report[Out]) (*input[In], bool) {
	if f.event.spec.Blocks(&r.Output) || f.failed != nil && f.failed != hook.ErrClosed {
		return in, false
	}
	if f.event.spec.Chain == nil || !r.Answered || r.Err != nil || r.Output.Synthetic {
		return in, true
	}
	return &input[In]{value: f.event.spec.Chain(in.value, r.Output)}, true
}
