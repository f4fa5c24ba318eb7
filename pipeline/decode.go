package pipeline

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/wire"
)

// large is the length, in bytes, from which an input's text is shared instead of copied.
const large = 64 << 10

// decode decodes the members of an input, except those that the engine sets, whose names are in base.
func decode(o wire.Object, in any, base []string) error {
	if len(o) < large {
		return o.Without(base...).Into(in)
	}
	embedded, all := embeddedIn(reflect.ValueOf(in).Elem(), base)
	if !all {
		return json.Unmarshal(o.Without(base...), in, lenient, shared)
	}
	if err := json.Unmarshal(o, in, lenient, shared); err != nil {
		return err
	}
	for _, extra := range embedded {
		if own := wire.Object(*extra).Without(base...); own.IsEmpty() {
			*extra = nil
		} else {
			*extra = jsontext.Value(own)
		}
	}
	return nil
}

// embeddedIn returns the fields of a struct that collect members without a field of their own. all is false if a member
// whose name is in names can also be stored in another field.
func embeddedIn(v reflect.Value, names []string) (embedded []*jsontext.Value, all bool) {
	if v.Kind() != reflect.Struct {
		return nil, false
	}
	for i := range v.NumField() {
		f := v.Type().Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			more, all := embeddedIn(v.Field(i), names)
			if embedded = append(embedded, more...); !all {
				return nil, false
			}
		case f.Type == valueType && strings.Contains(options, "embed"):
			embedded = append(embedded, v.Field(i).Addr().Interface().(*jsontext.Value))
		case slices.Contains(names, cmp.Or(name, f.Name)), strings.Contains(options, "embed"):
			return nil, false
		}
	}
	return embedded, true
}

// shared decodes JSON text as a slice of the decoded text, without a copy.
var shared = json.WithUnmarshalers(json.JoinUnmarshalers(
	json.UnmarshalFromFunc(func(d *jsontext.Decoder, o *wire.Object) error {
		value, err := d.ReadValue()
		if err != nil {
			return err
		}
		if kind := value.Kind(); kind != '{' {
			return fmt.Errorf("got %s, want an object", wire.KindName(kind))
		}
		*o = wire.Object(value[:len(value):len(value)])
		return nil
	}),
	json.UnmarshalFromFunc(func(d *jsontext.Decoder, v *jsontext.Value) error {
		value, err := d.ReadValue()
		*v = value[:len(value):len(value)]
		return err
	}),
))

// decodeInput reads an event's input from JSON, without the members that the engine sets.
func decodeInput(e *definition, text []byte, in any) error {
	if err := wire.CheckValue(text); err != nil {
		return &InputError{Event: e.full, Err: err}
	}
	o := wire.Object(bytes.TrimSpace(text))
	if !o.IsObject() || len(o) == 0 {
		kind := wire.KindName(jsontext.Value(o).Kind())
		return &InputError{Event: e.full, Err: fmt.Errorf("got %s, want an object with the event's fields", kind)}
	}
	if err := decode(o, in, e.dialect.BaseNames); err != nil {
		return &InputError{Event: e.full, Err: inputError(text, err)}
	}
	if e.on.check.given() {
		if err, wrong := e.on.check.call(in)[0].Interface().(error); wrong {
			return &InputError{Event: e.full, Err: err}
		}
	}
	return nil
}

// InputError reports an input that does not fit the event.
type InputError = hook.InputError

// lenient are the options with which inputs are read.
var lenient = json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))

// inputError rewords a decoding error without names of Go types, and adds the position in the text.
func inputError(text []byte, err error) error {
	var se *json.SemanticError
	if !errors.As(err, &se) {
		return err
	}
	where := strings.ReplaceAll(strings.TrimPrefix(string(se.JSONPointer), "/"), "/", ".")
	if at := find(text, se.JSONPointer); at >= 0 {
		where = wire.Position(text, at) + ": " + where
	}
	switch {
	case errors.Is(se.Err, strconv.ErrSyntax):
		return fmt.Errorf("%s: %s is not a whole number", where, se.JSONValue)
	case errors.Is(se.Err, strconv.ErrRange):
		return fmt.Errorf("%s: %s is too large or too small", where, se.JSONValue)
	case se.Err != nil:
		return fmt.Errorf("%s: %w", where, se.Err)
	case se.GoType == nil:
		return fmt.Errorf("%s: %s cannot be used", where, wire.KindName(se.JSONKind))
	}
	return fmt.Errorf("%s: got %s, want %s", where, wire.KindName(se.JSONKind), wire.Wanted(se.GoType))
}

// find returns the offset in the JSON text of the last value with that pointer, or -1.
func find(text []byte, pointer jsontext.Pointer) (at int) {
	at = -1
	d := jsontext.NewDecoder(bytes.NewReader(text), lenient)
	for {
		rest := text[d.InputOffset():]
		token, err := d.ReadToken()
		if err != nil {
			return at
		}
		if ends := token.Kind() == '}' || token.Kind() == ']'; d.StackPointer() == pointer && !ends {
			at = len(text) - len(bytes.TrimLeft(rest, " \t\r\n,:"))
		}
	}
}
