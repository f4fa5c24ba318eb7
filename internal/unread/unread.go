// Package unread finds the parts of a hook's output that the engine does not read as an answer of the event:
// text around JSON, truncated JSON, members that answers do not have.
package unread

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/wire"
)

// asJavaScript reads JSON as package wire does.
var asJavaScript = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// Text describes why output is not an answer although it looks like one, with the line and column of a mistake in JSON.
// It returns "" for output that looks like plain text.
func Text(output []byte) (why string) {
	if bytes.IndexByte(output, 0) >= 0 {
		return "it is UTF-16 or binary; write UTF-8"
	}
	text := wire.Trim(output)
	if len(text) == 0 {
		return ""
	}
	start := bytes.Index(output, text)
	switch text[0] {
	case '{', '[', '"':
		return document(output, start)
	}
	if begin := objectIn(text); begin >= 0 {
		why = "text stands before the object, which begins at " + position(output, start+begin)
		if wrong, at := breaksOff(output, start+begin); wrong != "" {
			why += " and " + wrong + " at " + position(output, at)
		}
	}
	return why
}

// LooksLikeAnswer reports whether output that is not one JSON document looks like an answer: it begins like a
// JSON object or string, ends like an object, contains a member, or is UTF-16. A text for the model may quote
// JSON; therefore only its beginning counts, and its end if it is one line.
func LooksLikeAnswer(output []byte, forModel bool) bool {
	text := wire.Trim(output)
	switch {
	case len(text) == 0:
		return false
	case bytes.IndexByte(text, 0) >= 0 || text[0] == '{' || text[0] == '"':
		return true
	case text[len(text)-1] == '}' && bytes.IndexByte(text, '\n') < 0:
		return true
	}
	return !forModel && hasFragment(text)
}

// Doubtful reports whether unread output may have been meant as an answer: it looks like one, or it is a JSON
// object with a member that decides, or with a member whose name resembles the name of a deciding member.
func Doubtful(output []byte) bool {
	text := wire.Trim(output)
	if !isValid(text) {
		return LooksLikeAnswer(output, false)
	}
	for d := jsontext.NewDecoder(bytes.NewReader(text), asJavaScript); ; {
		if d.PeekKind() == '[' {
			_ = d.SkipValue()
			continue
		}
		token, err := d.ReadToken()
		if err != nil { // the end
			return false
		}
		within, n := d.StackIndex(d.StackDepth())
		if isName := within == '{' && n%2 == 1; isName && Resembles([]byte(token.String())) {
			return true
		}
	}
}

// IsObject reports whether output is one JSON object.
func IsObject(output []byte) bool {
	text := jsontext.Value(wire.Trim(output))
	return text.Kind() == '{' && isValid(text)
}

func isValid(text jsontext.Value) bool {
	return text.IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// document names the mistake in output that begins like JSON at start.
func document(output []byte, start int) string {
	if wrong, at := breaksOff(output, start); wrong != "" {
		return "the JSON " + wrong + " at " + position(output, at)
	}
	d := jsontext.NewDecoder(bytes.NewReader(output[start:]), asJavaScript)
	value, _ := d.ReadValue()
	kind := value.Kind()
	rest := wire.Trim(output[start+int(d.InputOffset()):])
	if len(rest) == 0 {
		return "it is " + wire.KindName(kind) + "; want an object"
	}
	at := position(output, start+int(d.InputOffset())+bytes.Index(output[start+int(d.InputOffset()):], rest))
	if rest[0] == '{' || rest[0] == '[' {
		return "a second JSON document follows the first at " + at
	}
	return "text follows the JSON at " + at
}

// breaksOff describes the first syntax error in the JSON that begins at start, with its offset; it returns ""
// if one value is complete.
func breaksOff(output []byte, start int) (wrong string, at int) {
	d := jsontext.NewDecoder(bytes.NewReader(output[start:]), asJavaScript)
	_, err := d.ReadValue()
	if err == nil {
		return "", 0
	}
	wrong, at = "breaks off", len(output)
	if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok && syntax.Err != nil {
		wrong, at = fmt.Sprintf("breaks off (%v)", syntax.Err), start+int(syntax.ByteOffset)
	}
	return wrong, min(at, len(output))
}

// position formats an offset of the output as line and column. Columns count bytes from 1.
func position(output []byte, at int) string {
	before := output[:at]
	line := bytes.Count(before, []byte("\n")) + 1
	return fmt.Sprintf("line %d, column %d", line, at-bytes.LastIndexByte(before, '\n'))
}
