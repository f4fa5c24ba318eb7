package command

import (
	"slices"
	"strings"

	"github.com/samber/lo"
	"github.com/spf13/cobra"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/stages"
	"github.com/snaphook-go/snaphook/warm"
)

// planFlags holds the flags of plan.
type planFlags struct {
	sessionFlags
	cli.JSONFlag
}

func newPlan(global *cli.Global) *cobra.Command {
	f := &planFlags{sessionFlags: onSession(global)}
	cmd := &cobra.Command{
		Use:   "plan EVENT",
		Short: "Say which hooks would run, and why the others would not",
		Long: "Reads the event's fields as JSON on stdin, like fire, and runs no hook. " +
			"Every hook that is configured for the event is in the answer. Modules of xcsh are loaded, since only then do they subscribe to events.",
		Example: `# Does the guard see this tool?
echo '{"tool_name": "write_file", "tool_input": {}}' |
  snaphook plan llxprt.BeforeTool
# Which hooks of a plugin would see this command?
echo '{"tool_name": "Bash", "tool_input": {"command": "git push"}}' |
  snaphook plan claude.PreToolUse --plugin ./guard
# Which handlers of these modules would run, and in which order?
echo '{"toolName": "bash", "input": {"command": "ls"}}' |
  snaphook plan xcsh.tool_call --module gate.ts --module log.ts`,
		Args:              oneEvent,
		ValidArgsFunction: completeEvent,
		RunE:              func(cmd *cobra.Command, args []string) error { return f.plan(cmd, args[0]) },
	}
	f.AddJSON(cmd)
	f.addSources(cmd.Flags())
	f.addModules(cmd.Flags())
	f.addPolicy(cmd.Flags())
	f.addHost(cmd.Flags())
	return cmd
}

// plan is the answer of plan.
type plan struct {
	Event   string    `json:"event"`
	Mode    string    `json:"mode"` // parallel, sequential or none
	Run     []willRun `json:"run"`
	Skipped []notRun  `json:"skipped"`
}

func (f *planFlags) plan(cmd *cobra.Command, name string) error {
	event, err := eventNamed(name, knownEvents())
	if err != nil {
		return err
	}
	input, err := readInput(cmd)
	if err != nil {
		return err
	}
	sys, ses, err := f.session(cmd, opening{event: event, input: input, warm: coldNotes{warm.New(warm.Config{})}})
	if err != nil {
		return err
	}
	defer sys.Close()
	a, err := f.attach(cmd, event, ses, newLookHost(cmd))
	if err != nil {
		return err
	}
	defer a.close(cmd)
	decided, err := event.PlanJSON(ses, input)
	if err != nil {
		return inputError(err)
	}
	warnUntrusted(cmd, event, decided, "would not")
	for _, h := range decided.Run {
		if h.Type == pipeline.LostGuard {
			cli.Warn(cmd, "%s", missing(h.Dialect, hook.GuardOf(h)))
		}
	}
	if d, err := dialectNamed(event.Info().Dialect); err == nil && d.modules {
		f.warnUnreadModules(cmd)
	}
	f.warnOtherFolders(cmd, event, ses)
	p := newPlanned(event.Info().FullName(), decided, ses.Hooks())
	p.Skipped = append(p.Skipped, a.skipped()...)
	for i := range p.Run {
		p.Run[i].Runtime = a.runtime(p.Run[i].HookID)
	}
	if f.JSON {
		return cli.SayJSON(cmd, p)
	}
	return cli.Say(cmd, p.text())
}

// newPlanned describes the plan. It lists the hooks that do not run in their configured order,
// including hooks that would fail to start.
func newPlanned(event string, decided stages.Planned, configured []*hook.Hook) plan {
	p := plan{Event: event, Mode: "none"}
	skipped := slices.Clone(decided.Skipped)
	for _, h := range decided.Run {
		if why, detail := held(h); why != "" {
			skipped = append(skipped, stages.Skipped{Hook: h, Reason: why, Detail: detail})
			continue
		}
		if runnable(h) {
			p.Run = append(p.Run, willRun{describedHook: describe(h), Policy: governed(h)})
			continue
		}
		skipped = append(skipped, stages.Skipped{Hook: h, Reason: hook.UnsupportedType, Detail: unsupported(h)})
	}
	rank := make(map[string]int, len(configured))
	for i, h := range configured {
		rank[h.ID] = i + 1
	}
	slices.SortStableFunc(skipped, func(a, b stages.Skipped) int { return rank[a.Hook.ID] - rank[b.Hook.ID] })
	for _, s := range skipped {
		p.Skipped = append(p.Skipped, notRun{describe(s.Hook), s.Reason, s.Detail, governed(s.Hook)})
	}
	if len(p.Run) > 0 {
		p.Mode = lo.Ternary(decided.Sequential, "sequential", "parallel")
	}
	return p
}

func (p plan) text() string {
	var b strings.Builder
	switch b.WriteString(cli.Strong.Render(p.Event) + ": "); {
	case len(p.Run)+len(p.Skipped) == 0:
		b.WriteString("no hook is configured for this event\n")
	case len(p.Run) == 0:
		b.WriteString("no hook would run\n")
	default:
		b.WriteString(
			cli.Count(len(p.Run), "hook") + " would run" + lo.Ternary(len(p.Run) > 1, ", "+manner[p.Mode], "") + "\n",
		)
	}
	for _, h := range p.Run {
		b.WriteString(
			"  " + cli.Good.Render("run   ") + "  " + label(h.HookID) + "  " + place(h.HookID) + "\n" + h.Policy.text(10),
		)
		if h.Runtime != nil {
			b.WriteString("          runs in " + h.Runtime.text() + "\n")
		}
	}
	for _, s := range p.Skipped {
		b.WriteString("  " + cli.Odd.Render("not   ") + "  " + label(s.HookID) + "  " + place(s.HookID) + "\n")
		b.WriteString("          " + cli.Indented(cli.SkipText(string(s.Why), s.Detail), 10) + "\n")
	}
	return b.String()
}

var manner = map[string]string{"parallel": "at the same time", "sequential": "one after another"}

func place(h pipeline.HookID) string {
	return cli.Faint.Render(cli.OneLine(cli.ShortPath(lo.FromPtrOr(h.File, h.Source))))
}
