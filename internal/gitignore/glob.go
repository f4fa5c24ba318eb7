package gitignore

import (
	"errors"
	"strings"
)

// errSpent ends a comparison that may take no more steps.
var errSpent = errors.New("too many steps")

// steps is the number of comparisons of bytes that may still be made. Comparing a pattern with the name of one file or
// directory can take as many steps as the product of their lengths.
type steps int64

// take subtracts n steps, and panics with errSpent if none remain.
func (s *steps) take(n int) {
	if *s -= steps(n); *s < 0 {
		panic(errSpent)
	}
}

// glob tests one name against one segment of a pattern, byte by byte as git does: * matches any bytes, ? one byte,
// [a-z] a byte in the set, [!a-z] a byte outside it; \ makes the next byte literal. Its time is at most the product of
// both lengths.
func (s *steps) glob(pattern, name string) bool {
	again, from := -1, 0 // positions from which * takes one more byte; -1: there is no *
	p, n := 0, 0
	for n < len(name) || p < len(pattern) {
		s.take(1)
		if p < len(pattern) && pattern[p] == '*' {
			p, again, from = p+1, p+1, n
			continue
		}
		if n < len(name) {
			if size := s.one(pattern[p:], name[n]); size > 0 {
				p, n = p+size, n+1
				continue
			}
		}
		if again < 0 || from >= len(name) {
			return false
		}
		from++
		p, n = again, from
	}
	return true
}

// one returns the length of the first element of pattern if it matches c, and 0 if it does not.
func (s *steps) one(pattern string, c byte) int {
	switch {
	case pattern == "":
		return 0
	case pattern[0] == '?':
		return 1
	case pattern[0] == '[':
		return s.set(pattern, c)
	case pattern[0] == '\\':
		if len(pattern) > 1 && pattern[1] == c {
			return 2
		}
		return 0
	case pattern[0] == c:
		return 1
	}
	return 0
}

// set tests c against a set, which starts with a bracket, and returns its length
// if c is in it. A set that does not end has no members.
func (s *steps) set(pattern string, c byte) int {
	i := 1
	negated := i < len(pattern) && (pattern[i] == '!' || pattern[i] == '^')
	if negated {
		i++
	}
	in, first := false, true
	for ; i < len(pattern) && (pattern[i] != ']' || first); first = false {
		s.take(1)
		member, size, ok := element(pattern[i:], c)
		if !ok {
			return 0
		}
		in = in || member
		i += size
	}
	if i >= len(pattern) || in == negated {
		return 0
	}
	return i + 1
}

// element tests c against the next member of a set: a byte, a range, or a
// class such as [:digit:].
func element(text string, c byte) (in bool, size int, ok bool) {
	if rest, is := strings.CutPrefix(text, "[:"); is {
		if end := strings.IndexByte(rest, ']'); end > 0 && rest[end-1] == ':' {
			class, known := classes[rest[:end-1]]
			return known && class(c), end + 3, known
		}
	}
	low, size := literal(text)
	if rest := text[size:]; len(rest) > 1 && rest[0] == '-' && rest[1] != ']' {
		high, more := literal(rest[1:])
		return low <= c && c <= high, size + 1 + more, more > 0
	}
	return low == c, size, size > 0
}

// literal returns one byte, without the backslash before it. Its size is 0 if nothing follows the
// backslash.
func literal(text string) (c byte, size int) {
	if text[0] != '\\' {
		return text[0], 1
	}
	if len(text) < 2 {
		return 0, 0
	}
	return text[1], 2
}

var classes = map[string]func(byte) bool{
	"alnum":  func(c byte) bool { return letter(c) || digit(c) },
	"alpha":  letter,
	"blank":  func(c byte) bool { return c == ' ' || c == '\t' },
	"cntrl":  func(c byte) bool { return c < ' ' || c == 127 },
	"digit":  digit,
	"graph":  func(c byte) bool { return ' ' < c && c < 127 },
	"lower":  func(c byte) bool { return 'a' <= c && c <= 'z' },
	"print":  func(c byte) bool { return ' ' <= c && c < 127 },
	"punct":  func(c byte) bool { return ' ' < c && c < 127 && !letter(c) && !digit(c) },
	"space":  func(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' },
	"upper":  func(c byte) bool { return 'A' <= c && c <= 'Z' },
	"xdigit": func(c byte) bool { return digit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' },
}

func letter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func digit(c byte) bool { return '0' <= c && c <= '9' }
