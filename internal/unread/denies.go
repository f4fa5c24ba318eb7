package unread

import (
	"bytes"
	"unicode"
)

// The words of a denial.
var (
	refusals = []string{
		"deny", "denied", "denies", "block", "blocked", "blocks", "reject", "rejected", "rejects", "refuse", "refused",
		"refuses", "forbid", "forbidden", "forbids", "disallow", "disallowed", "prohibit", "prohibited", "prohibits",
	}
	decidingNames = []string{"decision", "behavior", "behaviour", "verdict", "permission", "action"}
	allowingNames = []string{
		"continue", "allow", "allowed", "approve", "approved", "permit", "permitted", "proceed", "ok",
	}
	yeses = []string{"true", "1", "yes"}
	noes  = []string{"false", "0", "no"}
)

// Denies reports whether a text contains the words of a denial, as members of an object or at the beginning
// of a line. It reads UTF-16 too. Its time grows with the length of the text.
func Denies(text []byte) bool {
	text = utf8Text(text)
	return deniesInMember(text) || deniesInLine(text)
}

// DeniesFormally does the same as Denies, for members of an object only.
func DeniesFormally(text []byte) bool { return deniesInMember(utf8Text(text)) }

// utf8Text removes the zero bytes of UTF-16 text, which is enough to find words.
func utf8Text(text []byte) []byte {
	if bytes.IndexByte(text, 0) < 0 {
		return text
	}
	return bytes.ReplaceAll(text, []byte{0}, nil)
}

// deniesInMember reports whether a name and a value with ":" or "=" between them deny. Case does not matter, and a name
// and a value may have any quotes.
func deniesInMember(text []byte) bool {
	colon, equals := -1, -1
	for {
		if colon = indexAfter(text, colon, ':'); colon < len(text) && pairDenies(text, colon) {
			return true
		}
		if equals = indexAfter(text, equals, '='); equals < len(text) && pairDenies(text, equals) {
			return true
		}
		if colon == len(text) && equals == len(text) {
			return false
		}
	}
}

// indexAfter returns the offset of the first c after the offset i. If there is none, it returns the length of text.
func indexAfter(text []byte, i int, c byte) int {
	i = min(i+1, len(text))
	if n := bytes.IndexByte(text[i:], c); n >= 0 {
		return i + n
	}
	return len(text)
}

// pairDenies does the same for the separator at i.
func pairDenies(text []byte, i int) bool {
	end := beforeSpaces(text, i) // of the name
	quotedName := end > 0 && isQuote(text[end-1])
	if quotedName {
		end--
	}
	for end > 0 && text[end-1] == '\\' {
		end--
	}
	plain := spaces(text, i+1)
	start := backslashes(text, plain)
	quotedValue := start < len(text) && isQuote(text[start])
	if quotedValue {
		start++
	}
	value := spaces(text, start)
	return hasSuffix(text[:end], decidingNames, false) && refuses(text, value, atBoundary) ||
		quotedName && quotedValue && refuses(text, value, atQuote) ||
		(quotedValue || hasPrefix(text, plain, yeses, anywhere)) && hasSuffix(text[:end], refusals, true) ||
		hasPrefix(text, start, noes, atBoundary) && hasSuffix(text[:end], allowingNames, true)
}

// deniesInLine reports whether the first word of a line refuses, and a colon or an exclamation mark follows, or nothing
// else stands on the line.
func deniesInLine(text []byte) bool {
	first := true // no word has begun since the beginning of a line
	for i, c := range text {
		switch {
		case c == '\n':
			first = true
		case first && (isWord(c) || c > unicode.MaxASCII && isFolded(text[i:])):
			first = false
			if refuses(text, i, atEndOfLine) {
				return true
			}
		}
	}
	return false
}

func refuses(text []byte, i int, then func(text []byte, end int) bool) bool {
	return hasPrefix(text, i, refusals, then)
}

// hasPrefix reports whether one of words stands at i, and then holds for the offset after it.
func hasPrefix(text []byte, i int, words []string, then func(text []byte, end int) bool) bool {
	if i == len(text) {
		return false
	}
	first, n := letter(text[i:])
	for _, word := range words {
		if word[0] != first {
			continue
		}
		if end, ok := wordAfter(text, i+n, word[1:]); ok && then(text, end) {
			return true
		}
	}
	return false
}

