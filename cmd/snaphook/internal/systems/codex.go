package systems

import (
	"github.com/snaphook-go/snaphook/events/codex"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
)

var codexRow = Dialect{
	Dialect:  codex.Dialect,
	Supports: "Codex CLI hooks as of November 2026 (rules CX1 to CX41): hooks.json, config.toml and requirements.toml",
	Marks:    []string{".codex", "requirements.toml"},
	Layers: map[string]hook.Source{
		"managed": hook.Managed, "system": hook.SystemWide, "user": hook.User, "project": hook.Project, "flag": hook.Flag,
	},
	Strict:   true,
	inFull:   true,
	format:   codex.Format,
	Discover: func(dir, _ string) []settings.Layer { return codex.Discover(dir) },
	Load: func(o Origins) pipeline.Load {
		s := codex.Settings{Layers: o.Layers, Tools: noHost{}}
		if o.FixtureEnv != nil {
			s.Environ, s.Tools = o.FixtureEnv.Environ, o.FixtureEnv.Tools
			return o.FixtureEnv.serve(s.Load)
		}
		return s.Load
	},
	portable: codex.Portable,
	ToolGate: "PreToolUse",
	Example:  `{"tool_name": "Bash", "tool_input": {"command": "ls"}}`,
	Writers:  []string{"Bash", "apply_patch"},
	Traits:   func(event string) ([]string, string) { return codex.About(event) },
	Reaching: [][]string{{"features", "hooks"}, {"features", "codex_hooks"}},
}
