package claude_test

import (
	"context"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/match"
	"github.com/snaphook-go/snaphook/pipeline"
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

// A matcher with the old or the new name of a renamed tool selects the tool: renaming it disables no guard (C15, C20).
func TestToolsAreMatchedUnderTheirOldAndNewNames(t *testing.T) {
	group := func(matcher, condition string) string {
		return `{"hooks": {"PreToolUse": [{"matcher": ` + string(mustEncode(t, matcher)) + `, "hooks": [{"type": "command", "if": ` +
			string(mustEncode(t, condition)) + `, "command": "h"}]}]}}`
	}
	const agent, task = `{"tool_name":"Agent","tool_input":{"subagent_type":"general-purpose"}}`, `{"tool_name":"Task","tool_input":{"subagent_type":"general-purpose"}}`
	for _, tt := range []struct {
		matcher, condition, input string
		want                      bool
	}{
		{"Task", "", agent, true},
		{"Agent", "", task, true},
		{"Edit|Task|Write", "", agent, true},
		{"^Task$", "", agent, true},
		{"^Agent$", "", task, true},
		{"Task(Stop)?$", "", agent, true},
		{"Edit|Write", "", agent, false},
		{"KillShell", "", `{"tool_name":"TaskStop"}`, true},
		{"TaskStop", "", `{"tool_name":"KillShell"}`, true},
		{"AgentOutputTool", "", `{"tool_name":"TaskOutput"}`, true},
		{"^BashOutputTool$", "", `{"tool_name":"TaskOutput"}`, true},
		{"TaskOutput", "", `{"tool_name":"BashOutputTool"}`, true},
		{"BashOutput", "", `{"tool_name":"TaskOutput"}`, false},
		{"", "Task(general-purpose)", agent, true},
		{"", "Agent(general-purpose)", task, true},
		{"", "Task(reviewer)", agent, false},
		{"", "Task", agent, true},
		{"", "KillShell", `{"tool_name":"TaskStop"}`, true},
		{"", "TaskOutput", `{"tool_name":"AgentOutputTool"}`, true},
		{"", "TaskOutput", agent, false},
	} {
		for _, level := range []claude.Level{claude.Base, claude.Docs} {
			settings := group(tt.matcher, tt.condition)
			if tt.condition == "" {
				settings = strings.Replace(settings, `"if": "", `, "", 1)
			}
			w := project(settings)
			w.Level, w.replies = level, map[string]scripted{"h": {}}
			if got := len(fire(t, w.open(t), "PreToolUse", tt.input).Hooks) > 0; got != tt.want {
				t.Errorf("matcher %q, if %q at level %d with %s: runs %v; want %v", tt.matcher, tt.condition, level, tt.input, got, tt.want)
			}
		}
	}
	for name, opt := range map[string]pipeline.Option{
		"a pattern": pipeline.Match("Task"), "an expression": pipeline.Match("^Task$"), "a matcher": pipeline.MatchWith(match.Names{"Task"}),
	} {
		s, ran := project(`{}`).open(t), false
		claude.PreToolUse.On(s, "guard", func(context.Context, claude.PreToolUseInput) (o hook.Output[claude.PreToolUseOutput], err error) {
			ran = true
			return o, nil
		}, opt)
		if fire(t, s, "PreToolUse", agent); !ran {
			t.Errorf("a hook in Go with %s for the old name has not run", name)
		}
	}
}

// The old names of tools do not match files and kinds of agents of the same name.
func TestOldNamesOfToolsAreNamesOfToolsAlone(t *testing.T) {
	for event, input := range map[string]string{"FileChanged": `{"file_path":"/x/Agent"}`, "SubagentStart": `{"agent_type":"Agent"}`} {
		w := project(`{"hooks": {"` + event + `": [{"matcher": "Task", "hooks": [{"type": "command", "command": "h"}]}]}}`)
		w.replies = map[string]scripted{"h": {}}
		if got := fire(t, w.open(t), event, input).Hooks; len(got) > 0 {
			t.Errorf("%s: the matcher Task matches %s", event, input)
		}
	}
}

// At the newer level context alone keeps an agent going; at the default level it does not. A block keeps an agent going
// at both levels (rule C63).
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