// wordAfter reports whether a word stands at i, and returns the offset after it.
func wordAfter(text []byte, i int, word string) (end int, ok bool) {
	for j := range len(word) {
		c, n := letter(text[i:])
		if c != word[j] {
			return 0, false
		}
		i += n
	}
	return i, true
}

// hasSuffix reports whether text ends with one of words, and if whole is set, whether the word does not begin inside
// another.
func hasSuffix(text []byte, words []string, whole bool) bool {
	last, _ := lastLetter(text)
	for _, word := range words {
		if word[len(word)-1] != last {
			continue
		}
		if start, ok := wordBefore(text, word); ok && (!whole || atBoundary(text, start)) {
			return true
		}
	}
	return false
}

// wordBefore reports whether text ends with a word, and returns the offset of the word.
func wordBefore(text []byte, word string) (start int, ok bool) {
	start = len(text)
	for j := len(word) - 1; j >= 0; j-- {
		c, n := lastLetter(text[:start])
		if c != word[j] {
			return 0, false
		}
		start -= n
	}
	return start, true
}

func anywhere([]byte, int) bool { return true }

// atBoundary reports whether a word begins or ends at i.
func atBoundary(text []byte, i int) bool {
	return (i > 0 && isWord(text[i-1])) != (i < len(text) && isWord(text[i]))
}

// atQuote reports whether a quote follows at i, after optional white space and backslashes.
func atQuote(text []byte, i int) bool {
	i = backslashes(text, spaces(text, i))
	return i < len(text) && isQuote(text[i])
}

// atEndOfLine reports whether a colon or an exclamation mark follows at i, or the end of the line after optional quotes
// and dots.
func atEndOfLine(text []byte, i int) bool {
	if next := spaces(text, i); next < len(text) && (text[next] == ':' || text[next] == '!') {
		return true
	}
	for i < len(text) && (text[i] == '"' || text[i] == '\'' || text[i] == '.') {
		i++
	}
	next := spaces(text, i)
	return next == len(text) || bytes.IndexByte(text[i:next], '\n') >= 0
}

// letter returns the first letter of a text in lower case, or another byte, and its length; at the end both are 0.
// Unicode has two more letters whose lower case is in ASCII: ſ and the sign of the unit Kelvin.
func letter(text []byte) (c byte, n int) {
	switch {
	case len(text) == 0:
		return 0, 0
	case 'A' <= text[0] && text[0] <= 'Z':
		return text[0] + 'a' - 'A', 1
	case text[0] <= unicode.MaxASCII:
		return text[0], 1
	case bytes.HasPrefix(text, longS):
		return 's', len(longS)
	case bytes.HasPrefix(text, kelvin):
		return 'k', len(kelvin)
	}
	return text[0], 1
}

// lastLetter does the same as letter for the end of a text.
func lastLetter(text []byte) (c byte, n int) {
	switch {
	case len(text) == 0:
		return 0, 0
	case text[len(text)-1] <= unicode.MaxASCII:
		return letter(text[len(text)-1:])
	case bytes.HasSuffix(text, longS):
		return 's', len(longS)
	case bytes.HasSuffix(text, kelvin):
		return 'k', len(kelvin)
	}
	return text[len(text)-1], 1
}

var longS, kelvin = []byte("\u017F"), []byte("\u212A")

// isFolded reports whether a text begins with a letter outside ASCII whose lower case is in ASCII.
func isFolded(text []byte) bool { return bytes.HasPrefix(text, longS) || bytes.HasPrefix(text, kelvin) }

func isWord(c byte) bool {
	return '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' || c == '_'
}

func isQuote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f' }

// spaces returns the offset after white space.
func spaces(text []byte, i int) int {
	for i < len(text) && isSpace(text[i]) {
		i++
	}
	return i
}

// backslashes returns the offset after backslashes.
func backslashes(text []byte, i int) int {
	for i < len(text) && text[i] == '\\' {
		i++
	}
	return i
}
