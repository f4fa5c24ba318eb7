package posix

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// patternTranslator writes a pattern in the syntax of package regexp. It panics with an [Unknown] for a pattern that it
// refuses.
type patternTranslator struct {
	Options
	in    string
	out   strings.Builder
	re    *Regexp
	depth int

	empty  bool // the current alternative is still empty
	repeat bool // an element was read that may be repeated
	wide   bool // the element is one character, also beyond ASCII
	many   bool // the element is one character of several bytes
}

// most is the largest number of repetitions.
const most = 255

func (t *patternTranslator) pattern() {
	for t.in != "" {
		c := t.in[0]
		t.in = t.in[1:]
		switch {
		case c == '\\':
			t.escape()
		case c == '[':
			t.bracket()
		case c == '.':
			t.element(".", true)
		case c == '^':
			t.begin()
		case c == '$':
			t.end()
		case c == '*', !t.Basic && (c == '+' || c == '?'):
			t.repetition(string(c))
		case t.Basic:
			t.literal(c)
		case c == '(':
			t.open()
		case c == ')':
			t.close()
		case c == '|':
			t.or()
		case c == '{':
			t.interval("}")
		default:
			t.literal(c)
		}
	}
	t.settle()
	if t.depth > 0 || t.empty && t.out.Len() > 0 {
		panic(Unknown("an open group or an empty alternative"))
	}
}

// settle ends an element that is not repeated.
func (t *patternTranslator) settle() {
	if t.wide {
		t.re.ascii = true // in the locale C the element is one byte
	}
	t.wide, t.many, t.repeat = false, false, false
}

func (t *patternTranslator) element(text string, wide bool) {
	t.settle()
	t.out.WriteString(text)
	t.empty, t.repeat, t.wide = false, true, wide
}

func (t *patternTranslator) literal(c byte) {
	if c < utf8.RuneSelf {
		t.element(regexp.QuoteMeta(string(c)), false)
		return
	}
	text := string([]byte{c}) + t.in
	_, size := utf8.DecodeRuneInString(text)
	if size == 1 || t.Fold {
		panic(Unknown("letters beyond ASCII"))
	}
	t.in = text[size:]
	t.element(text[:size], false)
	t.many = true
}

func (t *patternTranslator) repetition(op string) {
	if !t.repeat || t.many {
		panic(Unknown("this repetition"))
	}
	if op == "*" || op == "+" {
		t.wide = false
	}
	t.out.WriteString(op)
	t.settle()
}

// interval reads {n}, {n,} and {n,m}.
func (t *patternTranslator) interval(end string) {
	text, rest, ok := strings.Cut(t.in, end)
	low, high, two := strings.Cut(text, ",")
	n, err := strconv.Atoi(low)
	m := n
	if two && high != "" && err == nil {
		m, err = strconv.Atoi(high)
	}
	if !ok || err != nil || n < 0 || m < n || m > most || strings.Trim(text, "0123456789,") != "" {
		panic(Unknown("this interval"))
	}
	t.in = rest
	t.repetition("{" + text + "}")
}

func (t *patternTranslator) open() {
	t.settle()
	group := "(?:"
	if t.Groups {
		group = "("
		if t.depth > 0 {
			panic(Unknown("a group in a group"))
		}
	}
	t.out.WriteString(group)
	t.depth++
	t.empty = true
}

func (t *patternTranslator) close() {
	t.settle()
	if t.depth == 0 || t.empty {
		panic(Unknown("an empty group, or one that is not open"))
	}
	t.out.WriteByte(')')
	t.depth--
	t.empty, t.repeat = false, !t.Groups
}

func (t *patternTranslator) or() {
	if t.Groups {
		panic(Unknown("an alternative"))
	}
	t.settle()
	if t.empty {
		panic(Unknown("an empty alternative"))
	}
	t.out.WriteByte('|')
	t.empty = true
}

func (t *patternTranslator) begin() {
	if !t.empty {
		panic(Unknown("^ in the middle"))
	}
	t.out.WriteByte('^')
	t.empty = false
	t.settle()
}

