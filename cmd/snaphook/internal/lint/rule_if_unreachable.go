package lint

import (
	"fmt"
	"slices"
	"strings"
)

var ruleIfUnreachable = Rule{
	ID: "if-unreachable", Severity: Warning, look: unreachableIf, Fixable: true,
	Doc: "The tool in an `if` does not exist.",
	Why: "Upper and lower case differ, and names of another system are unknown. The condition never holds, " +
		"the hook never runs, and no message says so. Tools of your own are named with `--tools FILE`.",
	Mistake: `{"type": "command", "if": "bash(rm *)", "command": "./guard.sh"}`,
	Fix:     `{"type": "command", "if": "Bash(rm *)", "command": "./guard.sh"}`,
}

// unreachableIf looks for conditions on a tool that does not exist.
func unreachableIf(v *hookView) {
	value := v.entry.Get("if")
	text, ok := value.Text()
	tool, _, _ := strings.Cut(strings.TrimSpace(text), "(")
	if !ok || v.h.Condition == nil || !isName(tool) || strings.HasPrefix(tool, "mcp__") {
		return
	}
	m := matcherOf(v, tool)
	exists := func(subject string) bool { return m.matches(tool, subject) }
	if m.subjects == nil || slices.ContainsFunc(m.subjects, exists) {
		return
	}
	f := v.report("if-unreachable", value.Position(), m.list(), "there is no tool %q, so this condition never holds and the hook never runs", tool)
	if better := m.better(tool); better != "" {
		f.Fix = fmt.Sprintf("did you mean %q?", strings.Replace(text, tool, better, 1))
		f.edit = setText(v.doc, value, strings.Replace(text, tool, better, 1))
	}
	v.add(*f)
}
