package pipeline

import (
	"context"
	"reflect"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/stages"
	"github.com/snaphook-go/snaphook/wire"
)

// Spec declares one event: In is the input of hooks, Out is the event's own part of their answer,
// and the fields are its rules. Only Name is required. Declare the event once, in a package
// variable.
//
// In and Out are encoded to and from JSON for hooks outside the process. All functions of a Spec
// are called from many goroutines, and must not change their arguments.
type Spec[In, Out any] struct {
	Name string
	Doc  string // when it fires, completing "fires …"
	Can  Capability

	Rules Rules // departures from the dialect

	// Subject returns a pointer to the field of the input that matchers test, and SubjectName is
	// its name for people; empty means "subject". Declare calls it once. Nil: the event has no
	// subject, and matchers get "".
	Subject     func(*In) *string
	SubjectName string

	// Check returns an error if an input that came as JSON has a mistake. Nil accepts every input
	// that decodes.
	Check func(In) error

	// ConditionInput returns the input of conditions; the engine adds the directory. Nil: no hook
	// with a condition runs.
	ConditionInput func(*In) hook.ConditionInput

	// Dir returns the directory in which the agent works now, if the input has one: the hooks run
	// there, and the input's JSON has a member cwd for it. Nil, or "": the session's directory.
	Dir func(*In) string

	// Vars returns environment variables for the hooks of a fire, "NAME=value". It may be nil.
	Vars func(*Session, *In) []string

	// Forget reports whether an input makes the session forget the variables that hooks of earlier
	// fires have set, whether or not a hook runs now; see [Session.EnvFiles]. Nil: none does.
	Forget func(*In) bool

	// Chain returns the input of the next hook in a sequential plan
	// (applyHookOutputToInput). Nil: every hook sees the same input.
	Chain func(In, hook.Output[Out]) In

	// Rewrites returns the part of the caller's input that an answer replaces, by member; the
	// engine finds conflicts with it. Nil: answers replace nothing.
	Rewrites func(*hook.Output[Out]) wire.Object

	// Rewritten returns the input with the parts that the merged answer replaces; ok is false if
	// nothing changed. Unrewritten removes the input's replacement from one answer, and reports
	// whether it had one. If a policy demands a recheck, hooks run again with the final input, and
	// further replacements have no effect. Set both or neither; nil: hooks run once.
	Rewritten   func(In, *hook.Output[Out]) (final In, ok bool)
	Unrewritten func(*hook.Output[Out]) bool

	// Blocks reports whether one answer ends a sequential plan. Nil: its Decision determines that.
	Blocks func(*hook.Output[Out]) bool

	// Decode reads the answer of a hook outside the process. For empty output it returns no error,
	// and for plain text [wire.ErrText], which the rule Text handles; any other error is a failure
	// of the hook. [wire.Answer] distinguishes them. Nil means the common form, [wire.Read].
	Decode stages.Decode[Out]

	// CheckOutput returns an error for an answer of a Go function that cannot be used, such as a
	// decision that the event does not have. The hook then fails, unless its answer blocks or stops
	// even without Out. Nil: every answer can be used. Decode checks the answers of hooks outside
	// the process.
	CheckOutput func(*hook.Output[Out]) error

	// Refine reduces a hook's answer, before the merge, to the parts that the event honours in the
	// session. It is called for every report, from many goroutines, including reports of hooks that
	// have ended in the background. Nil: all parts have effect.
	Refine func(*Session, *In, *hook.Report[Out])

	// Reduce merges the answers. The engine itself merges their stops, stop reasons, messages,
	// contexts and suppressOutput ([reducers.KeepCommon]), even if Reduce drops them; Reduce
	// decides about the decision, its reason and the event's own part. Nil: [reducers.BlockWins].
	Reduce hook.Reducer[Out]

	// ReducesCommon makes Reduce merge the common members too, by its own rules: members that it
	// drops are lost.
	ReducesCommon bool

	// Conclude is the last change of a result, with values that the session holds; see
	// [Session.Value]. Nil: the merged answer is the result.
	Conclude func(*Session, *In, *hook.Result[Out])

	// Effects returns the effects that the caller has to apply, for the bus and for tools. Nil:
	// there is only the answer.
	Effects func(In, *hook.Result[Out]) any
}

