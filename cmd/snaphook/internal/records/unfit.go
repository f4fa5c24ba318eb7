package records

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/record"
)

// Unfit returns why a line lacks the whole input of its fire; empty if it has the input.
func Unfit(l *record.Line) string {
	if l.Input == nil || l.Input.Kind() == 'n' {
		return "the record has not kept their input (--record-input none)"
	}
	leaves, names, cut := 0, 0, false
	d := jsontext.NewDecoder(bytes.NewReader(l.Input),
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for token, err := d.ReadToken(); err == nil; token, err = d.ReadToken() {
		kind := token.Kind()
		if kind == '{' || kind == '}' || kind == '[' || kind == ']' {
			continue
		}
		if in, n := d.StackIndex(d.StackDepth()); in == '{' && n%2 == 1 {
			continue // the name of a member
		}
		leaves++
		if kind == '"' {
			text := token.String()
			if typeNames[text] {
				names++
			}
			cut = cut || strings.HasSuffix(text, "…")
		}
	}
	switch {
	case l.V > 0 && leaves > 0 && names == leaves:
		return "the record has kept only the keys of their input (--record-input keys)"
	case l.V > 0 && cut && len(l.Input) >= keptInput:
		return "their input was cut when it was recorded"
	}
	return ""
}

// typeNames lists the texts that replace values in a record which keeps only the keys of inputs.
var typeNames = map[string]bool{"string": true, "number": true, "boolean": true, "null": true}

// keptInput is the number of bytes of an input that a record keeps.
const keptInput = 4 << 10
