package pipeline

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/wire"
)

// jsonCheck finds JSON text in the values of a type, at any depth, and reports text that is invalid. The declaration of
// an event builds its jsonChecks. Checking a valid value allocates nothing.
type jsonCheck struct {
	leaf   func(jsontext.Value) error // checks JSON text itself
	fields []field                    // the fields of a struct
	elem   *jsonCheck                 // checks the target of a pointer, or the elements of a list or a map
}

type field struct {
	index int
	name  string // the path of the field; "" for an embedded struct
	check *jsonCheck
}

// deepest limits the depth of the walk: a value can contain itself.
const deepest = 100

var (
	objectType = reflect.TypeFor[wire.Object]()
	valueType  = reflect.TypeFor[jsontext.Value]()
)

// checkOf returns the check of a type; nil if its values hold no JSON text.
func checkOf(t reflect.Type) *jsonCheck { return checks{}.of(t) }

// checks holds the checks of the types visited so far: a type can contain itself.
type checks map[reflect.Type]*jsonCheck

func (all checks) of(t reflect.Type) *jsonCheck {
	switch {
	case t == objectType:
		return &jsonCheck{leaf: checkObject}
	case t == valueType:
		return &jsonCheck{leaf: checkAny}
	case !reaches(t, map[reflect.Type]bool{}):
		return nil
	}
	if known := all[t]; known != nil {
		return known
	}
	c := &jsonCheck{}
	all[t] = c
	if t.Kind() == reflect.Struct {
		c.fields = all.fields(t)
	} else {
		c.elem = all.of(t.Elem())
	}
	return c
}

func (all checks) fields(t reflect.Type) (fields []field) {
	for i := range t.NumField() {
		f := t.Field(i)
		if !f.IsExported() && !f.Anonymous {
			continue
		}
		c := all.of(f.Type)
		if c == nil {
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-":
			continue
		case f.Type == valueType && strings.Contains(options, "embed"):
			c, name = &jsonCheck{leaf: checkObject}, f.Name
		case f.Anonymous:
			name = ""
		case name == "":
			name = f.Name
		}
		fields = append(fields, field{index: i, name: name, check: c})
	}
	return fields
}

// reaches reports whether values of a type can hold JSON text.
func reaches(t reflect.Type, seen map[reflect.Type]bool) bool {
	if t == objectType || t == valueType {
		return true
	}
	if seen[t] {
		return false
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			if reaches(t.Field(i).Type, seen) {
				return true
			}
		}
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return reaches(t.Elem(), seen)
	}
	return false
}

func checkAny(text jsontext.Value) error {
	if len(text) == 0 {
		return nil
	}
	return wire.CheckValue(text)
}

// wrong is an invalid value: its path, such as "tool_input", and the error.
type wrong struct {
	path string
	err  error
}

func (w *wrong) Error() string { return w.path + ": " + w.err.Error() }

func (w *wrong) Unwrap() error { return w.err }

// below prefixes the path with part.
func (w *wrong) below(part string) *wrong {
	switch {
	case w == nil || part == "":
	case w.path == "" || w.path[0] == '[':
		w.path = part + w.path
	default:
		w.path = part + "." + w.path
	}
	return w
}

// of returns the first mistake in a value, or nil.
func (c *jsonCheck) of(v reflect.Value, depth int) *wrong {
	if c.leaf != nil {
		if err := c.leaf(v.Bytes()); err != nil {
			return &wrong{err: err}
		}
		return nil
	}
	if depth == deepest {
		return nil // the value contains itself; encoding it returns a better error
	}
	switch v.Kind() {
	case reflect.Struct:
		for _, f := range c.fields {
			if w := f.check.of(v.Field(f.index), depth+1); w != nil {
				return w.below(f.name)
			}
		}
	case reflect.Pointer:
		if !v.IsNil() {
			return c.elem.of(v.Elem(), depth+1)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if w := c.elem.of(v.Index(i), depth+1); w != nil {
				return w.below("[" + strconv.Itoa(i) + "]")
			}
		}
	case reflect.Map:
		for entries := v.MapRange(); entries.Next(); {
			if w := c.elem.of(entries.Value(), depth+1); w != nil {
				return w.below(fmt.Sprint(entries.Key()))
			}
		}
	}
	return nil
}

// checked returns the first mistake in the JSON text that ptr leads to, or nil.
func (c *jsonCheck) checked(ptr any) error {
	if c == nil {
		return nil
	}
	if w := c.of(reflect.ValueOf(ptr).Elem(), 0); w != nil {
		return w
	}
	return nil
}

func checkObject(text jsontext.Value) error { return wire.Object(text).Check() }
