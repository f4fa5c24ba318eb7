package command

import (
	"context"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
)

var llxprtRow = dialect{
	Dialect:  llxprt.Dialect,
	supports: "LLxprt Code hooks as of February 2026 (rules L1 to L63); those of Gemini CLI by --profile gemini, or where settings of Gemini CLI alone are there",
	profiles: []string{string(llxprt.LLxprt), string(llxprt.Gemini)},
	find:     findProfile,
	marks:    []string{".llxprt", ".gemini"},
	portable: llxprt.Portable,
	toolGate: "BeforeTool",
	example:  `{"tool_name": "write_file", "tool_input": {"path": "a.txt"}}`,
	writers:  []string{"write_file", "replace", "run_shell_command"},
	layers:   map[string]hook.Source{"project": hook.Project, "user": hook.User, "system": hook.SystemWide},
	discover: func(dir, profile string) []settings.Layer { return llxprt.Profile(profile).Discover(dir) },
	load: func(o origins) pipeline.Load {
		s := llxprt.Settings{Layers: o.layers, Profile: llxprt.Profile(o.profile)}
		s.Extensions = lo.Map(o.added, func(a added, _ int) llxprt.Extension { return llxprt.Extension{Dir: a.dir} })
		if o.fixtureEnv != nil {
			s.Environ = o.fixtureEnv.environ
			return o.fixtureEnv.serve(s.Load)
		}
		return s.Load
	},
	adds:     addition{flag: "extension", one: "an extension", files: []string{"hooks/hooks.json"}},
	traits:   func(string) ([]string, string) { return []string{"command"}, "" },
	reaching: [][]string{{"tools", "enableHooks"}, {"hooksConfig"}, {"security", "environmentVariableRedaction"}},
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
