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
	Output   Output[T] // the zero Output if there is no answer
	Answered bool      // there is an answer, possibly empty
	Reply    *Reply    // the raw output; nil for a Go function, or without output
	Err      error     // reason why there is no answer; nil if the hook worked
	Elapsed  time.Duration
	Granted  time.Duration // the extension of the time limit; see Stretch of [Call]
	Notes    []string      // parts of the answer that were invalid and ignored

	// OnFailure is the policy's action for the failed hook: a denial or a question replaces its
	// answer. Without a policy it is FailOpen.
	OnFailure Action

	// Recheck reports that the hook ran a second time, with the rewritten input; see Recheck of [EffectivePolicy].
	// Output then holds the parts of the second answer that have an effect.
	Recheck bool

	// Shadow is the answer of a hook in shadow mode; Output is then empty.
	Shadow *Shadowed[T]

	Started      bool // only in a stream: the hook has just begun, and all other fields are empty
	Backgrounded bool // the hook continues in the background while the agent works on
	Concluded    bool // only in the last report of a stream: the report concerns the whole fire, not a hook
}

// OK reports whether the hook worked: it exited with status 0, with or without an answer. A deliberate denial by exit
// status is not OK (L32, L33).
func (r *Report[T]) OK() bool {
	return r.Err == nil && (r.Reply == nil || r.Reply.Exit == 0)
}

// FailedOpen reports whether the hook failed and the action went ahead. It is false for a background hook, which guards
// nothing.
func (r *Report[T]) FailedOpen() bool {
	waits := r.Hook == nil || r.Hook.Background == Foreground || r.Hook.Func != nil
	return r.Err != nil && waits && !r.Output.Decision.Blocks() && r.OnFailure != FailAsk
}

// Shadowed is the answer of a hook in shadow mode; it has no effect.
type Shadowed[T any] struct {
	Output    Output[T]
	Said      bool
	Reply     *Reply
	Err       error
	OnFailure Action
	Notes     []string
	Differs   bool // the fire's decision, stop or rewrite would differ if this hook alone had effect
}

// Would is the outcome that a fire would have had without shadow mode.
type Would struct {
	Decision Decision
	Reason   string
	Stop     bool
}

// Result is the outcome of the hooks of one fire. All fires without a hook run share one empty Result. Do not write to
// it: such writes have no effect; see [Result.Restore].
type Result[T any] struct {
	Output[T]                   // the merged answer
	Answered        bool        // at least one hook gave an answer
	Reports         []Report[T] // in plan order, one for each hook that was started
	Conflicts       []Conflict
	Would           *Would // the outcome if shadow hooks had effect; nil if it equals the actual outcome
	OverriddenBlock string // the reason of a denial that was overridden; empty if none was

	shared bool // all fires without a hook run share this Result
}

// Empty returns the empty Result of fires without a hook run.
func Empty[T any]() Result[T] { return Result[T]{shared: true} }

// Restore undoes writes to a shared Result, which callers make by mistake, and returns r. Every method of a Result
// calls Restore first, and every function that applies a Result does too: a write to the shared Result never affects
// another fire. Restore costs one comparison, and does not change Results that are not shared.
func (r *Result[T]) Restore() *Result[T] {
	if r.shared {
		r.restore()
	}
	return r
}

// restore writes only if there is something to undo: many goroutines read a shared Result.
func (r *Result[T]) restore() {
	if r.Output.Common() != 0 || r.Set != 0 || r.Synthetic || r.Notes != nil || r.Raw != nil || r.Answered ||
		r.Reports != nil || r.Conflicts != nil || r.Would != nil || r.OverriddenBlock != "" ||
		!reflect.ValueOf(&r.Specific).Elem().IsZero() {
		*r = Empty[T]()
	}
}

// Conflict is a part of the input that several hooks set to different values. The last hook in plan order wins.
type Conflict struct {
	Key   string  // "path", a member of the rewritten object
	Hooks []*Hook // in plan order
}

// Blocked reports whether the action must not go ahead. It does not tell whether the hooks worked: a hook that failed
// does not block unless the event, the hook or a policy fails closed.
func (r *Result[T]) Blocked() bool { return r.Restore().Decision.Blocks() }

// OK reports whether every hook worked; see [Report.OK]. A blocked action can be OK; an action whose guard crashed is
// not.
func (r *Result[T]) OK() bool {
	r.Restore()
	for i := range r.Reports {
		if !r.Reports[i].OK() {
			return false
		}
	}
	return true
}

// FailedOpen returns the number of hooks that failed while the action went ahead. A host that must not continue without
// its guards checks this number.
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

// Reducer merges the answers of the hooks of one fire into one. It gets the answers in plan order, each as soon as the
// earlier hooks have ended; hooks without an answer are left out. A Reducer that returns before the iterator ends
// cancels the hooks that are still running, and the fire waits for their end.
//
// It is an ordinary loop over an iterator, and runs on the goroutine of the fire.
type Reducer[T any] func(outs iter.Seq[Output[T]]) Output[T]
