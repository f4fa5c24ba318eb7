package command

import (
	"github.com/spf13/cobra"

	"github.com/snaphook-go/snaphook/cmd/snaphook/command/check"
	"github.com/snaphook-go/snaphook/cmd/snaphook/command/fire"
	"github.com/snaphook-go/snaphook/cmd/snaphook/command/measure"
	"github.com/snaphook-go/snaphook/cmd/snaphook/command/proxy"
	"github.com/snaphook-go/snaphook/cmd/snaphook/command/serve"
	"github.com/snaphook-go/snaphook/cmd/snaphook/command/tests"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/project"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/records"
)

func newRoot(global *cli.Global) *cobra.Command {
	global.Find = project.Find
	global.Release = thisVersion().Version
	root := &cobra.Command{
		Use:   "snaphook",
		Short: "Run, explain and check the hooks of AI agents",
		Long: "snaphook fires the events of AI agents and runs the hooks that a project's settings select.\n\n" +
			"Exit status: 0 go ahead, 2 blocked or the agent must stop, 1 snaphook failed.",
		Example: `# Which hooks would run before this tool?
echo '{"tool_name": "Bash", "tool_input": {"command": "ls"}}' |
  snaphook plan claude.PreToolUse`,
	}
	root.PersistentFlags().
		StringVar(&global.Dir, "dir", "", "Use `DIR`, such as ~/project, as the project; default: the current directory, or the nearest one above it with settings in its git repository")
	root.PersistentFlags().
		BoolVarP(&global.Verbose, "verbose", "v", false, "Report each step on stderr, as in snaphook -v fire EVENT; SNAPHOOK_DEBUG=1 has this effect too")
	root.SetFlagErrorFunc(cli.ExplainFlagError)
	root.AddCommand(
		fire.NewFire(global),
		fire.NewPlan(global),
		fire.NewEvents(),
		check.NewCheck(global),
		check.NewHooks(global),
		fire.NewExplain(global),
		newTrust(global),
		records.NewLog(),
		records.NewStats(),
		proxy.NewMCPProxy(global),
		newState(global),
		newVersion(),
		tests.NewTest(global),
		tests.NewReplay(global),
		tests.NewRecordTest(global),
		newInit(global),
		serve.NewServe(global),
		serve.NewFleet(global),
		check.NewPort(global),
	)
	root.AddCommand(records.NewTrace(), newUI(global), fire.NewRecordEvent(global), measure.NewBench(global))
	_ = root.MarkPersistentFlagDirname("dir")
	cli.PrepareHelp(root)
	return root
}
