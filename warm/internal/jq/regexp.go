package jq

import (
	"regexp"
	"strings"
	"sync"

	"github.com/snaphook-go/snaphook/internal/bounded"
	"github.com/snaphook-go/snaphook/warm/internal/posix"
)

// pattern is a regular expression of Oniguruma that package regexp matches alike in ASCII.
type pattern struct {
	*regexp.Regexp
	size  int  // instructions
	lines bool // matches depend on the lines of the text
	err   error
}

// patterns keeps compiled patterns; mostPatterns limits their number.
var patterns struct {
	sync.Mutex
	compiled map[string]pattern
}

const (
	mostPatterns = 128
	costOfByte   = 32 // the work of compiling one byte of a pattern, in bytes
)

// test reports whether the text has a match.
func test(s *scope, in, re, flags value) (value, error) {
	text, ok := in.(string)
	if !ok {
		return nil, errFilter
	}
	source, ok := re.(string)
	if !ok || flags != nil && flags != "" && flags != "i" {
		panic(unsure("these arguments of test"))
	}
	s.spend(costOfByte * len(source))
	p := compilePattern(source, flags == "i")
	if p.err != nil {
		panic(unsure(p.err.Error()))
	}
	s.spend(posix.Work(p.size, len(text)))
	for i := range len(text) {
		if text[i] >= 0x80 || text[i] == '\n' && p.lines {
			panic(unsure("a regular expression on characters beyond ASCII, or on several lines"))
		}
	}
	return p.MatchString(text), nil
}

func compilePattern(source string, fold bool) pattern {
	key := source
	if fold {
		key = "(?i)" + source
	}
	patterns.Lock()
	defer patterns.Unlock()
	if p, ok := patterns.compiled[key]; ok {
		return p
	}
	var p pattern
	if p.err = bounded.Pattern(source); p.err == nil {
		t := &onig{in: source}
		if p.err = t.translate(); p.err == nil {
			text := t.out.String()
			if fold {
				text = "(?i)" + text
			}
			p.Regexp, p.err = regexp.Compile(text)
			p.size = posix.Size(text)
			p.lines = t.lines
		}
	}
	if len(patterns.compiled) >= mostPatterns || patterns.compiled == nil {
		patterns.compiled = map[string]pattern{}
	}
	patterns.compiled[key] = p
	return p
}

// onig translates the simple expressions of Oniguruma.
type onig struct {
	in    string
	out   strings.Builder
	lines bool
	atom  bool // the last element may be repeated
	start bool // the alternative is still empty
	depth int
}

func (t *onig) translate() (err error) {
	defer func() {
		if why, ok := recover().(unsure); ok {
			err = why
		}
	}()
	for t.start = true; t.in != ""; {
		c := t.in[0]
		t.in = t.in[1:]
		start := t.start
		t.start = false
		switch {
		case c >= 0x80 || c < ' ':
			refuse("this character of a regular expression")
		case c == '\\':
			t.escape()
		case c == '[':
			t.class()
		case c == '(':
			t.open()
		case c == ')':
			t.depth--
			t.write(")", true)
			if t.depth < 0 || start {
				refuse("this group of a regular expression")
			}
		case c == '|':
			t.write("|", false)
			t.start = true
			if start {
				refuse("an empty alternative")
			}
		case c == '^' || c == '$':
			t.anchor(c, start)
		case c == '*' || c == '+' || c == '?':
			t.repeat(string(c))
		case c == '{':
			t.interval()
		case c == '.':
			t.write(".", true)
		default:
			t.write(regexp.QuoteMeta(string(c)), true)
		}
	}
	if t.depth != 0 || t.start {
		refuse("an open group or an empty alternative")
	}
	return nil
}

func (t *onig) write(text string, atom bool) {
	t.out.WriteString(text)
	t.atom = atom
}

func (t *onig) open() {
	if rest, ok := strings.CutPrefix(t.in, "?:"); ok {
		t.in = rest
	} else if strings.HasPrefix(t.in, "?") {
		refuse("this group of a regular expression")
	}
	t.depth++
	t.write("(?:", false)
	t.start = true
}

