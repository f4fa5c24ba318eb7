package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// asJavaScript makes the decoder as lenient as JavaScript: the last of several equal names counts, and invalid UTF-8
// becomes U+FFFD.
var asJavaScript = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// Object is the text of one JSON object. Nil is the empty object. Members are decoded only when they are read; the rest
// keeps its text: large numbers, order, unknown members.
//
// An Object whose text is other JSON, which a hook can send, has no members. Objects are values: no method changes its
// receiver's bytes.
type Object []byte

// Of encodes v, which has to encode to a JSON object.
func Of(v any) (Object, error) {
	b, err := json.Marshal(v, asJavaScript, json.Deterministic(true))
	if err != nil {
		return nil, err
	}
	if jsontext.Value(b).Kind() != '{' {
		return nil, fmt.Errorf("%T encodes to %s, want an object", v, KindName(jsontext.Value(b).Kind()))
	}
	return Object(b), nil
}

// IsObject reports whether o is an object; nil is the empty object.
func (o Object) IsObject() bool { return len(o) == 0 || jsontext.Value(o).Kind() == '{' }

// IsValid reports whether o is one whole JSON object; nil is the empty object. Equal names and invalid UTF-8 are
// allowed. Without \u escapes, a long text takes at most half of the time of [jsontext.Value.IsValid].
func (o Object) IsValid() bool {
	return o.EachMember(func([]byte, jsontext.Value) bool { return true })
}

// IsEmpty reports whether o has no members.
func (o Object) IsEmpty() bool {
	for range o.Members() {
		return false
	}
	return true
}

// Members iterates over the members in order, including members with equal names. The values are slices of o, and must
// not be changed.
func (o Object) Members() iter.Seq2[string, jsontext.Value] {
	return func(yield func(string, jsontext.Value) bool) {
		if len(o) == 0 || !o.IsObject() {
			return
		}
		// Iteration ends at the first mistake in the text.
		_ = o.walk(func(name []byte, value jsontext.Value) bool { return yield(string(name), value) })
	}
}

// EachMember calls yield for the members in order until yield returns false. ok is false if the part of o that was read
// is not JSON, or not an object. Unlike Members it does not allocate names: a name is valid only until yield returns.
func (o Object) EachMember(yield func(name []byte, value jsontext.Value) bool) (ok bool) {
	return len(o) == 0 || o.IsObject() && o.walk(yield) == nil
}

// EachMemberOfValid does the same as EachMember for an object that [Object.IsValid] accepts. It does not check the
// characters of long strings, which takes most of the time of EachMember. For other text the members are unspecified.
func (o Object) EachMemberOfValid(yield func(name []byte, value jsontext.Value) bool) {
	if len(o) == 0 || !o.IsObject() {
		return
	}
	if given, done := o.scan(reader{trusting: true}, yield); !done {
		_ = o.decode(given, yield)
	}
}

// walk calls yield for the members until yield returns false. If o is not one JSON object, the error describes the
// mistake and its place. A name is valid only until yield returns.
func (o Object) walk(yield func(name []byte, value jsontext.Value) bool) error {
	given, done := o.scan(reader{}, yield)
	if done {
		return nil
	}
	return o.decode(given, yield)
}

// decode does the same as walk, with a decoder, and leaves out the first skip members.
func (o Object) decode(skip int, yield func(name []byte, value jsontext.Value) bool) error {
	w := walkers.Get().(*walker)
	defer w.release()
	w.text = *bytes.NewBuffer(o) // the decoder reads o in place
	d := &w.decoder
	d.Reset(&w.text, asJavaScript)
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	for d.PeekKind() == '"' {
		quoted, err := d.ReadValue()
		if err != nil {
			return err
		}
		if w.name, err = jsontext.AppendUnquote(w.name[:0], quoted); err != nil && len(w.name) == 0 {
			return err
		}
		value, err := d.ReadValue()
		if err != nil {
			return err
		}
		if skip--; skip >= 0 {
			continue
		}
		end := int(d.InputOffset())
		if !yield(w.name, jsontext.Value(o[end-len(value):end:end])) { // a slice of o, not of the decoder's buffer
			return nil
		}
	}
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the object")
	}
	return nil
}

// walker holds the buffers of a walk, for reuse.
type walker struct {
	text    bytes.Buffer
	decoder jsontext.Decoder
	name    []byte
}

var walkers = sync.Pool{New: func() any { return new(walker) }}

// release drops the reference to the object.
func (w *walker) release() {
	w.text = bytes.Buffer{}
	w.decoder.Reset(&w.text, asJavaScript)
	walkers.Put(w)
}

// Get returns the value of a member, or nil. It reads the object from the start each time.
func (o Object) Get(name string) jsontext.Value {
	var found jsontext.Value
	for key, value := range o.Members() {
		if key == name {
			found = value
		}
	}
	return found
}

// Text returns the value of a member that is a string, and "" for any other.
func (o Object) Text(name string) string {
	s, _ := Text(o.Get(name))
	return s
}

