package door_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/snaphook-go/snaphook"
	"github.com/snaphook-go/snaphook/events/copilot"
	"github.com/snaphook-go/snaphook/events/copilot/door"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/wire"
)

func TestMain(m *testing.M) {
	// The clock goroutine of regexp2 outlives the last match for a while.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/dlclark/regexp2/v2.runClock"))
}

var tools = []snaphook.Tool{
	{Name: "sh", Kind: snaphook.Shell, Args: map[string]string{"command": "cmd"}},
	{Name: "save", Kind: snaphook.Write},
	{Name: "change", Kind: snaphook.Edit},
	{Name: "search", Kind: snaphook.MCP, Server: "docs"},
}

// open opens a session whose project has hooks.
func open(t *testing.T, cfg copilot.Settings, hooks string) *snaphook.Session {
	t.Helper()
	dir := testkit.Project(t, map[string]string{".github/hooks/a.json": `{"version": 1, "hooks": {` + hooks + `}}`})
	if cfg.Environ == nil {
		cfg.Environ = []string{"PATH=/usr/bin:/bin", "LOG=" + filepath.Join(dir, "log")}
	}
	opened, err := snaphook.Open(snaphook.Config{Dialects: []*snaphook.Dialect{door.Copilot(cfg)}, Tools: tools, Log: testkit.Quiet})
	if err != nil {
		t.Fatal(err)
	}
	s, err := opened.NewSession(t.Context(), snaphook.SessionConfig{ID: "s-1", Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = s.Close(context.Background())
		opened.Close()
	})
	return s
}

// tells returns a hook that answers with a member of its payload as context.
func tells(member string) string {
	return `{"bash": "sed 's/.*\"` + member + `\":\"\\([^\"]*\\)\".*/{\"additionalContext\":\"\\1\"}/'"}`
}

func TestHooksOfCopilotSeeItsToolsAndArguments(t *testing.T) {
	for _, tt := range []struct{ event, tool, args, want string }{
		{"preToolUse", "sh", `{"cmd": "ls"}`, `"toolName":"bash","toolArgs":{"command":"ls"}`},
		{"PreToolUse", "sh", `{"cmd": "ls"}`, `"tool_name":"Bash","tool_input":{"command":"ls"}`},
		{"preToolUse", "save", `{"path": "a", "content": "x"}`, `"toolName":"create","toolArgs":{"path":"a","file_text":"x"}`},
		{"preToolUse", "change", `{"file_path": "a", "old": "x", "new": "y"}`, `"toolName":"edit","toolArgs":{"path":"a","old_str":"x","new_str":"y"}`},
		{"preToolUse", "search", `{"q": 1}`, `"toolName":"docs-search","toolArgs":{"q":1}`},
	} {
		s := open(t, copilot.Settings{}, `"`+tt.event+`": [{"bash": "cat > \"$LOG\"; exit 2"}]`)
		v, err := s.BeforeTool(t.Context(), &snaphook.ToolCall{ID: "c-1", Name: tt.tool, Input: wire.Object(tt.args)})
		shown, wrong := os.ReadFile(filepath.Join(s.Dir(), "log"))
		if err != nil || !v.Denied() || !strings.Contains(string(shown), tt.want) {
			t.Errorf("%s of %s: denied %v, %v, %v; the hook sees %s, want %s", tt.event, tt.tool, v.Denied(), err, wrong, shown, tt.want)
		}
	}
}

func TestAGuardThatCannotStartDenies(t *testing.T) {
	s := open(t, copilot.Settings{}, `"preToolUse": [{"bash": "./gone.sh"}]`)
	v, err := s.BeforeTool(t.Context(), &snaphook.ToolCall{Name: "sh", Input: wire.Object(`{"cmd": "ls"}`)})
	if err != nil || !v.Denied() {
		t.Errorf("%+v, %v; want a denial", v, err)
	}
}

func TestARewriteTakesThePlaceOfTheHostsArguments(t *testing.T) {
	s := open(t, copilot.Settings{}, `"preToolUse": [{"bash": "echo '{\"permissionDecision\": \"allow\", \"modifiedArgs\": {\"command\": \"pwd\"}}'"}]`)
	v, err := s.BeforeTool(t.Context(), &snaphook.ToolCall{Name: "sh", Input: wire.Object(`{"cmd": "ls"}`)})
	if err != nil || v.Denied() || !v.Preapproved || testkit.Canonical(string(v.Input)) != `{"cmd":"pwd"}` {
		t.Errorf("%+v, %v; want the new command, approved", v, err)
	}
}

