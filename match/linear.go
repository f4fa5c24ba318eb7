package match

import "github.com/snaphook-go/snaphook/hook"

// LinearList is the matcher of Codex's events: [List], but with expressions in the syntax of [Linear].
func LinearList(pattern string) (m hook.Matcher, note string) {
	if m, note, done := list(pattern, nameChars, "|"); done {
		return m, note
	}
	return Linear(pattern)
}
