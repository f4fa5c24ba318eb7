package pipeline

import "unsafe"

// subject is where in its input an event's subject is. A fire for which no hook
// matches is one look-up, and calling a function that takes the input by value
// would cost as much again; one that takes a pointer would move every caller's
// input to the heap. So the field is found once, and read in place.
type subject[In any] struct {
	given  bool
	offset uintptr
}

func subjectOf[In any](event string, field func(*In) *string) subject[In] {
	if field == nil {
		return subject[In]{}
	}
	in := new(In)
	offset := uintptr(unsafe.Pointer(field(in))) - uintptr(unsafe.Pointer(in)) // wraps around for what lies before it
	if size := unsafe.Sizeof(*in); size < unsafe.Sizeof("") || offset > size-unsafe.Sizeof("") {
		panic("pipeline: the Subject of " + event + " does not point at a field of its input")
	}
	return subject[In]{given: true, offset: offset}
}

func (s subject[In]) of(in *In) string {
	if !s.given {
		return ""
	}
	return *(*string)(unsafe.Add(unsafe.Pointer(in), s.offset))
}
