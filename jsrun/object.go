package jsrun

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Func is a Go function that JavaScript can call. this is the value that its object was bound to.
// The context is the context of the [Module.Call] that passed the object as an argument, during
// that call, and ends with the module.
//
// A nil result is undefined; a Value is passed unchanged; any other value is encoded as JSON. An
// error, or a panic, is thrown as an Error with its text.
type Func func(ctx context.Context, this any, args Args) (any, error)

// On makes a Func of a function that takes the bound value by its type.
func On[T any](f func(ctx context.Context, this T, args Args) (any, error)) Func {
	return func(ctx context.Context, this any, args Args) (any, error) { return f(ctx, this.(T), args) }
}

// Sent is a result that takes much memory. Done is called when JavaScript has it, or
// the module has ended.
type Sent struct {
	Value any
	Done  func()
}

// Object describes a JavaScript object that Go implements. One description
// serves all modules and all calls, and belongs in a variable: modules keep
// every one that they have seen. [Object.Bind] makes an object of it. It must
// not be changed once it was bound.
type Object struct {
	// Sync functions run on the module's goroutine: JavaScript stops until they
	// return, and their time counts as JavaScript's own. They must not wait for
	// the module.
	Sync map[string]Func

	// Async functions run on goroutines of their own, and JavaScript receives a promise: use them
	// to wait for a person, a process or the module itself. An AbortSignal anywhere among the
	// arguments ends the context.
	Async map[string]Func

	// Around wraps Sync and Async functions in JavaScript: each text returns a function that
	// takes the function calling Go, and returns the member of the object. An error in a text is
	// an error of every use of the object.
	Around map[string]string

	// Getters are properties whose value is asked for each time they are read,
	// as Sync functions are.
	Getters map[string]Func

	// Objects are properties that are such objects themselves, bound to the same.
	Objects map[string]*Object

	// Values are texts of JavaScript, expressions whose values the properties have.
	// They are evaluated when they are looked at, once for each object.
	Values map[string]string

	// Missing maps names of absent properties to reasons: such a property can be read, and any
	// use of its value throws an Error with the reason.
	Missing map[string]string

	// Signal is the name of a property that is an AbortSignal, aborted when the
	// context of the call ends before the call does. Empty means none.
	Signal string
}

// Bound is an Object with its bound value.
type Bound struct {
	object *Object
	this   any
	values Value
	ctx    context.Context // of its functions; nil means the call's
	err    error
}

// In returns the object with ctx in place of the call's context, for its functions and its
// signal.
func (b Bound) In(ctx context.Context) Bound {
	b.ctx = ctx
	return b
}

// Bind returns a JavaScript object. Its functions are called with this; values (nil, a JSON
// object, or a value that encodes to one) become plain properties.
func (o *Object) Bind(this, values any) Bound {
	text, err := valueOf(values)
	switch {
	case err != nil:
	case text == nil:
		text = Value("null") // which has no properties, and costs less than {}
	case text.Kind() != '{' || !text.IsValid(asJavaScript):
		err = errors.New("the properties are no JSON object")
	}
	return Bound{object: o, this: this, values: text, err: err}
}

// shape is an Object as one module knows it: its functions numbered, and the
// JavaScript that makes one.
type shape struct {
	funcs  []Func
	source string
}

// newShape writes a function of JavaScript that takes the ways to call Go and
// returns one that takes a token and properties, and returns the object. Members
// are the object's own, so that they can be spread; inner objects are made
// when they are looked at.
func newShape(o *Object) *shape {
	s := &shape{}
	var inner int
	body := s.members(o, &inner)
	variables := "s"
	for i := range inner {
		variables += fmt.Sprintf(", o%d", i)
	}
	s.source = "(({ sync, async, signal, missing }) => (t, p) => { let " + variables + "; return { ...p, " + body + "}; })"
	return s
}

func (s *shape) members(o *Object, inner *int) string {
	var b strings.Builder
	each := func(funcs map[string]Func, property, call string) {
		for _, name := range slices.Sorted(maps.Keys(funcs)) {
			text := fmt.Sprintf(call, len(s.funcs))
			if around := o.Around[name]; around != "" {
				text = fmt.Sprintf("(%s)(%s)", around, text)
			}
			fmt.Fprintf(&b, property, quoted(name), text)
			s.funcs = append(s.funcs, funcs[name])
		}
	}
	each(o.Sync, "%s: %s, ", "(...a) => sync(t, %d, a)")
	each(o.Async, "%s: %s, ", "(...a) => async(t, %d, a)")
	each(o.Getters, "get %s() { return %s; }, ", "sync(t, %d, [])")
	for _, name := range slices.Sorted(maps.Keys(o.Objects)) {
		n := *inner
		*inner++
		fmt.Fprintf(&b, "get %s() { return o%d ??= { %s}; }, ", quoted(name), n, s.members(o.Objects[name], inner))
	}
	for _, name := range slices.Sorted(maps.Keys(o.Values)) {
		n := *inner
		*inner++
		fmt.Fprintf(&b, "get %s() { return o%d ??= (%s); }, ", quoted(name), n, o.Values[name])
	}
	for _, name := range slices.Sorted(maps.Keys(o.Missing)) {
		fmt.Fprintf(&b, "%s: missing(%s), ", quoted(name), literal(o.Missing[name]))
	}
	if o.Signal != "" {
		fmt.Fprintf(&b, "get %s() { return s ??= signal(t); }, ", quoted(o.Signal))
	}
	return b.String()
}

// quoted is name as a property name: computed, since "__proto__" is special.
func quoted(name string) string { return "[" + literal(name) + "]" }

// results are the names that prelude.js wants to know, as JSON.
func (o Options) results() string {
	list := func(names []string) string {
		all := make([]string, len(names))
		for i, name := range names {
			all[i] = literal(name)
		}
		return "[" + strings.Join(all, ",") + "]"
	}
	watched := make([]string, 0, len(o.Watched))
	for _, kind := range slices.Sorted(maps.Keys(o.Watched)) {
		watched = append(watched, literal(kind)+":"+list(o.Watched[kind]))
	}
	return `{"members":` + list(o.Members) + `,"flags":` + list(o.Flags) +
		`,"watched":{` + strings.Join(watched, ",") + `}}`
}

func literal(s string) string {
	text, _ := jsontext.AppendQuote(nil, s) // invalid UTF-8 becomes U+FFFD
	return string(text)
}
