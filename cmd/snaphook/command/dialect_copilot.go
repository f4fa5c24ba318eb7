package command

import (
	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/events/copilot"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
)

var copilotRow = dialect{
	Dialect:  copilot.Dialect,
	supports: "GitHub Copilot hooks as of November 2026 (rules G1 to G61), of the command line; of the cloud agent and of the chat of VS Code by --profile cloud and --profile vscode",
	profiles: lo.Map(copilot.Surfaces(), func(p copilot.Surface, _ int) string { return string(p) }),
	marks:    []string{".github", ".copilot", "policy.d"},
	layers: map[string]hook.Source{
		"managed": hook.Managed, "user": hook.User, "project": hook.Project, "local": hook.Local,
	},
	inFull:   true,
	borrows:  copilot.Foreign,
	portable: copilot.Portable,
	toolGate: "preToolUse",
	example:  `{"toolName": "bash", "toolArgs": {"command": "ls"}}`,

	callMembers: [2]string{"toolName", "toolArgs"},

	writers:  []string{"bash", "create", "edit", "apply_patch", "str_replace_editor", "powershell"},
	discover: func(dir, profile string) []settings.Layer { return copilot.Surface(profile).Discover(dir) },
	load: func(o origins) pipeline.Load {
		s := copilot.Settings{Layers: o.layers, Profile: copilot.Surface(o.profile)}
		if o.fixtureEnv != nil {
			s.Environ = o.fixtureEnv.environ
			return o.fixtureEnv.serve(s.Load)
		}
		return s.Load
	},
	traits:   copilot.About,
	reaching: [][]string{{"disableAllHooks"}},
}
