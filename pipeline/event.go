package pipeline

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"reflect"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/reducers"
	"github.com/snaphook-go/snaphook/stages"
	"github.com/snaphook-go/snaphook/wire"
)

// Event is a declared event: Fire runs the hooks that are configured for it,
// On adds one written in Go. [Declare] makes it, from a [Spec]; from then on it
// cannot be changed, and its methods may be called from many goroutines.
type Event[In, Out any] struct {
	spec    Spec[In, Out]
	dialect *Dialect
	full    string // the name with the dialect's
	slot    int
	subject subject[In]
	empty   hook.Result[Out]
	guards  bool   // a fire that cannot ask its hooks blocks
	input   *check // of the JSON text in inputs; nil if they have none
	output  *check // the same of answers
}

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

	// Decode reads the answer of a hook outside the process. Nil: the common
	// form, [wire.Read].
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

// Declare makes an event of d, with the dialect's rules where spec has none. It
// panics if the name is empty or taken. Write the event's type out where you
// declare it, so that go doc shows it:
//
//	var BeforeDeploy *pipeline.Event[Deploy, Vote] = pipeline.Declare(dialect, pipeline.Spec[Deploy, Vote]{…})
func Declare[In, Out any](d *Dialect, spec Spec[In, Out]) *Event[In, Out] {
	if spec.Name == "" {
		panic("pipeline: an event of " + d.Name + " is declared without a name")
	}
	if spec.Subject != nil && spec.SubjectName == "" {
		spec.SubjectName = "subject"
	}
	if (spec.Rewritten == nil) != (spec.Unrewritten == nil) {
		panic("pipeline: the event " + spec.Name + " has one of Rewritten and Unrewritten; it needs both, or neither")
	}
	guards := spec.Can&CanBlock != 0 || spec.Can == 0 && spec.Reduce == nil // a denial would count
	spec.Rules = spec.Rules.over(d.Rules)
	if spec.Rules.Exits == nil {
		spec.Rules.Exits = hook.Exits{0: hook.ParseAnswer, 2: hook.ParseAndDeny} // without any, no status would block
	}
	if spec.Decode == nil {
		spec.Decode = wire.Read[Out]
	}
	if spec.Reduce == nil {
		spec.Reduce = reducers.BlockWins[Out](nil)
	}
	if spec.Blocks == nil {
		spec.Blocks = func(o *hook.Output[Out]) bool { return o.Decision.Blocks() }
	}
	e := &Event[In, Out]{
		spec: spec, dialect: d, full: d.Name + "." + spec.Name, subject: subjectOf(spec.Name, spec.Subject), empty: hook.Empty[Out](),
		guards: guards, input: checkOf(reflect.TypeFor[In]()), output: checkOf(reflect.TypeFor[Out]()),
	}
	register(e.full, e, &e.slot)
	return e
}

// Active reports whether any hook could run for the event in s. It costs under
// a nanosecond: guard with it what is expensive to build for Fire.
func (e *Event[In, Out]) Active(s *Session) bool {
	if s == nil || s.reg == nil {
		return false
	}
	v := s.view()
	return e.slot < len(v.active) && v.active[e.slot] != nil && v.active[e.slot].runs
}

// Fire runs the hooks that are configured for the event and merges their
// answers. The result is never nil; when no hook ran it is shared and empty,
// and must not be changed.
//
// The error is a [*hook.InputError] if the input cannot be given to hooks: a
// pointer is nil, the session is none of NewSession's, or JSON text in the input,
// such as the arguments of a tool, is not JSON. It is [hook.ErrClosed] if the
// system is closed, or was while the hooks ran, and ctx's error if ctx ended
// before they were done. In all these cases nothing vouches for the action: the
// result blocks, if the event can.
//
// The error is ctx's also if ctx ended when every hook had answered; the result
// then holds what they said. A hook that fails is a Report with Err, and an
// error of Fire only where the event's Rules Propagate it.
//
// Hooks get a copy of *in, so the original stays as it was. Without hooks Fire
// costs a few nanoseconds and allocates nothing. One hook in Go costs about two
// microseconds, and 14 allocations.
func (e *Event[In, Out]) Fire(ctx context.Context, s *Session, in *In) (*hook.Result[Out], error) {
	if s == nil || in == nil {
		return e.unusable(s)
	}
	v := s.own.Load()
	if v == nil {
		if s.reg == nil {
			return e.unusable(s)
		}
		v = s.reg.current.Load()
	}
	if uint(e.slot) >= uint(len(v.active)) || v.active[e.slot] == nil {
		return &e.empty, nil
	}
	return e.fire(ctx, s, in, v.active[e.slot])
}

// timeout is how long h may run: its own, or the event's; 0 means no limit.
func (e *Event[In, Out]) timeout(h *hook.Hook) time.Duration {
	d := h.Timeout
	if d == 0 {
		d = e.spec.Rules.Timeout
	}
	return max(0, d)
}

// dir is the directory in which the agent works.
func (e *Event[In, Out]) dir(s *Session, in *In) string {
	if e.spec.Dir != nil {
		return cmp.Or(e.spec.Dir(in), s.dir)
	}
	return s.dir
}

// On adds a hook written in Go, to one session or to all sessions of a system.
// It runs before the configured ones, or after them where the dialect says so,
// in the order of registration, and is never a duplicate. remove takes it away
// again. Fires that have begun are not affected, unless the event's Rules are
// Live, and neither function waits for them.
//
// The name is how the hook is called in reports, traces and settings that
// disable hooks. A hook is the program's own unless it is [UserProvided]. On panics
// if at is nil, or was not made by NewSystem or NewSession.
func (e *Event[In, Out]) On(at Scope, name string, f hook.Func[In, Out], options ...Option) (remove func()) {
	h := &hook.Hook{
		Identity: hook.Identity{
			ID:      fmt.Sprintf("%s/%s/%s", hook.Host, e.spec.Name, name),
			Dialect: e.dialect.Name,
			Event:   e.spec.Name,
			Name:    name,
			Type:    "go",
			Source:  hook.Host,
		},
		Func: f,
	}
	if err := scopeError(at); err != nil {
		panic(fmt.Sprintf("pipeline: add hooks of %s: %v", e.full, err))
	}
	info := e.Info()
	for _, option := range options {
		option(h, &info)
	}
	return at.add([]*hook.Hook{h})
}

// Reduce merges answers by the event's rule, as Fire does with those of its
// hooks; see [hook.Reducer].
func (e *Event[In, Out]) Reduce(outs iter.Seq[hook.Output[Out]]) hook.Output[Out] {
	return e.spec.Reduce(outs)
}
