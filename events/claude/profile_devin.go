package claude

import (
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/match"
)

// devin is Devin CLI 3000: it reads Claude Code's files in addition to its own, merges rewrites
// into the arguments of a call, and has fewer members in its payloads.
var devin = profile{
	name:   Devin,
	system: "Devin CLI",
	files: []profileFile{
		{source: hook.Project, path: ".devin/hooks.v1.json", root: true, comments: true},
		{source: hook.Project, path: ".devin/config.json", comments: true},
		{source: hook.Local, path: ".devin/config.local.json", comments: true},
		{source: hook.User, variable: "XDG_CONFIG_HOME", home: ".config", path: "devin/config.json", comments: true},
		{source: hook.Project, path: ".claude/settings.json", foreign: true},
		{source: hook.Local, path: ".claude/settings.local.json", foreign: true},
		{source: hook.User, home: ".", path: ".claude/settings.json", foreign: true},
		{source: hook.User, home: ".", path: ".claude/settings.local.json", foreign: true},
		{source: hook.User, home: ".", path: ".claude.json", foreign: true},
	},
	unless: []string{"read_config_from", "claude"},
	events: map[string]string{"PostCompaction": "PostCompact"},
	only: []string{
		"PreToolUse", "PostToolUse", "PermissionRequest", "UserPromptSubmit", "Stop", "SessionStart", "SessionEnd", "PostCompact",
	},
	members:  []string{"type", "command", "timeout", "prompt", "model"},
	kinds:    commands | prompts,
	allTrust: true,
	match:    match.SearchStar,
	timeout:  time.Minute,
	vars:     []string{"DEVIN_PROJECT_DIR", projectDir},
	payloads: payloadTraits{
		names: map[string]string{
			"cwd": "", "transcript_path": "", "permission_mode": "", "agent_id": "", "agent_type": "", "effort": "",
		},
		rest: true, newline: true,
	},
	answers: answerTraits{
		streams: [...]answerStream{fromStdout, fromNowhere, fromNowhere},
		words:   map[string]hook.Decision{"approve": hook.Allow, "block": hook.Deny, "deny": hook.Deny},
		top:     []string{"continue", "stopReason", "suppressOutput", "systemMessage"},
		own:     ownMembers,
		merges:  true,
	},
	tools: map[string]toolWords{
		"Bash": {name: "exec"}, "Read": {name: "read"}, "Write": {name: "write"}, "Edit": {name: "edit"}, "Glob": {name: "glob"},
		"Grep": {name: "grep"}, "WebFetch": {name: "webfetch"}, "Agent": {name: "run_subagent"}, "TodoWrite": {name: "todo_write"},
	},
}
