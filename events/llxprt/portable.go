package llxprt

import (
	"time"

	"github.com/snaphook-go/snaphook/internal/portable"
)

// Portable describes LLxprt Code and Gemini CLI for comparisons with the other systems.
func Portable() []portable.System {
	code := portable.System{
		Name: Dialect.Name, Dialect: Dialect.Name, Profile: string(LLxprt), Title: "LLxprt Code", File: ".llxprt/settings.json",
		Around: `"tools":{"enableHooks":true}`,
		Events: map[string]string{
			"PreToolUse": "BeforeTool", "PostToolUse": "AfterTool", "UserPromptSubmit": "BeforeAgent", "Stop": "AfterAgent",
			"SessionStart": "SessionStart", "SessionEnd": "SessionEnd", "PreCompact": "PreCompress", "Notification": "Notification",
		},
		Tools: map[string]string{
			"Bash": "run_shell_command", "Read": "read_file", "Write": "write_file", "Edit": "replace", "MultiEdit": "replace",
			"LS": "list_directory", "Glob": "glob", "Grep": "search_file_content", "WebFetch": "web_fetch",
			"WebSearch": "google_web_search", "Agent": "task", "TodoWrite": "todo_write",
		},
		MCP: "mcp__SERVER__TOOL", Matching: portable.Search, Unit: time.Millisecond, Default: Dialect.Rules.Timeout,
		Vars: []string{"CLAUDE_PROJECT_DIR", "LLXPRT_PROJECT_DIR", "GEMINI_PROJECT_DIR"}, Unmatched: []string{"BeforeAgent", "AfterAgent"},
		Effects: map[portable.Effect]string{
			portable.Refuses: "exit-2 exit-2-silent nested-deny nested-deny-bare block block-bare " +
				"deny prompt-exit-2 prompt-block end-exit-2 end-block",
			portable.Asks:  "nested-ask",
			portable.Stops: "stop",
			portable.Adds:  "prompt-context result-context start-context",
			portable.Tells: "exit-1 text prompt-text start-text",
		},
	}
	cli := code
	cli.Name, cli.Profile, cli.Title, cli.File = string(Gemini), string(Gemini), "Gemini CLI", ".gemini/settings.json"
	cli.Effects = map[portable.Effect]string{
		portable.Refuses: "exit-2 nested-deny nested-deny-bare block block-bare deny " +
			"prompt-exit-2 prompt-block end-exit-2 end-block",
		portable.Asks:  "nested-ask",
		portable.Stops: "stop",
		portable.Adds:  "prompt-context result-context start-context",
		portable.Tells: "exit-1 text prompt-text start-text",
	}
	return []portable.System{code, cli}
}
