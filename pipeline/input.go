package pipeline

import (
	"bytes"
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/wire"
)

// input is what the hooks of a fire are given: the value for hooks in Go, and
// its JSON for the others, encoded when the first one needs it.
type input[In any] struct {
	value   In
	encoded []byte
	members int // where in encoded the value's own members begin
}

// payload returns the JSON object for a hook outside the process. Hooks that
// share an input share its text.
func (f *fireRun[In, Out]) payload(in *input[In]) ([]byte, error) {
	if in.encoded != nil {
		return in.encoded, nil
	}
	b := make([]byte, 0, len(f.s.base)+len(f.s.cwd)+roomFor(&in.value)+512)
	b = append(b, f.s.base...)
	if f.event.spec.Dir == nil || f.event.spec.Dir(&in.value) == "" { // else the input has it
		b = append(append(b, `,"cwd":`...), f.s.cwd...)
	}
	if base := f.event.dialect.Base; base != nil {
		b = base(b, f.event.spec.Name, f.stamp())
	}
	at := len(b)
	b, err := encode(b, &in.value)
	if err != nil {
		return nil, &hook.InputError{Event: f.event.full, Err: err}
	}
	if b[at] = ','; len(b) == at+len("{}") { // the input's brace; it has no members
		b = append(b[:at], '}')
	} else {
		at++
	}
	if f.event.dialect.Newline {
		b = append(b, '\n')
	}
	f.encoding.Lock() // an observer that is no longer waited for may be reading
	in.encoded, in.members = b, at
	f.encoding.Unlock()
	return b, nil
}

// timeKey is the key of the time that a caller gives its payloads.
type timeKey struct{}

// WithTime returns a context in which payloads say that their event happened at
// this time, for callers that are told of it later, such as a message bus. Limits
// of time are not affected.
func WithTime(ctx context.Context, at time.Time) context.Context {
	return context.WithValue(ctx, timeKey{}, at)
}

// stamp is the time that payloads have.
func (f *fireRun[In, Out]) stamp() time.Time {
	if at, given := f.ctx.Value(timeKey{}).(time.Time); given {
		return at
	}
	return f.began
}

// appendInput implements [FireInfo.AppendInput].
func (f *fireRun[In, Out]) appendInput(dst []byte) ([]byte, error) {
	f.encoding.Lock()
	encoded, at := f.first.encoded, f.first.members
	f.encoding.Unlock()
	if encoded != nil {
		own := bytes.TrimSuffix(encoded[at:], []byte("\n"))
		return append(append(dst, '{'), own...), nil
	}
	text, err := encode(dst, &f.first.value)
	if err != nil {
		return dst, fmt.Errorf("the input of %s: %w", f.event.full, err)
	}
	return text, nil
}

// encode appends the JSON object that a value encodes to. A method of the value
// that panics is an error.
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

// conflicts finds the members of the input that several hooks rewrote, and not
// to the same value.
func conflicts[In, Out any](e *Event[In, Out], reports []hook.Report[Out]) []hook.Conflict {
	if e.spec.Rewrites == nil || len(reports) < 2 {
		return nil
	}
	type rewrite struct {
		hooks  []*hook.Hook
		values []string
	}
	rewrites := map[string]*rewrite{}
	var names []string
	for i := range reports {
		r := &reports[i]
		if !r.Answered {
			continue
		}
		// Merged, a name that is there twice counts once.
		for name, value := range wire.Object(nil).Merge(e.spec.Rewrites(&r.Output)).Members() {
			w := rewrites[name]
			if w == nil {
				w = &rewrite{}
				rewrites[name] = w
				names = append(names, name)
			}
			w.hooks = append(w.hooks, r.Hook)
			w.values = append(w.values, canonical(value))
		}
	}
	return lo.FilterMap(names, func(name string, _ int) (hook.Conflict, bool) {
		w := rewrites[name]
		return hook.Conflict{Key: name, Hooks: w.hooks}, len(lo.Uniq(w.values)) > 1
	})
}

// canonical returns equal values equal text.
func canonical(value jsontext.Value) string {
	v := value.Clone()
	if err := v.Canonicalize(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)); err != nil {
		return string(value)
	}
	return string(v)
}

// decodeInput reads an event's input from JSON, without the members that are
// the engine's to give.
func (e *Event[In, Out]) decodeInput(text []byte) (in In, err error) {
	if err := wire.CheckValue(text); err != nil {
		return in, &InputError{Event: e.Info().FullName(), Err: err}
	}
	o := wire.Object(bytes.TrimSpace(text))
	if !o.IsObject() || len(o) == 0 {
		return in, &InputError{Event: e.Info().FullName(), Err: fmt.Errorf("the input is not a JSON object")}
	}
	if err := e.decode(o, &in); err != nil {
		return in, &InputError{Event: e.Info().FullName(), Err: inputError(text, err)}
	}
	if e.spec.Check != nil {
		if err := e.spec.Check(in); err != nil {
			return in, &InputError{Event: e.Info().FullName(), Err: err}
		}
	}
	return in, nil
}
