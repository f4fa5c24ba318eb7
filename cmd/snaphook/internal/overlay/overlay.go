// Package overlay writes rules for .snaphook.json that a user can paste without changes.
package overlay

import (
	"strings"

	"github.com/snaphook-go/snaphook/wire"
)

// literal escapes the special characters of a glob.
var literal = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`)

// Literal returns a glob that matches only this text.
func Literal(text string) string { return literal.Replace(text) }

// Rule returns an overlay with one rule: for hooks of an event whose command matches a glob, it sets
// a member to a word. An empty event means any event.
func Rule(event, command, member, word string) string {
	match := wire.Object(nil)
	if event != "" {
		match = match.With("event", wire.Quote(event))
	}
	match = match.With("command", wire.Quote(command))
	rule := wire.Object(nil).With("match", []byte(match)).With(member, wire.Quote(word))
	return `{"hooks": [` + string(rule) + `]}`
}
