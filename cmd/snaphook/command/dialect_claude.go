package command

import (
	"context"
	"os"
	"strings"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/events/claude"
	_ "github.com/snaphook-go/snaphook/events/claude/toml" // for the profile of Kimi Code
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
)

// newerLevel is the level of claude that is not the default.
const newerLevel = "2.1.239"

var claudeRow = dialect{
	Dialect:  claude.Dialect,
	supports: "Claude Code hooks, level 2.1.88 (rules C1 to C98), or " + newerLevel + " with --level " + newerLevel,
	levels:   []string{"2.1.88", newerLevel},
	profiles: lo.Map(claude.Profiles(), func(p claude.Profile, _ int) string { return string(p) }),
	find:     findClaudeProfile,
	marks: []string{
		".claude", ".claude-plugin", "managed-settings.json", "managed-settings.d", ".qwen", ".agents", ".devin", ".kimi-code",
	},
	layers: map[string]hook.Source{
		"managed": hook.Managed, "flag": hook.Flag, "local": hook.Local, "project": hook.Project, "user": hook.User,
	},
	strict:   true,
	exports:  envExports,
	discover: func(dir, profile string) []settings.Layer { return claude.Profile(profile).Discover(dir) },
	load:     loadClaude,
	adds: addition{
		flag:  "plugin",
		one:   "a plugin",
		files: []string{"hooks/hooks.json", ".claude-plugin/plugin.json"},
		named: true,
	},
	headless: true,
	asks:     true,
	portable: claude.Portable,
	toolGate: "PreToolUse",
	example:  `{"tool_name": "Bash", "tool_input": {"command": "ls"}}`,
	writers:  []string{"Bash", "Write", "Edit", "MultiEdit", "NotebookEdit"},
	traits: func(event string) ([]string, string) {
		about, _ := claude.About(event)
		return about.Types, about.ReasonFor
	},
	reaching: [][]string{{"hooks"}, {"disableAllHooks"}, {"allowedHttpHookUrls"}, {"httpHookAllowedEnvVars"}},
}

func loadClaude(o origins) pipeline.Load {
	s := claude.Settings{
		Layers:        o.layers,
		Profile:       claude.Profile(o.profile),
		Environ:       withoutKey(os.Environ()),
		PluginOptions: o.options,
		Model:         modelOf(os.Getenv), Agent: noHost{}, Tools: noHost{},
		Plugins: lo.Map(o.added, func(a added, _ int) claude.Plugin {
			name, market, _ := strings.Cut(a.name, "@")
			return claude.Plugin{Name: name, Marketplace: market, Root: a.dir}
		}),
	}
	if o.level == newerLevel {
		s.Level = claude.Docs
	}
	if env := o.fixtureEnv; env != nil {
		s.Environ, s.Model, s.Agent, s.Tools = env.environ, env.model, env.agent, env.tools
		return env.serve(s.Load)
	}
	return s.Load
}

// withoutKey returns an environment without the key for snaphook's own model.
func withoutKey(environ []string) []string {
	return lo.Reject(environ, func(entry string, _ int) bool { return strings.HasPrefix(entry, modelKey+"=") })
}

// findClaudeProfile returns the profile of the settings that exist, and a Load that reports those of other
// profiles.
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
