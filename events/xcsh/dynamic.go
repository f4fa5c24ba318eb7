package xcsh

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/wire"
)

// Dynamic is an event without its types, for modules in other languages and for
// hosts that deal in JSON.
type Dynamic interface {
	// Name is the name in modules: "tool_call".
	Name() string

	// Active reports whether a module has a handler for the event.
	Active(m *Modules) bool

	// FireJSON is Fire with the event as a JSON object, and its result as one, or nil. Members
	// that the event does not have are lost.
	FireJSON(ctx context.Context, m *Modules, event jsontext.Value) (result jsontext.Value, err error)

	// Watched names the members of the event whose change by a handler a runtime reports in
	// [DynamicResult]. It is empty for notices.
	Watched() []string

	onJSON(api *API, h DynamicHandler) (remove func())
	gate() bool // its handlers can block
}

// DynamicHandler answers to an event in JSON. event is an object of its own,
// whose first member is the type.
type DynamicHandler func(ctx context.Context, event wire.Object, hc *HookContext) (DynamicResult, error)

// DynamicResult is the answer of a [DynamicHandler].
type DynamicResult struct {
	// Value is the handler's result. It counts as in JavaScript: nothing, null, false, 0 and "" are
	// no answer; members that say yes or no do so by truthiness, and falsy ones are as good as
	// absent where JavaScript asks for no more.
	Value jsontext.Value

	// Changed has the watched members that the handler has changed in place, as they are now. The
	// content and details of a tool_result and the messages of a context count; of any other the
	// report has a note.
	Changed wire.Object

	// Assigned names the watched members to which the handler has assigned another value. That has
	// no effect, and the report has a note, unless the result has the member.
	Assigned []string
}

// known are all events, in the order of their declaration.
var known []Dynamic

// Events lists the events of the system.
func Events() []Dynamic { return slices.Clone(known) }

// Lookup finds an event by its name.
func Lookup(name string) (Dynamic, bool) {
	i := slices.IndexFunc(known, func(e Dynamic) bool { return e.Name() == name })
	if i < 0 {
		return nil, false
	}
	return known[i], true
}

// OnDynamic subscribes a handler to the event of a name. Any name is accepted;
// one that no event has is for [Modules.Announce].
func OnDynamic(api *API, event string, h DynamicHandler) (remove func()) {
	if e, ok := Lookup(event); ok {
		return e.onJSON(api, h)
	}
	dialect := Dialect
	if api.m.cfg.Extensions {
		dialect = Extensions
	}
	return api.module.subscribe(&hook.Hook{Identity: hook.Identity{Dialect: dialect.Name, Event: event}}, h)
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

// countingChanges returns the members that count when they are changed in place; nil without any.
func (e *Event[E, R]) countingChanges(changed wire.Object) (counting wire.Object) {
	for name, value := range changed.Members() {
		if slices.Contains(e.inPlace, name) {
			counting = counting.With(name, value)
		}
	}
	return counting
}

func (e *Event[E, R]) gate() bool { return e.stops != nil }

// encode returns the event as modules see it.
func (e *Event[E, R]) encode(in E) (wire.Object, error) {
	members, err := wire.Of(in)
	if err != nil {
		return nil, fmt.Errorf("the event %s: %w", e.Name(), err)
	}
	return withType(e.Name(), members), nil
}

func withType(name string, members wire.Object) wire.Object {
	return wire.Object(`{"type":` + string(wire.Quote(name)) + `}`).Merge(members)
}

// decode reads a result that is an answer.
func (e *Event[E, R]) decode(result jsontext.Value) (*R, error) {
	r := new(R)
	if !valid(result) {
		return nil, unusable(fmt.Errorf("the result for %s is no JSON", e.Name()))
	}
	if result.Kind() != '{' {
		return r, nil
	}
	if err := read(wire.Object(result)).Into(r); err != nil {
		return nil, unusable(fmt.Errorf("the result for %s: %w", e.Name(), err))
	}
	return r, nil
}

// unusable is the error of an answer that cannot be used.
func unusable(err error) error { return &hook.ClassError{Class: hook.ClassOutput, Err: err} }

// read returns an object with those members that count, as JavaScript reads them.
func read(o wire.Object) wire.Object {
	as := o
	for name, value := range o.Members() {
		reader := readers[name]
		if reader == nil {
			continue
		}
		if meant := reader(value); meant == nil {
			as = as.Without(name)
		} else if !bytes.Equal(meant, as.Get(name)) { // of a name that is there twice the last counts
			as = as.With(name, meant)
		}
	}
	return as
}

// readers say how members of results are read; nil leaves one out. Those that
// are not listed stay as they are.
var readers map[string]func(jsontext.Value) jsontext.Value

func init() { // a compaction has members of its own
	readers = map[string]func(jsontext.Value) jsontext.Value{
		"block": yesOrNo, "cancel": yesOrNo, "skipConversationRestore": yesOrNo, "isError": yesOrNo,
		"reason": unlessFalsy, "message": unlessFalsy, "messages": unlessFalsy, "summary": unlessFalsy,
		"context": unlessFalsy, "prompt": unlessFalsy, "preserveData": unlessFalsy,
		"compaction": func(v jsontext.Value) jsontext.Value {
			if v = unlessFalsy(v); v.Kind() == '{' {
				v = jsontext.Value(read(wire.Object(v)))
			}
			return v
		},
	}
}

// yesOrNo is a member that is asked whether it is truthy.
func yesOrNo(v jsontext.Value) jsontext.Value {
	if v.Kind() == 'n' {
		return nil
	}
	return jsontext.Value(strconv.FormatBool(truthy(v)))
}

// unlessFalsy is a member that counts if it is truthy.
func unlessFalsy(v jsontext.Value) jsontext.Value {
	if !truthy(v) {
		return nil
	}
	return v
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

func valid(v jsontext.Value) bool {
	return v.IsValid(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
}

// truthy reports whether JavaScript takes v for true.
func truthy(v jsontext.Value) bool {
	switch v.Kind() {
	case 0, 'n', 'f':
		return false
	case '"':
		text, _ := wire.Text(v)
		return text != ""
	case '0':
		var number float64
		return json.Unmarshal(v, &number) != nil || number != 0
	}
	return true
}
