// Package match holds the matchers that select hooks by an event's subject: a
// tool's name, a trigger. Every one is a [hook.Matcher], may be used from many
// goroutines at once, and matches without allocating.
package match

import (
	"fmt"
	"slices"

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

// Tool is the matcher of the LLxprt tool events (L10). White
// space around pattern does not count. Empty and "*" match every tool: m is
// nil. Else pattern is a regular expression, see [Regexp].
//
// A pattern that is not one matches the tool of exactly that name; note then
// says what is wrong with it, for the person who wrote it, and is else empty.
func Tool(pattern string) (m hook.Matcher, note string) {
	pattern = trim(pattern)
	if matchesAll(pattern) {
		return nil, ""
	}
	p, err := Regexp(pattern)
	if err != nil {
		return Exact(pattern), fmt.Sprintf("%v; it only matches the tool of exactly that name", err)
	}
	return p, ""
}

// Trigger is the matcher of the LLxprt lifecycle events (L12). White space around
// pattern does not count. Empty and "*" match
// every trigger: the Matcher is nil. Else the trigger has to equal pattern.
func Trigger(pattern string) hook.Matcher {
	pattern = trim(pattern)
	if matchesAll(pattern) {
		return nil
	}
	return Exact(pattern)
}

func trim(pattern string) string { return string(wire.Trim([]byte(pattern))) }

func matchesAll(pattern string) bool { return pattern == "" || pattern == "*" }
