package request

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/internal/lazyregexp"
	"github.com/snaphook-go/snaphook/wire"
)

// fillInput replaces the placeholders in input by parts of the payload; see [Tool].
func fillInput(input wire.Object, payload []byte) (wire.Object, error) {
	if len(input) == 0 {
		return wire.Object("{}"), nil
	}
	if !input.IsObject() || !jsontext.Value(input).IsValid(equalNames, badUTF8) {
		return nil, errors.New("it is not one JSON object")
	}
	var filled bytes.Buffer
	d := jsontext.NewDecoder(bytes.NewReader(input), equalNames, badUTF8)
	e := jsontext.NewEncoder(&filled, equalNames, badUTF8)
	for {
		isName := expectsName(d)
		token, err := d.ReadToken()
		if errors.Is(err, io.EOF) {
			return bytes.TrimSpace(filled.Bytes()), nil
		}
		if err == nil && token.Kind() == '"' && !isName {
			token = jsontext.String(fillText(token.String(), payload))
		}
		if err == nil {
			err = e.WriteToken(token)
		}
		if err != nil {
			return nil, err
		}
	}
}

// expectsName reports whether the next token is the name of a member, or the
// end of an object.
func expectsName(d *jsontext.Decoder) bool {
	kind, length := d.StackIndex(d.StackDepth())
	return kind == '{' && length%2 == 0
}

var placeholder = lazyregexp.New(`\$\{[^{}]+\}`)

func fillText(text string, payload []byte) string {
	return placeholder.ReplaceAllStringFunc(text, func(found string) string {
		value := jsontext.Value(payload)
		for step := range strings.SplitSeq(found[2:len(found)-1], ".") {
			value = member(value, step)
		}
		return plain(value)
	})
}

// member returns the member or the element of a value, or nil.
func member(value jsontext.Value, name string) jsontext.Value {
	switch value.Kind() {
	case '{':
		return wire.Object(value).Get(name)
	case '[':
		if i, err := strconv.Atoi(name); err == nil {
			return element(value, i)
		}
	}
	return nil
}

// element returns the element of an array, or nil.
func element(array jsontext.Value, i int) jsontext.Value {
	d := jsontext.NewDecoder(bytes.NewReader(array), equalNames, badUTF8)
	if _, err := d.ReadToken(); err != nil {
		return nil
	}
	for ; i >= 0 && d.PeekKind() != ']'; i-- {
		value, err := d.ReadValue()
		if err != nil {
			return nil
		}
		if i == 0 {
			return value.Clone()
		}
	}
	return nil
}

// plain returns a value as text: a string as its text, other JSON without spaces.
func plain(value jsontext.Value) string {
	if text, ok := wire.Text(value); ok {
		return text
	}
	compact := value.Clone()
	if compact.Compact(equalNames, badUTF8) != nil {
		return ""
	}
	return string(compact)
}
