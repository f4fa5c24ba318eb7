package match

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dlclark/regexp2/v2"
	"github.com/dlclark/regexp2/v2/syntax"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/bounded"
)

// limit is the time limit of [Pattern.Test]; patience is the shorter time limit of [Pattern.Match]. A test can take a
// little longer, because the library's clock ticks every 100 ms.
const (
	limit    = time.Second
	patience = 100 * time.Millisecond
)

// Pattern is a compiled regular expression; [Regexp] makes one.
type Pattern struct {
	source   string
	literals []literal       // the fast form; one of the literals has to match
	re       *regexp2.Regexp // nil if the fast form is complete
	compiled string          // the text of re
	inUnits  bool            // re matches UTF-16 code units
	late     lateness
}

// Regexp compiles an ECMAScript regular expression like JavaScript's new RegExp(pattern): unanchored, case-sensitive,
// without flags. A pattern that Node 20 rejects is an error, including inline flags like (?i).
//
// There is one difference: a character beyond U+FFFF is one character here and two in JavaScript; "^.$" therefore
// matches an emoji. A pattern that names surrogates, such as \ud83d\ude00, matches code units as in JavaScript.
//
// Patterns of literal text, ^, $ and | are not compiled to an expression. Other patterns take some microseconds to
// compile, and less than one to test.
func Regexp(pattern string) (*Pattern, error) {
	if fast, ok := literals(pattern); ok {
		return &Pattern{source: pattern, literals: fast}, nil
	}
	if err := bounded.Pattern(pattern); err != nil {
		return nil, fmt.Errorf("regular expression %.40q…: %w", pattern, err)
	}
	named, err := lint(pattern)
	if err != nil {
		return nil, fmt.Errorf("regular expression %q: %w", pattern, err)
	}
	compiled, inUnits := patternUnits(pattern)
	re, err := regexp2.Compile(compiled, regexp2.ECMAScript)
	if err != nil && inUnits { // report the error for the pattern as written
		compiled, inUnits = pattern, false
		re, err = regexp2.Compile(pattern, regexp2.ECMAScript)
	}
	if err != nil {
		return nil, fmt.Errorf("regular expression %q: %w", pattern, plain(err))
	}
	if named > namesOf(re) {
		return nil, fmt.Errorf("regular expression %q: two groups have the same name; give each group its own name", pattern)
	}
	re.MatchTimeout = patience // set before other goroutines get the expression: setting it later would be a race
	return &Pattern{source: pattern, compiled: compiled, inUnits: inUnits, re: re}, nil
}

// Match reports whether the pattern is found in subject. It also returns true if the test takes more than about 100 ms,
// or backtracks too far for the library, because a superfluous hook does less harm than a missing guard. It remembers a
// limited number of such subjects, and does not test them again.
func (p *Pattern) Match(subject string) bool {
	if p.re == nil {
		return anyIn(p.literals, subject)
	}
	if p.late.has(subject) {
		return true
	}
	found, err := p.re.MatchString(p.text(subject))
	if err != nil {
		p.late.add(subject)
	}
	return found || err != nil
}

// text converts a subject to the form that the compiled expression reads.
func (p *Pattern) text(subject string) string {
	if p.inUnits {
		return units(subject)
	}
	return subject
}

// Quick reports whether tests are always fast: they are if the pattern needs no expression.
func (p *Pattern) Quick() bool { return p.re == nil }

// Test reports whether the pattern is found in subject. It returns a [hook.TimeoutError] if the search takes longer
// than a second, as with a pattern like ^(a+)+$, and another error if the search backtracks too far for the library. If
// there is an error, found is false. Errors do not contain the subject.
func (p *Pattern) Test(subject string) (found bool, err error) {
	if p.re == nil {
		return anyIn(p.literals, subject), nil
	}
	if found, err = p.re.MatchString(p.text(subject)); err == nil {
		return found, nil
	}
	if patient, bad := regexp2.Compile(p.compiled, regexp2.ECMAScript); bad == nil &&
		!errors.Is(err, regexp2.ErrBacktrackingStackLimit) {
		patient.MatchTimeout = limit
		if found, err = patient.MatchString(p.text(subject)); err == nil {
			return found, nil
		}
	}
	// The library's error contains the whole subject, which must not be shown.
	if errors.Is(err, regexp2.ErrBacktrackingStackLimit) {
		return false, fmt.Errorf(
			"regular expression %q backtracks too far; write it with fewer nested * and +",
			p.source,
		)
	}
	return false, fmt.Errorf(
		"regular expression %q: %w; write it with fewer nested * and +",
		p.source,
		&hook.TimeoutError{After: limit},
	)
}

// plain removes the pattern from the library's error.
func plain(err error) error {
	if se, ok := errors.AsType[*syntax.Error](err); ok {
		return fmt.Errorf(string(se.Code), se.Args...)
	}
	return err
}

func namesOf(re *regexp2.Regexp) int {
	names := map[string]bool{}
	for _, name := range re.GetGroupNames() {
		if name != "" && (name[0] < '0' || name[0] > '9') { // groups without a name are listed by number
			names[name] = true
		}
	}
	return len(names)
}

// literal is a text to find in a subject: anywhere, at its start, at its end, or as the whole subject.
type literal struct {
	text       string
	start, end bool
}

// literals returns the fast form of a pattern, if it has one: the pattern has to be an alternation of literal texts,
// each optionally with ^ before and $ after it.
func literals(pattern string) ([]literal, bool) {
	// A pattern that is not UTF-8, or contains U+FFFD, needs an expression, which reads bytes that are not UTF-8 as
	// U+FFFD.
	if !utf8.ValidString(pattern) || strings.ContainsRune(pattern, utf8.RuneError) {
		return nil, false
	}
	var all []literal
	for text := range strings.SplitSeq(pattern, "|") {
		var l literal
		text, l.start = strings.CutPrefix(text, "^")
		text, l.end = strings.CutSuffix(text, "$")
		// A .* at the start or the end matches any text, even none: without it the search finds the same subjects.
		if !l.end {
			text = strings.TrimSuffix(text, ".*")
		}
		if !l.start {
			text = strings.TrimPrefix(text, ".*")
		}
		if strings.ContainsAny(text, `\^$.?*+()[]{}`) {
			return nil, false
		}
		l.text = text
		all = append(all, l)
	}
	return all, true
}

func anyIn(all []literal, subject string) bool {
	return slices.ContainsFunc(all, func(l literal) bool { return l.in(subject) })
}

func (l literal) in(subject string) bool {
	switch {
	case l.start && l.end:
		return subject == l.text
	case l.start:
		return strings.HasPrefix(subject, l.text)
	case l.end:
		return strings.HasSuffix(subject, l.text)
	default:
		return strings.Contains(subject, l.text)
	}
}
