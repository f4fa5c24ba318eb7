package command

import (
	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
)

var llxprtRow = dialect{
	Dialect:  llxprt.Dialect,
	supports: "LLxprt Code hooks as of February 2026 (rules L1 to L63), which Gemini CLI's hooks share",
	marks:    []string{".llxprt"},
	layers:   map[string]hook.Source{"project": hook.Project, "user": hook.User, "system": hook.SystemWide},
	discover: llxprt.Discover,
	load: func(o origins) pipeline.Load {
		s := llxprt.Settings{Layers: o.layers}
		s.Extensions = lo.Map(o.added, func(a added, _ int) llxprt.Extension { return llxprt.Extension{Dir: a.dir} })
		return s.Load
	},
	adds:     addition{flag: "extension", one: "an extension", files: []string{"hooks/hooks.json"}},
	traits:   func(string) ([]string, string) { return []string{"command"}, "" },
	reaching: [][]string{{"tools", "enableHooks"}, {"hooksConfig"}, {"security", "environmentVariableRedaction"}},
}
