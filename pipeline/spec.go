package pipeline

import (
	"context"
	"reflect"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/stages"
	"github.com/snaphook-go/snaphook/wire"
)

// Spec declares one event. In is the input of hooks, Out is the event's own part of their answer, and the fields are
// its rules. Only Name is required. Declare the event once, in a package variable.
//
// Hooks outside the process receive In, and answer with Out, as JSON. All functions of a Spec are called from many
// goroutines, and must not change their arguments.
type Spec[In, Out any] struct {
	Name string
	Doc  string // when it fires, completing "fires …"
	Can  Capability

	Rules Rules // differences from the dialect's rules

	// Subject returns a pointer to the field of the input that matchers test. Declare calls it once. If it is nil, the
	// event has no subject, and matchers get "". SubjectName names the field for people; empty means "subject".
	Subject     func(*In) *string
	SubjectName string

	// Check returns an error if an input that came as JSON is invalid. Nil accepts every input that decodes.
	Check func(In) error

	// ConditionInput returns the input for conditions; the engine adds the directory. If it is nil, hooks with a
	// condition never run.
	ConditionInput func(*In) hook.ConditionInput

	// Dir returns the agent's current directory, if the input has one. Hooks run there, and the input's JSON must have
	// a member cwd with it. If Dir is nil or returns "", hooks run in the session's directory.
	Dir func(*In) string

	// Vars returns environment variables for the hooks of a fire, "NAME=value". It may be nil.
	Vars func(*Session, *In) []string

	// Forget reports whether an input clears the variables that hooks of earlier fires exported, even if no hook runs
	// now; see [Session.EnvFiles]. Nil: no input clears them.
	Forget func(*In) bool

	// Chain returns the input of the next hook in a sequential plan, from the input and the answer of the hook before
	// it (applyHookOutputToInput in LLxprt Code). Nil: every hook sees the same input.
	Chain func(In, hook.Output[Out]) In

	// Rewrites returns the members of the caller's input that an answer replaces. The engine uses it to find conflicts.
	// Nil: answers replace nothing.
	Rewrites func(*hook.Output[Out]) wire.Object

	// Rewritten applies the replacements of the merged answer to the input; ok is false if nothing changed. Unrewritten
	// removes the replacements from one answer, and reports whether it had any. If a policy demands a recheck, hooks
	// run again on the final input, and replacements in their second answers have no effect. Set both functions or
	// neither; if they are nil, hooks run once.
	Rewritten   func(In, *hook.Output[Out]) (final In, ok bool)
	Unrewritten func(*hook.Output[Out]) bool

	// Blocks reports whether one answer ends a sequential plan. Nil: the answer's Decision determines it.
	Blocks func(*hook.Output[Out]) bool

	// Decode reads the answer of a hook outside the process. It returns no error for empty output, and [wire.ErrText]
	// for plain text, to which the rule Text applies. On any other error the hook fails. [wire.Answer] distinguishes
	// these cases. Nil means the common form, [wire.Read].
	Decode stages.Decode[Out]

	// CheckOutput returns an error for an invalid answer of a Go function, such as one with a decision that the event
	// does not have. If the answer blocks or stops even without its Specific, Specific is ignored and the report has a
	// note; otherwise the hook fails. Nil accepts every answer. Answers of hooks outside the process are read by Decode;
	// for them CheckOutput counts only under a policy that makes invalid answers a failure.
	CheckOutput func(*hook.Output[Out]) error

	// Refine reduces a hook's answer, before the merge, to the parts that the event honours in the
	// session. It is called for every report, from many goroutines, including reports of hooks that
	// have ended in the background. Nil: all parts have effect.
	Refine func(*Session, *In, *hook.Report[Out])

	// Reduce merges the decision, its reason and the event's own part of the answers. The engine merges stops, stop
	// reasons, messages, contexts and suppressOutput ([reducers.KeepCommon]), even if Reduce drops them. Nil:
	// [reducers.BlockWins].
	Reduce hook.Reducer[Out]

	// ReducesCommon makes Reduce merge the common members too, by its own rules: members that it
	// drops are lost.
	ReducesCommon bool

	// Conclude may change the merged result, using values that the session holds; see [Session.Value]. Nil: the merged
	// answer is the result.
	Conclude func(*Session, *In, *hook.Result[Out])

	// Effects returns the effects that the caller has to apply, for the bus and for tools. Nil:
	// there is only the answer.
	Effects func(In, *hook.Result[Out]) any
}

// onInput holds the functions of a Spec[In, Out] that take an input, with a pointer to In passed as any. A function
// that the Spec lacks is nil.
type onInput struct {
	subject        func(in any) *string
	conditionInput func(in any) hook.ConditionInput
	dir            func(in any) string
	vars           func(s *Session, in any) []string
	forget         func(in any) bool

	check, rewritten, effects byValue
}

// onAnswer holds the functions of a Spec that take answers, converted like the functions in onInput. callFunc is never
// nil.
type onAnswer[Out any] struct {
	Rewrites    func(*hook.Output[Out]) wire.Object
	Unrewritten func(*hook.Output[Out]) bool
	Blocks      func(*hook.Output[Out]) bool
	Decode      stages.Decode[Out]
	CheckOutput func(*hook.Output[Out]) error
	Reduce      hook.Reducer[Out]
	keepsCommon bool // the engine merges the common members outside of Reduce

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

// byValue is a function of a Spec that takes an input by value. It is called by reflection, which saves compiled code
// for each event; fires seldom call one.
type byValue struct{ fn any }

func (f byValue) given() bool { return !reflect.ValueOf(f.fn).IsNil() }

// call calls the function; its arguments are the value that in points to, and the further arguments.
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
