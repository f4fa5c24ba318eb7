package claude

import (
	"slices"
	"time"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/internal/portable"
)

// Portable describes Claude Code, and the systems of its profiles, for comparisons with the other
// systems.
func Portable() []portable.System {
	all := []portable.System{claudeCode}
	for _, p := range profiles {
		s := *portables[p.name]
		s.Name, s.Dialect, s.Profile, s.Title = string(p.name), Dialect.Name, string(p.name), p.system
		s.Tools = lo.MapEntries(p.tools, func(tool string, words toolWords) (string, string) { return tool, words.name })
		s.Tools = lo.OmitByValues(s.Tools, []string{""})
		s.MCP = lo.Ternary(p.bare, "SERVER__TOOL", claudeCode.MCP)
		s.Members = p.payloads.names
		s.Events, s.Fired = map[string]string{}, claudeCode.Events
		for name, there := range claudeCode.Events {
			if len(p.only) == 0 || slices.Contains(p.only, name) {
				s.Events[name] = p.named(there)
			}
		}
		s.Unit, s.Default, s.Longest, s.Whole, s.Vars = time.Second, p.timeout, p.longest, p.whole, p.vars
		all = append(all, s)
	}
	return all
}

var claudeCode = portable.System{
	Name: Dialect.Name, Dialect: Dialect.Name, Profile: string(ClaudeCode), Title: "Claude Code", File: ".claude/settings.json",
	Events: lo.SliceToMap([]string{
		"PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionRequest", "UserPromptSubmit", "SessionStart", "SessionEnd",
		"Stop", "SubagentStart", "SubagentStop", "PreCompact", "PostCompact", "Notification",
	}, func(name string) (string, string) { return name, name }),
	MCP: "mcp__SERVER__TOOL", Unit: time.Second, Default: Dialect.Rules.Timeout, Closing: `"onFailure":"block"`, WhenClosed: "exit-1 deny top-deny permission-deny",
	Vars:      []string{projectDir},
	Unmatched: []string{"UserPromptSubmit", "Stop"},
	Effects: map[portable.Effect]string{
		portable.Refuses: "exit-2 exit-2-silent nested-deny nested-deny-bare block block-bare " +
			"prompt-exit-2 prompt-block end-exit-2 end-block",
		portable.Asks:     "nested-ask",
		portable.Stops:    "stop",
		portable.Approves: "nested-allow",
		portable.Rewrites: "nested-rewrite",
		portable.Adds: "prompt-text prompt-context result-exit-2 result-block " +
			"result-context start-text start-context",
		portable.Tells: "exit-1 deny top-deny permission-deny",
	},
}

// portables holds facts about the profiles for which type profile has no field.
var portables = map[Profile]*portable.System{
	Qwen: {File: ".qwen/settings.json", Unmatched: claudeCode.Unmatched, Effects: map[portable.Effect]string{
		portable.Refuses: "exit-2 exit-2-silent nested-deny nested-deny-bare block block-bare " +
			"deny prompt-exit-2 prompt-block end-exit-2 end-block",
		portable.Asks:     "nested-ask",
		portable.Approves: "nested-allow",
		portable.Rewrites: "nested-rewrite",
		portable.Adds:     "prompt-context result-exit-2 result-block result-context start-context",
		portable.Tells:    "exit-1 text top-deny permission-deny stop prompt-text start-text",
	}},
	Goose: {
		File: ".agents/plugins/ported/hooks/hooks.json", Matching: portable.Search, Closing: `"on_failure":"block"`,
		WhenClosed: "exit-1 empty text nested-deny nested-deny-bare nested-ask nested-allow nested-rewrite deny top-deny permission-deny stop",
		Unmatched:  []string{"SessionStart", "SessionEnd", "Stop"}, Effects: map[portable.Effect]string{
			portable.Refuses: "exit-2 exit-2-silent block block-bare end-exit-2 end-block",
			portable.Tells: "exit-1 empty text nested-deny nested-deny-bare nested-ask nested-allow nested-rewrite " +
				"deny top-deny permission-deny stop prompt-exit-2 result-exit-2",
		},
	},
	Devin: {
		File: ".devin/config.json", Reads: portable.ClaudeFiles, Uses: []portable.Use{{File: ".devin"}},
		Matching: portable.Search, Unmatched: claudeCode.Unmatched, Effects: map[portable.Effect]string{
			portable.Refuses: "exit-2 exit-2-silent nested-deny nested-deny-bare block block-bare " +
				"deny prompt-exit-2 prompt-block end-exit-2 end-block",
			portable.Asks:     "nested-ask",
			portable.Approves: "nested-allow",
			portable.Rewrites: "nested-rewrite",
			portable.Adds:     "prompt-context result-exit-2 result-block result-context start-context",
			portable.Tells:    "exit-1 top-deny permission-deny stop",
		},
	},
	Kimi: {
		File: ".kimi-code/config.toml", OfUser: true, Form: portable.TOML, Matching: portable.Search, Closing: `"fail_mode":"closed"`,
		WhenClosed: "exit-1 block block-bare deny top-deny permission-deny stop end-block",
		Unmatched:  []string{"Stop"}, Effects: map[portable.Effect]string{
			portable.Refuses: "exit-2 exit-2-silent nested-deny nested-deny-bare prompt-exit-2 end-exit-2",
			portable.Adds:    "prompt-block prompt-text prompt-context",
			portable.Tells: "exit-1 block block-bare deny top-deny " +
				"permission-deny stop result-exit-2 end-block",
		},
	},
}
