package genai

import (
	"bytes"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/wire"
)

// asJavaScript holds the options with which package wire reads JSON.
var asJavaScript = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// list returns the elements of an array. Any other value is a list of one, because the SDK accepts one value or many;
// null and nil are the empty list.
func list(value jsontext.Value) []jsontext.Value {
	switch value.Kind() {
	case jsontext.KindInvalid, 'n':
		return nil
	case '[':
		var elements []jsontext.Value
		if json.Unmarshal(value, &elements, asJavaScript) == nil {
			return elements
		}
	}
	return []jsontext.Value{value}
}

func array(elements []jsontext.Value) jsontext.Value {
	return slices.Concat(jsontext.Value("["), bytes.Join(asBytes(elements), []byte(",")), jsontext.Value("]"))
}

func sameValues(a, b []jsontext.Value) bool {
	return slices.EqualFunc(a, b, func(a, b jsontext.Value) bool { return bytes.Equal(a, b) })
}

func asBytes(values []jsontext.Value) [][]byte {
	all := make([][]byte, len(values))
	for i, v := range values {
		all[i] = v
	}
	return all
}

// object returns value if it is an object, else nil.
func object(value jsontext.Value) wire.Object {
	if value.Kind() != '{' {
		return nil
	}
	return wire.Object(value)
}

// value returns the JSON text of o, which may be nil.
func value(o wire.Object) jsontext.Value {
	if len(o) == 0 {
		return jsontext.Value("{}")
	}
	return jsontext.Value(o)
}

// given reports whether a member exists and is not null.
func given(member jsontext.Value) bool {
	return len(member) > 0 && member.Kind() != 'n'
}

// partText returns the text that hooks see of a part: a string, or an object with a string as text.
func partText(part jsontext.Value) (text string, ok bool) {
	if part.Kind() == '{' {
		part = wire.Object(part).Get("text")
	}
	return wire.Text(part)
}

// texts returns the texts of all parts that have one.
func texts(parts []jsontext.Value) []string {
	all := []string{}
	for _, part := range parts {
		if text, ok := partText(part); ok {
			all = append(all, text)
		}
	}
	return all
}

// withText returns a copy of a part with another text. Its other members stay.
func withText(part jsontext.Value, text string) jsontext.Value {
	if old, _ := partText(part); old == text {
		return part
	}
	if part.Kind() == '{' {
		return jsontext.Value(wire.Object(part).With("text", wire.Quote(text)))
	}
	return wire.Quote(text)
}

func textPart(text string) jsontext.Value {
	return jsontext.Value(wire.Object(nil).With("text", wire.Quote(text)))
}

// fill replaces the texts of parts by said, and leaves all other parts where they are. Text parts
// without a new text are removed; texts without a part follow the last text part, or come first if
// there is none.
func fill(parts []jsontext.Value, said []string) []jsontext.Value {
	takers := takers(parts, len(said))
	filled := []jsontext.Value{}
	added := func() {
		for _, text := range said[len(takers):] {
			filled = append(filled, textPart(text))
		}
	}
	if len(takers) == 0 {
		added()
	}
	for i, part := range parts {
		if n := slices.Index(takers, i); n >= 0 {
			filled = append(filled, withText(part, said[n]))
			if n == len(takers)-1 {
				added()
			}
		} else if _, isText := partText(part); !isText {
			filled = append(filled, part)
		}
	}
	return filled
}

// takers returns the indexes of the parts that get n texts.
func takers(parts []jsontext.Value, n int) []int {
	var all, spoken []int
	for i, part := range parts {
		if _, ok := partText(part); !ok {
			continue
		}
		all = append(all, i)
		if part.Kind() != '{' || wire.Object(part).Get("thought").Kind() != 't' {
			spoken = append(spoken, i)
		}
	}
	// If the number of texts differs, the hook has joined them. The joined text must not go into a thought, which is
	// not shown.
	if len(all) != n && len(spoken) > 0 {
		all = spoken
	}
	return all[:min(n, len(all))]
}

func join(texts []string) string { return strings.Join(texts, "") }
