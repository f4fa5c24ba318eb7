package hook_test

import (
	"reflect"
	"testing"

	"github.com/snaphook-go/snaphook/hook"
)

// fill sets v to a value that is not zero.
func fill(t *testing.T, v reflect.Value) {
	t.Helper()
	switch v.Kind() {
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Uint16:
		v.SetUint(1)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
	default:
		t.Fatalf("no value for %s", v.Type())
	}
}

func TestWritesToTheSharedResultAreUndone(t *testing.T) {
	for _, field := range reflect.VisibleFields(reflect.TypeFor[hook.Result[string]]()) {
		if field.Anonymous || !field.IsExported() {
			continue
		}
		shared, own := hook.Empty[string](), hook.Result[string]{}
		for _, r := range []*hook.Result[string]{&shared, &own} {
			fill(t, reflect.ValueOf(r).Elem().FieldByIndex(field.Index))
			r.Restore()
		}
		if !reflect.ValueOf(&shared).Elem().FieldByIndex(field.Index).IsZero() {
			t.Errorf("%s of the shared Result keeps what was written to it", field.Name)
		}
		if reflect.ValueOf(&own).Elem().FieldByIndex(field.Index).IsZero() {
			t.Errorf("%s of a fire's own Result is lost", field.Name)
		}
	}
}
