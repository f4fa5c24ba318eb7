package pipeline

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/wire"
)

// InputError says that an event's input does not fit.
type InputError = hook.InputError

// lenient is how inputs are read.
var lenient = json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))

// inputError puts a decoding error into words that do not name Go types, and says
// where it is in the text.
func inputError(text []byte, err error) error {
	var se *json.SemanticError
	if !errors.As(err, &se) {
		return err
	}
	where := strings.ReplaceAll(strings.TrimPrefix(string(se.JSONPointer), "/"), "/", ".")
	if at := find(text, se.JSONPointer); at >= 0 {
		where = wire.Position(text, at) + ": " + where
	}
	switch {
	case errors.Is(se.Err, strconv.ErrSyntax):
		return fmt.Errorf("%s: %s is no whole number", where, se.JSONValue)
	case errors.Is(se.Err, strconv.ErrRange):
		return fmt.Errorf("%s: %s is too large or too small", where, se.JSONValue)
	case se.Err != nil:
		return fmt.Errorf("%s: %w", where, se.Err)
	case se.GoType == nil:
		return fmt.Errorf("%s: %s cannot be used", where, wire.KindName(se.JSONKind))
	}
	return fmt.Errorf("%s: got %s, want %s", where, wire.KindName(se.JSONKind), wire.Wanted(se.GoType))
}

// find returns the offset of the value at that pointer in text, which is JSON, and
// of values with the same pointer the last one's; -1 if there is none.
func find(text []byte, pointer jsontext.Pointer) (at int) {
	at = -1
	d := jsontext.NewDecoder(bytes.NewReader(text), lenient)
	for {
		rest := text[d.InputOffset():]
		token, err := d.ReadToken()
		if err != nil {
			return at
		}
		if ends := token.Kind() == '}' || token.Kind() == ']'; d.StackPointer() == pointer && !ends {
			at = len(text) - len(bytes.TrimLeft(rest, " \t\r\n,:"))
		}
	}
}
