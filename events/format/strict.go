package format

import (
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/wire"
)

// AnswerError is the error of an invalid answer, which is ignored as a whole.
type AnswerError struct {
	Why     string // `"permissionDecision" is "ask"; write "deny", or "allow" with an "updatedInput"`
	Message string // the message for the user, which the original shows in spite of the error
}

func (e *AnswerError) Error() string { return "the answer cannot be used: " + e.Why }

// Members lists the members that an object of an answer may have, by name, each with a variable for its value:
//
//   - *bool: true or false;
//   - **string: a string or null;
//   - *jsontext.Value: any JSON; null leaves it nil;
//   - func(jsontext.Value) error: any value that the function accepts.
type Members map[string]any

// Read reads an object. Every member has to be known, and of the right type. path precedes the names in errors, such as
// "hookSpecificOutput.". Of repeated members the last value is used. Read returns [ErrNotWhole] if o is not one whole
// JSON object; it may return another error if such a text has a member that is wrong.
func (m Members) Read(path string, o wire.Object) (err error) {
	whole := o.EachMember(func(name []byte, value jsontext.Value) bool {
		if to, known := m[string(name)]; known {
			err = assign(to, path+string(name), value)
		} else {
			err = fmt.Errorf("it has the member %q, which answers of this event do not have", path+shortened(string(name)))
		}
		return err == nil
	})
	if err == nil && !whole {
		return ErrNotWhole
	}
	return err
}

// ErrNotWhole reports a text that is not one whole JSON object.
var ErrNotWhole = errors.New("it begins like JSON and is not one whole JSON object")

func assign(to any, name string, value jsontext.Value) error {
	switch to := to.(type) {
	case *bool:
		if k := value.Kind(); k != 't' && k != 'f' {
			return wrongKind(name, value, "true or false")
		}
		*to = value.Kind() == 't'
	case **string:
		if *to = nil; value.Kind() == 'n' {
			return nil
		}
		text, ok := wire.Text(value)
		if !ok {
			return wrongKind(name, value, "a string")
		}
		*to = &text
	case *jsontext.Value:
		if *to = nil; value.Kind() != 'n' {
			*to = value
		}
	case func(jsontext.Value) error:
		return to(value)
	default:
		panic(fmt.Sprintf("format: a place of type %T", to))
	}
	return nil
}

func wrongKind(name string, value jsontext.Value, want string) error {
	return fmt.Errorf("%q is %s; want %s", name, wire.KindName(value.Kind()), want)
}

// Object returns a value for [Members] that reads an object or null, member by member.
func Object(name string, members Members, there *bool) func(jsontext.Value) error {
	return func(value jsontext.Value) error {
		switch value.Kind() {
		case 'n':
			return nil
		case '{':
			*there = true
			return members.Read(name+".", wire.Object(value))
		}
		return wrongKind(name, value, "an object")
	}
}

// OneOf returns a value for [Members] that reads one word of a list, or null.
func OneOf(name string, to *string, words ...string) func(jsontext.Value) error {
	return func(value jsontext.Value) error {
		if value.Kind() == 'n' {
			return nil
		}
		text, ok := wire.Text(value)
		if !ok {
			return wrongKind(name, value, "a string")
		}
		for _, word := range words {
			if text == word {
				*to = text
				return nil
			}
		}
		return fmt.Errorf("%q is %q; want %s", name, shortened(text), strings.Join(words, ", "))
	}
}

// shortened cuts a text that a hook wrote.
func shortened(text string) string {
	const most = 60
	if len(text) > most {
		return text[:most] + "…"
	}
	return text
}
