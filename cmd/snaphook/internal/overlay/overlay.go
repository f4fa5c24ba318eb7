// Package overlay writes rules of .snaphook.json that can be pasted as they are.
package overlay

import (
	"strings"

	"github.com/snaphook-go/snaphook/wire"
)

// literal takes the meaning from the characters of a glob.
var literal = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`)

// Literal returns a glob that matches a text alone.
func Literal(text string) string { return literal.Replace(text) }

// Rule returns an overlay with one rule: hooks of an event with a command, a glob, have a member with
// a word. An empty event is any.
func Rule(event, command, member, word string) string {
	match := wire.Object(nil)
	if event != "" {
		match = match.With("event", wire.Quote(event))
	}
	match = match.With("command", wire.Quote(command))
	rule := wire.Object(nil).With("match", []byte(match)).With(member, wire.Quote(word))
	return `{"hooks": [` + string(rule) + `]}`
}
