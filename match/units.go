package match

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// JavaScript compares UTF-16 code units where a pattern names surrogates: \ud83d\ude00 is one
// character, and [\ud800-\udbff] half of any beyond U+FFFF. The library compares characters, none of
// which is a surrogate. A pattern that names surrogates and its subjects are therefore rewritten:
// each surrogate becomes a character of the private plane 16, whose own characters become pairs too.
const unitsBase = 0x100000 - 0xD800

// units rewrites the characters beyond U+FFFF of a subject. It allocates only if there are some.
func units(subject string) string {
	if strings.IndexFunc(subject, isAstral) < 0 {
		return subject
	}
	var b strings.Builder
	for _, c := range subject {
		writeUnits(&b, c)
	}
	return b.String()
}

func isAstral(c rune) bool { return c > 0xFFFF }

func writeUnits(b *strings.Builder, c rune) {
	if !isAstral(c) {
		b.WriteRune(c)
		return
	}
	high, low := utf16.EncodeRune(c)
	b.WriteRune(high + unitsBase)
	b.WriteRune(low + unitsBase)
}

// patternUnits rewrites a pattern; named reports whether it names a surrogate. Else it stays as it
// is.
func patternUnits(pattern string) (rewritten string, named bool) {
	if !strings.Contains(pattern, `\u`) {
		return pattern, false
	}
	var b strings.Builder
	for i := 0; i < len(pattern); {
		if unit, ok := surrogate(pattern[i:]); ok {
			b.WriteRune(unit + unitsBase)
			i, named = i+len(`\uXXXX`), true
			continue
		}
		if pattern[i] == '\\' { // what follows is escaped
			b.WriteByte('\\')
			i++
		}
		c, size := utf8.DecodeRuneInString(pattern[i:])
		if size > 0 {
			writeUnits(&b, c)
		}
		i += size
	}
	if !named {
		return pattern, false
	}
	return b.String(), true
}

// surrogate reads the escape \uXXXX of a surrogate at the start of a pattern.
func surrogate(pattern string) (unit rune, ok bool) {
	digits, escaped := strings.CutPrefix(pattern, `\u`)
	if !escaped || len(digits) < 4 {
		return 0, false
	}
	n, err := strconv.ParseUint(digits[:4], 16, 16)
	return rune(n), err == nil && utf16.IsSurrogate(rune(n))
}
