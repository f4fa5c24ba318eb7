package codex_test

import (
	"strings"
	"testing"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/events/codex"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
)

// Each answer makes the run Failed, and a note says why
// (CX20, CX21, CX22, CX23, CX25, CX26, CX27, CX28, CX29, CX30).
func TestAnAnswerThatCodexDoesNotTakeIsAFailedRun(t *testing.T) {
	const own = `{"hookSpecificOutput": {"hookEventName": "EVENT", `
	for _, tt := range []struct{ event, stdout, note string }{
		{"PreToolUse", own + `"permissionDecision": "allow"}}`, `"permissionDecision" is "allow" without an "updatedInput"`},
		{"PreToolUse", own + `"permissionDecision": "ask"}}`, `"permissionDecision" is "ask"`},
		{"PreToolUse", own + `"permissionDecision": "defer"}}`, `"hookSpecificOutput.permissionDecision" is "defer"; want allow, deny, ask`},
		{"PreToolUse", own + `"permissionDecision": "deny"}}`, `denial is lost, and the action goes ahead`},
		{"PreToolUse", own + `"permissionDecision": "deny", "permissionDecisionReason": " "}}`, `"permissionDecisionReason" is missing or blank`},
		{"PreToolUse", own + `"permissionDecision": "deny", "permissionDecisionReason": "x", "updatedInput": {}}}`, `"updatedInput" stands without`},
		{"PreToolUse", own + `"permissionDecision": "deny", "permissionDecisionReason": "x"}, "extra": 1}`, `denial is lost`},
		{"PreToolUse", own + `"permissionDecision": "deny", "permissionDecisionReason": "x"}, "extra": 1}`, `"extra"`},
		{"PreToolUse", `{"hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "x"}}`, `"hookSpecificOutput.hookEventName" is missing`},
		{"PreToolUse", `{"hookSpecificOutput": {"hookEventName": "SessionEnd"}}`, `"hookSpecificOutput.hookEventName" is "SessionEnd"`},
		{"PreToolUse", `{"hookSpecificOutput": []}`, `"hookSpecificOutput" is an array; want an object`},
		{"PreToolUse", `{"decision": "approve"}`, `"decision" is "approve"`},
		{"PreToolUse", `{"decision": "block", "reason": ""}`, `denial is lost`},
		{"PreToolUse", `{"decision": "deny", "reason": "x"}`, `"decision" is "deny"; want approve, block`},
		{"PreToolUse", `{"continue": false}`, `denial is lost`},
		{"PreToolUse", `{"stopReason": ""}`, `"stopReason"`},
		{"PreToolUse", `{"suppressOutput": true}`, `"suppressOutput" is true`},
		{"PreToolUse", `{"systemMessage": 5}`, `"systemMessage" is a number; want a string`},
		{"PreToolUse", `{"suppressOutput": null}`, `"suppressOutput" is null; want true or false`},
		{"PreToolUse", `{"decision": "block", "reason": "x"`, `denial is lost`},
		{"PreToolUse", `[{"decision": "block", "reason": "x"}]`, `not one whole JSON object`},
		{"PreToolUse", `{"extra": 1`, `not one whole JSON object`},
		{"PermissionRequest", own + `"decision": {"behavior": "deny", "interrupt": true}}}`, `denial is lost`},
		{"PermissionRequest", own + `"decision": {"behavior": "allow", "updatedInput": {}}}}`, `"updatedInput"`},
		{"PermissionRequest", own + `"decision": {"message": "x"}}}`, `"hookSpecificOutput.decision.behavior" is missing`},
		{"PermissionRequest", own + `"decision": {"behavior": null}}}`, `"hookSpecificOutput.decision.behavior" is null`},
		{"PermissionRequest", own + `"decision": "deny"}}`, `"hookSpecificOutput.decision" is a string; want an object`},
		{"PostToolUse", `{"decision": "block"}`, `"reason" is missing or blank`},
		{"PostToolUse", `{"reason": "x"}`, `"reason" stands without`},
		{"PostToolUse", own + `"updatedMCPToolOutput": 1}}`, `"hookSpecificOutput.updatedMCPToolOutput"`},
		{"UserPromptSubmit", `{"decision": "block", "reason": " "}`, `denial is lost`},
		{"UserPromptSubmit", `{"bad": 1}`, `"bad"`},
		{"Stop", `ok`, `plain text`},
		{"Stop", `{"hookSpecificOutput": {"hookEventName": "Stop"}}`, `"hookSpecificOutput"`},
		{"SessionStart", `{"decision": "block", "reason": "x"}`, `"decision"`},
		{"SubagentStart", `{"reason": "x"}`, `"reason"`},
		{"PreCompact", `{"hookSpecificOutput": null}`, `"hookSpecificOutput"`},
		{"Interrupt", `{"continue": true}`, `"continue"`},
	} {
		t.Run(tt.event+" "+tt.stdout, func(t *testing.T) {
			stdout := strings.ReplaceAll(tt.stdout, "EVENT", tt.event)
			res := fire(t, tt.event, hook.Reply{Stdout: []byte(stdout)})
			if res.Blocked || res.Stop || res.Hooks[0].Outcome != pipeline.NonBlockingError {
				t.Errorf("blocked %v, stop %v, outcome %s; want a failed run", res.Blocked, res.Stop, res.Hooks[0].Outcome)
			}
			if !strings.Contains(notes(res), tt.note) {
				t.Errorf("notes: %s\nwant %s", notes(res), tt.note)
			}
			if e := effectsOf(res); e.Decision != nil || e.UpdatedInput != nil || len(e.ModelSees) > 0 {
				t.Errorf("effects %+v; want none", e)
			}
		})
	}
}

