package pipeline

import (
	"context"
	"fmt"
	"iter"
	"reflect"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/reducers"
	"github.com/snaphook-go/snaphook/stages"
	"github.com/snaphook-go/snaphook/wire"
)

// declaration is what an event is, whatever its types. It knows an input as any, a
// pointer to an In.
type declaration struct {
	name, doc, subjectName string
	can                    Capability
	rules                  Rules // the dialect's where the spec has none
	dialect                *Dialect
	full                   string // the name with the dialect's
	slot                   int
	guards                 bool   // a fire that cannot ask its hooks blocks
	input                  *check // of the JSON text in inputs; nil if they have none
	output                 *check // the same of answers
	inputs                 inputs
	has                    functions
}

// core is what runs the fires of an event. What depends on neither type is in its
// declaration and in [fireBase], and is compiled once; what depends on the answers,
// once for all events that share their type.
type core[Out any] struct {
	declaration
	spec  untyped[Out]
	empty *hook.Result[Out] // of fires for which no hook runs
}

// Declare makes an event of d, with the dialect's rules where spec has none. It
// panics if the name is empty or taken. Write the event's type out where you
// declare it, so that go doc shows it:
//
//	var BeforeDeploy *pipeline.Event[Deploy, Vote] = pipeline.Declare(dialect, pipeline.Spec[Deploy, Vote]{…})
func Declare[In, Out any](d *Dialect, spec Spec[In, Out]) *Event[In, Out] {
	if spec.Name == "" {
		panic("pipeline: an event of " + d.Name + " is declared without a name")
	}
	if (spec.Rewritten == nil) != (spec.Unrewritten == nil) {
		panic("pipeline: the event " + spec.Name + " has one of Rewritten and Unrewritten; it needs both, or neither")
	}
	e := &Event[In, Out]{
		subject: subjectOf(spec.Name, spec.Subject), empty: hook.Empty[Out](), forgetting: spec.Forget != nil,
	}
	c := &core[Out]{spec: spec.untyped(), empty: &e.empty, declaration: declaration{
		name: spec.Name, doc: spec.Doc, subjectName: spec.SubjectName, can: spec.Can, rules: spec.Rules.over(d.Rules),
		dialect: d, full: d.Name + "." + spec.Name,
		guards: spec.Can&CanBlock != 0 || spec.Can == 0 && spec.Reduce == nil, // a denial would count
		input:  checkOf(reflect.TypeFor[In]()), output: checkOf(reflect.TypeFor[Out]()),
		inputs: &spec, has: spec.functions(),
	}}
	c.complete()
	e.core = c
	register(c.full, e, &c.slot)
	e.slot = c.slot
	return e
}

// complete fills in what the spec and its dialect have left out.
func (e *core[Out]) complete() {
	e.declaration.complete()
	if e.spec.Decode == nil {
		e.spec.Decode = wire.Read[Out]
	}
	if e.spec.Reduce == nil {
		e.spec.Reduce = reducers.BlockWins[Out](nil)
	}
	if e.spec.Blocks == nil {
		e.spec.Blocks = func(o *hook.Output[Out]) bool { return o.Decision.Blocks() }
	}
}

func (e *declaration) complete() {
	if e.has.subject && e.subjectName == "" {
		e.subjectName = "subject"
	}
	if e.rules.Exits == nil {
		e.rules.Exits = hook.Exits{0: hook.ParseAnswer, 2: hook.ParseAndDeny} // without any, no status would block
	}
}

// subjectOf is what matchers test of an input.
func (e *declaration) subjectOf(in any) string {
	if !e.has.subject {
		return ""
	}
	return e.inputs.subjectIn(in)
}

func (e *declaration) active(s *Session) bool { return activeAt(s, e.slot) }

// activeAt reports whether a hook could run for the event of a slot.
func activeAt(s *Session, slot int) bool {
	if s == nil || s.reg == nil {
		return false
	}
	return s.view().active.runs(slot)
}

func (e *core[Out]) reduce(outs iter.Seq[hook.Output[Out]]) hook.Output[Out] {
	return e.spec.Reduce(outs)
}

func (e *declaration) add(at Scope, name string, f any, options []Option) (remove func()) {
	h := &hook.Hook{
		Identity: hook.Identity{
			ID:      fmt.Sprintf("%s/%s/%s", hook.Host, e.name, name),
			Dialect: e.dialect.Name,
			Event:   e.name,
			Name:    name,
			Type:    "go",
			Source:  hook.Host,
		},
		Func: f,
	}
	if err := scopeError(at); err != nil {
		panic(fmt.Sprintf("pipeline: add hooks of %s: %v", e.full, err))
	}
	info := e.info()
	for _, option := range options {
		option(h, &info)
	}
	return at.add([]*hook.Hook{h})
}

