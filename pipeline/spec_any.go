package pipeline

import (
	"context"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/stages"
	"github.com/snaphook-go/snaphook/wire"
)

// onInput has the functions of a Spec[In, Out] that take an input and no answer. Each takes
// the input as any, a pointer to an In, and is nil if the Spec's is.
type onInput struct {
	subject        func(in any) *string
	conditionInput func(in any) hook.ConditionInput
	dir            func(in any) string
	vars           func(s *Session, in any) []string
	forget         func(in any) bool
	check          func(in any) error

	rewrites bool // the Spec has Rewritten
}

// onAnswer has those that are about answers, in the same way. callFunc is always there.
type onAnswer[Out any] struct {
	Rewrites    func(*hook.Output[Out]) wire.Object
	Unrewritten func(*hook.Output[Out]) bool
	Blocks      func(*hook.Output[Out]) bool
	Decode      stages.Decode[Out]
	CheckOutput func(*hook.Output[Out]) error
	Reduce      hook.Reducer[Out]

	callFunc  func(ctx context.Context, fn, in any) (hook.Output[Out], error) // fn is a hook.Func[In, Out]
	chain     func(in any, o *hook.Output[Out]) (next any)
	rewritten func(in any, o *hook.Output[Out]) (final any, ok bool)
	refine    func(s *Session, in any, r *hook.Report[Out])
	conclude  func(s *Session, in any, res *hook.Result[Out])
	effects   func(in any, res *hook.Result[Out]) any
}

func (s *Spec[In, Out]) onInput() onInput {
	on := onInput{
		subject: of(s.Subject), conditionInput: of(s.ConditionInput), dir: of(s.Dir), vars: inSession(s.Vars),
		forget: of(s.Forget), rewrites: s.Rewritten != nil,
	}
	if s.Check != nil {
		on.check = bind(checkIn[In], s.Check)
	}
	return on
}

func (s *Spec[In, Out]) onAnswer() onAnswer[Out] {
	on := onAnswer[Out]{
		Rewrites: s.Rewrites, Unrewritten: s.Unrewritten, Blocks: s.Blocks, Decode: s.Decode,
		CheckOutput: s.CheckOutput, Reduce: s.Reduce,
		callFunc: callFunc[In, Out], refine: about(s.Refine), conclude: about(s.Conclude),
	}
	if s.Chain != nil {
		on.chain = bindTo(chainIn[In, Out], s.Chain)
	}
	if s.Rewritten != nil {
		on.rewritten = bindRewritten(rewrittenIn[In, Out], s.Rewritten)
	}
	if s.Effects != nil {
		on.effects = bindTo(effectsOf[In, Out], s.Effects)
	}
	return on
}

func callFunc[In, Out any](ctx context.Context, fn, in any) (hook.Output[Out], error) {
	return fn.(hook.Func[In, Out])(ctx, *in.(*In))
}

func checkIn[In any](check, in any) error { return check.(func(In) error)(*in.(*In)) }

func chainIn[In, Out any](chain, in any, o *hook.Output[Out]) any {
	next := chain.(func(In, hook.Output[Out]) In)(*in.(*In), *o)
	return &next
}

func rewrittenIn[In, Out any](rewritten, in any, o *hook.Output[Out]) (any, bool) {
	final, ok := rewritten.(func(In, *hook.Output[Out]) (In, bool))(*in.(*In), o)
	return &final, ok
}

func effectsOf[In, Out any](effects, in any, res *hook.Result[Out]) any {
	return effects.(func(In, *hook.Result[Out]) any)(*in.(*In), res)
}

// The type parameters of what follows are pointers, and functions are kept as any, so that
// it is compiled once for all events. Were it inlined, each event would have it again.

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

//go:noinline
func bind(f func(fn, in any) error, fn any) func(any) error {
	return func(in any) error { return f(fn, in) }
}

//go:noinline
func bindTo[Answer any](f func(fn, in any, a Answer) any, fn any) func(any, Answer) any {
	return func(in any, a Answer) any { return f(fn, in, a) }
}

//go:noinline
func bindRewritten[Answer any](f func(fn, in any, a Answer) (any, bool), fn any) func(any, Answer) (any, bool) {
	return func(in any, a Answer) (any, bool) { return f(fn, in, a) }
}
