package pipeline

import (
	"context"
	"iter"
	"reflect"
	"strings"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/stages"
)

// Event is a declared event: Fire runs the hooks that are configured for it, On adds one written in
// Go. [Declare] makes it from a [Spec]; it never changes after that, and its methods may be called
// from many goroutines.
type Event[In, Out any] struct {
	slot       int
	subject    subject
	empty      hook.Result[Out] // returned by fires for which no hook runs
	forgetting bool             // the event must be fired even if it has no hooks
	core       *core[Out]
}

// Active reports whether any hook could run for the event in s. It costs under a nanosecond: call
// it before building an expensive input for Fire.
func (e *Event[In, Out]) Active(s *Session) bool {
	return activeAt(s, e.slot)
}

// Fire runs the hooks that are configured for the event and merges their answers. The result is
// never nil; when no hook ran it is shared and empty, and must not be changed.
//
// The error is a [*hook.InputError] if the input cannot be given to hooks: a pointer is nil, the session does not come
// from NewSession, or JSON text in the input, such as the arguments of a tool, is not JSON. It is [hook.ErrClosed] if
// the system is closed, or was closed while the hooks ran, a [*hook.PanicError] if a function of the event panicked,
// and ctx's error if ctx ended before the hooks did. In all these cases the guards have not answered, and the result
// blocks if the event can.
//
// If ctx ends after every hook has answered, the error is also ctx's, and the result holds their
// answers. A hook that fails is a Report with Err, and an error of Fire only where the event's
// Rules Propagate it.
//
// Hooks get a copy of *in, and *in is not changed. Without hooks Fire costs a few nanoseconds and
// allocates nothing. One hook in Go costs about two microseconds, and 10 allocations.
func (e *Event[In, Out]) Fire(ctx context.Context, s *Session, in *In) (*hook.Result[Out], error) {
	if s == nil || in == nil {
		return e.core.unusable(s)
	}
	v := s.own.Load()
	if v == nil {
		if s.reg == nil {
			return e.core.unusable(s)
		}
		v = s.reg.current.Load()
	}
	hooks := v.active.of(e.slot)
	if hooks == nil && !e.forgetting {
		return &e.empty, nil
	}
	return e.fire(ctx, s, in, hooks)
}

// Reduce merges answers by the event's rule, as Fire does with the answers of its hooks; see
// [hook.Reducer].
func (e *Event[In, Out]) Reduce(outs iter.Seq[hook.Output[Out]]) hook.Output[Out] {
	return e.core.spec.Reduce(outs)
}

// fire is the slow path of Fire. It copies the input first, so that pointers refer to the copy and the caller's input
// can stay on its stack.
//
//go:noinline
func (e *Event[In, Out]) fire(
	ctx context.Context, s *Session, in *In, hooks *selector,
) (*hook.Result[Out], error) {
	if hooks == nil {
		hooks = &noHooks
	}
	plan := hooks.plan(ctx, subjectIn(e.subject, in), e.core.rules.Timeout)
	if len(plan.Run) == 0 && plan.Open == nil && !(e.forgetting && s.more.Load() != nil) && !s.sys.observed {
		return &e.empty, nil
	}
	if plan.Open != nil || e.forgetting {
		return e.fireOpen(ctx, s, *in, plan)
	}
	room := &struct {
		run fire[Out]
		in  In
	}{in: *in}
	return e.core.fire(ctx, s, &room.in, plan, nil, &room.run)
}

// fireOpen does the same as fire for events whose plan depends on more than the subject, or which may clear a session's
// variables.
func (e *Event[In, Out]) fireOpen(
	ctx context.Context,
	s *Session,
	in In,
	plan *stages.Planned,
) (*hook.Result[Out], error) {
	if e.forgetting {
		forgetVars(&e.core.definition, s, &in)
	}
	if plan.Open != nil {
		plan = e.core.narrow(s, &in, plan, true)
	}
	if len(plan.Run) == 0 && !s.sys.observed {
		return &e.empty, nil
	}
	return e.core.fire(ctx, s, &in, plan, nil, new(fire[Out]))
}

