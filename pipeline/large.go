package pipeline

import (
	"bytes"
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/wire"
)

// An input can be as large as a file that a tool writes. What is here keeps the
// number of its copies small.

// large is from where on an input's text is not copied.
const large = 64 << 10

// decode decodes the members of an input that are not the engine's to give.
func (e *definition) decode(o wire.Object, in any) error {
	if len(o) < large {
		return o.Without(e.dialect.BaseNames...).Into(in)
	}
	embedded, all := embeddedIn(reflect.ValueOf(in).Elem(), e.dialect.BaseNames)
	if !all {
		return json.Unmarshal(o.Without(e.dialect.BaseNames...), in, lenient, shared)
	}
	if err := json.Unmarshal(o, in, lenient, shared); err != nil {
		return err
	}
	for _, extra := range embedded {
		if own := wire.Object(*extra).Without(e.dialect.BaseNames...); own.IsEmpty() {
			*extra = nil
		} else {
			*extra = jsontext.Value(own)
		}
	}
	return nil
}

// embeddedIn returns where a struct keeps members that it has no field for; all is
// false if others of those names can be elsewhere.
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

// shared makes JSON text in a value a part of the text that is decoded.
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

// decodeInput reads an event's input from JSON, without the members that are
// the engine's to give.
func (e *definition) decodeInput(text []byte, in any) error {
	if err := wire.CheckValue(text); err != nil {
		return &InputError{Event: e.info().FullName(), Err: err}
	}
	o := wire.Object(bytes.TrimSpace(text))
	if !o.IsObject() || len(o) == 0 {
		return &InputError{Event: e.info().FullName(), Err: fmt.Errorf("the input is not a JSON object")}
	}
	if err := e.decode(o, in); err != nil {
		return &InputError{Event: e.info().FullName(), Err: inputError(text, err)}
	}
	if err := e.checkIn(in); err != nil {
		return &InputError{Event: e.info().FullName(), Err: err}
	}
	return nil
}
