package cursor

import (
	"slices"
	"testing"

	"github.com/snaphook-go/snaphook/hook"
)

// Imported hooks have Claude Code's names of tools. A guard among them may be lost, see Readings of package pipeline.
func TestOneReadingOfAMatcherKnowsClaudeCodesNames(t *testing.T) {
	if !slices.ContainsFunc(Dialect.Rules.Readings, func(compile func(string) (hook.Matcher, string)) bool {
		m, _ := compile("Bash")
		return m != nil && m.Match("Shell")
	}) {
		t.Error("no reading of the matcher Bash selects a call of Shell")
	}
}
