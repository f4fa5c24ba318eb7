package door_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/snaphook-go/snaphook"
	"github.com/snaphook-go/snaphook/events/cursor"
	"github.com/snaphook-go/snaphook/events/cursor/door"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
	"github.com/snaphook-go/snaphook/wire"
)

func TestMain(m *testing.M) {
	// The clock goroutine of regexp2 outlives the last match for a while.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/dlclark/regexp2/v2.runClock"))
}

var tools = []snaphook.Tool{
	{Name: "sh", Kind: snaphook.Shell, Args: map[string]string{"command": "cmd"}},
	{Name: "cat", Kind: snaphook.Read},
	{Name: "patch", Kind: snaphook.Edit},
	{Name: "search", Kind: snaphook.MCP, Server: "docs"},
}

// read returns settings with the hooks of a project. In a hook's command, $LOG names the file to
// which "log" appends the payload.
func read(t *testing.T, hooks string) (s cursor.Settings, log string) {
	log = filepath.Join(t.TempDir(), "log")
	const logs = "cat >> $LOG; echo >> $LOG"
	l := cursor.Layer("project", "hooks.json")
	l.Data = []byte(`{"version": 1, "hooks": {` + strings.ReplaceAll(hooks, "log;", logs+";") + `}}`)
	return cursor.Settings{Layers: []settings.Layer{l}, Environ: []string{"PATH=" + os.Getenv("PATH"), "LOG=" + log}}, log
}

