package claude

import (
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/match"
)

// goose is goose 1.38 and later: the hooks of its plugins run one after another, answer block or
// allow and nothing else, and get a payload in goose's own format.
var goose = profile{
	name:   Goose,
	system: "goose",
	files: []profileFile{
		{source: hook.Project, path: ".agents/plugins/*/hooks/hooks.json", plugin: true},
		{source: hook.User, variable: "GOOSE_PATH_ROOT", home: ".", path: ".agents/plugins/*/hooks/hooks.json", plugin: true},
	},
	enabling: []string{".config/goose/settings.local.json", ".config/goose/settings.json", "~/.config/goose/settings.json"},
	only: []string{
		"PreToolUse", "PostToolUse", "PostToolUseFailure", "SessionStart", "SessionEnd", "UserPromptSubmit", "Stop",
	},
	elsewhen:   []string{"PreToolUseResult", "BeforeReadFile", "AfterFileEdit", "BeforeShellExecution", "AfterShellExecution"},
	members:    []string{"type", "command", "timeout", "on_failure"},
	untyped:    true,
	kinds:      commands,
	match:      match.Linear,
	subjects:   map[string]string{"UserPromptSubmit": "prompt", "SessionStart": "", "SessionEnd": "", "Stop": ""},
	timeout:    30 * time.Second,
	whole:      true,
	sequential: true,
	pluginVar:  "PLUGIN_ROOT",
	sh:         true,
	failure:    failureMember{name: "on_failure", words: []string{"allow", "block"}, events: []string{"PreToolUse"}},
	payloads: payloadTraits{
		names: map[string]string{
			"hook_event_name": "event", "session_id": "session_id", "cwd": "working_dir", "tool_name": "tool_name",
			"tool_input": "tool_input", "tool_use_id": "tool_call_id", "tool_response": "tool_output", "error": "tool_output",
			"prompt": "message", "last_assistant_message": "last_assistant_message",
		},
		subject: "matcher_context",
	},
	answers: answerTraits{
		streams:  [...]answerStream{fromStdout, fromNowhere, fromStdout},
		words:    map[string]hook.Decision{"block": hook.Deny, "allow": ""},
		blocking: []string{"PreToolUse", "Stop"},
		demands:  true,
		noReason: "denied by plugin hook of %s",
	},
	tools: map[string]toolWords{
		"Bash": {name: "developer__shell"}, "LS": {name: "developer__tree"}, "Read": {"developer__read", map[string]string{"file_path": "path"}},
		"Write": {"developer__write", map[string]string{"file_path": "path"}},
		"Edit":  {"developer__edit", map[string]string{"file_path": "path", "old_string": "before", "new_string": "after"}},
	},
	bare: true,
}
