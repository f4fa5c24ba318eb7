package pipeline

import (
	"bytes"
	"context"
	"fmt"
	"reflect"
	"runtime/debug"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/snaphook-go/snaphook/hook"
)

// fireInput is the input of the hooks of a fire: the value for hooks in Go, and its JSON, the payload, for the others.
// The value is encoded once, when the first hook needs the payload.
type fireInput struct {
	value any // a pointer to the event's In
	fire  *fireState

	mu      sync.Mutex // guards the fields below; an observer that outlives its fire may read them
	encoded []byte
	members int // index in encoded at which the value's own members begin

	failed error // why the value cannot be encoded; written by the goroutine that made the input
}

// payload returns the JSON object for hooks outside the process, all of which share the text. The first call must
// return before hooks run in parallel.
func (in *fireInput) payload() ([]byte, error) {
	if in.encoded != nil {
		return in.encoded, nil
	}
	f := in.fire
	var own sizer
	own.add(reflect.ValueOf(in.value).Elem(), 0)
	b := make([]byte, 0, len(f.s.base)+len(f.s.cwd)+own.bytes+own.bytes/2+512)
	b = in.head(b)
	at := len(b)
	b, err := encode(b, in.value)
	if err != nil {
		in.failed = &hook.InputError{Event: f.of.full, Err: err}
		return nil, in.failed
	}
	if b[at] = ','; len(b) == at+len("{}") { // the value has no members
		b = append(b[:at], '}')
	} else {
		at++
	}
	if f.of.dialect.Newline {
		b = append(b, '\n')
	}
	in.mu.Lock()
	in.encoded, in.members = b, at
	in.mu.Unlock()
	return b, nil
}

// head appends the members that the engine sets, with the opening brace.
func (in *fireInput) head(b []byte) []byte {
	f := in.fire
	now, given := f.ctx.Value(timeKey{}).(time.Time)
	if !given {
		now = f.began
	}
	if head := f.of.dialect.Head; head != nil {
		return head(append(b, '{'), Head{
			Event: f.of.name, Session: f.s.id, Transcript: f.s.Transcript(), Dir: f.of.agentDir(f.s, in.value), Now: now,
		})
	}
	b = append(b, f.s.base...)
	if f.of.on.dir == nil || f.of.on.dir(in.value) == "" { // otherwise the input has a member cwd
		b = append(append(b, `,"cwd":`...), f.s.cwd...)
	}
	if base := f.of.dialect.Base; base != nil {
		b = base(b, f.of.name, now)
	}
	return b
}

// appendInput implements [FireInfo.AppendInput].
func (in *fireInput) appendInput(dst []byte) ([]byte, error) {
	in.mu.Lock()
	encoded, at := in.encoded, in.members
	in.mu.Unlock()
	if encoded != nil {
		own := bytes.TrimSuffix(encoded[at:], []byte("\n"))
		return append(append(dst, '{'), own...), nil
	}
	text, err := encode(dst, in.value)
	if err != nil {
		return dst, fmt.Errorf("the input of %s: %w", in.fire.of.full, err)
	}
	return text, nil
}

// timeKey is the context key of the time that payloads report.
type timeKey struct{}

// WithTime returns a context in which payloads have the time at as the time of the event. It is for callers that learn
// of events later, such as a message bus. It does not affect timeouts.
func WithTime(ctx context.Context, at time.Time) context.Context {
	return context.WithValue(ctx, timeKey{}, at)
}

// encode appends the JSON of a value. It returns an error if a method of the value panics.
func encode(dst []byte, value any) (text []byte, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &hook.PanicError{Value: v, Stack: debug.Stack()}
		}
	}()
	own := bytes.NewBuffer(dst)
	if err := json.MarshalWrite(own, value, lenient); err != nil {
		return nil, fmt.Errorf("it cannot be encoded: %w", err)
	}
	text = bytes.TrimRight(own.Bytes(), "\n")
	if object := text[len(dst):]; len(object) < 2 || object[0] != '{' {
		return nil, fmt.Errorf("%T does not encode to a JSON object", value)
	}
	return text, nil
}

// mostValues limits the number of values that the sizer visits: a large input has few large texts.
const mostValues = 4096

// sizer estimates the length of a value's JSON from the texts in it, to avoid growing the buffer
// step by step. An encoder grows its buffer when it is three quarters full.
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