// open opens a session through the root package.
func open(t *testing.T, s cursor.Settings) *snaphook.Session {
	t.Helper()
	hooks, err := snaphook.Open(snaphook.Config{
		Dialects: []*snaphook.Dialect{door.Cursor(s)}, Tools: tools, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { hooks.Close() })
	ses, err := hooks.NewSession(t.Context(), snaphook.SessionConfig{ID: "", Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	return ses
}

// events returns the names of the events whose payloads were logged.
func events(t *testing.T, log string) (names []string) {
	t.Helper()
	text, err := os.ReadFile(log)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	_ = os.Remove(log)
	for line := range strings.Lines(string(text)) {
		if name := wire.Object(line).Text("hook_event_name"); name != "" {
			names = append(names, name)
		}
	}
	return names
}

const everywhere = `"preToolUse": [{"command": "log; echo {}"}], "beforeShellExecution": [{"command": "log; echo {}"}],
	"beforeMCPExecution": [{"command": "log; echo {}"}], "beforeReadFile": [{"command": "log; echo {}"}],
	"postToolUse": [{"command": "log; echo {}"}], "postToolUseFailure": [{"command": "log; echo {}"}], "afterShellExecution": [{"command": "log; echo {}"}],
	"afterMCPExecution": [{"command": "log; echo {}"}], "afterFileEdit": [{"command": "log; echo {}"}]`

func TestACallPassesTheGatesOfItsKind(t *testing.T) {
	s, log := read(t, everywhere)
	ses := open(t, s)
	for _, tt := range []struct {
		tool, args    string
		failed        bool
		before, after []string
	}{
		{"sh", `{"cmd": "ls"}`, false, []string{"preToolUse", "beforeShellExecution"}, []string{"postToolUse", "afterShellExecution"}},
		{"search", `{"q": "x"}`, false, []string{"preToolUse", "beforeMCPExecution"}, []string{"postToolUse", "afterMCPExecution"}},
		{"cat", `{"path": "a"}`, false, []string{"preToolUse"}, []string{"beforeReadFile", "postToolUse"}},
		{"patch", `{"path": "a", "old": "b", "new": "c"}`, false, []string{"preToolUse"}, []string{"postToolUse", "afterFileEdit"}},
		{"sh", `{"cmd": "ls"}`, true, []string{"preToolUse", "beforeShellExecution"}, []string{"postToolUseFailure"}},
	} {
		call := snaphook.ToolCall{ID: "1", Name: tt.tool, Input: wire.Object(tt.args)}
		if v, err := ses.BeforeTool(t.Context(), &call); err != nil || v.Denied() {
			t.Fatalf("%s: %+v, %v", tt.tool, v, err)
		}
		if got := events(t, log); !slices.Equal(got, tt.before) {
			t.Errorf("before %s fired %q; want %q", tt.tool, got, tt.before)
		}
		in := snaphook.AfterToolInput{ToolCall: call, Result: snaphook.ToolResult{Text: "out", Failed: tt.failed}}
		if _, err := ses.AfterTool(t.Context(), &in); err != nil {
			t.Fatal(err)
		}
		if got := events(t, log); !slices.Equal(got, tt.after) {
			t.Errorf("after %s fired %q; want %q", tt.tool, got, tt.after)
		}
	}
}

func TestTheSecondGateSeesTheRewrittenCall(t *testing.T) {
	s, _ := read(t, `"preToolUse": [{"command": "cat > /dev/null; echo '{\"updated_input\": {\"command\": \"rm x\"}}'"}],
		"beforeShellExecution": [{"matcher": "^rm ", "command": "cat > /dev/null; echo no rm >&2; exit 2"}]`)
	v, err := open(t, s).BeforeTool(t.Context(), &snaphook.ToolCall{ID: "1", Name: "sh", Input: wire.Object(`{"cmd": "ls"}`)})
	if err != nil || !v.Denied() || v.Reason != "no rm" {
		t.Errorf("decision %q for %q, %v; want a denial by the second gate", v.Decision, v.Reason, err)
	}
	s, log := read(t, `"preToolUse": [{"command": "cat > /dev/null; exit 2"}], "beforeShellExecution": [{"command": "log; echo {}"}]`)
	if v, err := open(t, s).BeforeTool(t.Context(), &snaphook.ToolCall{ID: "1", Name: "sh", Input: wire.Object(`{"cmd": "ls"}`)}); err != nil || !v.Denied() || len(events(t, log)) > 0 {
		t.Errorf("decision %q, %v; want a denial by the first gate alone", v.Decision, err)
	}
	s, _ = read(t, `"preToolUse": [{"command": "cat > /dev/null; echo '{\"updated_input\": {\"command\": \"ls -la\"}}'"}]`)
	if v, err := open(t, s).BeforeTool(t.Context(), &snaphook.ToolCall{ID: "1", Name: "sh", Input: wire.Object(`{"cmd": "ls"}`)}); err != nil || v.Denied() || string(v.Input) != `{"cmd":"ls -la"}` {
		t.Errorf("input %s, %v; want the new one in the host's words", v.Input, err)
	}
}

func TestAFileIsWithheld(t *testing.T) {
	s, _ := read(t, `"beforeReadFile": [{"command": "grep -q secret && { echo a secret is in it >&2; exit 2; }; echo {}"}]`)
	ses := open(t, s)
	for text, want := range map[string]string{"a secret": "a secret is in it", "nothing": ""} {
		v, err := ses.AfterTool(t.Context(), &snaphook.AfterToolInput{
			ToolCall: snaphook.ToolCall{ID: "1", Name: "cat", Input: wire.Object(`{"path": "a"}`)}, Result: snaphook.ToolResult{Text: text},
		})
		if err != nil || v.Denied() || (v.Result != nil) != (want != "") || v.Result != nil && (v.Result.Text != want || !v.Result.Failed) {
			t.Errorf("%s: result %+v, %v; want %q in its place", text, v.Result, err, want)
		}
	}
}

// If the host does not count follow-ups, the session counts them (rule U30).
func TestTheSessionCountsFollowUps(t *testing.T) {
	s, _ := read(t, `"stop": [{"command": "cat > /dev/null; echo '{\"followup_message\": \"more\"}'", "loop_limit": 2}]`)
	ses := open(t, s)
	for range 2 { // each prompt of the user starts a new count
		for i, want := range []string{"more", "more", ""} {
			v, err := ses.Stop(t.Context(), &snaphook.StopInput{Again: i > 0})
			if err != nil || v.Continue != want {
				t.Errorf("end %d: goes on with %q, %v; want %q", i, v.Continue, err, want)
			}
		}
	}
}

// A fire through the root package gives the same answer as firing the event itself.
func TestTheRootPackageSaysTheSameAsTheDialect(t *testing.T) {
	for _, answer := range []string{
		`{}`, `{"permission": "allow"}`, `{"permission": "deny", "agent_message": "a", "user_message": "u"}`, `{"permission": "ask"}`,
		`not json`, ``, `{"decision": "block"}`, `{"additional_context": "c"}`, `{"updated_input": {"command": "x"}}`, `{"user_message": "u"}`,
	} {
		for _, end := range []string{"0", "1", "2"} {
			entry := `"preToolUse": [{"command": "cat > /dev/null; printf '%s' '` + strings.ReplaceAll(answer, `"`, `\"`) + `'; echo why >&2; exit ` + end + `"}]`
			s, _ := read(t, entry)
			sys := pipeline.NewSystem(pipeline.Config{Load: []pipeline.Load{s.Load}, Log: slog.New(slog.DiscardHandler)})
			alone, err := sys.NewSession(t.Context(), pipeline.SessionConfig{ID: "", Dir: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			res, err := cursor.PreToolUse.Fire(t.Context(), alone, &cursor.PreToolUseInput{Call: cursor.Call{Tool: "Shell", Input: wire.Object(`{"command": "ls"}`)}})
			if err != nil {
				t.Fatal(err)
			}
			v, err := open(t, s).BeforeTool(t.Context(), &snaphook.ToolCall{ID: "1", Name: "sh", Input: wire.Object(`{"cmd": "ls"}`)})
			if err != nil {
				t.Fatal(err)
			}
			if v.Denied() != res.Blocked() || v.Decision == hook.Allow != (res.Decision == hook.Allow) || v.Denied() && v.Reason != res.Reason ||
				strings.Join(v.Messages, "\n") != res.Message || strings.Join(v.Context, "\n") != res.Context ||
				(string(v.Input) == `{"cmd":"x"}`) != (res.Specific.UpdatedInput != nil) {
				t.Errorf("%s, exit %s: the dialect says %q %q %q, the root package %+v", answer, end, res.Decision, res.Reason, res.Message, v)
			}
			_ = sys.Close()
		}
	}
}

func TestEveryMomentFires(t *testing.T) {
	s, log := read(t, `"sessionStart": [{"command": "log; echo {}"}], "beforeSubmitPrompt": [{"command": "log; echo {}"}],
		"subagentStart": [{"command": "log; echo {}"}], "subagentStop": [{"command": "log; echo {}"}], "stop": [{"command": "log; echo {}"}],
		"preCompact": [{"command": "log; echo {}"}], "sessionEnd": [{"command": "log; echo {}"}]`)
	ses := open(t, s)
	fire := func(_ *snaphook.Verdict, err error) {
		t.Helper()
		if err != nil {
			t.Error(err)
		}
	}
	ctx := context.Background()
	fire(ses.Start(ctx, &snaphook.StartInput{}))
	fire(ses.Prompt(ctx, &snaphook.PromptInput{Text: "hi"}))
	fire(ses.SubagentStart(ctx, &snaphook.SubagentStartInput{ID: "1", Type: "explore"}))
	fire(ses.SubagentStop(ctx, &snaphook.SubagentStopInput{ID: "1", Type: "explore"}))
	fire(ses.Stop(ctx, &snaphook.StopInput{}))
	fire(ses.BeforeCompact(ctx, &snaphook.BeforeCompactInput{}))
	fire(ses.End(ctx, &snaphook.EndInput{}))
	want := []string{"sessionStart", "beforeSubmitPrompt", "subagentStart", "subagentStop", "stop", "preCompact", "sessionEnd"}
	if got := events(t, log); !slices.Equal(got, want) {
		t.Errorf("fired %q; want %q", got, want)
	}
}
