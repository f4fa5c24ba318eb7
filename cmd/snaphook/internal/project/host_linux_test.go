package project

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/warm"
)

// countedBash puts a bash into PATH that adds a line to a file for each start, and returns the file.
func countedBash(t *testing.T) (starts string) {
	t.Helper()
	bin := t.TempDir()
	starts = filepath.Join(bin, "starts")
	wrapper := "#!/bin/sh\necho \"$*\" >> '" + starts + "'\nexec /bin/bash \"$@\"\n"
	if err := os.WriteFile(filepath.Join(bin, "bash"), []byte(wrapper), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	return starts
}

func TestScriptsRunInTheProcessOfAHostUnlessAnOverlayForbidsIt(t *testing.T) {
	const settings = `{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
		{"type": "command", "command": "input=$(cat); case $input in *rm*) echo 'rm is refused' >&2; exit 2;; esac"}]}]}}`
	for name, tt := range map[string]struct {
		overlay string
		pool    bool
		starts  int
	}{
		"no overlay":                          {"", true, 0},
		"an overlay without warm":             {`{"hooks": [{"timeout": "20s"}]}`, true, 0},
		"an overlay that says bash":           {`{"hooks": [{"warm": "bash"}]}`, true, 0},
		"an overlay that says off":            {`{"hooks": [{"warm": "off"}]}`, true, 3},
		"an overlay that says python":         {`{"hooks": [{"warm": "python"}]}`, true, 3},
		"a host that links no shell":          {"", false, 3},
		"the same, an overlay that says bash": {`{"hooks": [{"warm": "bash"}]}`, false, 3},
	} {
		t.Run(name, func(t *testing.T) {
			starts, home, dir := countedBash(t), t.TempDir(), t.TempDir()
			t.Setenv("HOME", home)
			t.Setenv("XDG_CONFIG_HOME", "")
			files := map[string]string{".claude/settings.json": settings, ".config/snaphook/config.json": tt.overlay}
			if tt.overlay == "" {
				delete(files, ".config/snaphook/config.json")
			}
			for file, text := range files {
				path := filepath.Join(home, file)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			cfg := snaphook.Config{Log: testkit.Quiet, Tools: []snaphook.Tool{{Name: "sh", Kind: snaphook.Shell}}}
			if tt.pool {
				cfg.Warm = warm.New(warm.Config{})
			}
			hooks, err := snaphook.Open(cfg)
			if err != nil {
				t.Fatal(err)
			}
			defer hooks.Close()
			session, err := hooks.NewSession(t.Context(), snaphook.SessionConfig{Dir: dir})
			if err != nil {
				t.Fatal(err)
			}
			for range 3 {
				call := snaphook.ToolCall{ID: "c", Name: "sh", Input: []byte(`{"command": "rm -rf build"}`)}
				if verdict, err := session.BeforeTool(t.Context(), &call); err != nil || !verdict.Denied() {
					t.Errorf("the call is not blocked: %v", err)
				}
			}
			text, err := os.ReadFile(starts)
			if err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
			if got := strings.Count(string(text), "rm is refused"); got != tt.starts {
				t.Errorf("bash was started %d times, want %d:\n%s", got, tt.starts, text)
			}
		})
	}
}
