package command

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/records"
)

// flags holds the values of all flags.
type flags struct {
	cli.Global
	cli.JSONFlag

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
	linting    linting
	fleet      fleetFlags

	id          string
	transcript  string
	interactive bool
	trusted     bool
	untrusted   bool
	ask         bool
	trace       string
	record      string
	recordInput string
}

func newRoot(f *flags) *cobra.Command {
	f.Find = findProject
	root := &cobra.Command{
		Use:   "snaphook",
		Short: "Run, explain and check the hooks of AI agents",
		Long: "snaphook fires the events of AI agents and runs the hooks that a project's settings select.\n\n" +
			"Exit status: 0 go ahead, 2 blocked or the agent must stop, 1 snaphook could not do it.",
		Example: `# What would run before this tool does?
echo '{"tool_name": "Bash", "tool_input": {"command": "ls"}}' |
  snaphook plan claude.PreToolUse`,
	}
	root.PersistentFlags().
		StringVar(&f.Dir, "dir", "", "`DIR` of the project, such as ~/project; if not given, the current one, or the nearest with settings above it in its git repository")
	root.PersistentFlags().
		BoolVarP(&f.Verbose, "verbose", "v", false, "Tell on stderr what happens, as in snaphook -v fire EVENT; SNAPHOOK_DEBUG=1 does the same")
	root.SetFlagErrorFunc(cli.ExplainFlagError)
	root.AddCommand(
		newFire(f),
		newPlan(f),
		newEvents(f),
		newCheck(f),
		newHooks(f),
		newExplain(f),
		newTrust(f),
		records.NewLog(),
		records.NewStats(),
		newMCPProxy(f),
		newState(&f.Global),
		newVersion(f),
		newTest(f),
		newReplay(f),
		newRecordTest(f),
		newInit(f),
		newServe(f),
		newFleet(f),
		newPort(f),
	)
	root.AddCommand(records.NewTrace(), newUI(f), newRecordEvent(f), newBench(f))
	_ = root.MarkPersistentFlagDirname("dir")
	cli.PrepareHelp(root)
	return root
}

// addSources adds the flags that select settings.
func (f *flags) addSources(to *pflag.FlagSet) {
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

// addHost adds the flags for facts that an agent would know.
func (f *flags) addHost(to *pflag.FlagSet) {
	to.StringVar(&f.id, "session", "", "The session's `ID`, such as s-1; else the input's, else a random one")
	f.addHostFlags(to)
}

// addHostFlags adds the flags for facts that an agent would know, without the session's id.
func (f *flags) addHostFlags(to *pflag.FlagSet) {
	to.StringVar(
		&f.transcript,
		"transcript",
		"",
		"`PATH` of the conversation's transcript, such as t.jsonl; else the input's",
	)
	to.BoolVar(
		&f.interactive,
		"interactive",
		false,
		"Act as for an agent that a person talks to: only trusted projects run hooks, see snaphook trust --help",
	)
	to.BoolVar(
		&f.trusted,
		"trusted",
		false,
		"Run the project's hooks even if they are not trusted: fire EVENT --interactive --trusted",
	)
	to.BoolVar(
		&f.untrusted,
		"untrusted",
		false,
		"Run none of the project's hooks; for claude, with --interactive, no hooks at all: fire EVENT --interactive --untrusted",
	)
}
