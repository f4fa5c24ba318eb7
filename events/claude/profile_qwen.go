package claude

import (
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/match"
)

// qwen is Qwen Code 1.x. Its files have the form and words of Claude Code's, but other names of tools. An object that a
// hook prints decides with every exit status, and plain text is a message for the user.
var qwen = profile{
	name:   Qwen,
	system: "Qwen Code",
	files: []profileFile{
		{source: hook.Project, path: ".qwen/settings.json", comments: true},
		{source: hook.User, home: ".", path: ".qwen/settings.json", comments: true},
	},
	elsewhen: []string{"SessionDelete", "TodoCreated", "TodoCompleted"},
	members: []string{
		"type", "command", "args", "shell", "async", "timeout", "name", "description", "env", "statusMessage", "url", "headers",
		"allowedEnvVars", "prompt", "model",
	},
	kinds:     commands | requests | prompts,
	switchOff: true,
	match: match.Aliased(match.Renamed{
		{"run_shell_command", "Shell"}, {"write_file", "WriteFile"}, {"read_file", "ReadFile"}, {"edit", "Edit"},
		{"grep_search", "Grep"}, {"glob", "Glob"}, {"list_directory", "ListFiles"}, {"web_fetch", "WebFetch"},
		{"web_search", "WebSearch"}, {"todo_write", "TodoWrite"}, {"agent", "Agent", "task", "Task"}, {"skill", "Skill"},
		{"save_memory", "SaveMemory"}, {"exit_plan_mode", "ExitPlanMode"}, {"ask_user_question", "AskUserQuestion"},
	}),
	timeout:      10 * time.Minute,
	timeouts:     map[string]time.Duration{"MessageDisplay": time.Minute, "StopFailure": time.Minute},
	promptTime:   30 * time.Second,
	milliseconds: 1000,
	grace:        2 * time.Second,
	key:          []string{"name", "command", "url", "prompt", "args"},
	vars:         []string{"QWEN_PROJECT_DIR", "GEMINI_PROJECT_DIR", projectDir},
	payloads:     payloadTraits{rest: true, stamp: "timestamp"},
	answers: answerTraits{
		streams: [...]answerStream{fromStdout, fromStderr, fromEither},
		words: map[string]hook.Decision{
			"ask": hook.Ask, "block": hook.Deny, "deny": hook.Deny, "approve": hook.Allow, "allow": hook.Allow,
		},
		top:    []string{"continue", "stopReason", "suppressOutput", "systemMessage"},
		own:    ownMembers,
		rename: map[string]string{"tool_input": "updatedInput"},
		text:   textForUser,
	},
	tools: map[string]toolWords{
		"Bash": {name: "run_shell_command"}, "Read": {name: "read_file"}, "Write": {name: "write_file"}, "Edit": {name: "edit"},
		"LS": {name: "list_directory"}, "Glob": {name: "glob"}, "Grep": {name: "grep_search"}, "WebFetch": {name: "web_fetch"},
		"WebSearch": {name: "web_search"}, "Agent": {name: "agent"}, "TodoWrite": {name: "todo_write"},
	},
}
