package copilot

import (
	"fmt"
	"slices"
	"strings"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/lazyregexp"
	"github.com/snaphook-go/snaphook/match"
)

// matchNative compiles a matcher of a camelCase event: an expression of JavaScript that has to match the whole subject
// (G10). An empty pattern matches everything; an invalid one matches nothing.
func matchNative(pattern string) (m hook.Matcher, note string) {
	if pattern == "" {
		return nil, ""
	}
	return anchored(pattern)
}

func anchored(pattern string) (m hook.Matcher, note string) {
	p, err := match.Regexp("^(?:" + pattern + ")$")
	if _, alone := match.Regexp(pattern); err != nil || alone != nil { // "a)|(b" is invalid alone, and valid in (?:…)
		return match.Names(nil), fmt.Sprintf(
			"the matcher %q is not an expression: its hook never runs; leave it out for everything, or write one like bash|edit", pattern,
		)
	}
	return p, ""
}

// literal matches a list of names with | between them.
var literal = lazyregexp.New(`^[A-Za-z0-9_-]+(\|[A-Za-z0-9_-]+)*$`)

// matchClaude compiles a matcher for tools of a PascalCase event, by Claude Code's rules (G11). A list of names may
// contain Copilot's and Claude Code's names of tools. Any other pattern is an expression that has to match the whole
// Claude Code name.
func matchClaude(pattern string) (m hook.Matcher, note string) {
	switch {
	case pattern == "" || pattern == "*" || pattern == "**":
		return nil, ""
	case literal.MatchString(pattern):
		return claudeList(strings.Split(pattern, "|")), ""
	}
	if m, note = anchored(pattern); note != "" {
		return m, note
	}
	return claudeExpression{m}, ""
}

type claudeList match.Names

// Match reports whether the list has a name of the tool.
func (l claudeList) Match(tool string) bool {
	names := match.Names(l)
	return names.Match(tool) || slices.ContainsFunc(claudeNamesOf(tool), names.Match)
}

// Quick returns true: comparisons are fast.
func (claudeList) Quick() bool { return true }

type claudeExpression struct{ hook.Matcher }

// Match reports whether the expression matches Claude Code's name of the tool.
func (c claudeExpression) Match(tool string) bool { return c.Matcher.Match(claudeNamesOf(tool)[0]) }

// callMatcher matches a subject with several calls if its Matcher accepts one of them. A nil
// Matcher matches every call.
type callMatcher struct{ hook.Matcher }

// Match reports whether the matcher accepts one of the calls.
func (c callMatcher) Match(subject string) bool {
	return slices.ContainsFunc(subjects(subject), func(tool string) bool {
		return c.Matcher == nil || c.Matcher.Match(tool)
	})
}

// Quick reports whether a match never takes long.
func (c callMatcher) Quick() bool {
	q, ok := c.Matcher.(interface{ Quick() bool })
	return c.Matcher == nil || ok && q.Quick()
}

// ignoreMatcher accepts every subject, as the Local chat of VS Code does with any matcher.
func ignoreMatcher(string) (m hook.Matcher, note string) { return nil, "" }
