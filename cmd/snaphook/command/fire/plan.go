package fire

import (
	"context"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/samber/lo"
	"github.com/spf13/cobra"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/lint"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/project"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/systems"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/run"
	"github.com/snaphook-go/snaphook/stages"
	"github.com/snaphook-go/snaphook/warm"
)

// planFlags holds the flags of plan.
type planFlags struct {
	project.SessionFlags
	cli.JSONFlag
}

// NewPlan returns the verb plan.
func NewPlan(global *cli.Global) *cobra.Command {
	f := &planFlags{SessionFlags: project.NewSessionFlags(global)}
	cmd := &cobra.Command{
		Use:   "plan EVENT",
		Short: "List the hooks that would run, and why the others would not",
		Long: "Reads the event's fields as JSON on stdin, like fire, and runs no hook. " +
			"Every hook that is configured for the event is in the answer, and a hook whose program, script or interpreter is not there, or may not be executed, has the finding of check beside it. Modules of xcsh are loaded, since they subscribe to events only when they are loaded.",
		Example: `# Does the guard see this tool?
echo '{"tool_name": "write_file", "tool_input": {}}' |
  snaphook plan llxprt.BeforeTool
# Which hooks of a plugin would see this command?
echo '{"tool_name": "Bash", "tool_input": {"command": "git push"}}' |
  snaphook plan claude.PreToolUse --plugin ./guard
# Which handlers of these modules would run, and in which order?
echo '{"toolName": "bash", "input": {"command": "ls"}}' |
  snaphook plan xcsh.tool_call --module gate.ts --module log.ts`,
		Args:              systems.OneEvent,
		ValidArgsFunction: systems.CompleteEvent,
		RunE:              func(cmd *cobra.Command, args []string) error { return f.plan(cmd, args[0]) },
	}
	f.AddJSON(cmd)
	f.AddSources(cmd.Flags())
	f.AddModules(cmd.Flags())
	f.AddPolicy(cmd.Flags())
	f.AddHost(cmd.Flags())
	return cmd
}

// Plan is the answer of plan.
type Plan struct {
	Event   string            `json:"event"`
	Mode    string            `json:"mode"` // parallel, sequential or none
	Run     []project.WillRun `json:"run"`
	Skipped []project.NotRun  `json:"skipped"`
}

func (f *planFlags) plan(cmd *cobra.Command, name string) error {
	event, err := systems.EventNamed(name, systems.Events())
	if err != nil {
		return err
	}
	input, err := project.ReadInput(cmd)
	if err != nil {
		return err
	}
	sys, ses, err := f.Session(cmd, project.Opening{
		Event: event, Input: input, Warm: project.ColdNotes{Warm: warm.New(warm.Config{})},
	})
	if err != nil {
		return err
	}
	defer sys.Close()
	a, err := f.Attach(cmd, event, ses, project.NewLookHost(cmd))
	if err != nil {
		return err
	}
	defer a.End(cmd)
	decided, err := event.PlanJSON(ses, input)
	if err != nil {
		return project.InputError(err)
	}
	project.WarnUntrusted(cmd, event, decided, "would not")
	for _, h := range decided.Run {
		if h.Type == pipeline.LostGuard {
			cli.Warn(cmd, "%s", project.MissingGuard(h.Dialect, hook.GuardOf(h)))
		}
	}
	if d, err := systems.Named(event.Info().Dialect); err == nil && d.Modules {
		f.WarnUnreadModules(cmd)
	}
	f.WarnOtherFolders(cmd, event, ses)
	dir, err := f.Directory()
	if err != nil {
		return err
	}
	p := PlanOf(event.Info().FullName(), decided, ses.Hooks())
	p.addShells(decided.Run, dir)
	p.addFindings(cmd.Context(), decided.Run, dir)
	p.Skipped = append(p.Skipped, a.Skipped()...)
	for i := range p.Run {
		p.Run[i].Runtime = a.RuntimeOf(p.Run[i].HookID)
	}
	if f.JSON {
		return cli.SayJSON(cmd, p)
	}
	return cli.Say(cmd, p.text())
}

