package cursor_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/events/cursor"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/policy"
	"github.com/snaphook-go/snaphook/settings"
	"github.com/snaphook-go/snaphook/wire"
)

// ran lists the labels that hooks have written to a file, and removes the file.
func ran(t testing.TB, file string) []string {
	text, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	_ = os.Remove(file)
	return slices.Sorted(slices.Values(strings.Fields(string(text))))
}

// machine holds the directories of six settings files, each with a hook that logs its label and its
// directory.
type machine struct{ root, project, home, etc, log string }

func newMachine(t testing.TB) (m machine, s cursor.Settings) {
	t.Helper()
	root := testkit.Dir(t)
	m = machine{root, filepath.Join(root, "project"), filepath.Join(root, "home"), filepath.Join(root, "etc"), filepath.Join(root, "log")}
	cursors := func(label string) string {
		return `{"version": 1, "hooks": {"preToolUse": [{"command": "echo ` + label + `:$(pwd -P) >> $LOG; echo {}"}]}}`
	}
	claudes := func(label string) string {
		return `{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "echo ` + label + `:$(pwd -P) >> $LOG; echo {}"}]}]}}`
	}
	testkit.WriteFile(t, filepath.Join(m.etc, "cursor", "hooks.json"), cursors("enterprise"), 0o755)
	testkit.WriteFile(t, filepath.Join(m.project, ".cursor", "hooks.json"), cursors("project"), 0o755)
	testkit.WriteFile(t, filepath.Join(m.home, ".cursor", "hooks.json"), cursors("user"), 0o755)
	testkit.WriteFile(t, filepath.Join(m.project, ".claude", "settings.local.json"), claudes("local"), 0o755)
	testkit.WriteFile(t, filepath.Join(m.project, ".claude", "settings.json"), claudes("shared"), 0o755)
	testkit.WriteFile(t, filepath.Join(m.home, ".claude", "settings.json"), claudes("mine"), 0o755)
	return m, cursor.Settings{Environ: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + m.home, "SNAPHOOK_ETC=" + m.etc, "LOG=" + m.log}}
}

func (m machine) at(change ...func(*pipeline.SessionConfig)) func(*pipeline.SessionConfig) {
	return func(c *pipeline.SessionConfig) {
		c.Dir = m.project
		for _, f := range change {
			f(c)
		}
	}
}

// The hooks of all files run. Hooks of the enterprise and of the user run in the directory of their file, all others in
// the project (rules U1, U2, U3, U5 and U34).
func TestEveryFileIsReadAndRunsInItsDirectory(t *testing.T) {
	m, s := newMachine(t)
	users := []string{"enterprise:" + m.etc + "/cursor", "mine:" + m.project, "user:" + m.home + "/.cursor"}
	projects := []string{"local:" + m.project, "project:" + m.project, "shared:" + m.project}
	ses := open(t, s.Load, m.at())
	fireIn(t, ses, "preToolUse", `{"tool_name":"Shell","tool_input":{},"cwd":"/"}`)
	if got, want := ran(t, m.log), slices.Sorted(slices.Values(append(users, projects...))); !slices.Equal(got, want) {
		t.Errorf("ran %q; want %q", got, want)
	}
	order := lo.Map(ses.Hooks(), func(h *hook.Hook, _ int) string { return h.ID })
	if want := []string{"managed/preToolUse/0/0", "project/preToolUse/0/0", "user/preToolUse/0/0", "claude-local/preToolUse/0/0", "claude-project/preToolUse/0/0", "claude-user/preToolUse/0/0"}; !slices.Equal(order, want) {
		t.Errorf("order %q; want %q", order, want)
	}
	fireIn(t, open(t, s.Load, m.at(func(c *pipeline.SessionConfig) { c.Untrusted = true })), "preToolUse", "")
	if got := ran(t, m.log); !slices.Equal(got, users) {
		t.Errorf("without trust ran %q; want %q", got, users)
	}
	s.Alone = true
	fireIn(t, open(t, s.Load, m.at()), "preToolUse", "")
	if got := ran(t, m.log); len(got) != 3 || strings.Contains(strings.Join(got, " "), "mine") {
		t.Errorf("without the import ran %q", got)
	}
}

