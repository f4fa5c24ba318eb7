package pipeline

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"runtime/debug"
	"slices"
	"time"

	"github.com/sourcegraph/conc/panics"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/stages"
)

// fire is the part of Fire behind the guard. It takes a copy of the input
// before anything can hold on to it, so that the caller's stays on its stack.
//
//go:noinline
func (e *Event[In, Out]) fire(ctx context.Context, s *Session, in *In, hooks *selector) (*hook.Result[Out], error) {
	plan := hooks.plan(e.subject.of(in))
	if len(plan.Run) == 0 && !s.sys.observed() {
		return &e.empty, nil
	}
	return e.merge(ctx, s, *in, plan)
}

// plan selects the hooks for an input; nil if none could run.
func (e *Event[In, Out]) plan(s *Session, in *In) *stages.Planned {
	v := s.view()
	if e.slot >= len(v.active) || v.active[e.slot] == nil {
		return nil
	}
	return v.active[e.slot].plan(e.subject.of(in))
}

func (e *Event[In, Out]) merge(ctx context.Context, s *Session, in In, plan *stages.Planned) (*hook.Result[Out], error) {
	f, done := e.begin(ctx, s, in, plan)
	if f == nil {
		return &e.empty, nil
	}
	defer done()
	enough := func() { f.cancel(hook.ErrNotNeeded) }
	res, err := stages.Reduce(f.reports(), len(f.plan.Run), e.Reduce, enough)
	if err != nil {
		f.logReducer(err)
	}
	res.Conflicts = conflicts(e, res.Reports)
	f.logResult(&res)
	return &res, ctx.Err()
}

// firing is one fire under way.
type firing[In, Out any] struct {
	event  *Event[In, Out]
	s      *Session
	plan   *stages.Planned
	in     *input[In]
	turns  []turn[Out] // by place in the plan
	began  time.Time
	ctx    context.Context
	cancel context.CancelCauseFunc
}

// turn is the room for what becomes of one hook.
type turn[Out any] struct {
	report hook.Report[Out]
	reply  hook.Reply
}

// begin prepares a fire; it gives nil when the plan is that no hook runs. done
// has to be called when the reports have been read.
func (e *Event[In, Out]) begin(ctx context.Context, s *Session, in In, plan *stages.Planned) (f *firing[In, Out], done func()) {
	f = &firing[In, Out]{event: e, s: s, plan: plan, began: time.Now()}
	f.logPlan(ctx, in)
	if len(plan.Run) == 0 {
		return nil, nil
	}
	f.in = &input[In]{value: in}
	f.turns = make([]turn[Out], len(plan.Run))
	f.ctx, f.cancel = context.WithCancelCause(ctx)
	if !s.sys.enter() {
		f.cancel(hook.ErrClosed)
		return f, func() {}
	}
	stop := context.AfterFunc(s.sys.ctx, func() { f.cancel(hook.ErrClosed) })
	return f, func() {
		stop()
		f.cancel(hook.ErrNotNeeded)
		s.sys.fires.Done()
	}
}

// reports runs the hooks.
func (f *firing[In, Out]) reports() iter.Seq[hook.Report[Out]] {
	if len(f.plan.Run) == 1 || f.plan.Sequential || f.event.Rules.Sequential {
		return stages.Fold(f.ctx, f.plan.Run, f.in, f.turn, f.next)
	}
	if f.runsOutside() {
		panics.Try(func() { _, _ = f.payload(f.in) }) // once, before the hooks share it; if it fails, each of them will say so
	}
	return stages.Parallel(f.ctx, f.cancel, f.plan.Run, f.s.sys.limit, f.in, f.turn)
}

// runsOutside reports whether a hook of the plan needs the input as JSON.
func (f *firing[In, Out]) runsOutside() bool {
	return slices.ContainsFunc(f.plan.Run, func(h *hook.Hook) bool { return h.Runner != nil })
}

// next gives the input of the hook after r, or ends the chain.
func (f *firing[In, Out]) next(in *input[In], r *hook.Report[Out]) (*input[In], bool) {
	if f.event.Blocks(&r.Output) {
		return in, false
	}
	if f.event.Chain == nil || !r.Said || r.Err != nil || r.Output.Assumed {
		return in, true
	}
	return &input[In]{value: f.event.Chain(in.value, r.Output)}, true
}

