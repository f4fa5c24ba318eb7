package pipeline

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/unread"
	"github.com/snaphook-go/snaphook/reducers"
	"github.com/snaphook-go/snaphook/stages"
	"github.com/snaphook-go/snaphook/wire"
)

// definition is the part of an event that depends on neither of its types. It handles an input as a value of type any,
// which holds a pointer to an In.
type definition struct {
	name, doc, subjectName string
	can                    Capability
	rules                  Rules // the rules of the spec, and the dialect's where the spec has none
	dialect                *Dialect
	full                   string // the dialect's name, a dot, and the event's name
	slot                   int
	guards                 bool // a fire that cannot run its hooks blocks
	form                   unread.Form
	input                  *jsonCheck // checks the JSON text in inputs; nil if they contain none
	output                 *jsonCheck // checks the JSON text in answers; nil if they contain none
	on                     onInput
	inputType, funcType    reflect.Type // In, and hook.Func[In, Out]
}

// core is an [Event] whose input has the type any and holds a pointer. All events with the same Out share one compiled
// copy of the engine.
type core[Out any] struct {
	definition
	spec  onAnswer[Out]
	empty *hook.Result[Out] // returned by fires for which no hook runs
}

// Declare makes an event of d, with the dialect's rules where spec has none. It panics if the name is empty or taken,
// if spec has only one of Rewritten and Unrewritten, or if Subject points outside of its input. Write the event's type
// out where you declare it, so that go doc shows it:
//
//	var BeforeDeploy *pipeline.Event[Deploy, Vote] = pipeline.Declare(dialect, pipeline.Spec[Deploy, Vote]{…})
func Declare[In, Out any](d *Dialect, spec Spec[In, Out]) *Event[In, Out] {
	if spec.Name == "" {
		panic("pipeline: an event of " + d.Name + " is declared without a name")
	}
	if (spec.Rewritten == nil) != (spec.Unrewritten == nil) {
		panic("pipeline: the event " + spec.Name + " has one of Rewritten and Unrewritten; it needs both, or neither")
	}
	e := &Event[In, Out]{empty: hook.Empty[Out](), forgetting: spec.Forget != nil}
	e.subject = subjectAt(spec.Name, spec.Subject)
	c := &core[Out]{spec: spec.onAnswer(), empty: &e.empty}
	def := &c.definition
	def.name, def.doc, def.subjectName, def.can, def.rules = spec.Name, spec.Doc, spec.SubjectName, spec.Can, spec.Rules
	def.dialect, def.on = d, spec.onInput()
	def.guards = spec.Can&CanBlock != 0 || spec.Can == 0 && spec.Reduce == nil // a denial would have an effect
	def.inputType, def.funcType = reflect.TypeFor[In](), reflect.TypeFor[hook.Func[In, Out]]()
	c.complete()
	e.core = c
	register(c.full, e, &c.slot)
	e.slot = c.slot
	return e
}

// complete sets the fields that the spec and its dialect leave empty.
func (e *core[Out]) complete() {
	e.inherit(reflect.TypeFor[Out]())
	if e.spec.Decode == nil {
		e.spec.Decode = wire.Read[Out]
	}
	switch {
	case e.spec.Reduce == nil:
		e.spec.Reduce = reducers.BlockWins[Out](nil)
	case e.spec.keepsCommon:
		e.spec.Reduce = reducers.KeepCommon(e.spec.Reduce)
	}
	if e.spec.Blocks == nil {
		e.spec.Blocks = func(o *hook.Output[Out]) bool { return o.Decision.Blocks() }
	}
}

func (e *definition) inherit(output reflect.Type) {
	e.full, e.rules = e.dialect.Name+"."+e.name, e.rules.over(e.dialect.Rules)
	e.input, e.output = checkOf(e.inputType), checkOf(output)
	e.form = unread.FormOf(e.dialect.Members, e.dialect.OwnMembers, output)
	if e.on.subject != nil && e.subjectName == "" {
		e.subjectName = "subject"
	}
	if e.rules.Exits == nil {
		e.rules.Exits = hook.Exits{0: hook.ParseAnswer, 2: hook.ParseAndDeny} // without Exits, no exit status would block
	}
}

// subjectOf returns the subject of an input, which matchers test.
func (e *definition) subjectOf(in any) string {
	if e.on.subject == nil {
		return ""
	}
	return *e.on.subject(in)
}

