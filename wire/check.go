package wire

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Check returns nil if o is the whole text of one JSON object, or nil; else an
// error that says where it is not. It allocates nothing for an object.
func (o Object) Check() error {
	if len(o) == 0 || o.whole() {
		return nil
	}
	if kind := jsontext.Value(o).Kind(); kind != '{' && jsontext.Value(o).IsValid(asJavaScript) {
		return fmt.Errorf("got %s, want an object", KindName(kind))
	}
	return CheckValue(jsontext.Value(o))
}

// whole reports whether o is one JSON object.
func (o Object) whole() bool { return o.walk(func([]byte, jsontext.Value) bool { return true }) == nil }

// CheckValue returns nil if v is the text of one JSON value, else an error that
// says where it is not.
func CheckValue(v jsontext.Value) error {
	if v.IsValid(asJavaScript) {
		return nil
	}
	var read jsontext.Value
	err := json.Unmarshal(v, &read, asJavaScript)
	if wrong := new(jsontext.SyntacticError); errors.As(err, &wrong) {
		return fmt.Errorf("%s: not JSON: %w", Position(v, int(wrong.ByteOffset)), wrong.Err)
	}
	return err
}

// Position is a place in a text as people count: "line 1, column 5".
func Position(text []byte, offset int) string {
	before := text[:min(offset, len(text))]
	return fmt.Sprintf(
		"line %d, column %d",
		1+bytes.Count(before, []byte("\n")),
		len(before)-bytes.LastIndexByte(before, '\n'),
	)
}
