package claude

import (
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/match"
)

// kimi is Kimi Code: one file of the user in TOML with a flat list of hooks. A hook can deny, or
// add its output to a prompt, and nothing else.
var kimi = profile{
	name:   Kimi,
	system: "Kimi Code",
	files: []profileFile{
		{source: hook.User, variable: "KIMI_CODE_HOME", home: ".kimi-code", path: "config.toml", list: "event"},
	},
	only: []string{
		"PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionRequest", "UserPromptSubmit", "Stop", "StopFailure",
		"SubagentStart", "SubagentStop", "SessionStart", "SessionEnd", "PreCompact", "PostCompact", "Notification",
	},
	elsewhen: []string{
		"PermissionResult", "Interrupt", "UserPromptQueued", "TurnStarted", "TaskStarted", "SessionHeartbeat",
	},
	members:  []string{"event", "matcher", "command", "timeout"},
	strict:   true,
	untyped:  true,
	kinds:    commands,
	match:    match.Search,
	subjects: map[string]string{"UserPromptSubmit": "prompt", "Stop": ""},
	timeout:  30 * time.Second,
	whole:    true,
	longest:  10 * time.Minute,
	grace:    100 * time.Millisecond,
	key:      []string{"command"},
	failure:  failureMember{name: "fail_mode", words: []string{"open", "closed"}},
	payloads: payloadTraits{
		names: map[string]string{
			"tool_use_id": "tool_call_id", "tool_response": "tool_output", "transcript_path": "", "permission_mode": "",
		},
		rest: true,
		cut:  map[string]int{"tool_output": 2000},
	},
	answers: answerTraits{
		streams:  [...]answerStream{fromStdout, fromNowhere, fromNowhere},
		nested:   map[string]hook.Decision{"deny": hook.Deny},
		own:      []string{"permissionDecision", "permissionDecisionReason"},
		prompted: "UserPromptSubmit",
		blocking: []string{"PreToolUse", "UserPromptSubmit", "Stop"},
		noReason: "blocked by a hook of %s",
	},
	tools: map[string]toolWords{
		"Read":  {args: map[string]string{"file_path": "path", "offset": "line_offset", "limit": "n_lines"}},
		"Write": {args: map[string]string{"file_path": "path"}}, "Edit": {args: map[string]string{"file_path": "path"}},
		"WebFetch": {name: "FetchURL"}, "TodoWrite": {name: "TodoList"},
	},
}
