package jsrun

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Value is a JavaScript value as JSON. A nil Value is undefined, although its String method returns "null"; the value
// null is the text null.
//
// JSON.stringify encodes the values that leave JavaScript: it omits members that are undefined, and writes NaN and the
// infinities as null. A function, a symbol, a bigint or an object that contains itself is an error instead.
type Value = jsontext.Value

// Truthy reports whether v is true in JavaScript. undefined, null, false, 0 and "" are not.
func Truthy(v Value) bool {
	switch v.Kind() {
	case '"':
		return len(v) > len(`""`)
	case '0':
		f, err := strconv.ParseFloat(string(v), 64)
		return f != 0 || err != nil && !errors.Is(err, strconv.ErrRange)
	case 't', '{', '[':
		return true
	}
	return false
}

// Handle identifies a JavaScript function of one module. Zero means no function.
//
// Functions among the arguments of a Go function arrive as handles; decode into a Handle, or a
// struct with such a field, to receive them. A handle passed to a synchronous function is valid
// until the module is closed; one passed to an asynchronous function, until that function has
// answered.
type Handle int64

// UnmarshalJSON reads a handle as encoded in arguments; any value other than a function is an error.
func (h *Handle) UnmarshalJSON(text []byte) error {
	var function struct {
		Handle int64 `json:"$function"`
	}
	if err := json.Unmarshal(text, &function, json.RejectUnknownMembers(true)); err != nil || function.Handle <= 0 {
		return fmt.Errorf("%.40s is not a function", text)
	}
	*h = Handle(function.Handle)
	return nil
}

// asJavaScript holds the options to read and write JSON as JavaScript does.
var asJavaScript = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// Args holds the arguments with which JavaScript called a Go function.
type Args []Value

// Value returns argument i, or nil if there are fewer.
func (a Args) Value(i int) Value {
	if i >= len(a) {
		return nil
	}
	return a[i]
}

// String returns argument i as text: a string as it is, "" for null or a missing argument, and the
// JSON of everything else.
func (a Args) String(i int) string {
	v := a.Value(i)
	switch v.Kind() {
	case '"':
		text, _ := jsontext.AppendUnquote(nil, v) // on an error, text has U+FFFD in place of the invalid bytes
		return string(text)
	case 'n', 0:
		return ""
	}
	return string(v)
}

// Decode stores argument i in target, as [json.Unmarshal] does, and changes
// nothing if the argument is missing or null.
func (a Args) Decode(i int, target any) error {
	v := a.Value(i)
	if v == nil || v.Kind() == 'n' {
		return nil
	}
	if err := json.Unmarshal(v, target, asJavaScript); err != nil {
		return fmt.Errorf("argument %d: %w", i+1, err)
	}
	return nil
}

// Handle returns argument i. It is an error if the argument is not a function.
func (a Args) Handle(i int) (Handle, error) {
	var h Handle
	if err := a.Decode(i, &h); err != nil || h == 0 {
		return 0, fmt.Errorf("argument %d is not a function", i+1)
	}
	return h, nil
}

// valueOf returns v as a Value: nil is undefined, and JSON text is used as it is.
func valueOf(v any) (Value, error) {
	switch v := v.(type) {
	case nil:
		return nil, nil
	case Value:
		return v, nil
	}
	return json.Marshal(v, asJavaScript, json.Deterministic(true))
}
