package door_test

import (
	"context"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook"
	"github.com/snaphook-go/snaphook/events/codex"
	"github.com/snaphook-go/snaphook/events/codex/door"
	"github.com/snaphook-go/snaphook/internal/testkit"
)

// open opens a session whose project has a hook that runs script for calls of four tools, and returns the
// session and the directory of the project.
func open(t *testing.T, script string, tools ...snaphook.Tool) (*snaphook.Session, string) {
	t.Helper()
	dir := testkit.Project(t, map[string]string{
		".codex/hooks.json": `{"hooks": {"PreToolUse": [{"matcher": "apply_patch|Write|Bash|mcp__files__read", "hooks": [{"type": "command", "command": "sh hook.sh"}]}],
			"SessionStart": [{"hooks": [{"type": "command", "command": "echo 'export A=b' >> $CLAUDE_ENV_FILE"}]}]}}`,
		"hook.sh": script,
	})
	hooks, err := snaphook.Open(snaphook.Config{
		Tools: tools, Log: testkit.Quiet,
		Dialects: []*snaphook.Dialect{door.Codex(codex.Settings{Environ: []string{"PATH=/usr/bin:/bin"}})},
	})
	if err != nil {
		t.Fatal(err)
	}
	s, err := hooks.NewSession(t.Context(), snaphook.SessionConfig{ID: "s-1", Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = s.Close(context.Background())
		hooks.Close()
	})
	return s, dir
}

func TestHooksOfCodexSeeItsToolsAndArguments(t *testing.T) {
	for _, tt := range []struct {
		tool        snaphook.Tool
		args, shown string
	}{
		{snaphook.Tool{Name: "sh", Kind: snaphook.Shell, Args: map[string]string{"command": "cmd"}}, `{"cmd": "ls"}`, `"tool_name":"Bash","tool_input":{"command":"ls"}`},
		{snaphook.Tool{Name: "save", Kind: snaphook.Write}, `{"path": "a.txt", "content": "x\ny\n"}`,
			`"tool_name":"apply_patch","tool_input":{"command":"*** Begin Patch\n*** Add File: a.txt\n+x\n+y\n*** End Patch"}`},
		{snaphook.Tool{Name: "change", Kind: snaphook.Edit}, `{"file_path": "a.txt", "old": "x", "new": "y"}`,
			`"tool_name":"apply_patch","tool_input":{"command":"*** Begin Patch\n*** Update File: a.txt\n@@\n-x\n+y\n*** End Patch"}`},
		{snaphook.Tool{Name: "read", Kind: snaphook.MCP, Server: "files"}, `{"p": 1}`, `"tool_name":"mcp__files__read","tool_input":{"p":1}`},
	} {
		s, _ := open(t, "cat >&2; exit 2", tt.tool)
		v, err := s.BeforeTool(t.Context(), &snaphook.ToolCall{Name: tt.tool.Name, Input: []byte(tt.args), ID: "c-1"})
		if shown := strings.ReplaceAll(v.Reason, `": `, `":`); err != nil || !v.Denied() || !strings.Contains(shown, tt.shown) {
			t.Errorf("%s: denied %v, %v; the hook sees %s, want %s", tt.tool.Name, v.Denied(), err, shown, tt.shown)
		}
	}
}

func TestARewriteIsPutBackIntoTheHostsArguments(t *testing.T) {
	const rewrite = `cat > /dev/null; echo '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow", "updatedInput": {"command": "pwd"}}}'`
	s, _ := open(t, rewrite, snaphook.Tool{Name: "sh", Kind: snaphook.Shell, Args: map[string]string{"command": "cmd"}}, snaphook.Tool{Name: "save", Kind: snaphook.Write})
	v, err := s.BeforeTool(t.Context(), &snaphook.ToolCall{Name: "sh", Input: []byte(`{"cmd": "ls"}`)})
	if err != nil || v.Denied() || v.Preapproved || testkit.Canonical(string(v.Input)) != `{"cmd":"pwd"}` {
		t.Errorf("%+v, %v; want the new command, not approved", v, err)
	}
	v, err = s.BeforeTool(t.Context(), &snaphook.ToolCall{Name: "save", Input: []byte(`{"path": "a", "content": "x"}`)})
	if err != nil || !v.Denied() || !strings.Contains(v.Reason, "cannot be put into the arguments") {
		t.Errorf("%+v, %v; want a denial: a patch cannot be put back", v, err)
	}
}

func TestVariablesOfHooksReachTheHost(t *testing.T) {
	s, _ := open(t, "")
	if v, err := s.Start(t.Context(), &snaphook.StartInput{}); err != nil || v.Env["A"] != "b" {
		t.Errorf("variables %v, %v; want A=b", v.Env, err)
	}
}
