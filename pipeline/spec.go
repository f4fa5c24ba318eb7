package pipeline

import (
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/stages"
	"github.com/snaphook-go/snaphook/wire"
)

// Spec declares one event: what hooks are given, In, what they can say besides
// the common fields, Out, and the rules in between. Only Name is required.
// Declare the event once, in a package variable.
//
// In and Out are encoded to and from JSON for hooks outside the process. All
// functions of a Spec are called from many goroutines, and must not change what
// they are given.
type Spec[In, Out any] struct {
	Name string
	Doc  string // when it fires, completing "fires …"
	Can  Capability

	Rules Rules // departures from the dialect

	// Subject points at the field of the input that matchers test, and
	// SubjectName is what people call it; empty means "subject". It is asked once, by Declare. Nil:
	// the event has no subject, and matchers see "".
	Subject     func(*In) *string
	SubjectName string

	// Check finds what is missing from an input that came as JSON. Nil
	// accepts what decodes.
	Check func(In) error

	// ConditionInput is what conditions go by; the engine adds the directory. Nil: no
	// hook with a condition runs.
	ConditionInput func(*In) hook.ConditionInput

	// Dir is the directory in which the agent works now, if the input says so
	// and the session's does not count: the hooks run there, and the input's
	// JSON has a member cwd for it. Nil, or "": the session's.
	Dir func(*In) string

	// Vars are environment variables for the hooks of a fire, "NAME=value". Nil:
	// there are none.
	Vars func(*Session, *In) []string

	// Forget says that an input makes the session forget the variables that
	// hooks of earlier fires have set, whether or not one runs now; see
	// [Session.EnvFiles]. Nil: none does.
	Forget func(*In) bool

	// Chain returns the input of the next hook in a sequential plan
	// (applyHookOutputToInput). Nil: every hook sees the same input.
	Chain func(In, hook.Output[Out]) In

	// Rewrites is the part of the caller's input that an answer replaces, by
	// member; it serves to report conflicts. Nil: there are none.
	Rewrites func(*hook.Output[Out]) wire.Object

	// Rewritten returns the input with what the merged answer replaces of it; ok is
	// false if it is as it was. Unrewritten takes from one answer what it replaces
	// of the input, and reports whether it did. Where a policy says recheck, hooks
	// are asked again with that input, and what they replace then does not count.
	// Both or neither are set; nil: they are asked once.
	Rewritten   func(In, *hook.Output[Out]) (final In, ok bool)
	Unrewritten func(*hook.Output[Out]) bool

	// Blocks says whether one answer ends a sequential plan. Nil: its
	// Decision does.
	Blocks func(*hook.Output[Out]) bool

	// Decode reads the answer of a hook outside the process. Silence is no answer
	// and no error, and plain text is [wire.ErrText], for the rule Text; any other
	// error is a failure of the hook. [wire.Answer] tells these apart. Nil: the
	// common form, [wire.Read].
	Decode stages.Decode[Out]

	// CheckOutput says what makes the answer of a Go function unusable, such as a
	// decision that is no word of the event: the hook has failed then, unless its
	// answer blocks or stops without its own part. Nil: nothing does. The answers of
	// hooks outside are Decode's to check.
	CheckOutput func(*hook.Output[Out]) error

	// Refine adjusts what one hook said to what counts in a session, before it
	// is merged: what the event does not honour goes. It is called for every
	// report, from many goroutines, also for those of hooks that have ended in
	// the background. Nil: everything counts.
	Refine func(*Session, *In, *hook.Report[Out])

	// Reduce merges the answers. Nil: [reducers.BlockWins].
	Reduce hook.Reducer[Out]

	// Conclude has the last word on a result, with what the session remembers;
	// see [Session.Value]. Nil: the merged answer stands.
	Conclude func(*Session, *In, *hook.Result[Out])

	// Effects is what the caller has to apply, for the bus and for tools. Nil:
	// nothing beyond the answer.
	Effects func(In, *hook.Result[Out]) any
}
