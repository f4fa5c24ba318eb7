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

// Func is a Go function that JavaScript can call. The argument this is the value to which the function's object is
// bound. The context is the context of the [Module.Call] to which the object is an argument. The context of an Async
// function also ends with the module.
//
// A nil result is undefined; a Value is passed unchanged; any other value is encoded as JSON. An
// error, or a panic, is thrown as an Error with its text.
type Func func(ctx context.Context, this any, args Args) (any, error)

// On converts a function to a Func. The function gets the bound value with its type, T.
func On[T any](f func(ctx context.Context, this T, args Args) (any, error)) Func {
	return func(ctx context.Context, this any, args Args) (any, error) { return f(ctx, this.(T), args) }
}

// Sent is a result that takes much memory. Done is called when JavaScript has received it, or the
// module has ended.
type Sent struct {
	Value any
	Done  func()
}

// Object describes a JavaScript object that Go implements. One description can be used by all modules and all calls,
// and should be a global variable: modules keep every description that they have seen. [Object.Bind] makes an object of
// a description; the description must not be changed afterwards.
type Object struct {
	// Sync functions run on the module's goroutine: JavaScript stops until they
	// return, and their time counts as JavaScript's own. They must not wait for
	// the module.
	Sync map[string]Func

	// Async functions run on goroutines of their own, and JavaScript receives a promise: use them to wait for a person,
	// a process or the module itself. If an AbortSignal anywhere among the arguments is aborted, the context ends.
	Async map[string]Func

	// Around wraps Sync and Async functions in JavaScript. Each text is a JavaScript function, which
	// receives the function that calls Go and returns the function that modules see. If a text
	// cannot be compiled, each use of the object fails.
	Around map[string]string

	// Getters are properties. Each read of a property calls its function, like a Sync function.
	Getters map[string]Func

	// Objects are properties that are objects themselves, bound to the value of the outer object.
	Objects map[string]*Object

	// Values are JavaScript expressions, whose values are properties. They are evaluated at the
	// first read, once for each object.
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
	ctx    context.Context // the context of the object's functions; nil means the context of the call
	err    error
}

// In returns the object with ctx in place of the call's context, for its functions and its
// signal.
func (b Bound) In(ctx context.Context) Bound {
	b.ctx = ctx
	return b
}

// Bind returns a JavaScript object. Its functions get the parameter this when JavaScript calls them. The members of
// values become plain properties; values is nil, a JSON object, or a value that encodes to one.
func (o *Object) Bind(this, values any) Bound {
	text, err := valueOf(values)
	switch {
	case err != nil:
	case text == nil:
		text = Value("null") // null has no properties, and costs less than {}
	case text.Kind() != '{' || !text.IsValid(asJavaScript):
		err = errors.New("the properties are not a JSON object")
	}
	return Bound{object: o, this: this, values: text, err: err}
}

// objectShape is an Object prepared for one module: the numbered list of its functions, and the JavaScript that creates
// the object.
type objectShape struct {
	funcs  []Func
	source string
}

// newShape writes a JavaScript function that receives the functions to call Go, and returns a function that makes the
// object from a token and properties. Members are own properties of the object and can be spread; inner objects are
// created when they are first read.
func newShape(o *Object) *objectShape {
	s := &objectShape{}
	var inner int
	body := s.members(o, &inner)
	variables := "s"
	for i := range inner {
		variables += fmt.Sprintf(", o%d", i)
	}
	s.source = "(({ sync, async, signal, missing }) => (t, p) => { let " + variables + "; return { ...p, " + body + "}; })"
	return s
}

func (s *objectShape) members(o *Object, inner *int) string {
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

// quoted returns name as a property name, in computed form because "__proto__" is special.
func quoted(name string) string { return "[" + literal(name) + "]" }

func literal(s string) string {
	text, _ := jsontext.AppendQuote(nil, s) // invalid UTF-8 becomes U+FFFD
	return string(text)
}
