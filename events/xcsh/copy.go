package xcsh

import (
	"reflect"
	"slices"

	"github.com/snaphook-go/snaphook/wire"
)

// clone returns a deep copy.
func clone[E any](e E) *E {
	own := &e
	if frequent, ok := any(own).(interface{ own() }); ok {
		frequent.own()
	} else {
		deepen(reflect.ValueOf(own).Elem())
	}
	return own
}

// The methods named own copy the most frequent events without reflection.

// ownObjects copies a list of objects into one piece of memory.
func ownObjects[T any](list []T, object func(*T) *wire.Object) []T {
	list = slices.Clone(list)
	size := 0
	for i := range list {
		size += len(*object(&list[i]))
	}
	text := make([]byte, 0, size)
	for i := range list {
		o := object(&list[i])
		at := len(text)
		text = append(text, *o...)
		*o = text[at:len(text):len(text)]
	}
	return list
}

// deepen copies the parts that v shares with its original.
func deepen(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			deepen(v.Field(i))
		}
	case reflect.Slice:
		if v.IsNil() {
			return
		}
		own := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(own, v)
		v.Set(own)
		if !flat(v.Type().Elem().Kind()) {
			for i := range own.Len() {
				deepen(own.Index(i))
			}
		}
	case reflect.Pointer:
		if v.IsNil() {
			return
		}
		own := reflect.New(v.Type().Elem())
		own.Elem().Set(v.Elem())
		v.Set(own)
		deepen(own.Elem())
	}
}

// flat reports whether values of a kind share nothing with their copies.
func flat(kind reflect.Kind) bool {
	return reflect.Bool <= kind && kind <= reflect.Complex128 || kind == reflect.String
}
