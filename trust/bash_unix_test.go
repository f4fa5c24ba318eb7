//go:build unix

package trust_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/trust"
)

// commandCase is a command of testdata/commands.json, with the scripts that bash runs for it.
type commandCase struct {
	Command string            `json:"command"`
	Runs    []string          `json:"runs"`  // scripts that write their names to $LOG; trust cannot see all that they run
	Files   map[string]string `json:"files"` // other files; a name that begins with * is executable
	Links   map[string]string `json:"links"` // symbolic links, with the paths to which they lead
	Environ []string          `json:"environ"`
}

// TestBashRunsNoFileThatTrustDoesNotSee runs each command in bash. If one of its scripts runs, the hook has to be
// unclear: trust has seen that the script runs, or does not know which files run.
func TestBashRunsNoFileThatTrustDoesNotSee(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("the judge is bash: ", err)
	}
	text, err := os.ReadFile("testdata/commands.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []commandCase
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, c := range cases {
		dir := project(t, c.Files)
		log := filepath.Join(t.TempDir(), "log")
		for _, script := range c.Runs {
			testkit.WriteFile(t, filepath.Join(dir, script), "echo x >> \"$LOG\"\neval \"$(true)\"\n", 0o755)
		}
		for name, to := range c.Links {
			if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
		environ := append([]string{"PATH=/usr/bin:/bin", "HOME=/nonexistent", "LOG=" + log, "CLAUDE_PROJECT_DIR=" + dir}, c.Environ...)
		h := &hook.Hook{Identity: hook.Identity{Dialect: "claude", Event: "PreToolUse", Type: "command", Command: c.Command}}
		covered, err := trust.Cover(t.Context(), dir, []*hook.Hook{h}, trust.Options{Environ: environ})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		cmd := exec.CommandContext(ctx, bash, "-c", c.Command)
		cmd.Dir, cmd.Env, cmd.WaitDelay = dir, append(slices.Clone(environ), "PWD="+dir), time.Second
		_ = cmd.Run() // some commands fail after the script
		cancel()
		if _, err := os.Stat(log); err != nil {
			continue // this version of bash does not run it
		}
		if ran++; covered.Hooks[0].Unclear == "" {
			t.Errorf("bash runs %s, and trust does not know: %q %q", strings.Join(c.Runs, " "), c.Command, c.Files)
		}
	}
	if ran < len(cases)/2 {
		t.Errorf("of %d commands, %d ran their scripts: the cases do not reach them", len(cases), ran)
	}
	t.Logf("%d of %d commands ran their scripts", ran, len(cases))
}
