package pipeline

import (
	"context"
	"errors"
	"fmt"

	"github.com/snaphook-go/snaphook/hook"
)

// contextCause returns the reason for which ctx has ended in place of an error that
// says no more than that it has. A reason of the caller's own stays a
// cancellation.
func contextCause(ctx context.Context, err error) error {
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
func (f *fireRun[In, Out]) failsClosed(r *hook.Report[Out]) bool {
	rules, late := &f.event.spec.Rules, new(hook.TimeoutError)
	if !waitsFor(r.Hook) {
		return false // it would have decided nothing
	}
	if rules.FailClosed || rules.Propagate || r.Hook.FailClosed || f.event.guards && swapped(r.Err) {
		return true
	}
	return errors.As(r.Err, &late) && (rules.LateBlocks || rules.LateFuncBlocks && r.Hook.Func != nil)
}

// swapped reports whether a hook did not run because it, or a file that it runs, is
// not what the user agreed to. A guard is not switched off by a change to it.
func swapped(err error) bool {
	classed, ok := errors.AsType[*hook.ClassError](err)
	return ok && classed.Class == hook.ClassUntrusted
}

// refine lets the event adjust a report. What panics costs no more than that.
func (f *fireRun[In, Out]) refine(r *hook.Report[Out], in *input[In]) {
	if f.event.spec.Refine == nil {
		return
	}
	before := *r
	defer func() {
		if v := recover(); v != nil {
			*r = before
			f.logPanic("the event could not adjust an answer", v)
		}
	}()
	f.event.spec.Refine(f.s, &in.value, r)
}

// conclude lets the event have the last word. If it panics, the merged answer
// stands.
func (f *fireRun[In, Out]) conclude(res *hook.Result[Out]) {
	merged := *res
	defer func() {
		if v := recover(); v != nil {
			*res = merged
			f.logPanic("the event could not conclude", v)
		}
	}()
	f.event.spec.Conclude(f.s, &f.in.value, res)
	f.noteConclusion(&merged, res)
}

// applyFailurePolicy applies what the event says of hooks that fail, and counts those
// that fail open.
func (f *fireRun[In, Out]) applyFailurePolicy(r *hook.Report[Out]) {
	if r.Err == nil || r.Err == f.failed {
		return // it has not failed: it could not be asked
	}
	r.Err = &hook.Error{Hook: r.Hook, Err: r.Err}
	if errors.Is(r.Err, hook.ErrNotNeeded) {
		return // the answer was there without it
	}
	if r.Hook.Policy != nil {
		f.decideFailure(r)
	} else if f.failsClosed(r) {
		r.Answered = true
		r.Output = hook.Output[Out]{Decision: hook.Deny, Reason: r.Err.Error(), Set: hook.SetAnswer}
	}
	if inShadow(r.Hook) {
		return // it guards nothing, and nothing goes ahead because of it
	}
	if r.FailedOpen() {
		f.s.sys.failedOpen.add(hook.ClassOf(r.Err))
	}
	f.logFailure(r)
	if !f.propagates(r) {
		f.notifyFailure(r)
	}
}
