package policy_test

import (
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/policy"
)

// A project's globs and commands that take too long to compare are reported as a problem, and are
// not compared.
func TestRulesThatTakeTooLongToCompareAreRefused(t *testing.T) {
	long := &hook.Hook{Identity: hook.Identity{Dialect: "claude", Event: "PreToolUse", Source: hook.Project, Command: strings.Repeat("a", 500_000)}}
	short := gate(hook.Project)
	for name, test := range map[string]struct {
		glob    string
		rules   int
		hook    *hook.Hook
		refused bool
	}{
		"a long glob, a long command":   {"*" + strings.Repeat("a", 250_000) + "b", 1, long, true},
		"many globs, a long command":    {"*aaaa?aaaab", 2000, long, true},
		"a long glob, a short command":  {"*" + strings.Repeat("a", 1000) + "b", 1, short, false},
		"a short glob, a long command":  {"*guard*", 1, long, false},
		"a hundred rules for one hook":  {"*/hooks/*guard*.sh*", 100, short, false},
		"ten thousand rules, long text": {"*", 10_000, long, true},
	} {
		rule := `{"match": {"command": "` + test.glob + `"}, "mode": "shadow"}`
		set := load(t, map[policy.Level]string{policy.Project: `{"hooks": [` + strings.Repeat(rule+",", test.rules-1) + rule + `]}`})
		problems := set.Problems([]*hook.Hook{test.hook}, events)
		if (len(problems) > 0) != test.refused || test.refused && (!strings.Contains(problems[0].Message, "too long to compare") || problems[0].Position.Line != 1) {
			t.Errorf("%s: problems %v, want refused: %v", name, problems, test.refused)
		}
	}
}
