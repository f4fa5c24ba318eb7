package settings

import (
	"bytes"
	"fmt"
	"iter"
	"slices"
	"sort"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tailscale/hujson"

	"github.com/snaphook-go/snaphook/hook"
)

// Value is one JSON value of a file, with its position. The zero Value means a missing value: it
// has no kind, no members and no position.
//
// Values do not change and may be used from many goroutines at once. A Value keeps its whole file
// in memory: the text, and some 120 bytes for each value in it.
type Value struct {
	within *hujson.Value // for a missing member: the object that lacks it
	doc    *document
	node   *hujson.Value // in doc.root; nil for the zero Value
}

// Exists reports whether v is in the file, also as null.
func (v Value) Exists() bool { return v.node != nil }

// Kind returns 'n', 't', 'f', '"', '0', '[' or '{'; 0 for the zero Value.
func (v Value) Kind() jsontext.Kind {
	if v.node == nil {
		return 0
	}
	return jsontext.Kind(v.node.Value.Kind())
}

// Position returns the start of v; for a missing member, the start of the object that lacks it.
func (v Value) Position() hook.Position {
	if v.node == nil && v.within != nil {
		return v.doc.position(v.within.StartOffset)
	}
	if v.node == nil {
		return hook.Position{}
	}
	return v.doc.position(v.node.StartOffset)
}

// Path returns the JSON pointer of v, such as "/hooks/BeforeTool/0"; it is empty for the whole file. The path of a
// [Value.Name] is the path of the member's value.
func (v Value) Path() string {
	path, _ := v.trace()
	return string(path)
}

// Name returns the name of v, as a string with its own position, if v is a member of an object; otherwise the zero
// Value.
func (v Value) Name() Value {
	if _, member := v.trace(); member != nil && v.node == &member.Value {
		return Value{doc: v.doc, node: &member.Name}
	}
	return Value{}
}

// trace returns the path from the root to v. If v is the name or the value of a member, it returns that member too.
func (v Value) trace() (path jsontext.Pointer, member *hujson.ObjectMember) {
	if v.node == nil {
		return "", nil
	}
	after := func(in hujson.Value) bool { return in.StartOffset > v.node.StartOffset }
	for at := &v.doc.root; at != v.node; {
		switch in := at.Value.(type) {
		case *hujson.Object:
			i := sort.Search(len(in.Members), func(i int) bool { return after(in.Members[i].Name) }) - 1
			member = &in.Members[i]
			path = path.AppendToken(text(member.Name))
			if at = &member.Value; v.node == &member.Name {
				return path, member
			}
		case *hujson.Array:
			i := sort.Search(len(in.Elements), func(i int) bool { return after(in.Elements[i]) }) - 1
			path, member = path.AppendToken(strconv.Itoa(i)), nil
			at = &in.Elements[i]
		}
	}
	return path, member
}

// Get returns the member of that name, the last one if there are several. It returns the zero Value if there is none or
// v is not an object. Its time is proportional to the number of members.
func (v Value) Get(name string) Value {
	members := v.members()
	for i := range slices.Backward(members) {
		if is(members[i].Name, name) {
			return Value{doc: v.doc, node: &members[i].Value}
		}
	}
	if v.node == nil {
		return Value{doc: v.doc, within: v.within}
	}
	return Value{doc: v.doc, within: v.node}
}

// Members iterates over the members of an object in the order of the file. Of members with the same
// name it yields only the last.
func (v Value) Members() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		members, last := v.members(), map[string]int{}
		for i, member := range members {
			last[text(member.Name)] = i
		}
		for i, member := range members {
			if name := text(member.Name); last[name] == i && !yield(name, Value{doc: v.doc, node: &members[i].Value}) {
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
		elements := v.node.Value.(*hujson.Array).Elements
		for i := range elements {
			if !yield(i, Value{doc: v.doc, node: &elements[i]}) {
				return
			}
		}
	}
}

// members returns all members of an object, including repeated ones.
func (v Value) members() []hujson.ObjectMember {
	if v.Kind() != '{' {
		return nil
	}
	return v.node.Value.(*hujson.Object).Members
}

// Text returns the string value of v; ok is false if v is not a string.
func (v Value) Text() (string, bool) {
	if v.Kind() != '"' {
		return "", false
	}
	return text(*v.node), true
}

// text decodes a string.
func text(v hujson.Value) string {
	literal := v.Value.(hujson.Literal)
	if plain, ok := unescaped(literal); ok {
		return string(plain)
	}
	return literal.String()
}

// is reports whether the string v equals s.
func is(v hujson.Value, s string) bool {
	literal := v.Value.(hujson.Literal)
	if plain, ok := unescaped(literal); ok {
		return string(plain) == s // allocates nothing
	}
	return literal.String() == s
}

// unescaped returns the text of a string without escapes. ok is false if it has escapes. The file's UTF-8 and strings
// have been checked.
func unescaped(literal hujson.Literal) (text []byte, ok bool) {
	if len(literal) < 2 || literal[0] != '"' || bytes.IndexByte(literal, '\\') >= 0 {
		return nil, false
	}
	return literal[1 : len(literal)-1], true
}

// Bool returns the boolean value of v; ok is false if v is not a boolean.
func (v Value) Bool() (value, ok bool) {
	kind := v.Kind()
	return kind == 't', kind == 't' || kind == 'f'
}

// Number returns the numeric value of v; the second result is false if v is not a number. A number too large for a
// float64 is infinite.
func (v Value) Number() (float64, bool) {
	if v.Kind() != '0' {
		return 0, false
	}
	f, _ := strconv.ParseFloat(string(v.node.Value.(hujson.Literal)), 64)
	return f, true
}

// JSON returns v as plain JSON without comments and white space. Strings, numbers and repeated members keep their text.
// It is nil for the zero Value. The caller may change the result.
func (v Value) JSON() jsontext.Value {
	if v.node == nil {
		return nil
	}
	return appendPlain(make([]byte, 0, max(0, v.node.EndOffset-v.node.StartOffset)), v.node)
}

// appendPlain appends a value without comments and white space.
func appendPlain(b []byte, v *hujson.Value) []byte {
	switch in := v.Value.(type) {
	case hujson.Literal:
		return append(b, in...)
	case *hujson.Object:
		b = append(b, '{')
		for i := range in.Members {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendPlain(b, &in.Members[i].Name), ':')
			b = appendPlain(b, &in.Members[i].Value)
		}
		return append(b, '}')
	case *hujson.Array:
		b = append(b, '[')
		for i := range in.Elements {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendPlain(b, &in.Elements[i])
		}
		return append(b, ']')
	}
	return b
}

// Wrong returns a problem at v's position, which concerns v and not the whole file.
func (v Value) Wrong(format string, args ...any) Problem {
	return Problem{Position: v.Position(), Path: v.Path(), Message: fmt.Sprintf(format, args...)}
}

// Want returns the problem that v has the wrong kind: Want("a string") is "got a number, want a string".
func (v Value) Want(what string) Problem {
	return v.Wrong("got %s, want %s", kinds[v.Kind()], what)
}

var kinds = map[jsontext.Kind]string{
	0: "nothing", 'n': "null", 't': "true", 'f': "false",
	'"': "a string", '0': "a number", '[': "an array", '{': "an object",
}
