package settings

import (
	"slices"
	"strings"
)

// mostMistakes limits the wrong letters that a misspelt name may have: one in a name of at least oneMistake letters,
// two in a name of at least twoMistakes.
const mostMistakes, oneMistake, twoMistakes = 2, 5, 7

// otherWord returns the known member that people mean when they write this name; "" if there is none.
func otherWord(name string) string {
	switch name {
	case "cmd", "script":
		return "command"
	case "timeoutMs", "timeout_ms", "timeoutSec", "timeoutSeconds":
		return "timeout"
	}
	return ""
}

// Misspelt finds members that are probably misspelt. Nothing reads such a member, and a known name that resembles it is
// absent: the names differ in case or in a letter or two, or the member has another word for the known name. known
// lists the names that are read. A name unlike all known ones is not a problem, because settings have many members of
// other programs.
func (v Value) Misspelt(known ...string) (problems []Problem) {
	members := v.members()
	for i := range members {
		if slices.ContainsFunc(known, func(name string) bool { return is(members[i].Name, name) }) {
			continue
		}
		name := text(members[i].Name)
		other := otherWord(name)
		for _, meant := range known {
			if other != meant && !isSlip(name, meant) || v.Get(meant).Exists() {
				continue
			}
			message := "nothing reads %q; did you mean %q?"
			if other == meant {
				message = "nothing reads %q; write %q"
			}
			at := Value{doc: v.doc, node: &members[i].Value}
			problems = append(problems, at.Wrong(message, name, meant))
			break
		}
	}
	return problems
}

// isSlip reports whether a name is probably a misspelling of another.
func isSlip(name, meant string) bool {
	allowed := 0
	switch {
	case len(meant) >= twoMistakes:
		allowed = mostMistakes
	case len(meant) >= oneMistake:
		allowed = 1
	}
	if len(name) > len(meant)+allowed || len(meant) > len(name)+allowed {
		return false // this also limits the time for very long names
	}
	if allowed == 0 {
		return strings.EqualFold(name, meant)
	}
	return distance([]rune(strings.ToLower(name)), []rune(strings.ToLower(meant)), allowed) <= allowed
}