// PlanOf describes the plan. The hooks that do not run are listed in their configured order; hooks that would fail to
// start are among them.
func PlanOf(event string, decided stages.Planned, configured []*hook.Hook) Plan {
	p := Plan{Event: event, Mode: "none"}
	skipped := slices.Clone(decided.Skipped)
	for _, h := range decided.Run {
		if why, detail := project.Held(h); why != "" {
			skipped = append(skipped, stages.Skipped{Hook: h, Reason: why, Detail: detail})
			continue
		}
		if project.Runnable(h) {
			p.Run = append(p.Run, project.WillRun{DescribedHook: project.Describe(h), Policy: project.Governed(h)})
			continue
		}
		skipped = append(skipped, stages.Skipped{Hook: h, Reason: hook.UnsupportedType, Detail: project.Unsupported(h)})
	}
	rank := make(map[string]int, len(configured))
	for i, h := range configured {
		rank[h.ID] = i + 1
	}
	slices.SortStableFunc(skipped, func(a, b stages.Skipped) int { return rank[a.Hook.ID] - rank[b.Hook.ID] })
	for _, s := range skipped {
		p.Skipped = append(p.Skipped, project.NotRun{
			DescribedHook: project.Describe(s.Hook), Why: s.Reason, Detail: s.Detail, Policy: project.Governed(s.Hook),
		})
	}
	if len(p.Run) > 0 {
		p.Mode = lo.Ternary(decided.Sequential, "sequential", "parallel")
	}
	return p
}

// addShells adds the shell of each hook that runs.
func (p *Plan) addShells(hooks []*hook.Hook, dir string) {
	used := map[string]run.ShellUse{}
	for _, h := range hooks {
		if use, ok := run.UsedShell(h, dir); ok {
			used[h.ID] = use
		}
	}
	for i := range p.Run {
		if use, ok := used[p.Run[i].ID]; ok {
			p.Run[i].Shell = &use
		}
	}
}

// addFindings adds the findings of check to the hooks that would fail to start.
func (p *Plan) addFindings(ctx context.Context, hooks []*hook.Hook, dir string) {
	found := map[string][]project.StartFinding{}
	for h, all := range lint.NotStarting(ctx, dir, hooks) {
		found[h.ID] = lo.Map(all, func(f lint.Finding, _ int) project.StartFinding {
			return project.StartFinding{ID: f.ID, Message: f.Message, Fix: f.Fix}
		})
	}
	for i := range p.Run {
		p.Run[i].Findings = found[p.Run[i].ID]
	}
}

// shellText says which shell runs a hook, if it is not the bash of a Unix system.
func shellText(use *run.ShellUse) string {
	switch {
	case use == nil, use.Name == "bash" && !use.InProcess && runtime.GOOS != "windows":
		return ""
	case use.Fails != "":
		return "shell: none; bash is not installed, and this process cannot run the script: " + use.Fails
	case use.InProcess && use.Path == "":
		return "shell: this process; bash is not installed"
	case use.InProcess:
		return "shell: this process, or " + use.Path + " for calls that it cannot run exactly"
	}
	return "shell: " + use.Path + lo.Ternary(use.Path == filepath.Base(use.Path), ", which PATH does not have", "")
}

func (p Plan) text() string {
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
			"  " + cli.Good.Render("run   ") + "  " + project.Label(h.HookID) + "  " + project.Place(h.HookID) + "\n" + h.Policy.Text(10),
		)
		if text := shellText(h.Shell); text != "" {
			b.WriteString("          " + cli.OneLine(text) + "\n")
		}
		if h.Runtime != nil {
			b.WriteString("          runs in " + h.Runtime.Text() + "\n")
		}
		for _, f := range h.Findings {
			b.WriteString("          " + cli.Bad.Render("fails") + ": " + cli.OneLine(f.Message+"; "+f.Fix) + " [" + f.ID + "]\n")
		}
	}
	for _, s := range p.Skipped {
		b.WriteString("  " + cli.Odd.Render("not   ") + "  " + project.Label(s.HookID) + "  " + project.Place(s.HookID) + "\n")
		b.WriteString("          " + cli.Indented(cli.SkipText(string(s.Why), s.Detail), 10) + "\n")
	}
	return b.String()
}

var manner = map[string]string{"parallel": "at the same time", "sequential": "one after another"}