func (t *patternTranslator) end() {
	last := t.in == ""
	if t.Basic {
		last = last || strings.HasPrefix(t.in, `\)`) || strings.HasPrefix(t.in, `\|`)
	} else {
		last = last || t.in[0] == ')' || t.in[0] == '|'
	}
	if !last && (t.Basic || strings.IndexByte("*?+{^$", t.in[0]) >= 0) {
		panic(Unknown("$ in the middle"))
	}
	t.settle()
	t.out.WriteByte('$')
	t.empty = false
}

// escape reads the characters after a backslash.
func (t *patternTranslator) escape() {
	if t.in == "" {
		panic(Unknown("a backslash at the end"))
	}
	c := t.in[0]
	t.in = t.in[1:]
	special := `.[*^$\`
	if !t.Basic {
		special += "()+?{|"
	}
	if strings.IndexByte(special, c) >= 0 {
		t.element(regexp.QuoteMeta(string(c)), false)
		return
	}
	switch c {
	case 's':
		t.re.space = true
		t.element(`[\t-\r ]`, false)
	case 'S':
		t.re.space = true
		t.element(`[^\t-\r ]`, true)
	case 'w':
		t.re.ascii = true
		t.element(`[0-9A-Za-z_]`, false)
	case 'W':
		t.re.ascii = true
		t.element(`[^0-9A-Za-z_]`, false)
	case 'b':
		t.settle()
		t.re.ascii, t.empty = true, false
		t.out.WriteString(`\b`)
	default:
		t.basicEscape(c)
	}
}

// basicEscape reads the operators of basic expressions that begin with a backslash.
func (t *patternTranslator) basicEscape(c byte) {
	if !t.Basic {
		panic(Unknown(`\` + string(rune(c))))
	}
	switch c {
	case '(':
		t.open()
	case ')':
		t.close()
	case '|':
		t.or()
	case '+', '?':
		t.repetition(string(c))
	case '{':
		t.interval(`\}`)
	default:
		panic(Unknown(`\` + string(rune(c))))
	}
}

// bracket reads the rest of a bracket expression.
func (t *patternTranslator) bracket() {
	rest, negated := strings.CutPrefix(t.in, "^")
	t.in = rest
	var set strings.Builder
	for first := true; ; first = false {
		if t.in == "" {
			panic(Unknown("an open bracket"))
		}
		c := t.in[0]
		t.in = t.in[1:]
		if c == ']' && !first {
			break
		}
		t.member(&set, c, first)
	}
	text := "[" + set.String() + "]"
	if negated {
		text = "[^" + set.String() + "]"
	}
	t.element(text, negated)
}

// member reads one character, range or class of a bracket expression.
func (t *patternTranslator) member(set *strings.Builder, c byte, first bool) {
	switch {
	case c >= utf8.RuneSelf || c < ' ' && c != '\t' && c != '\n':
		panic(Unknown("this character in brackets"))
	case c == '[' && t.in != "" && strings.IndexByte(".=", t.in[0]) >= 0:
		panic(Unknown("a collating element"))
	case c == '[' && t.in != "" && t.in[0] == ':':
		name, rest, ok := strings.Cut(t.in[1:], ":]")
		if !ok {
			panic(Unknown("this class"))
		}
		t.in = rest
		switch name {
		case "digit", "xdigit":
		case "space", "blank":
			t.re.space = true
		case "alpha", "alnum", "upper", "lower", "punct", "cntrl", "graph", "print":
			t.re.ascii = true
		default:
			panic(Unknown("this class"))
		}
		set.WriteString("[:" + name + ":]")
		return
	case c == ':' && first:
		panic(Unknown("[: outside of brackets"))
	case c == '-' && !first && !strings.HasPrefix(t.in, "]"):
		panic(Unknown("this range"))
	}
	if len(t.in) > 1 && t.in[0] == '-' && t.in[1] != ']' {
		to := t.in[1]
		if !sameKind(c, to) || c > to {
			panic(Unknown("this range"))
		}
		t.in = t.in[2:]
		set.WriteString(string(c) + "-" + string(to))
		return
	}
	if strings.IndexByte(`\]^-[`, c) >= 0 {
		set.WriteByte('\\')
	}
	set.WriteByte(c)
}

// sameKind reports whether two characters are both digits, or letters of one case.
func sameKind(a, b byte) bool {
	for _, kind := range [...]string{"09", "az", "AZ"} {
		if a >= kind[0] && a <= kind[1] {
			return b >= kind[0] && b <= kind[1]
		}
	}
	return false
}