// onInput holds the functions of a Spec[In, Out] that take an input; here it is any, holding a
// pointer to an In. Each is nil if the Spec's is.
type onInput struct {
	subject        func(in any) *string
	conditionInput func(in any) hook.ConditionInput
	dir            func(in any) string
	vars           func(s *Session, in any) []string
	forget         func(in any) bool

	check, rewritten, effects byValue
}

// onAnswer holds the functions that a fire calls with answers, in the same form. callFunc is never nil.
type onAnswer[Out any] struct {
	Rewrites    func(*hook.Output[Out]) wire.Object
	Unrewritten func(*hook.Output[Out]) bool
	Blocks      func(*hook.Output[Out]) bool
	Decode      stages.Decode[Out]
	CheckOutput func(*hook.Output[Out]) error
	Reduce      hook.Reducer[Out]
	keepsCommon bool // the engine keeps the common members around Reduce

	callFunc func(ctx context.Context, fn, in any) (hook.Output[Out], error) // fn is a hook.Func[In, Out]
	chain    func(chain, in any, o *hook.Output[Out]) (next any)
	chainIn  any // the Chain of the Spec; nil if it has none
	refine   func(s *Session, in any, r *hook.Report[Out])
	conclude func(s *Session, in any, res *hook.Result[Out])
}

func (s *Spec[In, Out]) onInput() onInput {
	return onInput{
		subject: of(s.Subject), conditionInput: of(s.ConditionInput), dir: of(s.Dir), vars: inSession(s.Vars),
		forget: of(s.Forget), check: byValue{s.Check}, rewritten: byValue{s.Rewritten}, effects: byValue{s.Effects},
	}
}

func (s *Spec[In, Out]) onAnswer() onAnswer[Out] {
	on := onAnswer[Out]{
		Rewrites: s.Rewrites, Unrewritten: s.Unrewritten, Blocks: s.Blocks, Decode: s.Decode,
		CheckOutput: s.CheckOutput, Reduce: s.Reduce, keepsCommon: !s.ReducesCommon,
		callFunc: callFunc[In, Out], chain: chainIn[In, Out], refine: about(s.Refine), conclude: about(s.Conclude),
	}
	if s.Chain != nil {
		on.chainIn = s.Chain
	}
	return on
}

func callFunc[In, Out any](ctx context.Context, fn, in any) (hook.Output[Out], error) {
	return fn.(hook.Func[In, Out])(ctx, *in.(*In))
}

func chainIn[In, Out any](chain, in any, o *hook.Output[Out]) any {
	next := new(In)
	*next = chain.(func(In, hook.Output[Out]) In)(*in.(*In), *o)
	return next
}

// byValue is a function of a Spec that takes an input by value. Fires seldom call one: reflection
// calls it, to save compiled code for each event.
type byValue struct{ fn any }

func (f byValue) given() bool { return !reflect.ValueOf(f.fn).IsNil() }

// call calls the function with the input that in points at, and with its further arguments.
func (f byValue) call(in any, more ...any) []reflect.Value {
	args := []reflect.Value{reflect.ValueOf(in).Elem()}
	for _, one := range more {
		args = append(args, reflect.ValueOf(one))
	}
	return reflect.ValueOf(f.fn).Call(args)
}

//go:noinline
func of[In, T any](f func(In) T) func(any) T {
	if f == nil {
		return nil
	}
	return func(in any) T { return f(in.(In)) }
}

//go:noinline
func inSession[In, T any](f func(*Session, In) T) func(*Session, any) T {
	if f == nil {
		return nil
	}
	return func(s *Session, in any) T { return f(s, in.(In)) }
}

//go:noinline
func about[In, Answer any](f func(*Session, In, Answer)) func(*Session, any, Answer) {
	if f == nil {
		return nil
	}
	return func(s *Session, in any, a Answer) { f(s, in.(In), a) }
}
