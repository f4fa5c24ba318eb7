// Package posix translates regular expressions of POSIX, as GNU grep and bash on glibc read them, for package
// regexp. Compile accepts the forms for which the result is certain: it refuses back-references, most
// extensions of GNU, and forms that POSIX leaves undefined. Matches are leftmost and longest.
//
// The size of a pattern and the nesting of its groups are limited by internal/bounded; package regexp matches in
// time that is linear in the text.
package posix

import (
	"bytes"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/snaphook-go/snaphook/internal/bounded"
)

// Options say how a pattern is read.
type Options struct {
	Basic bool // the pattern is a basic regular expression
	Fold  bool // upper and lower case are equal
	Lines bool // the text is one line: a match has no newline
	Word  bool // no letter, digit or underscore may adjoin the match; Whole has precedence
	Whole bool // the match is the whole text

	// Groups keeps groups. The pattern must not repeat them, nor have alternatives: otherwise their matches
	// are not certain.
	Groups bool
}

// Regexp is a compiled pattern. It may be used from many goroutines at once.
type Regexp struct {
	*regexp.Regexp
	size  int // instructions of the compiled pattern
	fold  bool
	ascii bool // beyond ASCII, matches depend on the locale
	space bool // beyond ASCII, the locale decides which characters are blank
}

// Unknown is the reason why a pattern is refused.
type Unknown string

func (u Unknown) Error() string { return string(u) + " in a regular expression" }

// Compile reads a pattern. The error is an [Unknown], a [*bounded.Error] or an error of package regexp.
func Compile(pattern string, o Options) (re *Regexp, err error) {
	if err := bounded.Pattern(pattern); err != nil {
		return nil, err
	}
	t := &patternTranslator{Options: o, in: pattern, re: &Regexp{fold: o.Fold}, empty: true}
	defer func() {
		if why, ok := recover().(Unknown); ok {
			re, err = nil, why
		}
	}()
	t.pattern()
	return t.finish(t.out.String())
}

// Literal returns a pattern that matches any of the texts.
func Literal(texts []string, o Options) (*Regexp, error) {
	t := &patternTranslator{Options: o, re: &Regexp{fold: o.Fold}}
	for i, text := range texts {
		if i > 0 {
			t.out.WriteByte('|')
		}
		if o.Fold && !isASCII([]byte(text)) || !utf8.ValidString(text) {
			return nil, Unknown("letters beyond ASCII")
		}
		t.out.WriteString(regexp.QuoteMeta(text))
	}
	return t.finish(t.out.String())
}

// Join compiles several patterns into one that matches if any of them does.
func Join(patterns []string, o Options) (re *Regexp, err error) {
	if len(patterns) == 1 {
		return Compile(patterns[0], o)
	}
	t := &patternTranslator{Options: o, re: &Regexp{fold: o.Fold}}
	part := o
	part.Word, part.Whole = false, false
	for i, p := range patterns {
		one, err := Compile(p, part)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			t.out.WriteByte('|')
		}
		t.out.WriteString("(?:" + one.String() + ")")
		t.re.ascii, t.re.space = t.re.ascii || one.ascii, t.re.space || one.space
	}
	return t.finish(t.out.String())
}

// finish compiles the translated pattern.
func (t *patternTranslator) finish(text string) (*Regexp, error) {
	flags := ""
	if t.Fold {
		flags += "i"
	}
	if !t.Lines {
		flags += "s"
	}
	if flags != "" {
		flags = "(?" + flags + ")"
	}
	text = flags + "(?:" + text + ")"
	compile := func(text string) (*Regexp, error) {
		re, err := regexp.Compile(text)
		if err != nil {
			return nil, err
		}
		re.Longest()
		t.re.Regexp, t.re.size = re, Size(text)
		return t.re, nil
	}
	if t.Word && !t.Whole {
		re, err := compile(text)
		if err != nil {
			return nil, err
		}
		if re.MatchString("") {
			return nil, Unknown("a word that may be empty")
		}
		t.re.ascii = true
		return compile(`(?:^|[^0-9A-Za-z_])` + text + `(?:[^0-9A-Za-z_]|$)`)
	}
	if t.Whole {
		text = "^" + text + "$"
	}
	return compile(text)
}

// Size returns the number of instructions of a pattern of package regexp, or 0 for an invalid pattern.
func Size(pattern string) int {
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return 0
	}
	compiled, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return 0
	}
	return len(compiled.Inst)
}

// Work returns the work of a search in n bytes. The unit is the work of reading one byte.
func (r *Regexp) Work(n int) int { return Work(r.size, n) }

// Work returns the work of a search in n bytes for a pattern of size instructions. Each instruction
// may be active at each byte; in patterns of guards less than a quarter of the instructions are.
func Work(size, n int) int { return n * (2 + size/4) }

// Certain reports whether the matches in a text are the same in the locale C and in all locales
// with UTF-8.
func (r *Regexp) Certain(text []byte) bool {
	if isASCII(text) {
		return true
	}
	if r.ascii || !utf8.Valid(text) {
		return false
	}
	for len(text) > 0 {
		c, size := utf8.DecodeRune(text)
		if c >= utf8.RuneSelf && (r.fold && strings.ContainsRune("\u0130\u0131\u017f\u212a", c) ||
			r.space && unicode.In(c, unicode.White_Space, unicode.Z, unicode.Cf)) {
			return false
		}
		text = text[size:]
	}
	return true
}

func isASCII(text []byte) bool {
	for _, b := range text {
		if b >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// Split cuts a pattern of grep at its newlines.
func Split(pattern string) []string { return strings.Split(pattern, "\n") }

// Lines calls yield for each line of a text, without its end, until yield returns false.
func Lines(text []byte, yield func(line []byte) bool) {
	for len(text) > 0 {
		line, rest, _ := bytes.Cut(text, []byte("\n"))
		if !yield(line) {
			return
		}
		text = rest
	}
}
