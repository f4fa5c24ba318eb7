// Package fire has the verbs about events: fire, plan, explain, events and record-event.
package fire

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/project"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/systems"
	"github.com/snaphook-go/snaphook/pipeline"
)

// fireFlags holds the flags of fire.
type fireFlags struct {
	project.SessionFlags
	cli.JSONFlag
	recordFlags
	trace string
}

// NewFire returns the verb fire.
func NewFire(global *cli.Global) *cobra.Command {
	f := &fireFlags{SessionFlags: project.NewSessionFlags(global)}
	cmd := &cobra.Command{
		Use:   "fire EVENT",
		Short: "Fire an event: run its hooks and print what they decided",
		Long: "Reads the event's fields as JSON on stdin, runs the hooks that the settings select, and prints the merged answer. " +
			"fire waits for hooks in the background; the answer has their results.\n\n" +
			"Exit status: 0 go ahead; 2 blocked, or the agent must stop; 1 snaphook could not fire the event, or was interrupted, " +
			"and nothing is on stdout.\n\n" + systems.ModelHelp + "\n\n" + project.ModuleHelp,
		Example: `# May this tool run?
echo '{"tool_name": "write_file", "tool_input": {"path": "a.txt"}}' |
  snaphook fire llxprt.BeforeTool
# The answer as JSON, with a record of every hook that was looked at
snaphook fire llxprt.BeforeTool --json --trace hooks.jsonl < call.json
# What do the hooks of a plugin say to a recorded call?
snaphook fire claude.PreToolUse --plugin ./guard < call.json
# Does this module of xcsh let the call pass?
echo '{"toolName": "bash", "input": {"command": "rm -rf /"}}' |
  snaphook fire xcsh.tool_call --module gate.ts`,
		Args:              systems.OneEvent,
		ValidArgsFunction: systems.CompleteEvent,
		RunE:              func(cmd *cobra.Command, args []string) error { return f.fire(cmd, args[0]) },
	}
	f.AddJSON(cmd)
	f.AddSources(cmd.Flags())
	f.AddModules(cmd.Flags())
	f.AddPolicy(cmd.Flags())
	f.AddHost(cmd.Flags())
	cmd.Flags().
		BoolVar(&f.Ask, "ask", false, "Let hooks ask you on the terminal (claude and xcsh, with --interactive); the standard input of "+
			"hooks of claude then stays open, so a hook that reads it to the end hangs")
	cmd.Flags().
		StringVar(&f.trace, "trace", "", "Append a line of JSON to `FILE` for every hook that was looked at: --trace hooks.jsonl")
	f.addRecord(cmd.Flags())
	f.Fleet.AddTo(cmd.Flags(), "Ask the workers of the fleet at the server `URL` too: --nats nats://127.0.0.1:4222")
	return cmd
}

func (f *fireFlags) fire(cmd *cobra.Command, name string) error {
	cli.KeepStatus()
	event, err := systems.EventNamed(name, systems.Events())
	if err != nil {
		return err
	}
	input, err := project.ReadInput(cmd)
	if err != nil {
		return err
	}
	kept, err := f.openRecord(cmd)
	if err != nil {
		return err
	}
	defer kept.close(cmd) // the record is closed after the answer is printed
	defer f.Fleet.Close()
	tr, err := openTrace(f.trace)
	if err != nil {
		return err
	}
	shown := openProgress(cmd, f.Ask || f.Logs())
	observe := slices.Concat(tr.observers(), kept.observers(), shown.observers())
	fired, err := fireTraced(cmd, &f.SessionFlags, tracing{event, input, observe, !f.JSON})
	shown.close()
	if lost := tr.close(); lost != nil {
		cli.Warn(cmd, "--trace %s: %v; the trace is not complete", f.trace, lost)
	}
	if err != nil {
		return err
	}
	return f.answer(cmd, fired)
}

// tracing describes a fire whose hooks are observed.
type tracing struct {
	event   pipeline.Declared
	input   []byte
	observe []pipeline.Observer
	notes   bool // messages and entries of modules are printed
}

// fireTraced fires an event in a new session, and waits for all of its hooks.
func fireTraced(cmd *cobra.Command, f *project.SessionFlags, t tracing) (*Fired, error) {
	term, err := f.Terminal(t.event)
	if err != nil {
		return nil, err
	}
	all := &Fired{}
	sys, ses, err := f.Session(
		cmd,
		project.Opening{Event: t.event, Input: t.input, Observe: t.observe, Finished: all.Hear, Ask: term.Asker()},
	)
	if err != nil {
		return nil, err
	}
	defer sys.Close()
	defer f.Forgetter(ses, t.input)()
	defer all.close(cmd.Context(), ses)
	mods, err := f.Attach(cmd, t.event, ses, project.NewHost(cmd, term, t.notes))
	if err != nil {
		return nil, err
	}
	defer mods.End(cmd)
	if err := all.run(cmd, t.event, ses, mods, t.input); err != nil {
		return nil, err
	}
	f.WarnOtherFolders(cmd, t.event, ses)
	return all, nil
}

// run fires the event and waits for all of its hooks, also those in the background.
func (f *Fired) run(
	cmd *cobra.Command,
	event pipeline.Declared,
	ses *pipeline.Session,
	mods *project.Attached,
	input []byte,
) error {
	decided, err := event.PlanJSON(ses, input)
	if err != nil {
		return project.InputError(err)
	}
	defer project.Tidy(input)()
	f.JSONResult, err = event.FireJSON(traced(cmd.Context()), ses, input)
	if err = mods.Conclude(f.JSONResult, err); err != nil && cmd.Context().Err() == nil {
		return project.InputError(err)
	}
	if f.settle(cmd, ses); cmd.Context().Err() != nil {
		return cli.ErrInterrupted // the partial result is not the hooks' answer
	}
	project.WarnUntrusted(cmd, event, decided, "did not")
	mods.Warn(cmd, f.Blocked || !guards(event.Info().FullName()))
	return nil
}

// answer sets the exit status for the decision, and prints the decision. A refusal keeps its status if printing fails.
// Without --json the reason of a refusal is printed on standard error too, unless both streams are terminals.
func (f *fireFlags) answer(cmd *cobra.Command, fired *Fired) (err error) {
	isRefused := fired.Blocked || fired.Stop
	if isRefused {
		f.Status = cli.Refused
	}
	warnFailures(cmd, fired)
	if f.JSON {
		err = cli.SayJSON(cmd, fired.JSONResult)
	} else {
		err = cli.Say(cmd, firedText(fired))
	}
	if isRefused && !f.JSON && !(cli.IsTerminal(cmd.OutOrStdout()) && cli.IsTerminal(cmd.ErrOrStderr())) {
		fmt.Fprintln(cmd.ErrOrStderr(), cli.Visible(reasonOf(fired)))
	}
	return err
}

func reasonOf(fired *Fired) string {
	if fired.Reason == nil {
		return "the hook gave no reason"
	}
	return *fired.Reason
}