// The message of a failed answer is shown if the answer can be parsed (rule CX24).
func TestAFailedAnswerThatParsesShowsItsMessage(t *testing.T) {
	for stdout, want := range map[string]int{
		`{"systemMessage": "m", "decision": "approve"}`: 1,
		`{"systemMessage": "m", "unknown": 1}`:          0,
	} {
		if e := effectsOf(fire(t, "PreToolUse", hook.Reply{Stdout: []byte(stdout)})); len(e.UserSees) != want {
			t.Errorf("%s: the user sees %q; want %d texts", stdout, e.UserSees, want)
		}
	}
}

// The exit status decides which output is read (rule CX20).
func TestTheEndOfAHookDecidesWhatIsRead(t *testing.T) {
	const deny = `{"decision": "block", "reason": "printed"}`
	for name, tt := range map[string]struct {
		event, reason string // the reason of the denial; "": no denial
		note          string
		reply         hook.Reply
	}{
		"exit 2 with a reason":         {"PreToolUse", "said", "", hook.Reply{Exit: 2, Stdout: []byte(deny), Stderr: []byte("said\n")}},
		"exit 2 without a reason":      {"PreToolUse", "", "denial", hook.Reply{Exit: 2, Stdout: []byte(deny)}},
		"exit 1 with a denial":         {"PreToolUse", "", "denial", hook.Reply{Exit: 1, Stdout: []byte(deny), Stderr: []byte("x")}},
		"exit 1 without a denial":      {"PreToolUse", "", "exit status 1", hook.Reply{Exit: 1, Stderr: []byte("x")}},
		"exit 0 with a denial":         {"PreToolUse", "printed", "", hook.Reply{Stdout: []byte(deny)}},
		"exit 2 at PermissionRequest":  {"PermissionRequest", "said", "", hook.Reply{Exit: 2, Stderr: []byte("said")}},
		"exit 2 at Stop":               {"Stop", "said", "", hook.Reply{Exit: 2, Stderr: []byte("said")}},
		"exit 2 where nothing is held": {"SessionStart", "", "exit status 2", hook.Reply{Exit: 2, Stderr: []byte("said")}},
		"exit 2 at compaction":         {"PreCompact", "", "exit status 2", hook.Reply{Exit: 2, Stderr: []byte("said")}},
	} {
		t.Run(name, func(t *testing.T) {
			res := fire(t, tt.event, tt.reply)
			if res.Blocked != (tt.reason != "") || lo.FromPtr(res.Reason) != tt.reason {
				t.Errorf("blocked %v for %q; want %q", res.Blocked, lo.FromPtr(res.Reason), tt.reason)
			}
			if !strings.Contains(notes(res), tt.note) || tt.note == "" && notes(res) != "" {
				t.Errorf("notes %q; want %q", notes(res), tt.note)
			}
		})
	}
}

