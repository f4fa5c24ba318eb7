package jsrun

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Error is an exception that JavaScript threw.
type Error struct {
	Message  string // the message of an error; of anything else thrown, its string form
	Name     string // as "TypeError"; empty if the value is not an Error
	Stack    string // where, a line for each call, as lines of the files themselves; may be empty
	NonError bool   // the thrown value is not an Error, as in throw "no"
}

// internalError is the name of exceptions for failures of the engine itself.
const internalError = "InternalError"

// Error is the message alone.
func (e *Error) Error() string { return e.Message }

// StackTrace returns the stack. Libraries that report errors look for this method.
func (e *Error) StackTrace() string { return e.Stack }

// LoadError says that a module cannot be used, because its text, an import,
// its top level or its default export failed.
type LoadError struct {
	Path string
	Err  error
}

// Error leaves the path out: who loads a module names it.
func (e *LoadError) Error() string { return "Failed to load hook: " + e.Err.Error() }

// Unwrap returns the failure itself: an [*Error] if it was thrown.
func (e *LoadError) Unwrap() error { return e.Err }

// ErrNoFactory means that a module's default export is missing or is not a function.
//
//nolint:staticcheck // authors of such modules know the text
var ErrNoFactory = errors.New("Hook must export a default function")

// ErrClosed is the error of every call after Close.
var ErrClosed = errors.New("the module is closed")

// ErrInside is the error of a Call made by a synchronous function that the
// same module is calling: both would wait for each other.
var ErrInside = errors.New("a synchronous function cannot call the module that is calling it")

// DeadError says that a module came to an end by itself, and why. It is the
// error of the calls that were under way, and of every later one.
type DeadError struct{ Reason error }

// Error begins with the consequence: the module is dead.
func (e *DeadError) Error() string { return "the module is dead: " + e.Reason.Error() }

// Unwrap returns the reason, such as a [*BudgetError].
func (e *DeadError) Unwrap() error { return e.Reason }

// BudgetError says that JavaScript ran for too long without a pause. As it is
// about time, errors.Is(err, context.DeadlineExceeded) holds.
type BudgetError struct{ After time.Duration }

// Error names the limit.
func (e *BudgetError) Error() string {
	return fmt.Sprintf("JavaScript ran for more than %v without a pause", e.After)
}

// Unwrap makes it a matter of time.
func (e *BudgetError) Unwrap() error { return context.DeadlineExceeded }

// UnsettledError says that a module did not finish loading in its time: its top level or its
// default export awaits something that does not come. errors.Is(err, context.DeadlineExceeded)
// holds.
type UnsettledError struct{ After time.Duration }

// Error names the limit and the usual cause.
func (e *UnsettledError) Error() string {
	return fmt.Sprintf("it did not finish loading within %v: an await at its top level or in its default export does not end", e.After)
}

// Unwrap makes it a matter of time.
func (e *UnsettledError) Unwrap() error { return context.DeadlineExceeded }

// errDeaf is the end of a module whose engine is in a long operation of its
// own, such as a search through an array of four billion places.
var errDeaf error = &deafError{}

type deafError struct{}

func (*deafError) Error() string { return "the engine does not react to being interrupted" }

// Unwrap makes it a matter of time.
func (*deafError) Unwrap() error { return context.DeadlineExceeded }
