package wire

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// Trim removes surrounding white space by JavaScript's definition, which includes the byte order mark.
func Trim(b []byte) []byte {
	const spaces = "\t\n\v\f\r \u00A0\u1680\u2028\u2029\u202F\u205F\u3000\uFEFF"
	return bytes.TrimFunc(b, func(r rune) bool {
		return strings.ContainsRune(spaces, r) || r >= '\u2000' && r <= '\u200A'
	})
}

// Valid returns b as valid UTF-8. Every maximal invalid part becomes one U+FFFD, as in browsers and Node. b has to be
// the whole text: a piece of it could end within a character.
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
