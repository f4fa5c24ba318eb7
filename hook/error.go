package hook

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"
)

// Error is the failure of one hook of an event, with its cause.
type Error struct {
	Hook *Hook
	Err  error
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s hook %q: %v", e.Hook.Event, e.Hook.Label(), e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

// TimeoutError reports that a hook did not answer in time. It matches [context.DeadlineExceeded].
type TimeoutError struct {
	After   time.Duration
	Granted time.Duration // added to After, because the hook waited for a processor; see Stretch of [Call]
}

func (e *TimeoutError) Error() string {
	return fmt.Sprintf("Hook timed out after %dms", e.After.Milliseconds())
}

// Is makes errors.Is(err, context.DeadlineExceeded) true.
func (e *TimeoutError) Is(target error) bool { return target == context.DeadlineExceeded }

// ExitError reports that a hook's process exited with a status that means failure, or was ended by a signal.
type ExitError struct{ Reply *Reply }

func (e *ExitError) Error() string {
	if e.Reply.Signal != nil {
		if number, ok := e.Reply.Signal.(syscall.Signal); ok {
			return fmt.Sprintf("killed by signal %d (%v)", number, number)
		}
		return fmt.Sprintf("killed by signal %v", e.Reply.Signal)
	}
	return fmt.Sprintf("exit status %d", e.Reply.Exit)
}

// UnreadError reports output that the event does not understand, or understands only in part. It has [ClassOutput].
type UnreadError struct {
	Why    string // such as "text stands before the object, which begins at line 2, column 1"
	Denies bool   // the output contains a denial: the hook fails under every policy
}

func (e *UnreadError) Error() string { return "its answer cannot be used: " + e.Why }

// TooLargeError reports that a hook wrote more to standard output than the engine's limit: its
// answer may be incomplete.
type TooLargeError struct{ Kept int }

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("standard output is longer than the %d bytes that are kept", e.Kept)
}

// PanicError reports a panic of a hook, a Runner, or a function of the event.
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// InputError reports that an event was fired with an input that cannot be passed to hooks: a nil pointer, invalid JSON,
// or a missing member. No hook ran with that input, and the result blocks if the event's hooks can.
type InputError struct {
	Event string // "llxprt.BeforeTool"
	Err   error
}

func (e *InputError) Error() string { return "the input of " + e.Event + ": " + e.Err.Error() }

func (e *InputError) Unwrap() error { return e.Err }

var (
	// ErrNotNeeded is the cancellation cause for hooks whose answer can no longer change the result.
	ErrNotNeeded = errors.New("the answer is no longer needed")

	// ErrUnsupported is the error of a hook whose type the engine cannot run.
	ErrUnsupported = errors.New("hooks of this type cannot be run")

	// ErrDetached is returned by a Runner whose hook has moved to the background; see
	// [Call.Detach].
	ErrDetached = errors.New("the hook goes on in the background")

	// ErrClosed is the error of a hook, or of a session, of a closed system.
	ErrClosed = errors.New("the hook system is closed")
)
