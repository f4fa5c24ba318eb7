package match

import (
	"fmt"
	"slices"
	"strings"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/wire"
)

// Exact matches the subject that equals it, byte by byte.
type Exact string

// Match reports whether subject equals e.
func (e Exact) Match(subject string) bool { return string(e) == subject }

// Quick reports that comparing never takes long.
func (e Exact) Quick() bool { return true }

// Names matches each subject that is in the list. An empty list matches none.
type Names []string

// Match reports whether subject is one of n.
func (n Names) Match(subject string) bool { return slices.Contains(n, subject) }

// Quick reports that comparing with a few names never takes long.
func (n Names) Quick() bool { return true }

// Tool is the matcher of the LLxprt tool events (L10). White space around pattern is ignored. Empty
// and "*" match every tool: m is nil. Else pattern is a regular expression, see [Regexp].
//
// An invalid expression matches the tool with exactly that name. note is for the author of the
// pattern: the mistake in it, or a warning that a pattern that looks like a glob matches more
// names; it is empty otherwise.
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

// Trigger is the matcher of the LLxprt lifecycle events (L12). White space around pattern is
// ignored. Empty and "*" match every trigger: the Matcher is nil. Else the trigger has to equal
// pattern.
func Trigger(pattern string) hook.Matcher {
	pattern = trim(pattern)
	if matchesAll(pattern) {
		return nil
	}
	return Exact(pattern)
}

func trim(pattern string) string { return string(wire.Trim([]byte(pattern))) }

func matchesAll(pattern string) bool { return pattern == "" || pattern == "*" }
