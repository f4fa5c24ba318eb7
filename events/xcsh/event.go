package xcsh

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/unread"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/reducers"
	"github.com/snaphook-go/snaphook/wire"
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

// FireResult fires the event like [Event.Fire], and returns the report of each handler too. The result is never nil; a
// handler has answered if its Set has [hook.SetSpecific].
func (e *Event[E, R]) FireResult(ctx context.Context, m *Modules, in *E) (*hook.Result[R], error) {
	ses := m.ses
	if m.shut.Load() {
		ses = nil // closed modules: fire without a session
	}
	res, err := e.of(m).Fire(m.firing(ctx), ses, in)
	if ses == nil {
		return res, hook.ErrClosed
	}
	if err != nil {
		return res, passedOn(ctx, err)
	}
	if e.cutShort(m, &res.Specific) {
		denied, _ := e.of(m).Fire(m.firing(ctx), nil, in) // a fire without a session runs no handler, and returns the denial
		denied.Reports = res.Reports
		return denied, hook.ErrClosed
	}
	return res, nil
}

// Outcome classifies the run of a handler in one word.
func (e *Event[E, R]) Outcome(m *Modules, r *hook.Report[R]) pipeline.Outcome {
	return e.of(m).Outcome(r)
}

// Declared returns the event's declarations, in the hook runtime and in the extension runtime.
func (e *Event[E, R]) Declared() [2]pipeline.Declared {
	return [2]pipeline.Declared{e.hooks, e.extensions}
}

func (e *Event[E, R]) onJSON(api *API, h DynamicHandler) (remove func()) {
	return on(e, api, func(ctx context.Context, in E) (hook.Output[R], error) {
		event, err := e.encode(in)
		if err != nil {
			return hook.Output[R]{}, err
		}
		answer, err := h(ctx, event, api.m.contextOf(ctx))
		if err != nil {
			return hook.Output[R]{}, err
		}
		return e.dynamicOutput(answer)
	})
}

// dynamicOutput converts the answer of a handler in another language.
func (e *Event[E, R]) dynamicOutput(answer DynamicResult) (o hook.Output[R], err error) {
	var r *R
	if truthy(answer.Value) {
		if r, err = e.decode(answer.Value); err != nil {
			return o, err
		}
	}
	if counting := e.countingChanges(answer.Changed); counting != nil {
		changed, err := e.decode(jsontext.Value(counting))
		if err != nil {
			return o, err
		}
		r = e.keep(r, changed)
	}
	o = e.output(r)
	o.Notes = e.remarks(&answer)
	return o, nil
}

// countingChanges returns the changed members with an effect, or nil.
func (e *Event[E, R]) countingChanges(changed wire.Object) (counting wire.Object) {
	for name, value := range changed.Unique().Members() {
		if slices.Contains(e.inPlace, name) {
			counting = counting.With(name, value)
		}
	}
	return counting
}

func (e *Event[E, R]) gate() bool { return e.stops != nil }

// encode returns the event in the form that modules get.
func (e *Event[E, R]) encode(in E) (wire.Object, error) {
	members, err := wire.Of(in)
	if err != nil {
		return nil, fmt.Errorf("the event %s: %w", e.Name(), err)
	}
	return withType(e.Name(), members), nil
}

// decode reads a result.
func (e *Event[E, R]) decode(result jsontext.Value) (*R, error) {
	r := new(R)
	if !valid(result) {
		return nil, unusable(fmt.Errorf("the result for %s is not JSON", e.Name()))
	}
	if result.Kind() != '{' {
		return r, nil
	}
	if err := read(wire.Object(result)).Into(r); err != nil {
		return nil, unusable(fmt.Errorf("the result for %s: %w", e.Name(), err))
	}
	return r, nil
}

// FireJSON implements [Dynamic].
func (e *Event[E, R]) FireJSON(ctx context.Context, m *Modules, event jsontext.Value) (jsontext.Value, error) {
	var in E
	if !valid(event) || event.Kind() != '{' {
		return nil, fmt.Errorf("the event %s is not a JSON object", e.Name())
	}
	if err := wire.Object(event).Without("type").Into(&in); err != nil {
		return nil, fmt.Errorf("the event %s: %w", e.Name(), err)
	}
	r, err := e.Fire(ctx, m, &in)
	if err != nil || r == nil {
		return nil, err
	}
	return json.Marshal(r, jsontext.AllowInvalidUTF8(true), json.Deterministic(true))
}

// Watched implements [Dynamic].
func (e *Event[E, R]) Watched() []string { return slices.Clone(e.watched) }

