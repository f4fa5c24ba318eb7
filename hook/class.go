package hook

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"
)

// Class classifies the failure of a hook, for policies and records.
type Class string

// The classes of failures.
const (
	ClassSpawn     Class = "spawn"     // the hook could not be started
	ClassMissing   Class = "missing"   // the program does not exist: status 126 or 127, or a missing file
	ClassTimeout   Class = "timeout"   // it did not answer in time
	ClassCrash     Class = "crash"     // a signal ended it, or it panicked
	ClassExit      Class = "exit"      // an exit status that means failure, or the error of a hook in Go
	ClassOutput    Class = "output"    // its answer is invalid
	ClassOversize  Class = "oversize"  // its answer is longer than the engine's limit
	ClassHTTP      Class = "http"      // no connection, or an HTTP status without an answer
	ClassModel     Class = "model"     // the model or the agent did not answer
	ClassCancelled Class = "cancelled" // the caller's context ended, or the system was closed
	ClassQueue     Class = "queue"     // it waited too long for a permit to run
	ClassUntrusted Class = "untrusted" // it may not run because its project is not trusted
	ClassInvalid   Class = "invalid"   // its settings entry is invalid
	ClassBreaker   Class = "breaker"   // it failed too often; it is tried again after a pause
	ClassRemote    Class = "remote"    // no worker of a fleet answered, or none has this policy
)

// Classes returns all classes, in the order of the constants.
func Classes() []Class {
	return []Class{ClassSpawn, ClassMissing, ClassTimeout, ClassCrash, ClassExit, ClassOutput, ClassOversize,
		ClassHTTP, ClassModel, ClassCancelled, ClassQueue, ClassUntrusted, ClassInvalid, ClassBreaker, ClassRemote}
}

// IsUnread reports whether c means that a hook's output cannot be used.
func (c Class) IsUnread() bool { return c == ClassOutput || c == ClassOversize }

// ClassError is a failure with a class set by the Runner. Its text is the text of Err.
type ClassError struct {
	Class Class
	Err   error
}

func (e *ClassError) Error() string { return e.Err.Error() }

func (e *ClassError) Unwrap() error { return e.Err }

// QueueError reports that a hook was not started because it got no permit to run within the time limit.
type QueueError struct{ After time.Duration }

func (e *QueueError) Error() string {
	return fmt.Sprintf("no permit to run was free within %dms", e.After.Milliseconds())
}

// TooLateError reports that a hook was not started: it had waited for so long that it would not have ended before the
// caller's deadline. It matches [context.DeadlineExceeded].
type TooLateError struct {
	Left  time.Duration // until the caller's deadline
	Usual time.Duration // how long the hook takes on average
}

func (e *TooLateError) Error() string {
	return fmt.Sprintf("not started: it usually takes %dms, and the caller waits only %dms longer",
		e.Usual.Milliseconds(), max(0, e.Left).Milliseconds())
}

// Is makes errors.Is(err, context.DeadlineExceeded) true.
func (e *TooLateError) Is(target error) bool { return target == context.DeadlineExceeded }

// BreakerError reports that a hook was not started because it has failed too often in a row. The hook is tried again
// after For.
type BreakerError struct {
	Failures int
	For      time.Duration
}

func (e *BreakerError) Error() string {
	return fmt.Sprintf(
		"not started: it failed %d times in a row, and is tried again in %v",
		e.Failures,
		e.For.Round(time.Millisecond),
	)
}

// ErrUntrusted is the error of a hook that may not run because its project is not trusted, if a policy makes that a
// failure.
var ErrUntrusted = errors.New("not started: the project is not trusted")

// ClassOf returns the class of a hook's error, such as Err of a [Report]; "" for nil. An error of no known kind
// that is the [Error] of a hook with a [Runner] is ClassMissing if it matches [fs.ErrNotExist], and ClassSpawn if
// not. Any other error of no known kind is ClassExit.
func ClassOf(err error) Class {
	if err == nil {
		return ""
	}
	if class := classOfType(err); class != "" {
		return class
	}
	if classed, ok := errors.AsType[*ClassError](err); ok {
		return classed.Class
	}
	if of, ok := errors.AsType[*Error](err); !ok || of.Hook == nil || of.Hook.Runner == nil {
		return ClassExit
	}
	if errors.Is(err, fs.ErrNotExist) {
		return ClassMissing
	}
	return ClassSpawn
}

// classOfType returns the class of the engine's own error types. They have precedence over a class set by the Runner,
// which cannot distinguish its own failure from a timeout.
func classOfType(err error) Class {
	switch {
	case is[*TimeoutError](err):
		return ClassTimeout
	case is[*QueueError](err):
		return ClassQueue
	case is[*BreakerError](err):
		return ClassBreaker
	case is[*TooLateError](err):
		return ClassCancelled
	case errors.Is(err, ErrUntrusted):
		return ClassUntrusted
	case errors.Is(err, ErrClosed), errors.Is(err, ErrNotNeeded), errors.Is(err, context.Canceled):
		return ClassCancelled
	case errors.Is(err, context.DeadlineExceeded):
		return ClassTimeout
	case is[*TooLargeError](err):
		return ClassOversize
	case is[*PanicError](err):
		return ClassCrash
	case is[*UnreadError](err):
		return ClassOutput
	case errors.Is(err, ErrUnsupported):
		return ClassSpawn
	}
	if exit, ok := errors.AsType[*ExitError](err); ok {
		return exit.class()
	}
	return ""
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// class returns ClassCrash after a signal, ClassMissing for the exit statuses with which a shell reports a
// missing program, and otherwise ClassExit.
func (e *ExitError) class() Class {
	switch {
	case e.Reply == nil:
		return ClassExit
	case e.Reply.Signal != nil:
		return ClassCrash
	case e.Reply.Exit == 126 || e.Reply.Exit == 127:
		return ClassMissing
	}
	return ClassExit
}
