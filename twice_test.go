package snaphook_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook"
	"github.com/snaphook-go/snaphook/events/copilot"
	copilotdoor "github.com/snaphook-go/snaphook/events/copilot/door"
	"github.com/snaphook-go/snaphook/events/cursor"
	cursordoor "github.com/snaphook-go/snaphook/events/cursor/door"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/wire"
)

// Other systems also read the hooks of Claude Code. If these systems are set to Alone, the hooks run once. Otherwise
// the hooks run once in each system, and the session reports a problem.
func TestHooksOfClaudeCodeBesideSystemsThatReadThem(t *testing.T) {
	for name, tt := range map[string]struct {
		alone bool
		runs  int
	}{"alone": {true, 1}, "imported": {false, 3}} {
		t.Run(name, func(t *testing.T) {
			dir := testkit.Project(t, map[string]string{
				".claude/settings.json": `{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "cat > /dev/null; echo x >> ran; echo '{}'"}]}]}}`,
				".cursor/hooks.json":    `{"version": 1, "hooks": {}}`,
			})
			env := []string{"PATH=/usr/bin:/bin", "HOME=" + t.TempDir()}
			hooks, err := snaphook.Open(snaphook.Config{
				Log: testkit.Quiet, Tools: []snaphook.Tool{{Name: "sh", Kind: snaphook.Shell}},
				Dialects: []*snaphook.Dialect{
					snaphook.Claude(snaphook.ClaudeConfig{Environ: env}),
					copilotdoor.Copilot(copilot.Settings{Environ: env, Alone: tt.alone}),
					cursordoor.Cursor(cursor.Settings{Environ: env, Alone: tt.alone}),
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			defer hooks.Close()
			s, err := hooks.NewSession(t.Context(), snaphook.SessionConfig{Dir: dir})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close(t.Context())
			if v, err := s.BeforeTool(t.Context(), &snaphook.ToolCall{Name: "sh", Input: wire.Object(`{"command": "ls"}`)}); err != nil || v.Denied() {
				t.Errorf("%+v, %v", v, err)
			}
			ran, _ := os.ReadFile(filepath.Join(dir, "ran"))
			if got := strings.Count(string(ran), "x"); got != tt.runs {
				t.Errorf("the hook ran %d times; want %d", got, tt.runs)
			}
			var said string
			for _, p := range s.Problems() {
				said += p.String() + "\n"
			}
			if got := strings.Contains(said, "settings.json: the hooks of this file run more than once, in claude, copilot, cursor: set Alone"); got == tt.alone {
				t.Errorf("problems: %s", said)
			}
		})
	}
}
