package pipeline

import (
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
func (e *Event[In, Out]) decode(o wire.Object, in *In) error {
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

// roomFor is how much room the JSON of a value needs, by the texts in it, so that
// it does not grow through buffers of half its size. An encoder makes its buffer
// larger when it is three quarters full.
func roomFor(ptr any) int {
	var s sizer
	s.add(reflect.ValueOf(ptr).Elem(), 0)
	return s.bytes + s.bytes/2
}

// mostValues bounds how much of a value is looked at: a large one has few large texts.
const mostValues = 4096

type sizer struct{ bytes, seen int }

func (s *sizer) add(v reflect.Value, depth int) {
	if s.seen++; s.seen > mostValues || depth == deepest {
		return
	}
	switch v.Kind() {
	case reflect.String:
		s.bytes += v.Len() + v.Len()/64
	case reflect.Struct:
		for i := range v.NumField() {
			s.bytes += len(v.Type().Field(i).Name) + len(`"":,`)
			s.add(v.Field(i), depth+1)
		}
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			s.add(v.Elem(), depth+1)
		}
	case reflect.Slice, reflect.Array:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			s.bytes += v.Len()
			return
		}
		for i := 0; i < v.Len() && s.seen <= mostValues; i++ {
			s.add(v.Index(i), depth+1)
		}
	case reflect.Map:
		for entries := v.MapRange(); s.seen <= mostValues && entries.Next(); {
			s.add(entries.Key(), depth+1)
			s.add(entries.Value(), depth+1)
		}
	}
}