// remarks returns the notes on an answer: members and changes that have no effect.
func (e *Event[E, R]) remarks(answer *DynamicResult) (notes []string) {
	if len(e.members) == 0 {
		return nil
	}
	if truthy(answer.Value) {
		notes = e.remarksOnValue(answer.Value)
	}
	for name := range answer.Changed.Members() {
		if !slices.Contains(e.inPlace, name) {
			notes = append(notes, e.vain("changed", name))
		}
	}
	for _, name := range answer.Assigned {
		if wire.Object(answer.Value).Get(name) == nil {
			notes = append(notes, e.vain("assigned to", name))
		}
	}
	return notes
}

// mostRemarks limits the notes of each kind on one result.
const mostRemarks = 32

// remarksOnValue returns the notes on a result that is an answer.
func (e *Event[E, R]) remarksOnValue(value jsontext.Value) (notes []string) {
	if value.Kind() != '{' {
		return []string{fmt.Sprintf("its result is %s, which has no effect; return %s",
			wire.KindName(value.Kind()), e.form())}
	}
	known := e.members
	// A result with several members of the event is the event, returned by the handler; a single member is an attempt
	// to rewrite the event, which has no effect.
	has := func(name string) bool { return wire.Object(value).Get(name) != nil }
	isEvent := lo.CountBy(lo.Without(e.watched, known...), has) > 1
	spelt := lo.KeyBy(known, folded)
	var near, others []string
	left := 0
	note := func(to *[]string, format string, args ...any) {
		if len(*to) < mostRemarks {
			*to = append(*to, fmt.Sprintf(format, args...))
		} else {
			left++
		}
	}
	for name, member := range wire.Object(value).Members() {
		if slices.Contains(known, name) {
			continue
		}
		meant, isNear := spelt[folded(name)]
		switch denies := unread.DeniesFormally(slices.Concat(wire.Quote(name), []byte(":"), member)); {
		case isNear:
			note(&near, "%.60q of its result has no effect; write %q", name, meant)
		case denies:
			note(&near, "%.60q of its result looks like a denial, but has no effect; return %s", name, e.form())
		case e.stops != nil && name != "type" && !(isEvent && slices.Contains(e.watched, name)):
			note(&others, "%.60q of its result has no effect; return %s", name, e.form())
		}
	}
	if left > 0 {
		near = append(near, fmt.Sprintf("%d more members of its result have no effect", left))
	}
	block := wire.Object(value).Get("block")
	if e.stops != nil && slices.Contains(known, "reason") && truthy(wire.Object(value).Get("reason")) && (block == nil || block.Kind() == 'n') {
		notes = append(notes, "its result has a reason but no block: true, and therefore blocks nothing")
	}
	return slices.Concat(near, notes, others)
}

// remarksOnCopy returns the notes on changes of a Go handler to its copy of the event, for events
// whose copies can be compared.
func (e *Event[E, R]) remarksOnCopy(own, from *E, r *R) (notes []string) {
	event, ok := any(own).(interface{ changed(from *E) []string })
	if !ok {
		return nil
	}
	names := event.changed(from)
	if len(names) == 0 {
		return nil
	}
	var result wire.Object
	if r != nil {
		result, _ = wire.Of(*r)
	}
	for _, name := range names {
		if result.Get(name) == nil {
			notes = append(notes, e.vain("changed", name))
		}
	}
	return notes
}

// form returns a description of the event's results in JavaScript.
func (e *Event[E, R]) form() string {
	names := slices.Clone(e.members)
	if e.stops != nil {
		names[0] += ": true"
	}
	return "{" + strings.Join(names, ", ") + "}"
}

// vain returns the note about a change of the event that has no effect.
func (e *Event[E, R]) vain(how, name string) string {
	note := fmt.Sprintf("it %s %q of the event, which has no effect", how, name)
	switch {
	case slices.Contains(e.members, name):
		note += "; return {" + name + "}"
	case e.stops != nil:
		note += "; return " + e.form() + " to refuse it"
	}
	return note
}

// Fire runs the handlers. Those that fail are reported to the listeners.
func (n *Notice[E]) Fire(ctx context.Context, m *Modules, in *E) {
	_, _ = n.event.Fire(ctx, m, in) // a notice returns no error
}

// FireResult fires the notice like [Notice.Fire], and returns the report of each handler.
func (n *Notice[E]) FireResult(ctx context.Context, m *Modules, in *E) *hook.Result[Nothing] {
	res, _ := n.event.FireResult(ctx, m, in) // a notice returns no error
	return res
}

// Outcome classifies the run of a handler in one word.
func (n *Notice[E]) Outcome(m *Modules, r *hook.Report[Nothing]) pipeline.Outcome {
	return n.event.Outcome(m, r)
}

// Declared returns the event's declarations, in the hook runtime and in the extension runtime.
func (n *Notice[E]) Declared() [2]pipeline.Declared { return n.event.Declared() }

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