// Each mistake is reported with its position, and does not affect other entries (rules U4, U7 and U8).
func TestBadSettingsAreToldWithTheirPlace(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{`{"version": 1, "hooks": {`, "project.json:1:"},
		{`[]`, `project.json:1:1: got an array, want an object {"version": 1, "hooks": {…}}; no hook of this file runs`},
		{``, "project.json:1:1: the file is empty"},
		{`{"version": 2, "hooks": {}}`, "project.json:1:13: version has to be 1"},
		{`{"hooks": []}`, "project.json:1:11:"},
		{`{"hooks": {"stop": {}}}`, `project.json:1:20: `},
		{`{"hooks": {"stop": ["again.sh"]}}`, "project.json:1:21: "},
		{`{"hooks": {"beforeShellExec": [{"command": "x"}]}}`, `project.json:1:31: there is no event "beforeShellExec"; did you mean "beforeShellExecution"`},
		{`{"hooks": {"PreToolUse": [{"command": "x"}]}}`, `"PreToolUse" is an event of another system; here it is "preToolUse"`},
		{`{"hooks": {"userPromptSubmitted": [{"command": "x"}]}}`, `here it is "beforeSubmitPrompt"`},
		{`{"preToolUse": [{"command": "x"}]}`, `"preToolUse" stands beside "hooks"`},
		{`{"hooks": {"stop": [{}]}}`, `project.json:1:21: the hook has no "command"; add "command": "./check.sh"`},
		{`{"hooks": {"stop": [{"command": " "}]}}`, `the hook has no "command"`},
		{`{"hooks": {"stop": [{"command": 5}]}}`, `project.json:1:33: `},
		{`{"hooks": {"stop": [{"type": "http", "url": "x"}]}}`, `Cursor runs no hooks of type "http"; write command or prompt`},
		{`{"hooks": {"stop": [{"type": 5, "command": "x"}]}}`, `"command" or "prompt"`},
		{`{"hooks": {"stop": [{"type": "prompt"}]}}`, `the hook has no "prompt"`},
		{`{"hooks": {"stop": [{"matcher": "x", "hooks": [{"type": "command", "command": "x"}]}]}}`, `the entry has "hooks" as in Claude Code, and no "command"`},
		{`{"hooks": {"stop": [{"command": "x", "timeout": "5"}]}}`, "a timeout is a number of seconds above 0"},
		{`{"hooks": {"stop": [{"command": "x", "timeout": 0}]}}`, "a timeout is a number of seconds above 0"},
		{`{"hooks": {"stop": [{"command": "x", "loop_limit": 1.5}]}}`, "loop_limit is a whole number from 0"},
		{`{"hooks": {"preToolUse": [{"command": "x", "loop_limit": 1}]}}`, "loop_limit has no effect on preToolUse"},
		{`{"hooks": {"stop": [{"command": "x", "failClosed": true}]}}`, "failClosed has no effect on stop"},
		{`{"hooks": {"preToolUse": [{"command": "x", "failClosed": "yes"}]}}`, "project.json:1:58: "},
		{`{"hooks": {"preToolUse": [{"command": "x", "fail_closed": true}]}}`, `nothing reads "fail_closed"; did you mean "failClosed"?`},
		{`{"hooks": {"preToolUse": [{"command": "x", "matcher": "Shell("}]}}`, `project.json:1:55: regular expression "Shell("`},
		{`{"hooks": {"preToolUse": [{"command": "x", "matcher": 5}]}}`, "project.json:1:55: "},
		{`{"hooks": {"stop": [{"command": "x", "matcher": "Shell"}]}}`, `the matcher "Shell" tests the word "Stop"`},
		{`{"hooks": {"afterFileEdit": [{"type": "prompt", "prompt": "x"}]}}`, "a prompt decides nothing on afterFileEdit"},
	} {
		got := problems(t, with("project", tt.text, "user", `{"hooks": {"stop": [{"command": "x"}]}}`))
		if !strings.Contains(got, tt.want) {
			t.Errorf("%s\n says %s\nwant %s", tt.text, got, tt.want)
		}
		loaded, _ := with("project", tt.text, "user", `{"hooks": {"stop": [{"command": "y"}]}}`).Load(t.Context(), pipeline.Workspace{Dir: t.TempDir()})
		if lo.CountBy(loaded.Hooks, func(h *hook.Hook) bool { return h.Source == hook.User && h.Skip == "" }) != 1 {
			t.Errorf("%s: the user's hook does not run", tt.text)
		}
	}
	for _, text := range []string{`{}`, `{"hooks": {}}`, `{"$schema": "x", "version": 1, "hooks": {"stop": [{"command": "x", "_managed_by": "y", "name": "n"}]}}`} {
		if got := problems(t, with("project", text)); got != "" {
			t.Errorf("%s: %s; want no problem", text, got)
		}
	}
}

