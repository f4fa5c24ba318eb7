package snaphook_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/snaphook-go/snaphook"
	_ "github.com/snaphook-go/snaphook/events/claude"
	_ "github.com/snaphook-go/snaphook/events/llxprt"
)

func TestOpenReadsTheSettingsOfEveryLinkedDialect(t *testing.T) {
	home, dir := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	for name, text := range map[string]string{
		".claude/settings.json": `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "true"}]}]}}`,
		".llxprt/settings.json": `{"tools": {"enableHooks": true}, "hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "true"}]}]}}`,
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	sys := snaphook.Open(snaphook.Config{})
	defer sys.Close()
	session, err := sys.NewSession(t.Context(), snaphook.SessionConfig{ID: "s-1", Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, h := range session.Hooks() {
		found[h.Dialect] = h.Event
	}
	if len(found) != 2 || found["claude"] != "PreToolUse" || found["llxprt"] != "BeforeTool" {
		t.Errorf("the hooks are %v of %v; want one of each dialect", found, session.Problems())
	}
}
