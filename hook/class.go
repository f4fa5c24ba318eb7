package hook

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"
)

// Class says in one word how a hook failed. Policies and records go by it.
type Class string

// The classes of failures.
const (
	ClassSpawn     Class = "spawn"     // it could not be started
	ClassMissing   Class = "missing"   // there is no such program: status 126 or 127, or no such file
	ClassTimeout   Class = "timeout"   // it gave no answer in time
	ClassCrash     Class = "crash"     // a signal ended it, or it panicked
	ClassExit      Class = "exit"      // a status that means failure, or the error of a hook in Go
	ClassOutput    Class = "output"    // its answer cannot be used
	ClassOversize  Class = "oversize"  // its answer is longer than the engine keeps
	ClassHTTP      Class = "http"      // no connection, or a status that is no answer
	ClassModel     Class = "model"     // the model or the agent did not answer
	ClassCancelled Class = "cancelled" // the caller gave up, or the system was closed
	ClassQueue     Class = "queue"     // it waited too long for a permit to run
	ClassUntrusted Class = "untrusted" // it may not run, since its project is not trusted
	ClassInvalid   Class = "invalid"   // its settings entry cannot be used
	ClassBreaker   Class = "breaker"   // it failed too often, and is not tried for a while
	ClassRemote    Class = "remote"    // no worker of a fleet answered for it, or none that runs the same policy
)

// Classes returns every class, in the order of the constants.
func Classes() []Class {
	return []Class{ClassSpawn, ClassMissing, ClassTimeout, ClassCrash, ClassExit, ClassOutput, ClassOversize,
		ClassHTTP, ClassModel, ClassCancelled, ClassQueue, ClassUntrusted, ClassInvalid, ClassBreaker, ClassRemote}
}

// IsUnread reports whether hooks of the class have printed an answer that cannot be used.
func (c Class) IsUnread() bool { return c == ClassOutput || c == ClassOversize }

// ClassError is a failure whose class its runner knows. Its text is the text of Err.
type ClassError struct {
	Class Class
	Err   error
}

func (e *ClassError) Error() string { return e.Err.Error() }

func (e *ClassError) Unwrap() error { return e.Err }

// QueueError says that a hook was not started, since no permit to run was free
// in the time that it may wait for one.
type QueueError struct{ After time.Duration }

func (e *QueueError) Error() string {
	return fmt.Sprintf("no permit to run was free within %dms", e.After.Milliseconds())
}

// BreakerError says that a hook was not started, since it has failed too often
// in a row. It is tried again after For.
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

// ErrUntrusted is the error of a hook that may not run, since its project is
// not trusted, where a policy makes that a failure.
var ErrUntrusted = errors.New("not started: the project is not trusted")

// ClassOf returns the class of a hook's error, as a [Report] or a [Failure]
// has it; "" for nil. An error that no other class fits is ClassSpawn if it is
// the [Error] of a hook with a [Runner], which had no answer to return, and
// ClassExit else.
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

// classOfType returns the class of the errors that the engine itself makes. They count before a
// runner's class, since a runner cannot tell its own failure from the end of its time.
func classOfType(err error) Class {
	switch {
	case is[*TimeoutError](err):
		return ClassTimeout
	case is[*QueueError](err):
		return ClassQueue
	case is[*BreakerError](err):
		return ClassBreaker
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

// class tells the statuses with which a shell says that it found no program.
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
