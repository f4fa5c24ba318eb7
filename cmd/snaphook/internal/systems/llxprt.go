package systems

import (
	"context"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
)

// LLxprt describes LLxprt Code and Gemini CLI.
var LLxprt = Dialect{
	Dialect:  llxprt.Dialect,
	Supports: "LLxprt Code hooks as of February 2026 (rules L1 to L63); hooks of Gemini CLI with --profile gemini, or if only Gemini CLI has settings",
	Profiles: []string{string(llxprt.LLxprt), string(llxprt.Gemini)},
	Find:     findProfile,
	Marks:    []string{".llxprt", ".gemini"},
	portable: llxprt.Portable,
	ToolGate: "BeforeTool",
	Example:  `{"tool_name": "write_file", "tool_input": {"path": "a.txt"}}`,
	Writers:  []string{"write_file", "replace", "run_shell_command"},
	Layers:   map[string]hook.Source{"project": hook.Project, "user": hook.User, "system": hook.SystemWide},
	Discover: func(dir, profile string) []settings.Layer { return llxprt.Profile(profile).Discover(dir) },
	Load: func(o Origins) pipeline.Load {
		s := llxprt.Settings{Layers: o.Layers, Profile: llxprt.Profile(o.Profile)}
		s.Extensions = lo.Map(o.Added, func(a added, _ int) llxprt.Extension { return llxprt.Extension{Dir: a.dir} })
		if o.FixtureEnv != nil {
			s.Environ = o.FixtureEnv.Environ
			return o.FixtureEnv.serve(s.Load)
		}
		return s.Load
	},
	Adds:     addition{Flag: "extension", one: "an extension", files: []string{"hooks/hooks.json"}},
	Traits:   func(string) ([]string, string) { return []string{"command"}, "" },
	Reaching: [][]string{{"tools", "enableHooks"}, {"hooksConfig"}, {"security", "environmentVariableRedaction"}},
}

func findProfile(dir string, layers []settings.Layer) (string, pipeline.Load) {
	if layers != nil {
		return string(llxprt.ProfileOfFiles(layers)), nil
	}
	profile, passed := llxprt.Find(dir)
	if len(passed) == 0 {
		return string(profile), nil
	}
	return string(profile), func(_ context.Context, at pipeline.Workspace) (pipeline.Loaded, error) {
		return pipeline.Loaded{Problems: passed, Hooks: profile.PassedOver(at)}, nil
	}
}