// On adds a hook written in Go, to one session or to all sessions of a system. It runs before the configured hooks, or
// after them if the dialect has HostLast, in the order of registration, and is never treated as a duplicate. remove
// removes it. Fires that have begun are not affected, unless the event's Rules are Live, and neither On nor remove
// waits for them.
//
// The name identifies the hook in reports, traces and settings that disable hooks. A hook is the
// program's own unless it is [UserProvided]. On panics if at is nil, or was not made by NewSystem
// or NewSession.
func (e *Event[In, Out]) On(at Scope, name string, f hook.Func[In, Out], options ...Option) (remove func()) {
	return e.core.add(at, name, f, options)
}

// Info describes the event.
func (e *Event[In, Out]) Info() Info { return e.core.info() }

// FireProgress is Fire with progress reports: it calls progress, on the caller's goroutine, as each
// hook begins, with a report that has only Started, and as the hook finishes, with its full report.
func (e *Event[In, Out]) FireProgress(
	ctx context.Context,
	s *Session,
	in *In,
	progress func(hook.Report[Out]),
) (*hook.Result[Out], error) {
	if in == nil {
		return e.core.unusable(s)
	}
	held := *in
	return e.core.watch(ctx, s, &held, &watcher[Out]{see: func(r hook.Report[Out]) bool { progress(r); return true }})
}

// Stream is [Event.FireProgress] as an iterator, without the result. It yields a report with only Started when a hook
// begins, and the full report when the hook finishes.
//
// A last report, with Concluded set and the engine as its Hook, follows in two cases: the event's Conclude changed the
// merged answer, or the fire has an error, which is in Err.
//
// A consumer that stops early cancels the hooks still running, and waits for them to end. The fire begins when the
// iteration does.
func (e *Event[In, Out]) Stream(ctx context.Context, s *Session, in *In) iter.Seq[hook.Report[Out]] {
	if in == nil {
		return e.core.stream(ctx, s, nil)
	}
	held := *in
	return e.core.stream(ctx, s, &held)
}

// FireJSON implements [Declared].
func (e *Event[In, Out]) FireJSON(ctx context.Context, s *Session, text []byte) (*JSONResult, error) {
	in := new(In)
	if err := decodeInput(&e.core.definition, text, in); err != nil {
		return nil, err
	}
	res, err := e.Fire(ctx, s, in)
	return e.core.describe(in, res), err
}

// PlanJSON implements [Declared].
func (e *Event[In, Out]) PlanJSON(s *Session, text []byte) (stages.Planned, error) {
	in := new(In)
	if err := decodeInput(&e.core.definition, text, in); err != nil {
		return stages.Planned{}, err
	}
	return planJSON(&e.core.definition, s, in)
}

// Describe returns a result of Fire in the form for JSON. in is the input of that Fire, from which some events derive
// the effects.
func (e *Event[In, Out]) Describe(in In, res *hook.Result[Out]) *JSONResult {
	return e.core.describe(&in, res)
}

// Rechecks implements [Declared].
func (e *Event[In, Out]) Rechecks(s *Session, subject string) bool {
	return e.core.rechecks(s, subject)
}

// Outcome classifies the end of a hook of the event.
func (e *Event[In, Out]) Outcome(r *hook.Report[Out]) Outcome { return e.core.outcome(r) }

func (e *Event[In, Out]) def() *definition { return &e.core.definition }

// Info describes an event without its types.
type Info struct {
	Dialect string
	Name    string
	Doc     string
	Can     Capability
	Subject string   // matchers test this field of the input; empty: they test none
	Base    []string // the payload members that the engine sets
	Rules   Rules

	// Rewrites is true if the event can apply the rewrites of its hooks to the input; see Rewritten of [Spec]. A policy
	// can then run the hooks again on the new input.
	Rewrites bool

	input reflect.Type
}

// Members returns the names of the members that the input type of the event declares, in addition
// to the names in Base. A payload may have more members if a host adds them. Members walks the type
// at each call.
func (i Info) Members() (names []string) {
	if i.input == nil || i.input.Kind() != reflect.Struct {
		return nil
	}
	for _, f := range reflect.VisibleFields(i.input) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.Anonymous && f.IsExported() && name != "" && name != "-" {
			names = append(names, name)
		}
	}
	return names
}

// FullName is the name with its dialect: "llxprt.BeforeTool".
func (i Info) FullName() string { return i.Dialect + "." + i.Name }
