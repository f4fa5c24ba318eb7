package lint

import "github.com/snaphook-go/snaphook/settings"

var ruleIgnoreUnknown = Rule{
	ID: "ignore-unknown", Severity: Warning,
	Doc:     "A `snaphook-ignore` comment names no existing rule.",
	Why:     "It ignores nothing.",
	Mistake: `// snaphook-ignore scriptmissing`,
	Fix:     `// snaphook-ignore script-missing`,
}

// unknownIgnores reports comments that name no rule.
func unknownIgnores(l *linter) {
	for _, g := range ignoresOf(l) {
		if len(g.ids) == 0 {
			l.add(Finding{
				ID: "ignore-unknown", Severity: ruleOf("ignore-unknown").Severity, Position: g.at,
				Message: "this comment names no rule, so it ignores nothing",
				Fix:     "write the id of the finding: snaphook-ignore script-missing",
			})
		}
		for _, id := range g.ids {
			if known(id) {
				continue
			}
			fix := "write one of the ids of docs/lint.md"
			if near := settings.Near(id, ids()); len(near) > 0 {
				fix = "did you mean " + near[0] + "?"
			}
			l.add(Finding{
				ID: "ignore-unknown", Severity: ruleOf("ignore-unknown").Severity, Position: g.at,
				Message: "there is no rule " + id + ", so this comment ignores nothing", Fix: fix,
			})
		}
	}
}
