package agent_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/snaphook-go/snaphook/agent"
	"github.com/snaphook-go/snaphook/wire"
)

// A word in the overlay of the project makes a hook warm, and its reports stay
// what they are for a cold one.
func TestAnOverlayMakesAHookWarm(t *testing.T) {
	if _, err := exec.LookPath("/usr/bin/python3"); err != nil {
		t.Skip("/usr/bin/python3 is not installed")
	}
	dir := t.TempDir()
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", "")
	for name, text := range map[string]string{
		".claude/settings.json": `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "/usr/bin/python3 \"$CLAUDE_PROJECT_DIR\"/guard.py"}]}]}}`,
		".snaphook.json":        `{"hooks": [{"match": {"command": "*guard.py*"}, "warm": "python"}]}`,
		"guard.py":              "import json, os, sys\ncall = json.load(sys.stdin)\nprint(os.getppid(), file=sys.stderr)\nsys.exit(2 if 'rm' in call['tool_input']['command'] else 0)\n",
	} {
		os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	hooks, err := agent.Open(agent.Config{Tools: []agent.Tool{{Name: "sh", Kind: agent.Shell}}})
	if err != nil {
		t.Fatal(err)
	}
	defer hooks.Close()
	s, err := hooks.NewSession(t.Context(), agent.SessionConfig{ID: "s", Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	parents := map[string]bool{}
	for until := time.Now().Add(20 * time.Second); len(parents) < 2; {
		for command, denied := range map[string]bool{"ls": false, "rm x": true} {
			v, err := s.BeforeTool(context.Background(), &agent.ToolCall{Name: "sh", Input: wire.Object(`{"command": "` + command + `"}`)})
			if err != nil || v.Denied() != denied || len(v.Reports) != 1 {
				t.Fatalf("%s: denied %v, %d reports, err %v", command, v.Denied(), len(v.Reports), err)
			}
			if r := v.Reports[0]; (r.Exit == 2) != denied || r.Stderr == "" {
				t.Errorf("%s: exit %d, stderr %q", command, r.Exit, r.Stderr)
			}
			parents[strings.TrimSpace(v.Reports[0].Stderr)] = true
		}
		if time.Now().After(until) {
			t.Fatal("no call has run in a warm interpreter")
		}
	}
}
