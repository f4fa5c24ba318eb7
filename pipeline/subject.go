package pipeline

import "unsafe"

// subject locates the text that matchers test in an event's input.
//
// A fire for which no hook matches is one look-up, and a call of Subject would cost as much again:
// by value it copies the input, by pointer it moves every caller's input to the heap. Declare finds
// the field once, and a fire reads it directly. Only this file uses unsafe.
type subject struct {
	given  bool
	offset uintptr
}

// subjectAt returns the subject of an event whose Subject is field, which may be nil. It
// panics if field does not return a pointer to a field of its input.
func subjectAt[In any](event string, field func(*In) *string) subject {
	if field == nil {
		return subject{}
	}
	in := new(In)
	offset := uintptr(unsafe.Pointer(field(in))) - uintptr(unsafe.Pointer(in)) // wraps around for a field before it
	if size := unsafe.Sizeof(*in); size < unsafe.Sizeof("") || offset > size-unsafe.Sizeof("") {
		panic("pipeline: the Subject of " + event + " does not point at a field of its input")
	}
	return subject{given: true, offset: offset}
}

// subjectIn returns the subject of an input. The input does not escape.
func subjectIn[In any](s subject, in *In) string {
	if !s.given {
		return ""
	}
	return *(*string)(unsafe.Add(unsafe.Pointer(in), s.offset))
}