// activeAt reports whether the event with that slot has a hook that could run.
func activeAt(s *Session, slot int) bool {
	if s == nil || s.reg == nil {
		return false
	}
	return s.view().active.runs(slot)
}

func (e *definition) add(at Scope, name string, f any, options []Option) (remove func()) {
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

//go:noinline
func (e *definition) info() Info {
	return Info{
		Dialect:  e.dialect.Name,
		Name:     e.name,
		Doc:      e.doc,
		Can:      e.can,
		Subject:  e.subjectName,
		Base:     e.dialect.BaseNames,
		input:    e.inputType,
		Rules:    e.rules,
		Rewrites: e.on.rewritten.given(),
	}
}

func (e *core[Out]) rechecks(s *Session, subject string) bool {
	if !activeAt(s, e.slot) {
		return false
	}
	plan := s.view().active.at(e.slot).plan(s.sys.ctx, subject, e.rules.Timeout)
	return slices.ContainsFunc(plan.Run, wantsRecheck) || slices.ContainsFunc(plan.Open, wantsRecheck)
}

// checkOutput returns an error if the answer of a Go function cannot be used.
func (e *core[Out]) checkOutput(o *hook.Output[Out]) error {
	if err := e.output.checked(&o.Specific); err != nil {
		return fmt.Errorf("its answer is not JSON: %w", err)
	}
	if e.spec.CheckOutput != nil {
		return e.spec.CheckOutput(o)
	}
	return nil
}

// timeout returns the time limit of h: its own, or the event's; 0 means no limit.
func (e *definition) timeout(h *hook.Hook) time.Duration {
	d := h.Timeout
	if d == 0 {
		d = e.rules.Timeout
	}
	return max(0, d)
}

// rewrites reports whether an answer replaces a part of the input. It recovers from a panic of the event's function,
// which another call reports.
func (e *core[Out]) rewrites(out *hook.Output[Out]) bool {
	defer func() { _ = recover() }()
	return e.spec.Rewrites != nil && !e.spec.Rewrites(out).IsEmpty()
}

// plan selects the hooks for an input; nil if none could run. If spend is set, hooks that run once are marked as used.
func (e *definition) plan(ctx context.Context, s *Session, in any, spend bool) *stages.Planned {
	hooks := s.view().active.of(e.slot)
	if hooks == nil {
		return nil
	}
	plan := hooks.plan(ctx, e.subjectOf(in), e.rules.Timeout)
	if plan.Open != nil {
		return e.narrow(s, in, plan, spend)
	}
	return plan
}

// narrow removes hooks from a plan by their conditions, and hooks that run once and have already run.
func (e *definition) narrow(s *Session, in any, plan *stages.Planned, spend bool) *stages.Planned {
	var detail *hook.ConditionInput
	if e.on.conditionInput != nil {
		d := e.on.conditionInput(in)
		d.Dir = e.dir(s, in)
		detail = &d
	}
	for {
		n := plan.Narrow(detail, s.more.Load().isSpent)
		if !spend || !slices.ContainsFunc(n.Run, func(h *hook.Hook) bool { return h.Once }) || s.state().spend(n.Run) {
			return &n
		}
	}
}

// dir returns the directory in which hooks run: the agent's, or the session's if the agent is on another machine.
func (e *definition) dir(s *Session, in any) string {
	if e.on.dir != nil && s.agent == s.dir {
		return cmp.Or(e.on.dir(in), s.dir)
	}
	return s.dir
}

// agentDir returns the directory in which the agent works, here or on another machine.
func (e *definition) agentDir(s *Session, in any) string {
	if e.on.dir != nil {
		return cmp.Or(e.on.dir(in), s.agent)
	}
	return s.agent
}

// engine returns the Hook for reports that concern the engine itself.
func (e *definition) engine() *hook.Hook {
	return &hook.Hook{
		Identity: hook.Identity{
			ID:      "engine/" + e.name,
			Dialect: e.dialect.Name,
			Event:   e.name,
			Name:    "engine",
			Type:    "engine",
		},
	}
}

// rewrittenIn applies the rewrites of an answer to the input; ok is false if they change nothing.
func (e *definition) rewrittenIn(in, answer any) (final any, ok bool) {
	results := e.on.rewritten.call(in, answer)
	pointer := reflect.New(e.inputType)
	pointer.Elem().Set(results[0])
	return pointer.Interface(), results[1].Bool()
}

func (e *core[Out]) outcome(r *hook.Report[Out]) Outcome {
	return outcomeOf(r.Backgrounded, r.Err, e.spec.Blocks(&r.Output))
}