func (t *onig) anchor(c byte, start bool) {
	if c == '^' && !start || c == '$' && t.in != "" && t.in[0] != ')' && t.in[0] != '|' {
		refuse("an anchor in the middle")
	}
	t.lines = true
	t.write(string(c), false)
}

func (t *onig) repeat(op string) {
	if !t.atom {
		refuse("this repetition")
	}
	if rest, lazy := strings.CutPrefix(t.in, "?"); lazy && len(op) == 1 {
		t.in, op = rest, op+"?"
	}
	t.write(op, false)
}

func (t *onig) interval() {
	text, rest, ok := strings.Cut(t.in, "}")
	low, high, two := strings.Cut(text, ",")
	if !ok || !isSmall(low) || two && high != "" && (!isSmall(high) || len(high) < len(low) || len(high) == len(low) && high < low) ||
		strings.HasPrefix(rest, "?") || strings.HasPrefix(rest, "+") {
		refuse("this interval of a regular expression")
	}
	t.in = rest
	t.repeat("{" + text + "}")
}

func isSmall(text string) bool {
	return text != "" && len(text) < 3 && strings.Trim(text, "0123456789") == ""
}

// escaped lists the escapes of classes, for the inside of brackets.
var escaped = map[byte]string{'s': `\t-\r `, 'd': `0-9`, 'w': `0-9A-Za-z_`}

func (t *onig) escape() {
	if t.in == "" {
		refuse("a backslash at the end")
	}
	c := t.in[0]
	t.in = t.in[1:]
	lower := c | 0x20
	switch class := escaped[lower]; {
	case strings.IndexByte(`.*+?()[]{}|^$\/-"'`, c) >= 0:
		t.write(regexp.QuoteMeta(string(c)), true)
	case class != "" && c == lower:
		t.write("["+class+"]", true)
	case class != "":
		t.write("[^"+class+"]", true)
	case c == 'b':
		t.write(`\b`, false)
	default:
		refuse(`\%c in a regular expression`, c)
	}
}

// class reads the rest of a bracket expression of letters, digits, plain characters, ranges and escapes.
func (t *onig) class() {
	end := strings.IndexByte(t.in, ']')
	if end < 1 {
		refuse("these brackets")
	}
	inside := t.in[:end]
	if strings.HasSuffix(inside, `\`) || strings.ContainsAny(inside, "[&") {
		refuse("these brackets")
	}
	t.in = t.in[end+1:]
	body, negated := strings.CutPrefix(inside, "^")
	if body == "" || strings.Contains(body, "^") {
		refuse("these brackets")
	}
	out := "["
	if negated {
		out = "[^"
	}
	for i := 0; i < len(body); i++ {
		out += classMember(body, &i)
	}
	t.write(out+"]", true)
}

func classMember(body string, i *int) string {
	c := body[*i]
	if c >= 0x80 || c < ' ' {
		refuse("this character in brackets")
	}
	if c == '\\' {
		*i++
		c = body[*i]
		if class := escaped[c]; class != "" {
			return class
		}
		if strings.IndexByte(`.*+?(){}|$\/-"'`, c) < 0 || *i+1 < len(body) && body[*i+1] == '-' {
			refuse("this escape in brackets")
		}
		return regexp.QuoteMeta(string(c))
	}
	if c == '-' {
		if *i > 0 && *i < len(body)-1 {
			refuse("this range")
		}
		return `\-`
	}
	if *i+2 < len(body) && body[*i+1] == '-' {
		to := body[*i+2]
		if !sameKind(c, to) || c > to {
			refuse("this range")
		}
		*i += 2
		return string(c) + "-" + string(to)
	}
	return regexp.QuoteMeta(string(c))
}

// sameKind reports whether two characters are both digits, or letters of one case.
func sameKind(a, b byte) bool {
	for _, kind := range []string{"09", "az", "AZ"} {
		if a >= kind[0] && a <= kind[1] {
			return b >= kind[0] && b <= kind[1]
		}
	}
	return false
}
