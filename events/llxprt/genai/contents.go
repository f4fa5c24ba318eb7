package genai

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/wire"
)

// hookMessage is one message in the form that hooks see.
type hookMessage struct {
	role    string
	text    string
	garbled bool // the hook wrote a value that is not a message
}

func (m hookMessage) encode() jsontext.Value {
	o := wire.Object(nil).With("role", wire.Quote(m.role))
	return jsontext.Value(o.With("content", wire.Quote(m.text)))
}

// content returns the message as a new element of contents.
func (m hookMessage) content() jsontext.Value {
	return newContent(m.role, textPart(m.text))
}

func newContent(role string, part jsontext.Value) jsontext.Value {
	o := wire.Object(nil).With("role", wire.Quote(role))
	return jsontext.Value(o.With("parts", array([]jsontext.Value{part})))
}

// hookRole returns the role in the form that hooks see.
func hookRole(role string) string {
	if role == "model" || role == "system" {
		return role
	}
	return "user"
}

// element is one parsed element of contents.
type element struct {
	role  string
	parts jsontext.Value
	loose bool // a string, or a part outside of a content; its role is user
}

func readElement(content jsontext.Value) element {
	e := element{loose: content.Kind() == '"'}
	for name, member := range object(content).Members() {
		switch name {
		case "role":
			e.role, _ = wire.Text(member)
		case "parts":
			e.parts = member
		default:
			e.loose = true
		}
	}
	if e.role != "" || given(e.parts) {
		e.loose = false
	}
	return e
}

// list returns the parts of the element at content.
func (e element) list(content jsontext.Value) []jsontext.Value {
	if e.loose {
		return []jsontext.Value{content}
	}
	return list(e.parts)
}

// show returns the message that hooks see for an element of contents, if any.
func show(content jsontext.Value) (m hookMessage, ok bool) {
	e := readElement(content)
	m = hookMessage{role: hookRole(e.role), text: join(texts(e.list(content)))}
	return m, m.text != ""
}

// edit returns a copy of an element with another text for its message, or without one if text is
// empty. It returns nil if nothing remains of the element.
func edit(content jsontext.Value, text string) jsontext.Value {
	var said []string
	if text != "" {
		said = []string{text}
	}
	e := readElement(content)
	parts := fill(e.list(content), said)
	switch {
	case len(parts) == 0:
		return nil
	case e.loose:
		return parts[0]
	}
	return jsontext.Value(wire.Object(content).With("parts", array(parts)))
}

// readMessage reads a hook's message. It keeps the role; without one, the role is user.
func readMessage(value jsontext.Value) hookMessage {
	o := object(value)
	m := hookMessage{role: o.Text("role")}
	if m.role == "" {
		m.role = "user"
	}
	var ok bool
	m.text, ok = hookText(o.Get("content"))
	m.garbled = !ok
	return m
}

// hookText reads a text in each form that hooks write: a string or {"text": string}, or an array of
// them. Numbers and booleans are read as their JSON.
func hookText(value jsontext.Value) (text string, ok bool) {
	switch value.Kind() {
	case '"', '{':
		return partText(value)
	case '0', 't', 'f':
		return value.String(), true
	case '[':
		all := texts(list(value))
		return join(all), len(all) > 0
	}
	return "", false
}

// rewrite returns contents in which a hook's messages replace the messages that the hook was shown, and
// reports whether contents changed.
func rewrite(contents jsontext.Value, messages []jsontext.Value) (now jsontext.Value, changed bool) {
	elements := list(contents)
	var was, is []hookMessage
	var at []int // was[i] is the message of elements[at[i]]
	for i, element := range elements {
		if m, ok := show(element); ok {
			was, at = append(was, m), append(at, i)
		}
	}
	for _, m := range messages {
		is = append(is, readMessage(m))
	}
	d := newDraft(elements, at)
	for i, pair := range align(was, is) {
		if pair < 0 {
			d.insert(is[i])
		} else {
			d.keep(at[pair], is[i], was[pair].text)
		}
	}
	result := d.assemble()
	if len(contents) > 0 && contents.Kind() != '[' && len(result) == 1 && !d.added {
		return result[0], string(result[0]) != string(contents)
	}
	return array(result), !sameValues(result, elements)
}
