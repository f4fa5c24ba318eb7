package copilot

import (
	"time"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/internal/portable"
)

// Portable describes Copilot and the Local chat of VS Code for comparisons with the other systems. It uses Claude
// Code's spelling of the events, because their payloads then have Claude Code's names, too.
func Portable() []portable.System {
	cli := portable.System{
		Name: Dialect.Name, Dialect: Dialect.Name, Profile: string(CLI), Title: "Copilot", File: ".github/hooks/hooks.json",
		Form: portable.Flat, Around: `"version":1`, Timing: "timeoutSec",
		Events: lo.SliceToMap([]string{
			"PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionRequest", "UserPromptSubmit", "SessionStart", "SessionEnd",
			"Stop", "SubagentStop", "PreCompact",
		}, func(name string) (string, string) { return name, name }),
		Fired: lo.MapEntries(table, func(own string, t *traits) (string, string) { return t.pascal, own }),
		Also: lo.Assign(lo.Map(claudeNames, func(n toolGroup, _ int) map[string]string {
			return lo.SliceToMap(n.own, func(own string) (string, string) { return own, n.claude[0] })
		})...),
		Members: map[string]string{"tool_response": "tool_result", "tool_use_id": ""},
		MCP:     "SERVER-TOOL", Unit: time.Second, Default: Dialect.Rules.Timeout, Closed: true,
		Vars:      []string{"CLAUDE_PROJECT_DIR", "COPILOT_PROJECT_DIR"},
		Unmatched: []string{"UserPromptSubmit", "SessionStart", "SessionEnd", "Stop", "SubagentStop", "PostToolUseFailure"},
		Reads:     portable.ClaudeFiles,
		Uses:      []portable.Use{{File: ".github/hooks"}, {File: ".github/copilot"}, {File: ".github/copilot-instructions.md"}},
		Effects: map[portable.Effect]string{
			portable.Refuses: "exit-2 exit-2-silent exit-1 nested-deny nested-deny-bare " +
				"top-deny end-block",
			portable.Asks:     "nested-ask",
			portable.Approves: "nested-allow",
			portable.Rewrites: "nested-rewrite",
			portable.Adds:     "result-context start-context",
			portable.Tells:    "stop prompt-exit-2 result-exit-2 end-exit-2",
		},
	}
	chat := cli
	chat.Name, chat.Profile, chat.Title = string(VSCode), string(VSCode), "VS Code"
	chat.Events = lo.SliceToMap([]string{
		"PreToolUse", "PostToolUse", "UserPromptSubmit", "SessionStart", "Stop", "SubagentStop", "PreCompact",
	}, func(name string) (string, string) { return name, name })
	chat.Effects = map[portable.Effect]string{
		portable.Refuses:  "exit-2 exit-2-silent nested-deny nested-deny-bare top-deny end-exit-2 end-block",
		portable.Asks:     "nested-ask",
		portable.Stops:    "stop",
		portable.Approves: "nested-allow",
		portable.Rewrites: "nested-rewrite",
		portable.Adds:     "result-context start-context",
		portable.Tells:    "exit-1 prompt-exit-2 result-exit-2",
	}
	chat.Closed = false
	chat.Also, chat.Members, chat.Vars, chat.Timing = nil, nil, nil, ""
	chat.Unmatched = append([]string{"PreToolUse", "PostToolUse", "PreCompact"}, cli.Unmatched...)
	chat.Uses = []portable.Use{{File: ".vscode/settings.json", Text: `"chat.useClaudeHooks":true`}}
	return []portable.System{cli, chat}
}
