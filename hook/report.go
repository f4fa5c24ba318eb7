package hook

import (
	"iter"
	"reflect"
	"time"
)

// Report is the outcome of one hook run.
type Report[T any] struct {
	Hook     *Hook
	Index    int       // index in the plan
	Output   Output[T] // the zero Output if it gave no answer
	Answered bool      // it gave an answer, even an empty one
	Reply    *Reply    // the raw output; nil for a Go function, or if there was none
	Err      error     // why its answer is missing; nil when the hook worked
	Elapsed  time.Duration
	Notes    []string // mistakes in its answer that were ignored

	// OnFailure is the policy's action for the failed hook: a denial or a question replaces its
	// answer. Without a policy it is FailOpen.
	OnFailure Action

	// Recheck reports that the hook ran again, with the rewritten input; see Recheck of
	// [EffectivePolicy]. Output then holds the parts of its second answer that have effect.
	Recheck bool

	// Shadow is the answer of a hook in shadow; the report's own Output is then empty.
	Shadow *Shadowed[T]

	Started      bool // the hook has just begun, all other fields are empty, and its report follows; only in a stream
	Backgrounded bool // it continues while the agent does
	Concluded    bool // the report is about the whole fire and not a hook; only the last report of a stream
}

// OK reports whether the hook worked: it gave an answer or deliberately none, and ended with status
// 0. A deliberate denial by exit status is not OK in this sense, although nothing went wrong (L32,
// L33).
func (r *Report[T]) OK() bool {
	return r.Err == nil && (r.Reply == nil || r.Reply.Exit == 0)
}

// FailedOpen reports whether the hook failed and the action went ahead.
func (r *Report[T]) FailedOpen() bool {
	return r.Err != nil && !r.Output.Decision.Blocks() && r.OnFailure != FailAsk
}

// Shadowed is the answer of a hook in shadow; the answer has no effect.
type Shadowed[T any] struct {
	Output    Output[T]
	Said      bool
	Reply     *Reply
	Err       error
	OnFailure Action
	Notes     []string
	Differs   bool // the decision, the stop or the rewrite would differ if only this hook in shadow had effect
}

// Would is the outcome that a fire would have had if its hooks in shadow had effect.
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
	Would           *Would // the outcome if hooks in shadow had effect; nil if it would be the same
	OverriddenBlock string // why a denial was overridden; empty if none was

	shared bool // shared by all fires of its event for which no hook ran
}

// Empty returns the empty Result, which all fires without a hook run share.
func Empty[T any]() Result[T] { return Result[T]{shared: true} }

// Restore empties a shared Result that a caller has written to by mistake, and returns r. The
// methods of a Result and the functions that apply one call it first: such a write never affects
// another fire. It costs one comparison; any other Result stays unchanged.
func (r *Result[T]) Restore() *Result[T] {
	if r.shared {
		r.restore()
	}
	return r
}

// restore writes only if there is something to undo: many goroutines read a shared Result.
func (r *Result[T]) restore() {
	if r.Output.Common() != 0 || r.Set != 0 || r.Synthetic || r.Raw != nil || r.Answered || r.Reports != nil ||
		r.Conflicts != nil ||
		r.OverriddenBlock != "" ||
		!reflect.ValueOf(&r.Specific).Elem().IsZero() {
		*r = Empty[T]()
	}
}

// Conflict is a part of the input for which several hooks set different values. The last one in
// plan order wins.
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

// FailedOpen returns the number of hooks that failed while the action went ahead. A host that must
// not continue without its guards checks it.
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

// Reducer merges the answers of the hooks of one fire into one. It gets the answers in plan order,
// each as soon as the earlier hooks have ended; hooks without an answer are left out. Returning
// before the iterator ends cancels the hooks that are still running, and waits for their end.
//
// It is an ordinary loop over an iterator; it runs on the goroutine of the fire, which waits for
// it.
type Reducer[T any] func(outs iter.Seq[Output[T]]) Output[T]