func (e *declaration) info() Info {
	return Info{
		Dialect:  e.dialect.Name,
		Name:     e.name,
		Doc:      e.doc,
		Can:      e.can,
		Subject:  e.subjectName,
		Base:     e.dialect.BaseNames,
		Rules:    e.rules,
		Rewrites: e.has.rewritten,
	}
}

// accepts reports whether a hook's Func can be called for the event.
func (e *declaration) accepts(fn any) (want string, ok bool) {
	return e.inputs.acceptsFunc(fn)
}

func (e *declaration) slotOf() (slot int, d *Dialect) { return e.slot, e.dialect }

// untyped is the part of a [Spec] that is about answers, without the type of the input.
type untyped[Out any] struct {
	Rewrites    func(*hook.Output[Out]) wire.Object
	Unrewritten func(*hook.Output[Out]) bool
	Blocks      func(*hook.Output[Out]) bool
	Decode      stages.Decode[Out]
	CheckOutput func(*hook.Output[Out]) error
	Reduce      hook.Reducer[Out]
	typed       typed[Out]
}

// functions says which of the functions of a Spec that take an input are set.
type functions struct {
	subject, conditionInput, dir, vars, forget, check, chain, rewritten, refine, conclude, effects bool
}

// inputs is a *Spec[In, Out]: its functions that look at an input, which is a pointer to
// an In. Those that are not set must not be called.
type inputs interface {
	subjectIn(in any) string
	conditionIn(in any) hook.ConditionInput
	dirIn(in any) string
	varsFor(s *Session, in any) []string
	forgetsFor(in any) bool
	checkIn(in any) error
	zeroIn() any                               // a new input
	acceptsFunc(fn any) (want string, ok bool) // whether fn is a hook for the event
}

// typed is the same for its functions that are about answers, too.
type typed[Out any] interface {
	callFunc(ctx context.Context, fn, in any) (hook.Output[Out], error)
	chainIn(in any, o hook.Output[Out]) (next any)
	rewrittenIn(in any, o *hook.Output[Out]) (final any, ok bool)
	refineFor(s *Session, in any, r *hook.Report[Out])
	concludeFor(s *Session, in any, res *hook.Result[Out])
	effectsOf(in any, res *hook.Result[Out]) any
}

func (s *Spec[In, Out]) untyped() untyped[Out] {
	return untyped[Out]{
		Rewrites: s.Rewrites, Unrewritten: s.Unrewritten, Blocks: s.Blocks, Decode: s.Decode,
		CheckOutput: s.CheckOutput, Reduce: s.Reduce, typed: s,
	}
}

func (s *Spec[In, Out]) functions() functions {
	return functions{
		subject: s.Subject != nil, conditionInput: s.ConditionInput != nil, dir: s.Dir != nil, vars: s.Vars != nil,
		forget: s.Forget != nil, check: s.Check != nil, chain: s.Chain != nil, rewritten: s.Rewritten != nil,
		refine: s.Refine != nil, conclude: s.Conclude != nil, effects: s.Effects != nil,
	}
}

func (s *Spec[In, Out]) subjectIn(in any) string { return *s.Subject(in.(*In)) }

func (s *Spec[In, Out]) conditionIn(in any) hook.ConditionInput {
	return s.ConditionInput(in.(*In))
}

func (s *Spec[In, Out]) dirIn(in any) string { return s.Dir(in.(*In)) }

func (s *Spec[In, Out]) varsFor(ses *Session, in any) []string { return s.Vars(ses, in.(*In)) }

func (s *Spec[In, Out]) forgetsFor(in any) bool { return s.Forget(in.(*In)) }

func (s *Spec[In, Out]) checkIn(in any) error { return s.Check(*in.(*In)) }

func (s *Spec[In, Out]) chainIn(in any, o hook.Output[Out]) any {
	next := s.Chain(*in.(*In), o)
	return &next
}

func (s *Spec[In, Out]) rewrittenIn(in any, o *hook.Output[Out]) (any, bool) {
	final, ok := s.Rewritten(*in.(*In), o)
	return &final, ok
}

func (s *Spec[In, Out]) refineFor(ses *Session, in any, r *hook.Report[Out]) {
	s.Refine(ses, in.(*In), r)
}

func (s *Spec[In, Out]) concludeFor(ses *Session, in any, res *hook.Result[Out]) {
	s.Conclude(ses, in.(*In), res)
}

func (s *Spec[In, Out]) effectsOf(in any, res *hook.Result[Out]) any {
	return s.Effects(*in.(*In), res)
}

func (s *Spec[In, Out]) zeroIn() any { return new(In) }

func (s *Spec[In, Out]) callFunc(ctx context.Context, fn, in any) (hook.Output[Out], error) {
	return fn.(hook.Func[In, Out])(ctx, *in.(*In))
}

func (s *Spec[In, Out]) acceptsFunc(fn any) (want string, ok bool) {
	f, ok := fn.(hook.Func[In, Out])
	return reflect.TypeFor[hook.Func[In, Out]]().String(), ok && f != nil
}