// Rule U4.
func TestALostFileBlocksWherePolicyClosesFailures(t *testing.T) {
	o, wrong := policy.Parse(policy.User, ".snaphook.json", []byte(`{"defaults": {"gates": {"onFailure": "closed"}}}`))
	if len(wrong) > 0 {
		t.Fatal(wrong)
	}
	for event := range inputs {
		sys := pipeline.NewSystem(pipeline.Config{
			Load: []pipeline.Load{with("project", `{"hooks": {`).Load}, Policy: policy.Source{Overlays: []policy.Overlay{*o}},
		})
		ses, err := sys.NewSession(t.Context(), pipeline.SessionConfig{ID: "s", Dir: t.TempDir(), State: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		res := fireIn(t, ses, event, "")
		if can := eventNamed(t, event).Info().Can&pipeline.CanBlock != 0; res.Blocked != can {
			t.Errorf("%s: blocked %v; want %v", event, res.Blocked, can)
		}
		_ = sys.Close()
	}
	if res := fireIn(t, open(t, with("project", `{"hooks": {`).Load), "preToolUse", ""); res.Blocked {
		t.Error("without a policy a lost file blocks")
	}
}

// Rule U18.
func TestAnEntryThatCannotBeUsedBlocksIfItsFailuresDo(t *testing.T) {
	for entry, want := range map[string]bool{
		`{"failClosed": true}`: true, `{"failClosed": false}`: false, `{}`: false,
		`{"command": "echo {}", "matcher": "Shell(", "failClosed": true}`: true,
		`{"type": "http", "failClosed": true}`:                            true,
		`{"command": "echo {}", "failClosed": "yes"}`:                     false, // "yes" counts as true, but the hook does not fail
		`{"command": "exit 1", "failClosed": "yes"}`:                      true,
	} {
		if res := fireIn(t, open(t, on("beforeShellExecution", entry).Load), "beforeShellExecution", ""); res.Blocked != want {
			t.Errorf("%s: blocked %v; want %v", entry, res.Blocked, want)
		}
	}
}

// Hooks with the same command and directory run once (rule U6).
func TestTheSameCommandRunsOnce(t *testing.T) {
	const command = `{"command": "x"}`
	s := with("project", `{"hooks": {"preToolUse": [`+command+`]}}`, "claude-project", `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "x"}]}]}}`,
		"user", `{"hooks": {"preToolUse": [`+command+`]}}`)
	plan, err := cursor.PreToolUse.PlanJSON(open(t, s.Load), []byte(inputs["preToolUse"]))
	if err != nil {
		t.Fatal(err)
	}
	run := lo.Map(plan.Run, func(h *hook.Hook, _ int) string { return h.ID })
	if !slices.Equal(run, []string{"project/preToolUse/0/0", "user/preToolUse/0/0"}) || len(plan.Skipped) != 1 || plan.Skipped[0].Reason != hook.Duplicate {
		t.Errorf("runs %q, skips %v; want the project's and the user's, which is in another directory", run, plan.Skipped)
	}
}

// Matchers test the subject of the event (rules U9, U10, U11 and U32).
func TestMatchersTestTheSubject(t *testing.T) {
	for _, tt := range []struct {
		event, matcher, input string
		want                  bool
	}{
		{"preToolUse", "", "", true}, {"preToolUse", "*", "", true}, {"preToolUse", "hel", "", true}, {"preToolUse", "shell", "", false},
		{"preToolUse", "Read|Shell", "", true}, {"preToolUse", "^Read$", "", false},
		{"preToolUse", "^(?!(Read|Grep)$|MCP:)", "", true}, {"preToolUse", `^MCP:(\w)\1`, `{"tool_name":"MCP:aab"}`, true},
		{"preToolUse", "MCP:search", `{"tool_name":"MCP:search"}`, true}, {"preToolUse", "mcp__", `{"tool_name":"MCP:search"}`, false},
		{"preToolUse", "Shell(", "", false},
		{"beforeShellExecution", "curl|ls", "", true}, {"beforeShellExecution", "^Shell$", "", false},
		{"afterShellExecution", "-la$", "", true},
		{"subagentStart", "explore|shell", "", true}, {"subagentStop", "^general", "", false},
		{"beforeSubmitPrompt", "^UserPromptSubmit$", "", true}, {"beforeSubmitPrompt", "Shell", "", false},
		{"stop", "Stop", "", true}, {"afterAgentResponse", "AgentResponse", "", true}, {"afterAgentThought", "AgentThought", "", true},
		{"afterFileEdit", "^Write$", "", true}, {"afterTabFileEdit", "^Write$", "", false}, {"afterTabFileEdit", "TabWrite", "", true},
		{"beforeReadFile", "^Read$", "", true}, {"beforeTabFileRead", "TabRead", "", true}, {"beforeTabFileRead", "^Read$", "", false},
		{"sessionStart", "startup", "", true}, {"beforeMCPExecution", "nothing(", "", true},
	} {
		matcher, err := jsontext.AppendQuote(nil, tt.matcher)
		if err != nil {
			t.Fatal(err)
		}
		plan, err := eventNamed(t, tt.event).PlanJSON(
			open(t, on(tt.event, `{"command": "x", "matcher": `+string(matcher)+`}`).Load),
			[]byte(lo.CoalesceOrEmpty(tt.input, inputs[tt.event])),
		)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(plan.Run) == 1; got != tt.want {
			t.Errorf("%s %q %s: runs %v; want %v (%v)", tt.event, tt.matcher, tt.input, got, tt.want, plan.Skipped)
		}
	}
}

// Hooks of Claude Code are imported (rules U31 and U32).
func TestHooksOfClaudeCodeAreImported(t *testing.T) {
	for _, tt := range []struct {
		event, matcher, ours, tool string
		want                       bool
	}{
		{"PreToolUse", "Bash", "preToolUse", "Shell", true}, {"PreToolUse", "Bash", "preToolUse", "Read", false},
		{"PreToolUse", "Edit|Write", "preToolUse", "Write", true}, {"PreToolUse", "Edit", "preToolUse", "Write", true},
		{"PreToolUse", "Edit", "preToolUse", "Read", false}, {"PreToolUse", "Read", "preToolUse", "Read", true},
		{"PreToolUse", "^(Bash|Glob)$", "preToolUse", "Shell", true}, {"PreToolUse", "Glob", "preToolUse", "Grep", false},
		{"PreToolUse", "Ba", "preToolUse", "Shell", false}, {"PreToolUse", "", "preToolUse", "Task", true},
		{"PostToolUse", "WebFetch", "postToolUse", "WebFetch", true}, {"SubagentStop", "explore", "subagentStop", "", true},
		{"UserPromptSubmit", "Bash", "beforeSubmitPrompt", "", true}, {"Stop", "x", "stop", "", true},
		{"SessionStart", "startup", "sessionStart", "", true}, {"SessionEnd", "", "sessionEnd", "", true}, {"PreCompact", "manual", "preCompact", "", true},
		{"PermissionRequest", "", "preToolUse", "Shell", false}, {"Notification", "", "stop", "", false},
	} {
		s := with("claude-project", `{"permissions": {}, "hooks": {"`+tt.event+`": [{"matcher": "`+tt.matcher+`", "hooks": [{"type": "command", "command": "x"}]}]}}`)
		if got := problems(t, s); got != "" {
			t.Errorf("%s: problem %s", tt.event, got)
		}
		input := inputs[tt.ours]
		if tt.tool != "" {
			input = `{"tool_name":"` + tt.tool + `","tool_input":{}}`
		}
		plan, err := eventNamed(t, tt.ours).PlanJSON(open(t, s.Load), []byte(input))
		if err != nil {
			t.Fatal(err)
		}
		if got := len(plan.Run) == 1; got != tt.want {
			t.Errorf("%s %q for %s %s: runs %v; want %v", tt.event, tt.matcher, tt.ours, tt.tool, got, tt.want)
		}
	}
	got := problems(t, with("claude-project", `{"hooks": {"PreToolUse": [{"matcher": "mcp__github__.*", "hooks": [{"type": "command", "command": "x"}, {"type": "http", "url": "x"}]}, {"command": "x"}]}}`))
	for _, want := range []string{"Cursor calls them MCP:tool", `no hooks of type "http"`, "a hook stands where a group is wanted"} {
		if !strings.Contains(got, want) {
			t.Errorf("problems %s; want %s", got, want)
		}
	}
}

// An imported hook answers in Claude Code's words (rule U33).
func TestAnImportedHookAnswersInItsOwnWords(t *testing.T) {
	const own = `{"hookSpecificOutput": {"hookEventName": "PreToolUse", `
	for _, tt := range []struct{ event, ours, stdout, decision, text string }{
		{"PreToolUse", "preToolUse", own + `"permissionDecision": "deny", "permissionDecisionReason": "r"}}`, "deny", "r"},
		{"PreToolUse", "preToolUse", own + `"permissionDecision": "allow", "permissionDecisionReason": "r"}}`, "allow", ""},
		{"PreToolUse", "preToolUse", own + `"permissionDecision": "ask"}}`, "", ""},
		{"PreToolUse", "preToolUse", own + `"permissionDecision": "defer"}}`, "deny", ""},
		{"PreToolUse", "preToolUse", own + `"permissionDecision": "allow"}, "decision": "block", "reason": "r"}`, "deny", "r"},
		{"PreToolUse", "preToolUse", `{"decision": "block", "reason": "r"}`, "deny", "r"},
		{"PreToolUse", "preToolUse", `{"decision": "approve"}`, "allow", ""},
		{"PreToolUse", "preToolUse", `{"continue": false, "stopReason": "r"}`, "deny", "r"},
		{"PreToolUse", "preToolUse", `{"suppressOutput": true}`, "", ""},
		{"PreToolUse", "preToolUse", `{"hookSpecificOutput": 5}`, "deny", ""},
		{"PreToolUse", "preToolUse", `{"permission": "deny", "user_message": "r"}`, "deny", "r"},
		{"PreToolUse", "preToolUse", `log`, "deny", ""},
		{"PreToolUse", "preToolUse", ``, "", ""},
		{"UserPromptSubmit", "beforeSubmitPrompt", `{"decision": "block", "reason": "r"}`, "deny", "r"},
		{"UserPromptSubmit", "beforeSubmitPrompt", `{"continue": false, "stopReason": "r"}`, "deny", "r"},
		{"Stop", "stop", `{"decision": "block", "reason": "r"}`, "", "r"},
		{"Stop", "stop", `{"hookSpecificOutput": {"decision": "block", "reason": "r"}}`, "", "r"},
		{"SubagentStop", "subagentStop", `{"decision": "block", "reason": "r"}`, "", "r"},
		{"Stop", "stop", `{"continue": false}`, "", ""},
		{"PostToolUse", "postToolUse", `{"hookSpecificOutput": {"additionalContext": "r"}}`, "", "r"},
		{"SessionStart", "sessionStart", `{"hookSpecificOutput": {"additionalContext": "r"}}`, "", "r"},
		{"PreCompact", "preCompact", `{"systemMessage": "r"}`, "", "r"},
	} {
		s := with("claude-user", `{"hooks": {"`+tt.event+`": [{"hooks": [`+prints(tt.stdout, `"type": "command"`)+`]}]}}`)
		res := fireIn(t, open(t, s.Load), tt.ours, "")
		e := effectsOf(res)
		texts := append(append([]string{lo.FromPtr(res.Reason), lo.FromPtr(e.Followup)}, e.UserSees...), e.ModelSees...)
		if decision(res) != tt.decision || tt.text != "" && !slices.Contains(texts, tt.text) {
			t.Errorf("%s %s: decision %q, texts %q; want %q and %q (%s)", tt.event, tt.stdout, decision(res), texts, tt.decision, tt.text, said(res))
		}
	}
	s := with("claude-user", `{"hooks": {"PreToolUse": [{"hooks": [`+prints(own+`"permissionDecision": "allow", "updatedInput": {"command": "b"}}}`, `"type": "command"`)+`]}]}}`)
	if e := effectsOf(fireIn(t, open(t, s.Load), "preToolUse", "")); string(e.UpdatedInput) != `{"command": "b"}` {
		t.Errorf("the input is %s; want the new one", e.UpdatedInput)
	}
	if res := answers(t, "preToolUse", own+`"permissionDecision": "allow"}}`); decision(res) != "deny" {
		t.Errorf("a hook of Cursor's own file answers as in Claude Code: %q; want a denial", decision(res))
	}
}

// Payloads have the members of their event (rules U12, U13 and U14).
func TestPayloadsHaveTheMembersOfTheirEvent(t *testing.T) {
	base := []string{"conversation_id", "cursor_version", "generation_id", "hook_event_name", "model", "session_id", "transcript_path", "user_email", "workspace_roots"}
	var seen []byte
	load := func(ctx context.Context, at pipeline.Workspace) (pipeline.Loaded, error) {
		events := lo.Map(pipeline.Events(cursor.Dialect), func(e pipeline.Declared, _ int) string { return `"` + e.Info().Name + `": [{"command": "x"}]` })
		loaded, err := with("project", `{"hooks": {`+strings.Join(events, ", ")+`}}`).Load(ctx, at)
		for _, h := range loaded.Hooks {
			h.Runner = keeps{&seen}
		}
		return loaded, err
	}
	ses := open(t, load)
	for event := range inputs {
		fireIn(t, ses, event, "")
		object := wire.Object(seen)
		for _, name := range base {
			if here := object.Get(name) != nil; here == (event == "workspaceOpen" && slices.Contains([]string{"conversation_id", "generation_id", "model", "session_id", "transcript_path"}, name)) {
				t.Errorf("%s has %s: %v", event, name, here)
			}
		}
		if object.Text("hook_event_name") != event || object.Text("cursor_version") != cursor.Release || string(object.Get("user_email")) != "null" {
			t.Errorf("%s: %s", event, seen)
		}
	}
	fireIn(t, ses, "beforeMCPExecution", `{"tool_name":"search","tool_input":{"q": "x"},"model_id":"m","model_params":[{"id":"a","value":1}],"cursor_version":"9","conversation_id":"mine"}`)
	object := wire.Object(seen)
	if object.Text("tool_input") != `{"q":"x"}` || object.Text("model_id") != "m" || object.Text("cursor_version") != "9" || object.Text("conversation_id") != "s-1" {
		t.Errorf("payload %s", seen)
	}
	fireIn(t, ses, "postToolUse", `{"tool_name":"Shell","tool_input":{"a":1},"tool_output":[1, 2]}`)
	if object := wire.Object(seen); object.Text("tool_output") != "[1,2]" || string(object.Get("tool_input")) != `{"a":1}` {
		t.Errorf("payload %s", seen)
	}
}

// keeps stores the payload of the last run.
type keeps struct{ to *[]byte }

func (k keeps) Run(_ context.Context, call hook.Call) (hook.Reply, error) {
	*k.to = call.Payload
	return hook.Reply{Stdout: []byte("{}")}, nil
}

// Variables that hooks set reach the later hooks of the session (rules U27 and U28).
func TestVariablesReachTheLaterHooks(t *testing.T) {
	state := t.TempDir()
	dir := testkit.Dir(t)
	at := func(c *pipeline.SessionConfig) { c.State, c.Dir, c.Transcript = state, dir, "/t.jsonl" }
	s := with("project", `{"hooks": {
		"sessionStart": [{"command": "echo '{\"env\":{\"A\":\"1\",\"CURSOR_VERSION\":\"x\"}}'"}, {"command": "echo '{\"env\":{\"B\":\"2\"}}'"}],
		"beforeShellExecution": [{"command": "echo $A $B $CURSOR_VERSION $CURSOR_PROJECT_DIR $CLAUDE_PROJECT_DIR $CURSOR_USER_EMAIL $CURSOR_TRANSCRIPT_PATH >&2; exit 2"}]}}`)
	want := "9 " + dir + " " + dir + " u@x /t.jsonl"
	const input = `{"command":"ls","cursor_version":"9","user_email":"u@x"}`
	first := open(t, s.Load, at)
	if res := fireIn(t, first, "beforeShellExecution", input); *res.Reason != want {
		t.Errorf("before the session's start: %q; want %q", *res.Reason, want)
	}
	if e := effectsOf(fireIn(t, first, "sessionStart", "")); e.Env["A"] != "1" || e.Env["B"] != "2" {
		t.Errorf("effects have %v", e.Env)
	}
	for name, ses := range map[string]*pipeline.Session{"the same": first, "one of another process": open(t, s.Load, at)} {
		if res := fireIn(t, ses, "beforeShellExecution", input); *res.Reason != "1 2 "+want {
			t.Errorf("%s session: %q; want %q", name, *res.Reason, "1 2 "+want)
		}
	}
	other := func(c *pipeline.SessionConfig) { at(c); c.ID, c.Undecided = "s-2", true }
	ses := open(t, s.Load, other)
	if res := fireIn(t, ses, "sessionStart", ""); !strings.Contains(said(res), "do not count for other hooks") {
		t.Errorf("notes %s; want the variables not to count", said(res))
	}
	if res := fireIn(t, ses, "beforeShellExecution", input); *res.Reason != want {
		t.Errorf("of a project without a decision: %q; want %q", *res.Reason, want)
	}
}

// Follow-ups are counted up to a hook's limit (rules U29 and U30).
func TestAFollowUpCountsUpToItsLimit(t *testing.T) {
	more := prints(`{"followup_message":"more"}`)
	for _, tt := range []struct {
		layer, entries, status string
		loops                  string
		want                   string
		runs                   bool
	}{
		{"project", more, "completed", "0", "more", true}, {"project", more, "completed", "4", "more", true}, {"project", more, "completed", "5", "", false},
		{"project", more, "aborted", "0", "", true}, {"project", more, "error", "0", "", true},
		{"project", prints(`{"followup_message":"more"}`, `"loop_limit": 1`), "completed", "1", "", false},
		{"project", prints(`{"followup_message":"more"}`, `"loop_limit": 0`), "completed", "0", "", false},
		{"project", prints(`{"followup_message":"more"}`, `"loop_limit": null`), "completed", "500", "more", true},
		{"project", prints(`{"followup_message":""}`), "completed", "0", "", true},
		{"project", more + ", " + prints(`{"followup_message":"last"}`), "completed", "0", "last", true},
		{"claude-user", prints(`{"decision":"block","reason":"more"}`, `"type": "command"`), "completed", "500", "more", true},
	} {
		for _, event := range []string{"stop", "subagentStop"} {
			text := `{"hooks": {"` + event + `": [` + tt.entries + `]}}`
			if tt.layer != "project" {
				text = `{"hooks": {"` + map[string]string{"stop": "Stop", "subagentStop": "SubagentStop"}[event] + `": [{"hooks": [` + tt.entries + `]}]}}`
			}
			res := fireIn(t, open(t, with(tt.layer, text).Load), event, `{"status":"`+tt.status+`","loop_count":`+tt.loops+`}`)
			if e := effectsOf(res); lo.FromPtr(e.Followup) != tt.want || res.Blocked != (tt.want != "") || len(res.Hooks) > 0 != tt.runs || e.Decision != nil {
				t.Errorf("%s %s %s %s: follow-up %q, blocked %v, ran %d", event, tt.entries, tt.status, tt.loops, lo.FromPtr(e.Followup), res.Blocked, len(res.Hooks))
			}
		}
	}
}

// A hook has a minute, or its own timeout (rule U21).
func TestAHookHasAMinuteOrItsOwnTime(t *testing.T) {
	loaded, err := on("stop", `{"command": "x"}, {"command": "x", "timeout": 0.3}`).Load(t.Context(), pipeline.Workspace{Dir: t.TempDir()})
	if err != nil || loaded.Hooks[0].Timeout != 0 || loaded.Hooks[1].Timeout != 300*time.Millisecond || cursor.Stop.Info().Rules.Timeout != time.Minute {
		t.Errorf("timeouts %v and %v; want 0, for a minute, and 300ms: %v", loaded.Hooks[0].Timeout, loaded.Hooks[1].Timeout, err)
	}
}

// FuzzSettings reads any text as each kind of file: loading never fails, and reports the parts that
// it cannot use.
func FuzzSettings(f *testing.F) {
	f.Add(`{"version": 1, "hooks": {"stop": [{"command": "x", "loop_limit": null, "matcher": "a(", "failClosed": 1}]}}`)
	f.Add(`{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "x"}]}]}}`)
	f.Add(`{"hooks": {"preToolUse": {"hooks": [[]]}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		for name := range cursor.LayerNames() {
			loaded, err := with(name, text).Load(t.Context(), pipeline.Workspace{Dir: "/project"})
			if err != nil {
				t.Fatal(err)
			}
			for _, h := range loaded.Hooks {
				if h.Runner == nil && h.Skip == "" {
					t.Errorf("the hook %s can neither run nor says why", h.ID)
				}
				if h.Skip != "" && h.Skip != hook.NotMatched && len(loaded.Problems) == 0 {
					t.Errorf("the hook %s does not run, and no problem says so: %s", h.ID, h.SkipDetail)
				}
			}
			if _, fatal := lo.Find(loaded.Problems, func(p settings.Problem) bool { return p.Fatal }); fatal {
				t.Error("a problem keeps other files from running")
			}
		}
	})
}