// Into decodes o into the value that ptr points to. Names are compared with case: a field Cmd without a tag does not
// match the member "cmd". Members without a field are ignored.
func (o Object) Into(ptr any) error {
	if len(o) == 0 {
		o = Object("{}")
	}
	return json.Unmarshal(o, ptr, asJavaScript)
}

// Merge returns o with the members of patch (a shallow merge; rule L38). A member of patch replaces the member of the
// same name as a whole; new members follow at the end. If patch is not an object, the result is o.
func (o Object) Merge(patch Object) Object {
	if !patch.IsObject() || patch.IsEmpty() {
		return o
	}
	if !o.IsObject() {
		o = nil
	}
	var names []string
	values := map[string]jsontext.Value{}
	for _, part := range [...]Object{o, patch} {
		for name, value := range part.Members() {
			if _, have := values[name]; !have {
				names = append(names, name)
			}
			values[name] = value
		}
	}
	b := []byte{'{'}
	for _, name := range names {
		b = appendMember(b, name, values[name])
	}
	return append(b, '}')
}

// Builder collects the members of an object; the zero Builder has none.
type Builder struct{ text []byte }

// Add adds a member at the end, even if there is one of its name.
func (b *Builder) Add(name string, value jsontext.Value) {
	if len(b.text) == 0 {
		b.text = append(b.text, '{')
	}
	b.text = appendMember(b.text, name, value)
}

// Object returns the object with the members that were added. Add must not be called afterwards.
func (b *Builder) Object() Object {
	if len(b.text) == 0 {
		return Object("{}")
	}
	return append(b.text, '}')
}

// Unique returns o with one member of each name, which has the last of its values, as in JavaScript. If o is not an
// object, the result is o.
func (o Object) Unique() Object {
	if o.IsEmpty() {
		return o
	}
	return Object(nil).Merge(o)
}

// With returns o with one member set to value.
func (o Object) With(name string, value jsontext.Value) Object {
	return o.Merge(append(appendMember([]byte{'{'}, name, value), '}'))
}

// Without returns o without the named members.
func (o Object) Without(names ...string) Object {
	without := func(name string) bool { return slices.Contains(names, name) }
	if len(names) > 8 {
		all := make(map[string]bool, len(names))
		for _, name := range names {
			all[name] = true
		}
		without = func(name string) bool { return all[name] }
	}
	size := len("{}")
	for name, value := range o.Members() {
		if !without(name) {
			size += len(name) + len(value) + len(`"":,`)
		}
	}
	b := append(make([]byte, 0, size), '{')
	for name, value := range o.Members() {
		if !without(name) {
			b = appendMember(b, name, value)
		}
	}
	return append(b, '}')
}

// MarshalJSONTo writes the object; nil is written as {}.
func (o Object) MarshalJSONTo(e *jsontext.Encoder) error {
	if len(o) == 0 {
		return e.WriteValue(jsontext.Value("{}"))
	}
	return e.WriteValue(jsontext.Value(o))
}

// UnmarshalJSONFrom accepts only an object.
func (o *Object) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	value, err := d.ReadValue()
	if err != nil {
		return err
	}
	if kind := value.Kind(); kind != '{' {
		return fmt.Errorf("got %s, want an object", KindName(kind))
	}
	*o = Object(value.Clone())
	return nil
}

// Text returns the string that value encodes; ok is false if value is not a string.
func Text(value jsontext.Value) (string, bool) {
	if value.Kind() != '"' {
		return "", false
	}
	if s, ok := unescaped(value[1 : len(value)-1]); ok {
		return s, true
	}
	b, err := jsontext.AppendUnquote(nil, value)
	if err != nil && len(b) == 0 {
		return "", false
	}
	return string(b), true
}

// unescaped returns text as a string; ok is false if text has a backslash or is not valid UTF-8. A long text is checked
// and copied in parts that fit into the fastest cache of a processor.
func unescaped(text []byte) (s string, ok bool) {
	const most = 16 << 10
	var all strings.Builder
	for len(text) > 0 {
		n := min(most, len(text))
		for n < len(text) && !utf8.RuneStart(text[n]) {
			n--
		}
		if part := text[:n]; n == 0 || bytes.IndexByte(part, '\\') >= 0 || !utf8.Valid(part) {
			return "", false
		}
		if all.Len() == 0 {
			all.Grow(len(text))
		}
		all.Write(text[:n])
		text = text[n:]
	}
	return all.String(), true
}

// Quote returns s as a JSON string.
func Quote(s string) jsontext.Value {
	b, err := jsontext.AppendQuote(nil, s)
	if err != nil { // s is not valid UTF-8
		b, _ = jsontext.AppendQuote(nil, strings.ToValidUTF8(s, "\uFFFD"))
	}
	return b
}

func appendMember(b []byte, name string, value jsontext.Value) []byte {
	if len(b) > 1 {
		b = append(b, ',')
	}
	b = append(b, Quote(name)...)
	b = append(b, ':')
	return append(b, value...)
}

// KindName returns the name of a kind of JSON value, such as "a number".
func KindName(k jsontext.Kind) string {
	switch k {
	case 'n':
		return "null"
	case 't', 'f':
		return "a boolean"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case '[':
		return "an array"
	case '{':
		return "an object"
	}
	return "no JSON"
}
