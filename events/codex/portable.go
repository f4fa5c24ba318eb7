package codex

import (
	"time"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/internal/portable"
)

// Portable describes Codex for comparisons with the other systems.
func Portable() []portable.System {
	return []portable.System{{
		Name: Dialect.Name, Dialect: Dialect.Name, Title: "Codex", File: ".codex/hooks.json",
		Events: lo.SliceToMap([]string{
			"PreToolUse", "PostToolUse", "PermissionRequest", "UserPromptSubmit", "SessionStart", "SessionEnd", "Stop",
			"SubagentStart", "SubagentStop", "PreCompact", "PostCompact",
		}, func(name string) (string, string) { return name, name }),
		Tools: map[string]string{"Write": "apply_patch", "Edit": "apply_patch", "MultiEdit": "apply_patch", "Agent": "spawn_agent"},
		MCP:   "mcp__SERVER__TOOL", Unit: time.Second, Whole: true, Default: Dialect.Rules.Timeout,
		Unmatched: []string{"UserPromptSubmit", "Stop"},
		Effects: map[portable.Effect]string{
			portable.Refuses: "exit-2 nested-deny block prompt-exit-2 prompt-block " +
				"result-exit-2 result-block end-exit-2 end-block",
			portable.Rewrites: "nested-rewrite",
			portable.Adds:     "prompt-text prompt-context result-context start-text start-context",
		},
	}}
}
