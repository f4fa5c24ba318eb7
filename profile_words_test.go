package snaphook_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook"
	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/wire"
)

// profiled lists calls of tools, each with a profile's guard that selects the tool, and the name and arguments that the
// guard sees.
var profiled = []struct {
	profile claude.Profile
	file    string
	matcher string
	tool    snaphook.Tool
	args    string
	shown   string
}{
	{claude.Qwen, ".qwen/settings.json", "run_shell_command", snaphook.Tool{Name: "sh", Kind: snaphook.Shell, Args: map[string]string{"command": "cmd"}},
		`{"cmd":"ls"}`, `"tool_name":"run_shell_command","tool_input":{"command":"ls"}`},
	{claude.Goose, ".agents/plugins/guard/hooks/hooks.json", "^developer__edit$", snaphook.Tool{Name: "patch", Kind: snaphook.Edit},
		`{"path":"a","old":"b","new":"c"}`, `"tool_name":"developer__edit","tool_input":{"path":"a","before":"b","after":"c"}`},
	{claude.Goose, ".agents/plugins/guard/hooks/hooks.json", "^files__read$", snaphook.Tool{Name: "read", Kind: snaphook.MCP, Server: "files"},
		`{"p":1}`, `"tool_name":"files__read","tool_input":{"p":1}`},
	{claude.Devin, ".devin/config.json", "^write$", snaphook.Tool{Name: "save", Kind: snaphook.Write},
		`{"path":"a","content":"b"}`, `"tool_name":"write","tool_input":{"file_path":"a","content":"b"}`},
	{claude.ClaudeCode, ".claude/settings.json", "Bash", snaphook.Tool{Name: "sh", Kind: snaphook.Shell}, `{"command":"ls"}`, `"tool_name":"Bash"`},
}

func TestAProfilesGuardSeesTheToolsOfItsSystem(t *testing.T) {
	for _, tt := range profiled {
		for _, named := range []claude.Profile{tt.profile, claude.Found} {
			t.Run(string(tt.profile)+" "+tt.tool.Name+" as "+string(named), func(t *testing.T) {
				dir := testkit.Project(t, map[string]string{tt.file: `{"hooks": {"PreToolUse": [{"matcher": "` + tt.matcher +
					`", "hooks": [{"type": "command", "command": "cat > seen; echo no >&2; exit 2"}]}]}}`})
				hooks, err := snaphook.Open(snaphook.Config{Log: testkit.Quiet, Tools: []snaphook.Tool{tt.tool}, Dialects: []*snaphook.Dialect{
					snaphook.Claude(snaphook.ClaudeConfig{Profile: named, Environ: []string{"PATH=/usr/bin:/bin", "HOME=" + t.TempDir()}}),
				}})
				if err != nil {
					t.Fatal(err)
				}
				defer hooks.Close()
				s, err := hooks.NewSession(t.Context(), snaphook.SessionConfig{Dir: dir})
				if err != nil {
					t.Fatal(err)
				}
				defer s.Close(t.Context())
				v, err := s.BeforeTool(t.Context(), &snaphook.ToolCall{ID: "1", Name: tt.tool.Name, Input: wire.Object(tt.args)})
				seen, _ := os.ReadFile(filepath.Join(dir, "seen"))
				if err != nil || !v.Denied() || !strings.Contains(string(seen), tt.shown) {
					t.Errorf("denied %v, %v; the guard sees %s, want %s", v.Denied(), err, seen, tt.shown)
				}
			})
		}
	}
}

// Each profile except Claude Code's has names of its own for at least two tools.
func TestProfilesNameToolsOfClaudeCode(t *testing.T) {
	for _, p := range claude.Profiles()[1:] {
		changed := 0
		for _, tool := range []string{"Bash", "Read", "Write", "Edit", "LS", "Glob", "Grep", "WebFetch", "WebSearch", "Agent", "TodoWrite"} {
			if p.Tool(tool) != tool {
				changed++
			}
		}
		if changed < 2 {
			t.Errorf("%s has words of its own for %d tools", p, changed)
		}
	}
}
