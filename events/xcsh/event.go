package xcsh

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/reducers"
)

// Event is an event whose handlers can have an effect: they get an E and can answer with an R.
type Event[E, R any] struct {
	hooks, extensions *pipeline.Event[E, R] // the event in each of the two runtimes
	stops             stop[R]

	// members lists the member names of an R; watched lists the member names of an E and, for a gate, of an R too. Both
	// are empty for notices, whose handlers have no effect.
	members, watched []string

	// inPlace lists the members of the event that have an effect when a handler in JavaScript changes them in place.
	// keep adds these changes to the handler's result, which may be nil.
	inPlace []string
	keep    func(r, changed *R) *R
}

// Notice is an event whose handlers only observe.
type Notice[E any] struct{ event *Event[E, Nothing] }

// Handler answers an event. A nil result is no answer; any other result is one, even an empty one. If it returns an
// error or panics, the handler has failed and its answer is lost; the event determines the other effects of a failure.
//
// The handler may change e, which is its own copy. Such changes have no effect; the report notes changes of a tool's
// name, input, content, details and isError, of messages and of prompts, if the result lacks the changed member. All
// handlers of one fire share hc. ctx is the caller's.
type Handler[E, R any] func(ctx context.Context, e *E, hc *HookContext) (*R, error)

// stop reports whether a result ends the fire. With a nil stop, no result ends it.
type stop[R any] func(*R) (stops bool, reason string)

// declare declares an event in both runtimes; changes apply to the extension runtime.
func declare[E, R any](ev pipeline.Spec[E, R], stops stop[R], changes ...func(*pipeline.Spec[E, R])) *Event[E, R] {
	ev.ReducesCommon = true
	ev.Effects = func(_ E, res *hook.Result[R]) any {
		if gave(&res.Output) {
			return res.Specific
		}
		return nil
	}
	extension := ev
	for _, change := range changes {
		change(&extension)
	}
	e := &Event[E, R]{
		hooks:      pipeline.Declare(Dialect, ev),
		extensions: pipeline.Declare(Extensions, extension),
		stops:      stops,
	}
	if of := reflect.TypeFor[R](); of != reflect.TypeFor[Nothing]() {
		e.members, e.watched = jsonNames(of), jsonNames(reflect.TypeFor[E]())
		if stops != nil {
			// A handler that sets event.block = true refuses nothing. Because the result's members are watched, the
			// report has a note.
			e.watched = lo.Union(e.watched, e.members)
		}
	}
	known = append(known, e)
	return e
}

func notice[E any](name, doc string) *Notice[E] {
	return &Notice[E]{declare(pipeline.Spec[E, Nothing]{Name: name, Doc: doc, Reduce: reducers.Ignore[Nothing]}, nil)}
}

// missing returns the error for a JSON input that lacks a member. Without this error a gate would
// find nothing to check, and let the call pass.
func missing(member string) error { return fmt.Errorf("%q is missing", member) }

// unless returns a Refine that drops an answer if empty returns true for it.
func unless[E, R any](empty func(*R) bool) func(*pipeline.Session, *E, *hook.Report[R]) {
	return func(_ *pipeline.Session, _ *E, r *hook.Report[R]) {
		if r.Err == nil && empty(&r.Output.Specific) {
			r.Output, r.Answered = hook.Output[R]{}, false
		}
	}
}

func (e *Event[E, R]) of(m *Modules) *pipeline.Event[E, R] {
	if m.cfg.Extensions {
		return e.extensions
	}
	return e.hooks
}

// counting makes in-place changes of the members in inPlace count: keep adds them to the result.
func (e *Event[E, R]) counting(keep func(r, changed *R) *R, inPlace ...string) *Event[E, R] {
	e.inPlace, e.keep = inPlace, keep
	return e
}

// Name returns the event's name in modules, such as "tool_call".
func (e *Event[E, R]) Name() string { return e.hooks.Info().Name }

// Name returns the event's name in modules, such as "turn_start".
func (n *Notice[E]) Name() string { return n.event.Name() }

