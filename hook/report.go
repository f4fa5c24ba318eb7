package hook

import (
	"iter"
	"reflect"
	"time"
)

// Report is the outcome of one hook run.
type Report[T any] struct {
	Hook     *Hook
	Index    int       // place in the plan
	Output   Output[T] // the zero Output if it said nothing
	Answered bool      // it gave an answer, even an empty one
	Reply    *Reply    // the raw answer; nil for a Go function, or if there was none
	Err      error     // why its answer is missing; nil when the hook worked
	Elapsed  time.Duration
	Notes    []string // mistakes in its answer that were ignored

	// OnFailure is the action of the policy for a hook that failed: a denial or a question in
	// place of an answer. FailOpen without a policy.
	OnFailure Action

	// Recheck reports that the hook ran again, with the rewritten input; see Recheck of
	// [EffectivePolicy]. Output is then the part of its second answer that counts.
	Recheck bool

	// Shadow is the answer of a hook in shadow; the report's own Output is then empty.
	Shadow *Shadowed[T]

	Started      bool // no more than that: the hook has just begun, and its report follows. Only in a stream
	Backgrounded bool // it goes on while the agent does
	Concluded    bool // this is the outcome of the whole fire and not of a hook; the last report of a stream only
}

// OK reports whether the hook did its work: it gave an answer or chose to be
// silent, and ended with status 0. A deliberate refusal by exit status is not
// OK in this sense, although nothing went wrong (L32, L33).
func (r *Report[T]) OK() bool {
	return r.Err == nil && (r.Reply == nil || r.Reply.Exit == 0)
}

// FailedOpen reports whether the hook failed and the action was let through
// all the same.
func (r *Report[T]) FailedOpen() bool {
	return r.Err != nil && !r.Output.Decision.Blocks() && r.OnFailure != FailAsk
}

// Shadowed is the report of a hook whose answer takes no part.
type Shadowed[T any] struct {
	Output    Output[T]
	Said      bool
	Reply     *Reply
	Err       error
	OnFailure Action
	Notes     []string
	Differs   bool // the decision, the stop or the rewrite would differ if this hook alone counted too
}

// Would is the outcome that a fire would have had if its hooks in shadow had
// counted.
type Would struct {
	Decision Decision
	Reason   string
	Stop     bool
}

// Result is the outcome of the hooks of one fire. Fires for which no hook ran return one empty
// Result that they share. Do not write to it: such writes have no effect, see [Result.Restore].
type Result[T any] struct {
	Output[T]                   // the merged answer
	Answered        bool        // at least one hook gave an answer
	Reports         []Report[T] // in plan order, one for each hook that was started
	Conflicts       []Conflict
	Would           *Would // with hooks in shadow, if that is another outcome; else nil
	OverriddenBlock string // why a denial does not count that would have; empty if none was lifted

	shared bool // by all fires of its event for which no hook ran
}

// Empty returns the result that fires share for which no hook ran.
func Empty[T any]() Result[T] { return Result[T]{shared: true} }

// Restore empties a shared Result that was written to, by mistake, and returns
// r. The methods of a Result and the functions that apply one call it first, so
// that such a write never decides about another fire. It costs one comparison;
// any other Result stays as it is.
func (r *Result[T]) Restore() *Result[T] {
	if r.shared {
		r.restore()
	}
	return r
}

// restore writes only where there is something to undo: many goroutines read a
// shared Result.
func (r *Result[T]) restore() {
	if r.Output.Common() != 0 || r.Set != 0 || r.Synthetic || r.Raw != nil || r.Answered || r.Reports != nil ||
		r.Conflicts != nil ||
		r.OverriddenBlock != "" ||
		!reflect.ValueOf(&r.Specific).Elem().IsZero() {
		*r = Empty[T]()
	}
}

// Conflict is a part of the input that several hooks rewrote differently. The
// last one in plan order won.
type Conflict struct {
	Key   string  // "path", a member of the rewritten object
	Hooks []*Hook // in plan order
}

// Blocked reports whether the action must not go ahead. It is policy, not
// health: a hook that failed does not block unless the event fails closed.
func (r *Result[T]) Blocked() bool { return r.Restore().Decision.Blocks() }

// OK reports whether every hook worked; see [Report.OK]. A blocked action can
// be OK, and one whose guard crashed is not.
func (r *Result[T]) OK() bool {
	r.Restore()
	for i := range r.Reports {
		if !r.Reports[i].OK() {
			return false
		}
	}
	return true
}

// FailedOpen counts the hooks that failed without keeping the action from going
// ahead. A host that must not go on without its guards asks for it.
func (r *Result[T]) FailedOpen() (n int) {
	r.Restore()
	for i := range r.Reports {
		if r.Reports[i].FailedOpen() {
			n++
		}
	}
	return n
}

// Errs returns the errors of the hooks that failed, in plan order.
func (r *Result[T]) Errs() []error {
	r.Restore()
	var errs []error
	for i := range r.Reports {
		if err := r.Reports[i].Err; err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}

// Reducer merges the answers of the hooks of one fire into one. It gets the answers in plan
// order, each as soon as those before it have come; silent hooks are left out. Returning before
// the iterator ends cancels the hooks that are still running, and waits for them to go.
//
// It is an ordinary loop over an iterator; it runs on the goroutine of the fire, and its cost is
// the fire's.
type Reducer[T any] func(outs iter.Seq[Output[T]]) Output[T]
