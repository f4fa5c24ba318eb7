package pipeline

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/snaphook-go/snaphook/hook"
)

func (f *fire[Out]) call(ctx context.Context, r *hook.Report[Out], in any) {
	f.runs[r.Index].started = true
	start := time.Now()
	end := start
	defer func() {
		if end.Equal(start) { // it has panicked, or ended its goroutine
			end = time.Now()
		}
		r.Elapsed = end.Sub(start)
	}()
	ended := ctx.Err
	if timeout := f.of.timeout(r.Hook); timeout > 0 {
		limit := f.limit(ctx, r.Index, timeout, start)
		defer limit.end(context.Canceled)
		ctx, ended = limit, func() error { return limit.errAt(end) }
	}
	out, err := f.event.spec.callFunc(ctx, r.Hook.Func, in)
	end = time.Now()
	if err == nil && ended() != nil {
		err = late(ctx)
	}
	if err != nil {
		r.Err = contextCause(ctx, err)
		return
	}
	if !isDecision(out.Decision) {
		r.Err = &hook.ClassError{Class: hook.ClassOutput, Err: fmt.Errorf("there is no decision %q", out.Decision)}
		return
	}
	r.Output = out
	if err := f.event.checkOutput(&r.Output); err != nil {
		r.Output.Specific = *new(Out)
		if !f.event.spec.Blocks(&r.Output) && !r.Output.Stop {
			r.Output, r.Err = hook.Output[Out]{}, &hook.ClassError{Class: hook.ClassOutput, Err: err}
			return
		}
		r.Notes = append(r.Notes, "the event's own part of the answer is left out: "+err.Error()) // the denial counts
	}
	r.Answered = out.Set != 0 || out.Common() != 0 || !reflect.ValueOf(&r.Output.Specific).Elem().IsZero()
}

// limit returns the context of a hook in Go, which has so much time.
func (f *fireState) limit(ctx context.Context, i int, timeout time.Duration, now time.Time) *lazyContext {
	if i >= len(f.contexts) {
		return lazyTimeout(ctx, timeout, now)
	}
	c := &f.contexts[i]
	c.parent, c.timeout, c.due = ctx, timeout, now.Add(timeout)
	return c
}

// checkOutput says why the answer of a Go function cannot be used.
func (e *core[Out]) checkOutput(o *hook.Output[Out]) error {
	if err := e.output.checked(&o.Specific); err != nil {
		return fmt.Errorf("its answer holds what is not JSON: %w", err)
	}
	if e.spec.CheckOutput != nil {
		return e.spec.CheckOutput(o)
	}
	return nil
}

// isDecision reports whether the engine knows a word, or it is empty.
func isDecision(d hook.Decision) bool {
	switch d {
	case hook.Undecided, hook.Allow, hook.Approve, hook.Ask, hook.Defer, hook.Deny, hook.Block:
		return true
	}
	return false
}

// late is a hook's error if it has answered after its time, as with a process:
// the answer does not count.
func late(ctx context.Context) error {
	if over := new(hook.TimeoutError); errors.As(context.Cause(ctx), &over) {
		return over
	}
	return nil
}
