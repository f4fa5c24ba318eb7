package lint

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/samber/lo"
)

// A script that runs at several events has one finding for each event at which its answer is lost, even if several
// hooks of the event run the script.
func TestAnAnswerIsReportedForEachEvent(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"g.sh": "#!/bin/sh\ngrep -q secret && { echo no >&2; exit 2; }\nexit 0\n",
		".claude/settings.json": `{"hooks": {"UserPromptSubmit": [{"hooks": [{"type": "command", "command": "./g.sh"}]}],
			"Stop": [{"hooks": [{"type": "command", "command": "./g.sh"}, {"type": "command", "command": "./g.sh", "timeout": 5}]}],
			"PreToolUse": [{"hooks": [{"type": "command", "command": "./g.sh"}]}]}}`,
		".github/hooks/own.json":      `{"version": 1, "hooks": {}}`,
		".cursor/rules/a.mdc":         "Be brief.",
		".vscode/settings.json":       "{\n  // told\n  \"chat.useClaudeHooks\": true\n}",
		".devin/config.json":          `{}`,
		".claude/settings.local.json": `{}`,
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	found := Check(t.Context(), Options{Dir: dir, Hooks: hooksOf(t, dir), Path: programPath(t), Systems: systems()})
	got := lo.FilterMap(found, func(f Finding, _ int) (string, bool) {
		text, _, _ := strings.Cut(f.Message, ", which")
		return string(f.Severity) + " " + text, f.ID == "answer-elsewhere"
	})
	const answer = " this answer (exit status 2 with a reason on standard error) refuses in Claude Code, but "
	want := []string{
		"warning at Stop" + answer + "has no effect in Cursor, and tells the user in Copilot",
		"warning at UserPromptSubmit" + answer + "tells the user in Copilot and VS Code",
	}
	if !lo.ElementsMatch(got, want) {
		t.Errorf("found:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
