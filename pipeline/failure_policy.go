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

// failing decides about the failures of hooks in one fire.
type failing struct{ *fireState }

func (f *fireState) failing() failing { return failing{f} }

// failsClosed reports whether a hook that failed blocks.
func (f failing) failsClosed(h *hook.Hook, err error) bool {
	rules, late := &f.of.rules, new(hook.TimeoutError)
	if !waitsFor(h) {
		return false // it would have decided nothing
	}
	if rules.FailClosed || rules.Propagate || h.FailClosed || f.of.guards && swapped(err) {
		return true
	}
	return errors.As(err, &late) && (rules.LateBlocks || rules.LateFuncBlocks && h.Func != nil)
}

// swapped reports whether a hook did not run because it, or a file that it runs, is
// not what the user agreed to. A guard is not switched off by a change to it.
func swapped(err error) bool {
	classed, ok := errors.AsType[*hook.ClassError](err)
	return ok && classed.Class == hook.ClassUntrusted
}
