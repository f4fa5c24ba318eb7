package command

import (
	"github.com/spf13/pflag"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
)

// sourceFlags holds the flags that select the settings of a project.
type sourceFlags struct {
	*cli.Global

	settings   []string // [LAYER=]FILE
	extensions []string
	plugins    []string
	options    []string // NAME.KEY=VALUE, options of plugins
	modules    []string
	js         string // where modules run
	level      string
	profile    string
	policies   []string // [LEVEL=]FILE
	dialect    string
}

// addSources adds the flags that select settings.
func (f *sourceFlags) addSources(to *pflag.FlagSet) {
	to.StringArrayVar(&f.settings, "settings", nil, "Read `[LAYER=]FILE` in place of the settings found; repeatable. "+
		"LAYER is project, user or system for llxprt, and managed, flag, local, project or user for claude: user=mine.json")
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
		"Set an option of a plugin (claude), `NAME.KEY=VALUE`; repeatable: --plugin-option fmt.width=100",
	)
	to.StringVar(
		&f.profile,
		"profile",
		"",
		"Act as `AGENT`: "+profileHelp()+"; if not given, the one whose settings alone are there: --profile gemini",
	)
	to.StringVar(
		&f.level,
		"level",
		"",
		"Follow `RELEASE` where releases differ (claude): 2.1.88, the default, or "+newerLevel,
	)
}
