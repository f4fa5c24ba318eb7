package jsrun

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
)

// Error is an exception that JavaScript threw.
type Error struct {
	Message  string // the error's message; for another thrown value, its string form
	Name     string // such as "TypeError"; empty if the value is not an Error
	Stack    string // a line for each call, with positions in the source files; may be empty
	NonError bool   // the thrown value is not an Error, as in throw "no"
}

// internalError is the name of exceptions for failures of the engine itself.
const internalError = "InternalError"

// Error returns the message alone.
func (e *Error) Error() string { return e.Message }

// StackTrace returns the stack. Libraries that report errors look for this method.
func (e *Error) StackTrace() string { return e.Stack }

// readError reads the description of an exception by prelude.js. If the description cannot be read, err says why, and e
// is an error for the caller.
func readError(description string) (e *Error, err error) {
	e = &Error{}
	if err = json.Unmarshal([]byte(description), e, json.MatchCaseInsensitiveNames(true), asJavaScript); err != nil {
		e = &Error{Message: "an error that cannot be read", Name: internalError}
	}
	return e, err
}

// LoadError reports that a module cannot be used, because its text, an import, its top level or its
// default export failed.
type LoadError struct {
	Path string
	Err  error
}

// Error does not name the path: the caller that loads the module does.
func (e *LoadError) Error() string { return "Failed to load hook: " + e.Err.Error() }

// Unwrap returns the failure itself: an [*Error] if it was thrown.
func (e *LoadError) Unwrap() error { return e.Err }

// ErrNoFactory means that a module's default export is missing or is not a function.
//
//nolint:staticcheck // authors of such modules know the text
var ErrNoFactory = errors.New("Hook must export a default function")

// ErrClosed is the error of every call after Close, unless the module had ended by itself before.
var ErrClosed = errors.New("the module is closed")

// ErrInside is the error of a Call made by a synchronous function that the
// same module is calling: both would wait for each other.
var ErrInside = errors.New("a synchronous function cannot call the module that is calling it")

// DeadError reports that a module has ended by itself; Reason says why. It is the error of the calls in
// progress, and of every later one.
type DeadError struct{ Reason error }

// Error begins with the consequence: the module is dead.
func (e *DeadError) Error() string { return "the module is dead: " + e.Reason.Error() }

// Unwrap returns the reason, such as a [*BudgetError].
func (e *DeadError) Unwrap() error { return e.Reason }

// BudgetError reports that JavaScript ran for too long without a pause. It matches
// context.DeadlineExceeded with errors.Is.
type BudgetError struct{ After time.Duration }

// Error names the limit.
func (e *BudgetError) Error() string {
	return fmt.Sprintf("JavaScript ran for more than %v without a pause", e.After)
}

// Unwrap makes errors.Is report a timeout.
func (e *BudgetError) Unwrap() error { return context.DeadlineExceeded }

// UnsettledError reports that a module did not finish loading in its time, usually because its top level or its default
// export awaits a promise that does not settle. It matches context.DeadlineExceeded with errors.Is.
type UnsettledError struct{ After time.Duration }

// Error names the limit and the usual cause.
func (e *UnsettledError) Error() string {
	return fmt.Sprintf("it did not finish loading within %v: an await at its top level or in its default export does not end", e.After)
}

// Unwrap makes errors.Is report a timeout.
func (e *UnsettledError) Unwrap() error { return context.DeadlineExceeded }

// errUnresponsive is the reason for ending a module whose engine is busy with one long operation, such as a search
// through an array of four billion elements.
var errUnresponsive error = &unresponsiveError{}

type unresponsiveError struct{}

func (*unresponsiveError) Error() string { return "the engine does not react to being interrupted" }

// Unwrap makes errors.Is report a timeout.
func (*unresponsiveError) Unwrap() error { return context.DeadlineExceeded }
