package hooktest

import (
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/wire"
)

// Values generates values of T for the functions of this package that take a generator: all exported fields, decisions
// in the words that hooks use, and, for fields with JSON text, texts with numbers beyond float64 and unknown members.
// Types that it cannot generate, such as functions, are zero.
func Values[T any]() *rapid.Generator[T] {
	if reflect.TypeFor[T]().Size() == 0 {
		return rapid.Just(*new(T)) // there is nothing to draw
	}
	return rapid.Custom(func(t *rapid.T) (v T) {
		rapid.Bool().Draw(t, "a value") // rapid requires a draw, even if no field can be drawn
		fill(t, reflect.ValueOf(&v).Elem(), 0, false)
		return v
	})
}

// orValues returns gen, or [Values] if gen is nil.
func orValues[T any](gen *rapid.Generator[T]) *rapid.Generator[T] {
	if gen != nil {
		return gen
	}
	return Values[T]()
}

var (
	objectType   = reflect.TypeFor[wire.Object]()
	valueType    = reflect.TypeFor[jsontext.Value]()
	decisionType = reflect.TypeFor[hook.Decision]()
)

// deepest limits the nesting of values.
const deepest = 8

// fill draws a value. If embedded is set, JSON text is always an object, because the JSON of its parent embeds it.
func fill(t *rapid.T, v reflect.Value, depth int, embedded bool) {
	switch {
	case v.Type() == objectType || v.Type() == valueType && embedded:
		if rapid.Bool().Draw(t, "there") {
			v.SetBytes([]byte(drawObject(t, 0)))
		}
	case v.Type() == valueType:
		if rapid.Bool().Draw(t, "there") {
			v.SetBytes([]byte(drawJSON(t, 0)))
		}
	case v.Type() == decisionType:
		v.SetString(string(decisions.Draw(t, "decision")))
	case depth < deepest:
		fillKind(t, v, depth+1)
	}
}

func fillKind(t *rapid.T, v reflect.Value, depth int) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(texts.Draw(t, "text"))
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(t, "bool"))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(rapid.Int8().Draw(t, "int")))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(rapid.Uint8().Draw(t, "uint")))
	case reflect.Float32, reflect.Float64:
		v.SetFloat(float64(rapid.Int16().Draw(t, "float")) / 4)
	case reflect.Pointer:
		if rapid.Bool().Draw(t, "there") {
			v.Set(reflect.New(v.Type().Elem()))
			fill(t, v.Elem(), depth, false)
		}
	case reflect.Slice:
		fillSlice(t, v, depth)
	case reflect.Map:
		fillMap(t, v, depth)
	case reflect.Array:
		for i := range v.Len() {
			fill(t, v.Index(i), depth, false)
		}
	case reflect.Struct:
		for field, f := range v.Fields() {
			if field.IsExported() {
				fill(t, f, depth, slices.Contains(strings.Split(field.Tag.Get("json"), ","), "embed"))
			}
		}
	case reflect.Interface:
		if v.NumMethod() == 0 {
			v.Set(reflect.ValueOf(texts.Draw(t, "any")))
		}
	}
}

func fillSlice(t *rapid.T, v reflect.Value, depth int) {
	n := rapid.IntRange(-1, 2).Draw(t, "length")
	if n < 0 || depth >= deepest {
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), n, n))
	for i := range n {
		fill(t, v.Index(i), depth, true)
	}
}

func fillMap(t *rapid.T, v reflect.Value, depth int) {
	n := rapid.IntRange(-1, 2).Draw(t, "length")
	if n < 0 || depth >= deepest {
		return
	}
	v.Set(reflect.MakeMap(v.Type()))
	for range n {
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(t, key, depth, false)
		fill(t, value, depth, true)
		v.SetMapIndex(key, value)
	}
}

var (
	texts     = rapid.SampledFrom([]string{"", "a", "b", "two\nlines", "größe", "<&>\u2028", `"quoted\"`})
	decisions = rapid.SampledFrom([]hook.Decision{
		hook.Undecided, hook.Allow, hook.Approve, hook.Ask, hook.Defer, hook.Block, hook.Deny,
	})
	// numbers are texts of numbers, some of which a float64 cannot hold.
	numbers = rapid.SampledFrom([]string{"0", "-1", "0.1", "12345678901234567890", "1e400", "0.10000000000000000001"})
	names   = rapid.SampledFrom([]string{"x_a", "x_b", "x_größe", "x y", "x_\\n"})
)

// drawObject draws the text of an object. No member has the name of a field.
func drawObject(t *rapid.T, depth int) string {
	var members []string
	for _, name := range rapid.SliceOfNDistinct(names, 0, 3, rapid.ID[string]).Draw(t, "members") {
		members = append(members, `"`+name+`":`+drawJSON(t, depth+1))
	}
	return "{" + strings.Join(members, ",") + "}"
}

// drawJSON draws the text of a JSON value.
func drawJSON(t *rapid.T, depth int) string {
	switch rapid.IntRange(0, 6).Draw(t, "kind") {
	case 0:
		return "null"
	case 1:
		return "true"
	case 2, 3:
		return numbers.Draw(t, "number")
	case 4:
		if depth < 3 {
			return drawObject(t, depth)
		}
	case 5:
		if depth < 3 {
			return "[" + drawJSON(t, depth+1) + "," + drawJSON(t, depth+1) + "]"
		}
	}
	return string(wire.Quote(texts.Draw(t, "text")))
}
