package pipeline

import (
	"context"
	"reflect"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/stages"
	"github.com/snaphook-go/snaphook/wire"
)

// onInput has the functions of a Spec[In, Out] that take an input, as any, a pointer to an
// In. Each is nil if the Spec's is.
type onInput struct {
	subject        func(in any) *string
	conditionInput func(in any) hook.ConditionInput
	dir            func(in any) string
	vars           func(s *Session, in any) []string
	forget         func(in any) bool

	check, rewritten, effects byValue
}

// onAnswer has those that a fire calls with answers, in the same way. callFunc is always there.
type onAnswer[Out any] struct {
	Rewrites    func(*hook.Output[Out]) wire.Object
	Unrewritten func(*hook.Output[Out]) bool
	Blocks      func(*hook.Output[Out]) bool
	Decode      stages.Decode[Out]
	CheckOutput func(*hook.Output[Out]) error
	Reduce      hook.Reducer[Out]

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
		CheckOutput: s.CheckOutput, Reduce: s.Reduce,
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

// byValue is a function of a Spec that takes an input by value. Fires seldom call one, so
// that reflection does it, and no event has code for that.
type byValue struct{ fn any }

func (f byValue) given() bool { return !reflect.ValueOf(f.fn).IsNil() }

// call calls the function with the input that in points at, and with what else it takes.
func (f byValue) call(in any, more ...any) []reflect.Value {
	args := []reflect.Value{reflect.ValueOf(in).Elem()}
	for _, one := range more {
		args = append(args, reflect.ValueOf(one))
	}
	return reflect.ValueOf(f.fn).Call(args)
}

// checkIn is what is missing from an input.
func (e *definition) checkIn(in any) error {
	if !e.on.check.given() {
		return nil
	}
	err, _ := e.on.check.call(in)[0].Interface().(error)
	return err
}

// rewrittenIn is the input as an answer leaves it, and ok false if that changes nothing.
func (e *definition) rewrittenIn(in, answer any) (final any, ok bool) {
	results := e.on.rewritten.call(in, answer)
	pointer := reflect.New(e.inputType)
	pointer.Elem().Set(results[0])
	return pointer.Interface(), results[1].Bool()
}

// effectsOf is what the caller has to apply; nil if the event says nothing of it.
func (e *definition) effectsOf(in, res any) any {
	if !e.on.effects.given() {
		return nil
	}
	return e.on.effects.call(in, res)[0].Interface()
}

// The In and Answer of what follows are pointers, so that it is compiled once for all
// events. Were it inlined, each event would have it again.

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