// On subscribes a handler, in a factory or later. A handler that is subscribed twice runs twice. remove ends the
// subscription. As in the original, a handler that is subscribed during a fire runs in that fire, unless its turn has
// passed.
func (e *Event[E, R]) On(api *API, h Handler[E, R]) (remove func()) {
	return on(e, api, func(ctx context.Context, in E) (hook.Output[R], error) {
		own := clone(in)
		r, err := h(ctx, own, api.m.contextOf(ctx))
		o := e.output(r)
		o.Notes = e.remarksOnCopy(own, &in, r)
		return o, err
	})
}

// On subscribes a handler; see On of [Event].
func (n *Notice[E]) On(api *API, h func(ctx context.Context, e *E, hc *HookContext) error) (remove func()) {
	return n.event.On(
		api,
		func(ctx context.Context, e *E, hc *HookContext) (*Nothing, error) { return nil, h(ctx, e, hc) },
	)
}

func on[E, R any](e *Event[E, R], api *API, f hook.Func[E, R]) (remove func()) {
	of := hook.Identity{Dialect: e.of(api.m).Info().Dialect, Event: e.Name()}
	return api.module.add(&hook.Hook{Identity: of, Func: f})
}

// output converts a result to the engine's form.
func (e *Event[E, R]) output(r *R) (o hook.Output[R]) {
	if r == nil {
		return o
	}
	o.Specific, o.Set = *r, hook.SetAnswer|hook.SetSpecific
	if e.stops != nil {
		if stops, reason := e.stops(r); stops {
			o.Decision, o.Reason = hook.Block, reason
		}
	}
	return o
}

// Active reports whether a module has a handler for the event.
func (e *Event[E, R]) Active(m *Modules) bool { return e.of(m).Active(m.ses) }

// Active reports whether a module has a handler for the event.
func (n *Notice[E]) Active(m *Modules) bool { return n.event.Active(m) }

// Fire runs the handlers, and returns the result by the event's rule, or nil. *in is not changed.
//
// If the event's rule is to propagate errors, Fire returns the error of a handler. At all other events a handler that
// fails is reported to the listeners, and changes nothing, but in the extension runtime it blocks a tool_call. Fire
// returns [hook.ErrClosed] if the modules or the system are closed. If they are closed while the handlers of a gate
// run, it returns this error unless a handler has blocked. Handlers run even if ctx has ended, because the guarded
// action may go ahead.
//
// Without handlers Fire costs a few nanoseconds and allocates nothing. A gate in Go costs one to two microseconds, and
// about ten allocations.
func (e *Event[E, R]) Fire(ctx context.Context, m *Modules, in *E) (*R, error) {
	ev := e.of(m)
	if !ev.Active(m.ses) {
		return nil, m.gone()
	}
	res, err := ev.Fire(m.firing(ctx), m.ses, in)
	if err != nil {
		return nil, passedOn(ctx, err)
	}
	if e.cutShort(m, &res.Specific) {
		return nil, hook.ErrClosed
	}
	if !gave(&res.Output) {
		return nil, nil
	}
	return &res.Specific, nil
}

// cutShort reports whether the modules were closed while the handlers of a gate ran, before one of them ended the fire:
// the remaining handlers did not run.
func (e *Event[E, R]) cutShort(m *Modules, r *R) bool {
	if e.stops == nil || !m.shut.Load() {
		return false
	}
	stopped, _ := e.stops(r)
	return !stopped
}

// Fire runs the handlers. Those that fail are reported to the listeners.
func (n *Notice[E]) Fire(ctx context.Context, m *Modules, in *E) {
	_, _ = n.event.Fire(ctx, m, in) // a notice returns no error
}

// passedOn returns the error of a handler unchanged. If it only reports that ctx has ended, the handler's name is
// added.
func passedOn(ctx context.Context, err error) error {
	given, failed := cause(err), new(hook.Error)
	if ctx.Err() != nil && errors.Is(given, ctx.Err()) && errors.As(err, &failed) {
		return fmt.Errorf("%s: %w", failed.Hook.Label(), given)
	}
	return given
}

// cause returns a handler's own error, without the handler's name.
func cause(err error) error {
	if failed := new(hook.Error); errors.As(err, &failed) {
		return failed.Err
	}
	return fmt.Errorf("hooks: %w", err)
}
