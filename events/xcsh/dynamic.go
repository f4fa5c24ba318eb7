package xcsh

import (
	"bytes"
	"context"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/wire"
)

// Dynamic is an event without its types, for modules in other languages and for hosts that use
// JSON.
type Dynamic interface {
	// Name returns the event's name in modules, such as "tool_call".
	Name() string

	// Active reports whether a module has a handler for the event.
	Active(m *Modules) bool

	// FireJSON fires the event with a JSON object, and returns the result as an object, or nil.
	// Members that the event does not have are ignored.
	FireJSON(ctx context.Context, m *Modules, event jsontext.Value) (result jsontext.Value, err error)

	// Watched returns the names of the watched members of the event: if a handler changes one of them, [DynamicResult]
	// reports the change. A notice has no watched members.
	Watched() []string

	onJSON(api *API, h DynamicHandler) (remove func())
	gate() bool // its handlers can block
}

// DynamicHandler answers an event in JSON. event is a separate copy, whose first member is the
// type.
type DynamicHandler func(ctx context.Context, event wire.Object, hc *HookContext) (DynamicResult, error)

// DynamicResult is the answer of a [DynamicHandler].
type DynamicResult struct {
	// Value is the handler's result, read as in JavaScript: nothing, null, false, 0 and "" are no answer. Boolean
	// members are read by truthiness. Members that JavaScript checks only for truthiness count as absent if they are
	// falsy.
	Value jsontext.Value

	// Changed holds the watched members that the handler has changed in place, with their new values. Changes of
	// content and details of a tool_result, and of the messages of a context, have an effect; for all others the report
	// has a note.
	Changed wire.Object

	// Assigned names the watched members to which the handler has assigned another value. The assignment has no effect:
	// unless the result has the member too, the report has a note.
	Assigned []string
}

// known lists all events, in the order of their declaration.
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

// OnDynamic subscribes a handler to the named event. Any name is accepted; names that are not events of the system are
// for [Modules.Announce].
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

func withType(name string, members wire.Object) wire.Object {
	return wire.Object(`{"type":` + string(wire.Quote(name)) + `}`).Merge(members)
}

// unusable returns the error of an answer that cannot be used.
func unusable(err error) error { return &hook.ClassError{Class: hook.ClassOutput, Err: err} }

// read returns an object with the members that have an effect, read as in JavaScript; those of its member compaction
// too.
func read(o wire.Object) wire.Object {
	as := readMembers(o)
	if inner := as.Get("compaction"); inner.Kind() == '{' {
		as = as.With("compaction", jsontext.Value(readMembers(wire.Object(inner))))
	}
	return as
}

func readMembers(o wire.Object) wire.Object {
	o = o.Unique()
	as := o
	for name, value := range o.Members() {
		reader := readers[name]
		if reader == nil {
			continue
		}
		if meant := reader(value); meant == nil {
			as = as.Without(name)
		} else if !bytes.Equal(meant, as.Get(name)) {
			as = as.With(name, meant)
		}
	}
	return as
}

// readers maps members of results to functions that read them. A function that returns nil leaves the member out.
// Members that are not listed stay as they are.
var readers = map[string]func(jsontext.Value) jsontext.Value{
	"block": yesOrNo, "cancel": yesOrNo, "skipConversationRestore": yesOrNo, "isError": yesOrNo,
	"reason": unlessFalsy, "message": unlessFalsy, "messages": unlessFalsy, "summary": unlessFalsy,
	"context": unlessFalsy, "prompt": unlessFalsy, "preserveData": unlessFalsy, "compaction": unlessFalsy,
}

// yesOrNo reads a member by its truthiness.
func yesOrNo(v jsontext.Value) jsontext.Value {
	if v.Kind() == 'n' {
		return nil
	}
	return jsontext.Value(strconv.FormatBool(truthy(v)))
}

// unlessFalsy leaves a member out if it is falsy.
func unlessFalsy(v jsontext.Value) jsontext.Value {
	if !truthy(v) {
		return nil
	}
	return v
}

func valid(v jsontext.Value) bool {
	return v.IsValid(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
}

// truthy reports whether a value is true in a condition of JavaScript.
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
