package lint

import (
	"strings"

	"github.com/snaphook-go/snaphook/internal/lazyregexp"
)

// These expressions match parts of an answer, in JSON and in the notations of scripts: with quotes, with escaped
// quotes, or without quotes.
var (
	permissionWord = lazyregexp.New(`\bpermissionDecision\\?["']?\s*:\s*\\?["'](\w+)\\?["']`)
	decisionWord   = lazyregexp.New(`\\?["']decision\\?["']\s*:\s*\\?["'](\w+)\\?["']`)
	// printedDecision matches a decision in an object that the script prints: jq -n,
	// JSON.stringify, json.dumps.
	printedDecision = lazyregexp.New(
		`(?:JSON\.stringify\(|jq -[a-zA-Z]*n[a-zA-Z]*\s[^|;\n]*?'|dumps\()\s*(?:\{[^{}]*?\bdecision\s*:|dict\([^()]*?\bdecision\s*=)\s*["'](\w+)["']`)
	comment = lazyregexp.New(`(?m)^[ \t]*(#|//|\*).*$`)
)

// blank replaces a comment by spaces, which keeps later offsets.
func blank(text []byte) []byte { return []byte(strings.Repeat(" ", len(text))) }

// refusing lists texts with which a script refuses in JSON.
var refusing = []string{
	`permissionDecision`, `"decision"`, `'decision'`, `\"decision\"`, `decision:`, `"continue"`, `\"continue\"`,
	`continue: false`, `decision =`, `decision=`,
}

func answersJSON(text string) bool {
	for _, word := range refusing {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}

// endsWith2 matches code that ends a program with status 2.
var endsWith2 = lazyregexp.New(`(?i)exit(?:code)?[\s(:=]*2\b`)
