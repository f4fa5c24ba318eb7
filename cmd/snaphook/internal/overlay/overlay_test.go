package overlay_test

import (
	"testing"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/overlay"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/policy"
)

// A rule for a command can be pasted unchanged, and selects only this command.
func TestARuleSelectsItsCommand(t *testing.T) {
	for _, command := range []string{
		`python3 guard.py`, `echo "a\b*?" && cat <x`, "two\nlines", `"$CLAUDE_PROJECT_DIR"/a.sh`, `C:\x\y.exe --a='<&>'`, "é\u2028",
	} {
		text := overlay.Rule("PreToolUse", overlay.Literal(command), "warm", "auto")
		o, problems := policy.Parse(policy.Project, ".snaphook.json", []byte(text))
		if len(problems) > 0 {
			t.Errorf("%s: %v", text, problems)
			continue
		}
		m := o.Rules[0].Match
		named := func(command string) *hook.Hook {
			return &hook.Hook{Identity: hook.Identity{Dialect: "claude", Event: "PreToolUse", Command: command}}
		}
		if !m.Matches(named(command)) || m.Matches(named(command+"x")) || m.Matches(named("x"+command)) {
			t.Errorf("%s does not select %q alone", text, command)
		}
	}
}
