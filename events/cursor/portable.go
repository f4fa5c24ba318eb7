package cursor

import (
	"time"

	"github.com/snaphook-go/snaphook/internal/portable"
)

// Portable describes Cursor for comparisons with the other systems.
func Portable() []portable.System {
	return []portable.System{{
		Name: Dialect.Name, Dialect: Dialect.Name, Title: "Cursor", File: ".cursor/hooks.json", Form: portable.Flat, Around: `"version":1`,
		Events: map[string]string{
			"PreToolUse": "preToolUse", "PostToolUse": "postToolUse", "PostToolUseFailure": "postToolUseFailure",
			"UserPromptSubmit": "beforeSubmitPrompt", "SessionStart": "sessionStart", "SessionEnd": "sessionEnd", "Stop": "stop",
			"SubagentStart": "subagentStart", "SubagentStop": "subagentStop", "PreCompact": "preCompact",
		},
		Tools:   map[string]string{"Bash": "Shell", "Edit": "Write", "MultiEdit": "Write", "LS": "List", "Agent": "Task"},
		Members: map[string]string{"tool_response": "tool_output"},
		MCP:     "MCP:TOOL", Matching: portable.Search, Unit: time.Second, Default: Dialect.Rules.Timeout, Closing: `"failClosed":true`,
		WhenClosed: "exit-1 silence prompt-block prompt-text prompt-context",
		Vars:       []string{"CLAUDE_PROJECT_DIR", "CURSOR_PROJECT_DIR"},
		Unmatched:  []string{"beforeSubmitPrompt", "sessionStart", "sessionEnd", "stop", "preCompact"},
		Reads:      portable.ClaudeFiles, Uses: []portable.Use{{File: ".cursor"}},
		Effects: map[portable.Effect]string{
			portable.Refuses: "exit-2 exit-2-silent text nested-deny nested-deny-bare nested-ask nested-allow nested-rewrite " +
				"block block-bare deny top-deny permission-deny stop prompt-exit-2",
		}, Imported: map[portable.Effect]string{
			portable.Refuses: "exit-2 exit-2-silent text nested-deny nested-deny-bare block block-bare deny " +
				"top-deny permission-deny stop prompt-exit-2 prompt-block end-block",
			portable.Approves: "nested-allow",
			portable.Rewrites: "nested-rewrite",
			portable.Adds:     "prompt-context result-context start-context",
		},
	}}
}
