package lint

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// maxNodes limits the nodes visited for one statement. A nested statement is visited again for each statement around
// it: without the limit the time would be quadratic.
const maxNodes = 1000

// wordsOf returns the texts in a statement.
func wordsOf(node syntax.Node) string {
	var b strings.Builder
	nodes := 0
	syntax.Walk(node, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Lit:
			b.WriteString(n.Value + " ")
		case *syntax.SglQuoted:
			b.WriteString(n.Value + " ")
		}
		nodes++
		return b.Len() < maxSaid && nodes < maxNodes
	})
	return b.String()
}

// troubles lists words of messages about problems of the hook itself: a branch with such a message
// fails, and does not refuse.
var troubles = []string{
	"not found", "not installed", "is required", "are required", "requires ", "usage:", "usage ", "missing", "no such",
	"could not", "couldn't", "unable to", "failed to", "invalid json", "parse", "install ", "internal error",
	"not executable", "unknown option", "traceback", "warning:", "not set", "expected",
}

// verdicts lists words that mark a message as a refusal.
var verdicts = []string{
	"block", "denied", "deny", "refus", "forbid", "forbidden", "not allowed", "not permitted", "prohibit", "protected",
	"dangerous", "reject",
}

func isVerdict(text string) bool {
	text = strings.ToLower(text)
	for _, word := range verdicts {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}

func isTrouble(text string) bool {
	if isVerdict(text) {
		return false
	}
	text = strings.ToLower(text)
	for _, word := range troubles {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}