// turn is one hook's turn: a worker's place, then the hook, within its time.
func (f *firing[In, Out]) turn(ctx context.Context, i int, h *hook.Hook, in *input[In]) hook.Report[Out] {
	r := &f.turns[i].report
	r.Hook, r.Index = h, i
	f.run(ctx, r, in)
	f.settle(r)
	if f.s.sys.observed() {
		f.observe(r, in)
	}
	return *r
}

// run runs a hook. What panics is the hook's failure.
func (f *firing[In, Out]) run(ctx context.Context, r *hook.Report[Out], in *input[In]) {
	defer func() {
		if v := recover(); v != nil {
			r.Err = &hook.PanicError{Value: v, Stack: debug.Stack()}
		}
	}()
	if ctx.Err() != nil {
		r.Err = because(ctx, ctx.Err())
		return
	}
	if fn, ok := r.Hook.Func.(hook.Func[In, Out]); ok {
		f.call(ctx, r, fn, in.value)
		return
	}
	if r.Hook.Runner == nil {
		r.Err = hook.ErrUnsupported
		return
	}
	if err := f.s.sys.workers.Acquire(ctx, 1); err != nil { // a Go hook holds no place: it may fire events itself
		r.Err = because(ctx, err)
		return
	}
	defer f.s.sys.workers.Release(1)
	f.start(ctx, r, in)
}

func (f *firing[In, Out]) call(ctx context.Context, r *hook.Report[Out], fn hook.Func[In, Out], in In) {
	limit := hook.Call{Timeout: f.event.timeout(r.Hook)}
	if limit.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = limit.Limit(ctx)
		defer cancel()
	}
	start := time.Now()
	defer func() { r.Elapsed = time.Since(start) }()
	out, err := fn(ctx, in)
	if late := new(hook.TimeoutError); err == nil && errors.As(context.Cause(ctx), &late) {
		err = late // as with a process: an answer after its time does not count
	}
	if err != nil {
		r.Err = because(ctx, err)
		return
	}
	r.Output = out
	r.Said = out.Given != 0 || out.Common() != 0 || !reflect.ValueOf(&out.Specific).Elem().IsZero()
}

func (f *firing[In, Out]) start(ctx context.Context, r *hook.Report[Out], in *input[In]) {
	payload, err := f.payload(in)
	if err != nil {
		r.Err = err
		return
	}
	call := hook.Call{Hook: r.Hook, Session: f.s.id, Dir: f.s.dir, Payload: payload, Timeout: f.event.timeout(r.Hook)}
	reply := &f.turns[r.Index].reply
	start := time.Now()
	*reply, err = r.Hook.Runner.Run(ctx, call)
	r.Elapsed = time.Since(start)
	if errors.Is(err, context.DeadlineExceeded) && call.Timeout > 0 && ctx.Err() == nil {
		err = &hook.TimeoutError{After: call.Timeout} // a Runner may say it in other words
	}
	if err != nil {
		r.Err = because(ctx, err)
		reply.Exit = -1
	}
	if err == nil || reply.Stdout != nil || reply.Stderr != nil {
		r.Reply = reply
	}
	if err != nil {
		return
	}
	stages.Parse(r, f.event.Rules.Exits, f.event.Decode)
}

// because gives the reason for which ctx has ended in place of an error that
// says no more than that it has. A reason of the caller's own stays a
// cancellation.
func because(ctx context.Context, err error) error {
	ended, cause := ctx.Err(), context.Cause(ctx)
	switch {
	case ended == nil || !errors.Is(err, ended) && !errors.Is(err, cause):
		return err
	case cancelled(cause):
		return cause
	}
	return fmt.Errorf("%w: %w", ended, cause)
}

// settle applies what the event says of hooks that fail, and counts those
// that fail open.
func (f *firing[In, Out]) settle(r *hook.Report[Out]) {
	if r.Err == nil {
		return
	}
	r.Err = &hook.Error{Hook: r.Hook, Err: r.Err}
	if errors.Is(r.Err, hook.ErrNotNeeded) {
		return // the answer was there without it
	}
	if f.event.Rules.FailClosed {
		r.Said = true
		r.Output = hook.Output[Out]{Decision: hook.Deny, Reason: r.Err.Error(), Given: hook.Spoke}
	}
	if r.FailedOpen() {
		f.s.sys.failedOpen.Add(1)
	}
	f.logFailure(r)
}