func TestAResultThatAHookMakesAFailureGoesToTheFailureEvent(t *testing.T) {
	s := open(t, copilot.Settings{}, `"postToolUse": [{"bash": "echo '{\"modifiedResult\": {\"resultType\": \"failure\", \"textResultForLlm\": \"no key\"}}'"}],
		"postToolUseFailure": [{"bash": "sed 's/.*\"error\":\"\\([^\"]*\\)\".*/saw \\1/'; exit 2"}]`)
	v, err := s.AfterTool(t.Context(), &snaphook.AfterToolInput{
		ToolCall: snaphook.ToolCall{Name: "sh", Input: wire.Object(`{"cmd": "ls"}`)}, Result: snaphook.ToolResult{Text: "key=1"},
	})
	if err != nil || v.Result == nil || v.Result.Text != "no key" || !v.Result.Failed || !slices.Equal(v.Context, []string{"saw no key"}) {
		t.Errorf("%+v, result %+v, %v; want the new result, and what the failure event says of it", v, v.Result, err)
	}
}

func TestAnAgentIsSentBackToWork(t *testing.T) {
	s := open(t, copilot.Settings{}, `"agentStop": [{"bash": "echo '{\"decision\": \"block\", \"reason\": \"more\"}'"}],
		"subagentStop": [{"bash": "echo '{\"modifiedResponse\": \"short\"}'"}]`)
	for i := range 9 {
		want := "more"
		if i == 8 {
			want = "" // after eight blocks in a row the agent stops
		}
		if v, err := s.Stop(t.Context(), &snaphook.StopInput{Again: i > 0}); err != nil || v.Continue != want || v.Denied() {
			t.Errorf("stop %d: %+v, %v; want %q", i, v, err, want)
		}
	}
	v, err := s.SubagentStop(t.Context(), &snaphook.SubagentStopInput{ID: "1", Type: "explore", Answer: "long"})
	if err != nil || v.Result == nil || v.Result.Text != "short" {
		t.Errorf("%+v, %v; want the answer of the hook", v, err)
	}
}

func TestWordsOfTheMomentsBecomeCopilots(t *testing.T) {
	s := open(t, copilot.Settings{}, `"sessionStart": [`+tells("source")+`], "notification": [`+tells("message")+`], "subagentStart": [`+tells("agentName")+`]`)
	for in, want := range map[string]string{"": "startup", "clear": "new", "fork": "new", "compact": "resume", "resume": "resume"} {
		if v, err := s.Start(t.Context(), &snaphook.StartInput{Source: in}); err != nil || !slices.Equal(v.Context, []string{want}) {
			t.Errorf("%s is %q, %v; want %s", in, v.Context, err, want)
		}
	}
	if v, err := s.Notify(t.Context(), &snaphook.NotifyInput{Type: "agent_idle", Message: "idle"}); err != nil || !slices.Equal(v.Context, []string{"idle"}) {
		t.Errorf("%q, %v", v.Context, err)
	}
	if v, err := s.SubagentStart(t.Context(), &snaphook.SubagentStartInput{Type: "explore"}); err != nil || !slices.Equal(v.Context, []string{"explore"}) {
		t.Errorf("%q, %v", v.Context, err)
	}
}

// A hook that asks denies where there is no user to answer.
func TestAQuestionWithoutAUserIsADenial(t *testing.T) {
	for _, surface := range []copilot.Surface{copilot.CLI, copilot.Cloud} {
		s := open(t, copilot.Settings{Profile: surface}, `"preToolUse": [{"bash": "echo '{\"permissionDecision\": \"ask\"}'"}]`)
		if v, err := s.BeforeTool(t.Context(), &snaphook.ToolCall{Name: "sh", Input: wire.Object(`{"cmd": "ls"}`)}); err != nil || !v.Denied() {
			t.Errorf("%s: %+v, %v; want a denial", surface, v, err)
		}
	}
}
