package lint

import (
	"slices"
	"strings"
)

var ruleMatcherUnused = Rule{
	ID: "matcher-unused", Severity: Warning, look: unused, Fixable: true,
	Doc:     "A matcher is set for an event that has nothing to match.",
	Why:     "The hook runs every time; the matcher is ignored.",
	Mistake: `"Stop": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "./done.sh"}]}]`,
	Fix:     `"Stop": [{"hooks": [{"type": "command", "command": "./done.sh"}]}]`,
}

// unused looks for matchers of events without a subject.
func unused(v *hookView) {
	value := v.group.Get("matcher")
	pattern, ok := value.Text()
	if v.event.Subject != "" || !ok || v.event.Name == "" || harmless(pattern) {
		return
	}
	f := v.report("matcher-unused", value.Position(), "remove it",
		"%s has nothing to match, so the hook runs each time and the matcher %q is ignored", v.where(), pattern)
	f.edit = removeMember(v.doc, value)
	v.add(*f)
}

// harmless reports whether a matcher has no effect.
func harmless(pattern string) bool {
	return slices.Contains([]string{"", "*", ".*", "^.*$", ".+"}, strings.TrimSpace(pattern))
}
