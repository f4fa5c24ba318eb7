package command

import (
	"os"

	"github.com/snaphook-go/snaphook/events/codex"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
)

var codexRow = dialect{
	Dialect:  codex.Dialect,
	supports: "Codex CLI hooks as of November 2026 (rules CX1 to CX41): hooks.json, config.toml and requirements.toml",
	marks:    []string{".codex", "requirements.toml"},
	layers: map[string]hook.Source{
		"managed": hook.Managed, "system": hook.SystemWide, "user": hook.User, "project": hook.Project, "flag": hook.Flag,
	},
	strict:   true,
	inFull:   true,
	format:   codex.Format,
	discover: func(dir, _ string) []settings.Layer { return codex.Discover(dir) },
	load: func(o origins) pipeline.Load {
		s := codex.Settings{Layers: o.layers, Environ: withoutKey(os.Environ()), Tools: noHost{}}
		if o.fixtureEnv != nil {
			s.Environ, s.Tools = o.fixtureEnv.environ, o.fixtureEnv.tools
			return o.fixtureEnv.serve(s.Load)
		}
		return s.Load
	},
	portable: codex.Portable,
	toolGate: "PreToolUse",
	example:  `{"tool_name": "Bash", "tool_input": {"command": "ls"}}`,
	writers:  []string{"Bash", "apply_patch"},
	traits:   func(event string) ([]string, string) { return codex.About(event) },
	reaching: [][]string{{"features", "hooks"}, {"features", "codex_hooks"}},
}