// A text that is too long for the model is kept in a file (rule CX38).
func TestATextThatIsTooLongForTheModelIsKeptInAFile(t *testing.T) {
	s := project(`{"hooks": {"UserPromptSubmit": [{"hooks": [{"type": "command", "command": "h", "additionalContextLimit": 10}]}],
		"SessionStart": [{"hooks": [{"type": "command", "command": "h", "additionalContextLimit": 0}]}]}}`)
	long := strings.Repeat("é", 6000)
	ses := open(t, s, &hook.Reply{Stdout: []byte(long)})
	res, err := codex.UserPromptSubmit.Fire(t.Context(), ses, &codex.UserPromptSubmitInput{Prompt: "p"})
	if err != nil || len(res.Context) > 400 || !strings.HasPrefix(res.Context, "éé") || !strings.HasSuffix(res.Context, "éé") ||
		!strings.Contains(res.Context, "hook_outputs") {
		t.Errorf("context %.200q, %v; want the ends and the path", res.Context, err)
	}
	free, err := codex.SessionStart.Fire(t.Context(), ses, &codex.SessionStartInput{Source: "startup"})
	if err != nil || free.Context != long {
		t.Errorf("%d bytes of context, %v; want all, for a limit of 0", len(free.Context), err)
	}
}

// A rewrite that is invalid for the tool denies the call (rule CX37).
func TestARewriteThatTheToolCannotTakeStopsTheCall(t *testing.T) {
	for _, tt := range []struct {
		tool, input string
		runs        bool
	}{
		{"Bash", `{"command": "ls"}`, true},
		{"Bash", `{"cmd": "ls"}`, false},
		{"apply_patch", `{"command": 1}`, false},
		{"mcp__a__b", `{"x": 1}`, true},
		{"mcp__a__b", `[1]`, false},
	} {
		reply := hook.Reply{Stdout: []byte(`{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow", "updatedInput": ` + tt.input + `}}`)}
		ses := open(t, one(), &reply)
		res, err := codex.PreToolUse.Fire(t.Context(), ses, &codex.PreToolUseInput{Call: codex.Call{Tool: tt.tool, Input: []byte(`{"command":"x"}`)}})
		if err != nil || res.Blocked() == tt.runs || (res.Specific.UpdatedInput != nil) != tt.runs {
			t.Errorf("%s %s: blocked %v, input %s, %v", tt.tool, tt.input, res.Blocked(), res.Specific.UpdatedInput, err)
		}
	}
}

func FuzzAnswer(f *testing.F) {
	for _, text := range []string{
		"", "hello", "{", `{"decision": "block", "reason": "x"}`, `["a"]`,
		`{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "x"}}`,
		`{"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": {"behavior": "allow"}}, "systemMessage": "m"}`,
	} {
		f.Add(text, "PreToolUse")
		f.Add(text, "PermissionRequest")
	}
	f.Fuzz(func(t *testing.T, text, event string) {
		if inputs[event] == "" {
			event = "Stop"
		}
		res := fire(t, event, hook.Reply{Stdout: []byte(text)})
		if h := res.Hooks[0]; (h.Error != nil) != (h.Outcome == pipeline.NonBlockingError) {
			t.Errorf("%q: outcome %s, error %v", text, h.Outcome, h.Error)
		}
		if h := res.Hooks[0]; h.Error != nil && len(h.Notes) == 0 {
			t.Errorf("%q failed, and no note says why", text)
		}
	})
}

// A hook that does not read its input can still deny (rule CX41).
func TestAHookThatDoesNotReadItsInputStillDenies(t *testing.T) {
	ses := open(t, project(`{"hooks": {"UserPromptSubmit": [{"hooks": [{"type": "command", "command": "exec 0<&-; echo no >&2; exit 2"}]}]}}`), nil)
	res, err := codex.UserPromptSubmit.Fire(t.Context(), ses, &codex.UserPromptSubmitInput{Prompt: strings.Repeat("x", 1<<20)})
	if err != nil || !res.Blocked() || res.Reason != "no" {
		t.Errorf("blocked %v for %q, %v", res.Blocked(), res.Reason, err)
	}
}
