package toml_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook"
	_ "github.com/snaphook-go/snaphook/events/claude/toml"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/wire"
)

func TestAGuardOfKimiCodeSeesItsTools(t *testing.T) {
	home := testkit.Project(t, map[string]string{
		".kimi-code/config.toml": "[[hooks]]\nevent = \"PreToolUse\"\nmatcher = \"FetchURL|Write\"\ncommand = \"cat > seen; echo no >&2; exit 2\"\n",
	})
	dir := t.TempDir()
	hooks, err := snaphook.Open(snaphook.Config{
		Log:      testkit.Quiet,
		Tools:    []snaphook.Tool{{Name: "get", Kind: snaphook.Fetch}, {Name: "save", Kind: snaphook.Write}},
		Dialects: []*snaphook.Dialect{snaphook.Claude(snaphook.ClaudeConfig{Environ: []string{"PATH=/usr/bin:/bin", "HOME=" + home}})},
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
	for _, tt := range []struct{ tool, args, shown string }{
		{"get", `{"url":"a"}`, `"tool_name":"FetchURL","tool_input":{"url":"a"}`},
		{"save", `{"path":"a","content":"b"}`, `"tool_name":"Write","tool_input":{"path":"a","content":"b"}`},
	} {
		v, err := s.BeforeTool(t.Context(), &snaphook.ToolCall{ID: "1", Name: tt.tool, Input: wire.Object(tt.args)})
		seen, _ := os.ReadFile(filepath.Join(dir, "seen"))
		if err != nil || !v.Denied() || !strings.Contains(string(seen), tt.shown) {
			t.Errorf("denied %v, %v; the guard sees %s, want %s", v.Denied(), err, seen, tt.shown)
		}
	}
}
