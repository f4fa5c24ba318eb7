package project

import (
	"github.com/spf13/pflag"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/systems"
)

// SourceFlags holds the flags that select the settings of a project.
type SourceFlags struct {
	*cli.Global

	Settings    []string // [LAYER=]FILE
	extensions  []string
	plugins     []string
	options     []string // NAME.KEY=VALUE, options of plugins
	ModuleFiles []string
	JS          string // the runtime of modules, one of jsrun.Runtimes
	level       string
	profile     string
	Policies    []string // [LEVEL=]FILE
	dialect     string
}

// AddSources adds the flags that select settings.
func (f *SourceFlags) AddSources(to *pflag.FlagSet) {
	to.StringArrayVar(&f.Settings, "settings", nil, "Read `[LAYER=]FILE` in place of the settings found; repeatable. "+
		"LAYER is one of "+systems.LayersHelp()+": user=mine.json")
	to.StringArrayVar(
		&f.extensions,
		"extension",
		nil,
		"Add the hooks of the extension (llxprt) in `DIR`, hooks/hooks.json below it; repeatable: --extension ./ext",
	)
	to.StringArrayVar(
		&f.plugins,
		"plugin",
		nil,
		"Add the hooks of the plugin (claude) in `[NAME@MARKETPLACE=]DIR`; repeatable: --plugin fmt@acme=./fmt",
	)
	to.StringArrayVar(
		&f.options,
		"plugin-option",
		nil,
		"Set an option of a plugin (claude), as `NAME.KEY=VALUE`; repeatable: --plugin-option fmt.width=100",
	)
	to.StringVar(
		&f.profile,
		"profile",
		"",
		"Act as `AGENT`: "+systems.ProfileHelp()+"; default: the only agent that has settings: --profile gemini",
	)
	to.StringVar(
		&f.level,
		"level",
		"",
		"Follow `RELEASE` where releases differ (claude): 2.1.88, the default, or "+systems.NewerLevel,
	)
}
