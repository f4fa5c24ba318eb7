package match

import (
	"fmt"
	"slices"
	"strings"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/wire"
)

// Exact matches the one subject that equals the Exact, byte by byte.
type Exact string

// Match reports whether subject equals e.
func (e Exact) Match(subject string) bool { return string(e) == subject }

// Quick returns true: a comparison is fast.
func (e Exact) Quick() bool { return true }

// Names matches each subject in the list. An empty list matches nothing.
type Names []string

// Match reports whether subject is one of n.
func (n Names) Match(subject string) bool { return slices.Contains(n, subject) }

// Quick returns true: a few comparisons are fast.
func (n Names) Quick() bool { return true }

// Tool is the matcher of the LLxprt tool events (L10). White space around pattern is ignored. The empty pattern and "*"
// match every tool: m is nil. Any other pattern is a regular expression, see [Regexp].
//
// An invalid expression matches the tool whose name equals the pattern. note is for the author of the pattern: a
// mistake in the pattern, or a warning that a pattern that looks like a glob matches more names. Otherwise note is
// empty.
func Tool(pattern string) (m hook.Matcher, note string) {
	pattern = trim(pattern)
	if matchesAll(pattern) {
		return nil, ""
	}
	p, err := Regexp(pattern)
	if err != nil {
		return Exact(pattern), fmt.Sprintf("%v; it only matches the tool of exactly that name", err)
	}
	return p, glob(pattern)
}

// glob warns of a pattern such as "write_*", which as a regular expression also
// finds "overwrite".
func glob(pattern string) (note string) {
	name, star := strings.CutSuffix(pattern, "*")
	if !star || len(name) < 2 || strings.ContainsAny(name, `\^$.?*+()[]{}|`) {
		return ""
	}
	found := name[:len(name)-1] // the star makes the last character optional
	return fmt.Sprintf(
		"%q is a regular expression, not a glob: it matches every name that contains %q, such as %q; write %q for names that begin with it",
		pattern,
		found,
		"over"+found,
		"^"+name,
	)
}

// Trigger is the matcher of the LLxprt lifecycle events (L12). White space around pattern is ignored. The empty pattern
// and "*" match every trigger: the Matcher is nil. Any other pattern matches the trigger that is equal to it.
func Trigger(pattern string) hook.Matcher {
	pattern = trim(pattern)
	if matchesAll(pattern) {
		return nil
	}
	return Exact(pattern)
}

func trim(pattern string) string { return string(wire.Trim([]byte(pattern))) }

func matchesAll(pattern string) bool { return pattern == "" || pattern == "*" }
