package cli_test

import (
	"testing"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
)

func TestLabelShowsTheFileOfACommand(t *testing.T) {
	for command, want := range map[string]string{
		`"$CLAUDE_PROJECT_DIR"/.claude/hooks/guard.sh`:                ".claude/hooks/guard.sh",
		`"$CLAUDE_PROJECT_DIR/.claude/hooks/guard.sh" --fast`:         ".claude/hooks/guard.sh --fast",
		`$CLAUDE_PROJECT_DIR/.claude/hooks/guard.sh`:                  ".claude/hooks/guard.sh",
		`python3 "${GEMINI_PROJECT_DIR}/.gemini/check.py"`:            "python3 .gemini/check.py",
		`echo $CLAUDE_PROJECT_DIR`:                                    "echo $CLAUDE_PROJECT_DIR",
		"jq -r .tool_input.command |\n  grep rm":                      "jq -r .tool_input.command |…",
		`"$CLAUDE_PROJECT_DIR/my hooks/guard.sh"`:                     `"my hooks/guard.sh"`,
		"node /opt/a-very-long-path/of/some/hooks/which-ends/here.js": "node /opt/a-very…hich-ends/here.js",
	} {
		if got := cli.Label(command, 34); got != want {
			t.Errorf("Label(%s) = %s, want %s", command, got, want)
		}
	}
}
