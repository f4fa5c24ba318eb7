package pipeline

import "unsafe"

// subject locates the text that matchers test in an event's input.
//
// Declare computes the field's offset once, and a fire reads the field directly. Calling Subject in each fire would
// double the cost of a fire without matching hooks: by value the call copies the input, by pointer it moves every
// caller's input to the heap. Only this file uses unsafe.
type subject struct {
	given  bool
	offset uintptr
}

// subjectAt returns the subject of an event; field is the Subject of its Spec and may be nil. It panics if field does
// not return a pointer to a field of its input.
func subjectAt[In any](event string, field func(*In) *string) subject {
	if field == nil {
		return subject{}
	}
	in := new(In)
	// The offset wraps around if the text lies before the input.
	offset := uintptr(unsafe.Pointer(field(in))) - uintptr(unsafe.Pointer(in))
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
