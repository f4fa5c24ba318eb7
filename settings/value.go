package settings

import (
	"bytes"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/hook"
)

// Value is one JSON value of a file, with its place. The zero Value is the one
// that is not there: it has no kind, no members and no place.
//
// Values do not change and may be used from many goroutines at once. As long
// as one is kept, so is the text of its file.
type Value struct {
	doc *document // nil for the zero Value
	at  int32
}

// Exists reports whether v is in the file. A null is.
func (v Value) Exists() bool { return v.doc != nil }

// Kind is 'n', 't', 'f', '"', '0', '[' or '{'; 0 for the zero Value.
func (v Value) Kind() jsontext.Kind { return jsontext.Value(v.raw()).Kind() }

// Position is where v starts.
func (v Value) Position() hook.Position {
	if v.doc == nil {
		return hook.Position{}
	}
	return v.doc.position(v.node().start)
}

// Path is the JSON pointer of v: "/hooks/BeforeTool/0". It is empty for the
// whole file, and the name of a member has the path of its value.
func (v Value) Path() string {
	if v.doc == nil {
		return ""
	}
	var tokens []string // from the inside out
	for at := v.at; v.doc.nodes[at].parent >= 0; at = v.doc.nodes[at].parent {
		switch n := v.doc.nodes[at]; n.ordinal {
		case isName:
			tokens = append(tokens, v.sibling(at).name())
		case isMember:
			tokens = append(tokens, v.sibling(at-1).name())
		default:
			tokens = append(tokens, strconv.Itoa(int(n.ordinal)))
		}
	}
	var path strings.Builder
	for _, token := range slices.Backward(tokens) {
		path.WriteByte('/')
		path.WriteString(inPointer.Replace(token))
	}
	return path.String()
}

var inPointer = strings.NewReplacer("~", "~0", "/", "~1")

// Get gives the member of that name, the last one if there are several, and
// the zero Value if there is none or v is not an object. It looks at every
// member.
func (v Value) Get(name string) Value {
	var found Value
	for key, value := range v.everyMember() {
		if key.is(name) {
			found = value
		}
	}
	return found
}

// Name is the name of v as a string with a place of its own, if v is a member
// of an object; else the zero Value.
func (v Value) Name() Value {
	if v.doc == nil || v.node().ordinal != isMember {
		return Value{}
	}
	return v.sibling(v.at - 1)
}

// Members iterates over the members of an object in the order of the file. Of
// those with the same name only the last one is given.
func (v Value) Members() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		last := map[string]Value{}
		for name, value := range v.everyMember() {
			last[name.name()] = value
		}
		for name, value := range v.everyMember() {
			if key := name.name(); last[key] == value && !yield(key, value) {
				return
			}
		}
	}
}

// everyMember iterates over names and values, also those that do not count.
func (v Value) everyMember() iter.Seq2[Value, Value] {
	return func(yield func(name, value Value) bool) {
		if v.Kind() != '{' {
			return
		}
		end := v.node().next
		for at := v.at + 1; at < end; at = v.doc.nodes[at+1].next {
			if !yield(v.sibling(at), v.sibling(at+1)) {
				return
			}
		}
	}
}

// Elements iterates over the elements of an array.
func (v Value) Elements() iter.Seq2[int, Value] {
	return func(yield func(int, Value) bool) {
		if v.Kind() != '[' {
			return
		}
		end := v.node().next
		for at := v.at + 1; at < end; at = v.doc.nodes[at].next {
			if !yield(int(v.doc.nodes[at].ordinal), v.sibling(at)) {
				return
			}
		}
	}
}

// Text gives the string that v is, and whether it is one.
func (v Value) Text() (string, bool) { return v.name(), v.Kind() == '"' }

// Bool gives the boolean that v is, and whether it is one.
func (v Value) Bool() (value, ok bool) {
	kind := v.Kind()
	return kind == 't', kind == 't' || kind == 'f'
}

// Number gives the number that v is, and whether it is one. One that is too
// large for a float64 is infinite.
func (v Value) Number() (float64, bool) {
	if v.Kind() != '0' {
		return 0, false
	}
	f, _ := strconv.ParseFloat(string(v.raw()), 64)
	return f, true
}

// JSON gives v as plain JSON without comments and white space, strings and
// numbers as they are written, and members also if they are given twice. It is
// nil for the zero Value. The caller may change it.
func (v Value) JSON() jsontext.Value {
	if v.doc == nil {
		return nil
	}
	value := jsontext.Value(bytes.Clone(v.raw()))
	if err := value.Compact(); err != nil {
		return bytes.Clone(v.raw()) // it was parsed, so this does not happen
	}
	return value
}

// Wrong is a problem at v's place, which costs v but not the file.
func (v Value) Wrong(format string, args ...any) Problem {
	return Problem{Position: v.Position(), Path: v.Path(), Message: fmt.Sprintf(format, args...)}
}

// Want is the problem that v is of the wrong kind: Want("a string") is "got a
// number, want a string".
func (v Value) Want(what string) Problem {
	return v.Wrong("got %s, want %s", v.describe(), what)
}

func (v Value) describe() string {
	switch v.Kind() {
	case 'n', 't', 'f':
		return string(v.raw())
	case '"':
		return "a string"
	case '0':
		return "a number"
	case '[':
		return "an array"
	case '{':
		return "an object"
	}
	return "nothing"
}

func (v Value) node() node { return v.doc.nodes[v.at] }

func (v Value) sibling(at int32) Value { return Value{doc: v.doc, at: at} }

func (v Value) raw() []byte {
	if v.doc == nil {
		return nil
	}
	return v.doc.text[v.node().start:v.node().end]
}

// name decodes a string; it is "" for other values.
func (v Value) name() string {
	if v.Kind() != '"' {
		return ""
	}
	b, _ := jsontext.AppendUnquote(nil, v.raw()) // parsed, so it is valid
	return string(b)
}

// is reports whether v is the string s. It decodes only what has escapes.
func (v Value) is(s string) bool {
	raw := v.raw()
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1:len(raw)-1]) == s
	}
	return v.name() == s
}
