package wire

import (
	"bytes"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/hook"
)

// ErrText says that what a hook printed is not JSON.
var ErrText = errors.New("not JSON")

// Answer finds the answer in what a hook printed (L27): one JSON
// document, of which a string is decoded a second time. Surrounding white
// space and a byte order mark are skipped. Nothing, null, false, 0 and "" are
// silence, a nil Value; what is not one JSON document is [ErrText].
func Answer(stdout []byte) (jsontext.Value, error) {
	v := jsontext.Value(Trim(stdout))
	if len(v) == 0 {
		return nil, nil
	}
	if !v.IsValid(asJavaScript) {
		return nil, ErrText
	}
	if v.Kind() == '"' {
		inner, _ := Text(v)
		if inner == "" {
			return nil, nil
		}
		v = jsontext.Value(Trim([]byte(inner)))
		if len(v) == 0 || !v.IsValid(asJavaScript) {
			return nil, ErrText
		}
	}
	switch v.Kind() {
	case 'n', 'f':
		return nil, nil
	case '"':
		if len(v) == 2 {
			return nil, nil
		}
	case '0':
		var f float64
		if json.Unmarshal(v, &f) == nil && f == 0 {
			return nil, nil
		}
	}
	return v, nil
}

// Read is [Answer] and [Decode] together. It looks at an object once, which
// counts when hooks say much; Raw is then a part of stdout.
func Read[T any](stdout []byte) (out hook.Output[T], notes []string, err error) {
	text := Trim(stdout)
	if len(text) == 0 || text[0] != '{' {
		answer, err := Answer(text)
		if err != nil || answer == nil {
			return out, nil, err
		}
		out, notes = Decode[T](answer)
		return out, notes, nil
	}
	d := reader[T]{out: hook.Output[T]{Set: hook.SetAnswer, Raw: text}}
	if Object(text).walk(d.member) != nil {
		return out, nil, ErrText
	}
	return d.out, d.notes, nil
}

// Trim removes the white space around b, as JavaScript counts it: a byte
// order mark is white space too.
func Trim(b []byte) []byte {
	return bytes.TrimFunc(b, func(r rune) bool { return r == '\uFEFF' || isSpace(r) })
}

func isSpace(r rune) bool {
	return strings.ContainsRune("\t\n\v\f\r \u00A0\u1680\u2028\u2029\u202F\u205F\u3000", r) ||
		r >= '\u2000' && r <= '\u200A'
}

// Valid returns b as text: every maximal part that is not UTF-8 becomes one
// U+FFFD, the way browsers and Node decode. A character that a reader cut in
// two is whole here, since b is decoded at once.
func Valid(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	var s strings.Builder
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 {
			for n < len(b) && !utf8.FullRune(b[:n]) && !utf8.FullRune(b[:n+1]) {
				n++
			}
		}
		s.WriteRune(r)
		b = b[n:]
	}
	return s.String()
}
