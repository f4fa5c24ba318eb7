package systems

import (
	"context"
	"strings"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/events/claude"
	_ "github.com/snaphook-go/snaphook/events/claude/toml"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
)

// EnvExports is the claude dialect's name of the effect with the variables that hooks exported.
const EnvExports = "env_exports"

// NewerLevel is the level of claude that is not the default.
const NewerLevel = "2.1.239"

var claudeRow = Dialect{
	Dialect:  claude.Dialect,
	Supports: "Claude Code hooks, level 2.1.88 (rules C1 to C98), or " + NewerLevel + " with --level " + NewerLevel,
	Levels:   []string{"2.1.88", NewerLevel},
	Profiles: lo.Map(claude.Profiles(), func(p claude.Profile, _ int) string { return string(p) }),
	Find:     findClaudeProfile,
	Marks: []string{
		".claude", ".claude-plugin", "managed-settings.json", "managed-settings.d", ".qwen", ".agents", ".devin", ".kimi-code",
	},
	Layers: map[string]hook.Source{
		"managed": hook.Managed, "flag": hook.Flag, "local": hook.Local, "project": hook.Project, "user": hook.User,
	},
	Strict:   true,
	Exports:  EnvExports,
	Discover: func(dir, profile string) []settings.Layer { return claude.Profile(profile).Discover(dir) },
	Load:     loadClaude,
	Adds: addition{
		Flag:  "plugin",
		one:   "a plugin",
		files: []string{"hooks/hooks.json", ".claude-plugin/plugin.json"},
		named: true,
	},
	Headless: true,
	Asks:     true,
	portable: claude.Portable,
	ToolGate: "PreToolUse",
	Example:  `{"tool_name": "Bash", "tool_input": {"command": "ls"}}`,
	Writers:  []string{"Bash", "Write", "Edit", "MultiEdit", "NotebookEdit"},
	Traits: func(event string) ([]string, string) {
		about, _ := claude.About(event)
		return about.Types, about.ReasonFor
	},
	Reaching: [][]string{{"hooks"}, {"disableAllHooks"}, {"allowedHttpHookUrls"}, {"httpHookAllowedEnvVars"}},
}

func loadClaude(o Origins) pipeline.Load {
	s := claude.Settings{
		Layers:        o.Layers,
		Profile:       claude.Profile(o.Profile),
		PluginOptions: o.Options,
		Model:         modelOf(getenv), Agent: noHost{}, Tools: noHost{},
		Plugins: lo.Map(o.Added, func(a added, _ int) claude.Plugin {
			name, market, _ := strings.Cut(a.name, "@")
			return claude.Plugin{Name: name, Marketplace: market, Root: a.dir}
		}),
	}
	if o.Level == NewerLevel {
		s.Level = claude.Docs
	}
	if env := o.FixtureEnv; env != nil {
		s.Environ, s.Model, s.Agent, s.Tools = env.Environ, env.Model, env.Agent, env.Tools
		return env.serve(s.Load)
	}
	return s.Load
}

// findClaudeProfile returns the profile of the settings that exist, and a Load that reports the settings of
// other profiles.
func findClaudeProfile(dir string, layers []settings.Layer) (string, pipeline.Load) {
	if layers != nil {
		return string(claude.ProfileOfFiles(layers)), nil
	}
	profile, passed := claude.Find(dir)
	if len(passed) == 0 {
		return string(profile), nil
	}
	return string(profile), func(context.Context, pipeline.Workspace) (pipeline.Loaded, error) {
		return pipeline.Loaded{Problems: passed}, nil
	}
}
