package hooktest

import "reflect"

// roomyCopy returns a deep copy of v whose slices have spare capacity, to detect appends. Unexported fields are shared.
func roomyCopy[T any](v T) T {
	c := reflect.New(reflect.TypeFor[T]()).Elem()
	c.Set(reflect.ValueOf(&v).Elem())
	separate(c)
	return c.Interface().(T)
}

const room = 4

// separate replaces everything that v refers to by copies; v must be settable.
func separate(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			c := reflect.New(v.Type().Elem())
			c.Elem().Set(v.Elem())
			separate(c.Elem())
			v.Set(c)
		}
	case reflect.Slice:
		if !v.IsNil() {
			c := reflect.MakeSlice(v.Type(), v.Len(), v.Len()+room)
			reflect.Copy(c, v)
			for i := range c.Len() {
				separate(c.Index(i))
			}
			v.Set(c)
		}
	case reflect.Map:
		separateMap(v)
	case reflect.Struct:
		for field, f := range v.Fields() {
			if field.IsExported() {
				separate(f)
			}
		}
	case reflect.Array:
		for i := range v.Len() {
			separate(v.Index(i))
		}
	}
}

func separateMap(v reflect.Value) {
	if v.IsNil() {
		return
	}
	c := reflect.MakeMap(v.Type())
	for key, value := range v.Seq2() {
		own := reflect.New(value.Type()).Elem()
		own.Set(value)
		separate(own)
		c.SetMapIndex(key, own)
	}
	v.Set(c)
}

// wrote reports whether now, a roomyCopy of before, has been changed, including the spare capacity of its slices.
func wrote[T any](now, before T) bool {
	return !reflect.DeepEqual(now, before) || overran(reflect.ValueOf(&now).Elem())
}

// overran reports whether the spare capacity of a slice in v has been written to.
func overran(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Pointer:
		return !v.IsNil() && overran(v.Elem())
	case reflect.Slice:
		for i := range v.Len() {
			if overran(v.Index(i)) {
				return true
			}
		}
		for i, all := v.Len(), v.Slice(0, v.Cap()); i < all.Len(); i++ {
			if !all.Index(i).IsZero() {
				return true
			}
		}
	case reflect.Map:
		for _, value := range v.Seq2() {
			if overran(value) {
				return true
			}
		}
	case reflect.Struct:
		for field, f := range v.Fields() {
			if field.IsExported() && overran(f) {
				return true
			}
		}
	}
	return false
}
