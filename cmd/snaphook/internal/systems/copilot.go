package systems

import (
	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/events/copilot"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
)

var copilotRow = Dialect{
	Dialect:  copilot.Dialect,
	Supports: "GitHub Copilot hooks as of November 2026 (rules G1 to G61), for the CLI; for the cloud agent and the chat of VS Code with --profile cloud and --profile vscode",
	Profiles: lo.Map(copilot.Surfaces(), func(p copilot.Surface, _ int) string { return string(p) }),
	Marks:    []string{".github", ".copilot", "policy.d"},
	Layers: map[string]hook.Source{
		"managed": hook.Managed, "user": hook.User, "project": hook.Project, "local": hook.Local,
	},
	inFull:   true,
	Borrows:  copilot.Foreign,
	portable: copilot.Portable,
	ToolGate: "preToolUse",
	Example:  `{"toolName": "bash", "toolArgs": {"command": "ls"}}`,

	CallMembers: [2]string{"toolName", "toolArgs"},

	Writers:  []string{"bash", "create", "edit", "apply_patch", "str_replace_editor", "powershell"},
	Discover: func(dir, profile string) []settings.Layer { return copilot.Surface(profile).Discover(dir) },
	Load: func(o Origins) pipeline.Load {
		s := copilot.Settings{Layers: o.Layers, Profile: copilot.Surface(o.Profile)}
		if o.FixtureEnv != nil {
			s.Environ = o.FixtureEnv.Environ
			return o.FixtureEnv.serve(s.Load)
		}
		return s.Load
	},
	Traits:   copilot.About,
	Reaching: [][]string{{"disableAllHooks"}},
}
