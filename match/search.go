package match

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/bounded"
)

// Search is the matcher of Kimi Code's events: a regular expression, see [Regexp], found anywhere in the subject. The
// empty pattern matches every subject: m is nil. An invalid expression, such as "*", matches nothing, and note explains
// the mistake.
func Search(pattern string) (m hook.Matcher, note string) {
	if pattern == "" {
		return nil, ""
	}
	return expression(pattern)
}

// SearchStar is [Search], but "*" matches every subject too.
func SearchStar(pattern string) (m hook.Matcher, note string) {
	if pattern == "*" {
		return nil, ""
	}
	return Search(pattern)
}

// Linear is [Search] with the syntax that Go and Rust share, which has no look-around and no back-references. A test
// takes time linear in the length of the subject.
func Linear(pattern string) (m hook.Matcher, note string) {
	if pattern == "" {
		return nil, ""
	}
	err := bounded.Pattern(pattern)
	if err == nil {
		var re *regexp.Regexp
		if re, err = regexp.Compile(pattern); err == nil {
			return linear{re}, ""
		}
	}
	return Names(nil), fmt.Sprintf(
		"%v; it matches nothing. Leave the matcher out for everything, or write an expression like ^mcp__.*", err,
	)
}

type linear struct{ *regexp.Regexp }

// Match reports whether the expression is found in subject.
func (l linear) Match(subject string) bool { return l.MatchString(subject) }

// Quick returns true: tests take linear time.
func (linear) Quick() bool { return true }

// Aliased returns the matcher of systems whose tools have a second, readable name. A pattern is a list of names
// separated by |, unless it begins with ^ or (, and selects the subjects with one of these names. It is also a regular
// expression, see [Regexp], and selects the subjects in which it is found. The empty pattern, and "*" or ".*" as the
// pattern or in the list, match every subject.
//
// An invalid expression matches only names, and note explains the mistake.
func Aliased(names Renamed) func(pattern string) (m hook.Matcher, note string) {
	return func(pattern string) (hook.Matcher, string) {
		pattern = strings.Trim(pattern, " \t\r\n")
		all := func(s string) bool { return s == "*" || s == ".*" }
		if pattern == "" || all(pattern) {
			return nil, ""
		}
		a := aliasedMatcher{exact: Names{pattern}, names: names}
		if strings.Contains(pattern, "|") && pattern[0] != '^' && pattern[0] != '(' {
			a.exact = alternatives(pattern)
			if slices.ContainsFunc(a.exact, all) {
				return nil, ""
			}
			pattern = strings.Join(a.exact, "|")
			if pattern == "" {
				return Names(nil), `"|" names no tool and matches nothing; write * for everything`
			}
		}
		p, err := Regexp(pattern)
		if err != nil {
			return a, fmt.Sprintf("%v; it only matches the tool of exactly that name", err)
		}
		a.pattern = p
		return a, ""
	}
}

// alternatives splits a pattern at each | that is not escaped by a backslash.
func alternatives(pattern string) (parts Names) {
	start := 0
	add := func(end int) {
		if part := strings.Trim(pattern[start:end], " \t\r\n"); part != "" {
			parts = append(parts, part)
		}
	}
	for i := range len(pattern) {
		if pattern[i] == '|' && (i == 0 || pattern[i-1] != '\\') {
			add(i)
			start = i + 1
		}
	}
	add(len(pattern))
	return parts
}

type aliasedMatcher struct {
	exact   Names
	names   Renamed
	pattern *Pattern // nil: only names match
}

// Match reports whether a name or the expression selects subject.
func (a aliasedMatcher) Match(subject string) bool {
	return a.exact.Match(subject) || slices.ContainsFunc(a.names.Of(subject), a.exact.Match) ||
		a.pattern != nil && a.pattern.Match(subject)
}

// Quick reports whether tests are always fast.
func (a aliasedMatcher) Quick() bool { return a.pattern == nil || a.pattern.Quick() }
