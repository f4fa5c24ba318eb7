package match

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// unitsBase maps surrogates to private characters. JavaScript compares UTF-16 code units where a pattern names
// surrogates: \ud83d\ude00 is one character, and [\ud800-\udbff] is half of any character beyond U+FFFF. The library
// compares characters, which are never surrogates. Such a pattern and its subjects are therefore rewritten: each
// surrogate becomes a character of the private plane 16, and characters beyond U+FFFF become pairs.
const unitsBase = 0x100000 - 0xD800

// units rewrites the characters beyond U+FFFF in a subject. It allocates only if there are any.
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

// patternUnits rewrites a pattern. named reports whether the pattern names a surrogate, or has a class with a range
// that includes surrogates, such as [\u0080-\uffff]; otherwise the pattern is returned unchanged.
func patternUnits(pattern string) (rewritten string, named bool) {
	if !strings.Contains(pattern, `\u`) && strings.IndexFunc(pattern, beyondASCII) < 0 {
		return pattern, false
	}
	var b strings.Builder
	inClass := false
	for i := 0; i < len(pattern); {
		if inClass {
			if size := writeRange(&b, pattern[i:]); size > 0 {
				i, named = i+size, true
				continue
			}
		}
		if unit, ok := surrogate(pattern[i:]); ok {
			b.WriteRune(unit + unitsBase)
			i, named = i+len(`\uXXXX`), true
			continue
		}
		switch pattern[i] {
		case '\\': // the next character is escaped
			b.WriteByte('\\')
			i++
		case '[':
			inClass = true
		case ']':
			inClass = false
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

func beyondASCII(c rune) bool { return c >= utf8.RuneSelf }

// The first and the last surrogate.
const (
	firstUnit = 0xD800
	lastUnit  = 0xDFFF
)

// writeRange writes the class range with which text begins if the range includes surrogates. It becomes up to three
// ranges: the characters below the surrogates, the surrogates, and the characters above. writeRange returns the length
// of the range in text, or 0 if it writes nothing.
func writeRange(b *strings.Builder, text string) int {
	low, n := classAtom(text)
	if n == 0 || !strings.HasPrefix(text[n:], "-") {
		return 0
	}
	high, m := classAtom(text[n+1:])
	if m == 0 || low > high || high < firstUnit || low > lastUnit {
		return 0
	}
	if low < firstUnit {
		b.WriteString(text[:n] + `-\uD7FF`)
	}
	b.WriteRune(max(low, firstUnit) + unitsBase)
	b.WriteByte('-')
	b.WriteRune(min(high, lastUnit) + unitsBase)
	if high > lastUnit {
		b.WriteString(`\uE000-` + text[n+1:n+1+m])
	}
	return n + 1 + m
}

// classAtom returns the class character with which text begins, escaped or not, and its length. The length is 0 at the
// end of the class, for an escaped letter or digit such as \d, except in \x and \u with a number, and for characters
// beyond U+FFFF, which are two units.
func classAtom(text string) (c rune, size int) {
	if text == "" || text[0] == ']' {
		return 0, 0
	}
	if text[0] != '\\' {
		c, size = utf8.DecodeRuneInString(text)
		if isAstral(c) {
			return 0, 0
		}
		return c, size
	}
	for _, form := range []struct {
		start string
		count int
	}{{`\u`, 4}, {`\x`, 2}} {
		digits, is := strings.CutPrefix(text, form.start)
		if !is || len(digits) < form.count {
			continue
		}
		if n, err := strconv.ParseUint(digits[:form.count], 16, 16); err == nil {
			return rune(n), len(form.start) + form.count
		}
	}
	c, size = utf8.DecodeRuneInString(text[1:])
	if size == 0 || c < utf8.RuneSelf && (c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z') {
		return 0, 0
	}
	return c, 1 + size
}

// surrogate returns the surrogate whose escape \uXXXX a pattern begins with.
func surrogate(pattern string) (unit rune, ok bool) {
	digits, escaped := strings.CutPrefix(pattern, `\u`)
	if !escaped || len(digits) < 4 {
		return 0, false
	}
	n, err := strconv.ParseUint(digits[:4], 16, 16)
	return rune(n), err == nil && utf16.IsSurrogate(rune(n))
}
