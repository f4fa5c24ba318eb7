package claude_test

import (
	"testing"

	"github.com/snaphook-go/snaphook/events/claude"
)

func TestLevelsReadMatchersInTheirWay(t *testing.T) {
	for _, tt := range []struct {
		event, matcher, input string
		base, docs            bool
	}{
		{"PreToolUse", "Edit, Write", `{"tool_name":"Write"}`, false, true},
		{"PreToolUse", "Edit | Write", `{"tool_name":"Edit"}`, false, true},
		{"SubagentStart", "code-reviewer", `{"agent_type":"senior-code-reviewer"}`, true, false},
		{"SubagentStart", "code-reviewer", `{"agent_type":"code-reviewer"}`, true, true},
		{"FileChanged", "a-b", `{"file_path":"/x/xa-bx"}`, true, true},
		{"FileChanged", "b|c", `{"file_path":"/x/b"}`, true, true},
		{"FileChanged", "b|c", `{"file_path":"C:\\x\\b"}`, true, true},
		{"FileChanged", "x", `{"file_path":"/x/b"}`, false, false},
		{"StopFailure", "rate-limit", `{"error":"a rate-limit"}`, true, true},
		{"PreToolUse", "Bash", `{"tool_name":"BashOutput"}`, false, false},
		{"PreToolUse", "^Bash", `{"tool_name":"BashOutput"}`, true, true},
		{"PreToolUse", "Edit.*", `{"tool_name":"NotebookEdit"}`, true, true},
		{"PreToolUse", "mcp__memory", `{"tool_name":"mcp__memory__get"}`, false, false},
		{"PreToolUse", "mcp__memory__.*", `{"tool_name":"mcp__memory__get"}`, true, true},
		{"PreToolUse", "bash", `{"tool_name":"Bash"}`, false, false},
		{"PreToolUse", "", `{"tool_name":"Bash"}`, true, true},
		{"PreToolUse", "*", `{"tool_name":"Bash"}`, true, true},
		{"PreToolUse", "(?!Bash)", `{"tool_name":"Edit"}`, true, true},
		{"SessionStart", "startup|clear", `{"source":"resume"}`, false, false},
		{"SessionEnd", "other", ``, true, true},
		{"ElicitationResult", "srv", ``, true, true},
		{"PreModelSwitch", "a", ``, false, false},
		{"UserPromptExpansion", "go", ``, true, true},
		{"DirectoryAdded", "register_repo_root", ``, false, false},
		{"InstructionsLoaded", "session_start", ``, true, true},
		{"UserPromptSubmit", "never", ``, true, true},
		{"TeammateIdle", "never", ``, true, true},
		{"PostToolBatch", "(", ``, true, true},
	} {
		for level, want := range map[claude.Level]bool{claude.Base: tt.base, claude.Docs: tt.docs} {
			w := project(`{"hooks": {"` + tt.event + `": [{"matcher": ` + string(mustEncode(t, tt.matcher)) + `, "hooks": [{"type": "command", "command": "h"}]}]}}`)
			w.Level, w.replies = level, map[string]scripted{"h": {}}
			if got := len(fire(t, w.open(t), tt.event, tt.input).Hooks) > 0; got != want {
				t.Errorf("%s %q at level %d with %s: runs %v; want %v", tt.event, tt.matcher, level, tt.input, got, want)
			}
		}
	}
}

// Rule C63: at the newer level context alone keeps an agent going, at the default
// level it is context and no more. A block keeps it going at both.
func TestContextAloneKeepsAnAgentGoingAtTheNewerLevel(t *testing.T) {
	for _, event := range []string{"Stop", "SubagentStop"} {
		for level, newer := range map[claude.Level]bool{claude.Base: false, claude.Docs: true} {
			for answer, want := range map[string]bool{
				`{"hookSpecificOutput":{"hookEventName":"` + event + `","additionalContext":"go on"}}`: newer,
				`{"decision":"block","reason":"go on"}`:                                                true,
				`{"systemMessage":"go on"}`:                                                            false,
			} {
				w := project(hooks(event, "h"))
				w.Level, w.replies = level, map[string]scripted{"h": says(0, answer, "")}
				if got := fire(t, w.open(t), event, "").Blocked; got != want {
					t.Errorf("%s at level %d with %s: keeps going %v; want %v", event, level, answer, got, want)
				}
			}
		}
	}
}
