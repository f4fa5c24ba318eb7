package pipeline

import (
	"cmp"
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
	if plan.Open != nil {
		plan = e.narrow(s, *in, plan, true)
	}
	if len(plan.Run) == 0 && !s.sys.observed() {
		return &e.empty, nil
	}
	return e.merge(ctx, s, *in, plan)
}

// plan selects the hooks for an input; nil if none could run. If they are
// going to, those that run once are spent.
func (e *Event[In, Out]) plan(s *Session, in In, spend bool) *stages.Planned {
	v := s.view()
	if e.slot >= len(v.active) || v.active[e.slot] == nil {
		return nil
	}
	plan := v.active[e.slot].plan(e.subject.of(&in))
	if plan.Open != nil {
		return e.narrow(s, in, plan, spend)
	}
	return plan
}

// narrow decides a plan for which the subject is not enough.
func (e *Event[In, Out]) narrow(s *Session, in In, plan *stages.Planned, spend bool) *stages.Planned {
	var detail hook.Detail
	if e.Detail != nil {
		detail = e.Detail(&in)
	}
	detail.Dir = e.dir(s, &in)
	for {
		n := plan.Narrow(detail, s.isSpent)
		if !spend || !slices.ContainsFunc(n.Run, func(h *hook.Hook) bool { return h.Once }) || s.spend(n.Run) {
			return &n
		}
	}
}

// dir is the directory in which the agent works.
func (e *Event[In, Out]) dir(s *Session, in *In) string {
	if e.Dir != nil {
		return cmp.Or(e.Dir(in), s.dir)
	}
	return s.dir
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
	if e.Conclude != nil {
		f.conclude(&res)
	}
	f.logResult(&res)
	return &res, ctx.Err()
}

// firing is one fire under way.
type firing[In, Out any] struct {
	event    *Event[In, Out]
	s        *Session
	plan     *stages.Planned
	in       *input[In]
	turns    []turn[Out] // by place in the plan
	began    time.Time
	announce bool   // in a stream, when hooks begin
	vars     string // the directory in which hooks leave variables; empty if they do not
	ctx      context.Context
	cancel   context.CancelCauseFunc
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
	over := f.budget()
	f.openVars()
	stop := context.AfterFunc(s.sys.ctx, func() { f.cancel(hook.ErrClosed) })
	return f, func() {
		stop()
		f.cancel(hook.ErrNotNeeded)
		over()
		s.sys.fires.Done()
	}
}

// budget ends the fire when its longest hook has had its time.
func (f *firing[In, Out]) budget() (over context.CancelFunc) {
	if !f.event.Rules.Budget {
		return func() {}
	}
	var longest time.Duration
	for _, h := range f.plan.Run {
		d := f.event.timeout(h)
		if d == 0 {
			return func() {}
		}
		longest = max(longest, d)
	}
	limit := hook.Call{Timeout: longest}
	f.ctx, over = limit.Limit(f.ctx)
	return over
}

// reports runs the hooks.
func (f *firing[In, Out]) reports() iter.Seq[hook.Report[Out]] {
	spawn := stages.Spawn[*input[In], Out]{Plan: f.plan.Run, In: f.in, Each: f.turn, Announce: f.announce}
	if len(f.plan.Run) == 1 || f.plan.Sequential || f.event.Rules.Sequential {
		return spawn.Fold(f.ctx, f.next)
	}
	if f.runsOutside() {
		panics.Try(func() { _, _ = f.payload(f.in) }) // once, before the hooks share it; if it fails, each of them will say so
	}
	return spawn.Parallel(f.ctx, f.cancel, f.s.sys.limit)
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
	if h.Background != hook.Foreground && h.Runner != nil {
		f.launch(r, in)
	} else {
		f.run(ctx, r, in)
	}
	f.settle(r)
	f.refine(r, in)
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
	call := f.newCall(r, payload)
	call.Ask, call.Detach = f.s.ask(r.Hook), f.detach(r, in)
	reply := &f.turns[r.Index].reply
	start := time.Now()
	*reply, err = r.Hook.Runner.Run(ctx, call)
	r.Elapsed = time.Since(start)
	if errors.Is(err, hook.ErrDetached) {
		r.Backgrounded = true
		return
	}
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
	stages.Parse(r, f.reading(r.Hook))
}

// reading is how the replies of a hook are read.
func (f *firing[In, Out]) reading(h *hook.Hook) stages.Reading[Out] {
	return stages.Reading[Out]{Exits: f.event.Rules.Exits, Text: cmp.Or(h.Text, f.event.Rules.Text), Decode: f.event.Decode}
}

// newCall gives the call of a hook outside the process.
func (f *firing[In, Out]) newCall(r *hook.Report[Out], payload []byte) hook.Call {
	return hook.Call{
		Hook: r.Hook, Session: f.s.id, Dir: f.event.dir(f.s, &f.in.value), Payload: payload,
		Timeout: f.event.timeout(r.Hook), Env: f.env(r.Index, r.Hook),
	}
}

// runSafely runs a hook on a goroutine that nobody else looks after.
func runSafely(ctx context.Context, runner hook.Runner, call hook.Call) (reply hook.Reply, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &hook.PanicError{Value: v, Stack: debug.Stack()}
		}
	}()
	return runner.Run(ctx, call)
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

// failsClosed reports whether a hook that failed blocks.
func (f *firing[In, Out]) failsClosed(r *hook.Report[Out]) bool {
	rules, late := &f.event.Rules, new(hook.TimeoutError)
	if rules.FailClosed || r.Hook.FailClosed {
		return true
	}
	return errors.As(r.Err, &late) && (rules.LateBlocks || rules.LateFuncBlocks && r.Hook.Func != nil)
}

// refine lets the event adjust a report. What panics costs no more than that.
func (f *firing[In, Out]) refine(r *hook.Report[Out], in *input[In]) {
	if f.event.Refine == nil {
		return
	}
	defer func() {
		if v := recover(); v != nil {
			f.logPanic("the event could not adjust an answer", v)
		}
	}()
	f.event.Refine(f.s, &in.value, r)
}

// conclude lets the event have the last word. If it panics, the merged answer
// stands.
func (f *firing[In, Out]) conclude(res *hook.Result[Out]) {
	defer func() {
		if v := recover(); v != nil {
			f.logPanic("the event could not conclude", v)
		}
	}()
	f.event.Conclude(f.s, &f.in.value, res)
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
	if f.failsClosed(r) {
		r.Said = true
		r.Output = hook.Output[Out]{Decision: hook.Deny, Reason: r.Err.Error(), Given: hook.Spoke}
	}
	if r.FailedOpen() {
		f.s.sys.failedOpen.Add(1)
	}
	f.logFailure(r)
}
