package tests

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/samber/lo"
	"github.com/spf13/cobra"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/project"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/records"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/systems"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
)

// replayFlags holds the flags of replay.
type replayFlags struct{ project.SessionFlags }

// NewReplay returns the verb replay.
func NewReplay(global *cli.Global) *cobra.Command {
	f := &replayFlags{SessionFlags: project.NewSessionFlags(global)}
	cmd := &cobra.Command{
		Use:   "replay FILE",
		Short: "Fire the events of a record again, and print the differences between the answers",
		Long: "Reads a record that was kept with --record-input full, or lines of {\"event\", \"input\", \"decision\"}; - is standard input. " +
			"All events are fired in one session of the project's directory, as `snaphook fire` does: the hooks really run. " +
			"Lines without a recorded decision are fired and not compared.\n\n" +
			"Exit status: 0 no answer differs; 1 an answer differs; 2 the input cannot be used, or no line of it can be replayed.",
		Example: `# How would the present hooks have decided last week?
snaphook replay hooks.jsonl
# How would they have decided with a stricter policy?
snaphook replay hooks.jsonl --policy user=strict.json
# Events of your own
echo '{"event": "claude.Stop", "input": {}, "decision": "deny"}' |
  snaphook replay -`,
		Args: replayArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return f.replay(cmd, args[0]) },
	}
	f.AddSources(cmd.Flags())
	f.AddModules(cmd.Flags())
	f.AddPolicy(cmd.Flags())
	f.AddHost(cmd.Flags())
	return cli.TwoIfUnusable(cmd)
}

func replayArgs(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("%d files are named, want one: the record, or - for standard input; see %s --help",
			len(args), cmd.CommandPath())
	}
	return nil
}

// replay fires the events of a record. It keeps one event in memory at a time.
func (f *replayFlags) replay(cmd *cobra.Command, path string) error {
	in, err := records.OpenHistory(cmd, path, false)
	if err != nil {
		return err
	}
	defer in.Close()
	r := &replaying{replayFlags: f, cmd: cmd, file: path, open: map[string]*opened{}, unfit: map[string]int{}}
	defer r.close()
	if err := r.all(in); err != nil {
		return err
	}
	return r.conclude()
}

// replaying is one replay. It observes its own fires.
type replaying struct {
	*replayFlags
	cmd     *cobra.Command
	file    string
	open    map[string]*opened // sessions by dialect
	outcome *pipeline.FireOutcome
	subject string

	fired, differ int
	unfit         map[string]int // number of lines that cannot be replayed, by the reason
	unreadable    int
}

// FireStart implements [pipeline.Observer].
func (r *replaying) FireStart(ctx context.Context, f *pipeline.FireInfo) context.Context {
	r.subject = f.Subject
	return ctx
}

// HookEnd implements [pipeline.Observer].
func (r *replaying) HookEnd(context.Context, *pipeline.Evaluation) {}

// FireEnd implements [pipeline.Observer].
func (r *replaying) FireEnd(_ context.Context, _ *pipeline.FireInfo, out *pipeline.FireOutcome) {
	r.outcome = out
}

// all fires every line that can be replayed.
func (r *replaying) all(in io.Reader) error {
	for p, err := range pastLines(in) {
		switch {
		case r.cmd.Context().Err() != nil:
			return cli.ErrInterrupted
		case err != nil && p == nil: // the input cannot be read any further
			return fmt.Errorf("%s: %w", r.file, err)
		case errors.Is(err, errTornLine):
			r.unfit["broken off"]++
		case err != nil:
			r.bad(p.number, err)
		case records.Unfit(&p.Line) != "":
			r.unfit[records.Unfit(&p.Line)]++
		default:
			if err := r.line(p); err != nil {
				return err
			}
		}
	}
	return nil
}

// bad counts a line that cannot be replayed. It prints an error only for each of the first records.MaxToldLines lines.
func (r *replaying) bad(number int, err error) {
	if r.unreadable++; r.unreadable <= records.MaxToldLines {
		fmt.Fprintf(r.cmd.ErrOrStderr(), "%s:%d: %s\n", r.file, number, cli.Visible(err.Error()))
	}
}

// line fires one event, and compares the outcome.
func (r *replaying) line(p *past) error {
	event, err := systems.EventNamed(p.Event, systems.Events())
	if err != nil {
		r.bad(p.number, err)
		return nil
	}
	o, err := r.session(event, p.Input)
	if err != nil {
		return err
	}
	r.outcome = nil
	result, err := event.FireJSON(r.cmd.Context(), o.ses, p.Input)
	if wrong := new(pipeline.InputError); errors.As(err, &wrong) {
		r.bad(p.number, wrong)
		return nil
	}
	if r.cmd.Context().Err() != nil {
		return cli.ErrInterrupted // the partial result is not the hooks' answer
	}
	if err = o.mods.For(event).Conclude(result, err); err != nil {
		return fmt.Errorf("%s:%d: %w", r.file, p.number, err)
	}
	if err := o.ses.Wait(r.cmd.Context()); err != nil {
		return cli.ErrInterrupted
	}
	o.ses.NextTurn() // drops the texts for the next turn: a replay has no model that could get them
	r.fired++
	if changes := p.changes(r.outcome); len(changes) > 0 {
		r.differ++
		subject := lo.Ternary(r.subject == "", "", " "+cli.OneLine(r.subject))
		return cli.Say(r.cmd, fmt.Sprintf("%s:%d: %s%s: %s", r.file, p.number, cli.OneLine(event.Info().FullName()), subject,
			strings.Join(changes, ", ")))
	}
	return nil
}

// session returns the only session of an event's dialect, and opens it for the first event.
func (r *replaying) session(event pipeline.Declared, input []byte) (*opened, error) {
	dialect := event.Info().Dialect
	if o := r.open[dialect]; o != nil {
		return o, nil
	}
	sys, ses, err := r.replayFlags.Session(r.cmd, project.Opening{
		Event: event, Input: input, Observe: []pipeline.Observer{r},
	})
	if err != nil {
		return nil, err
	}
	o := &opened{sys: sys, ses: ses}
	r.open[dialect] = o
	if o.mods, err = r.Attach(r.cmd, event, ses, &project.Host{Console: r.cmd.ErrOrStderr(), Execs: true}); err != nil {
		return nil, err
	}
	o.mods.Warn(r.cmd, true)
	if n := lo.CountBy(ses.Hooks(), func(h *hook.Hook) bool { return h.Skip == hook.Untrusted }); n > 0 {
		cli.Warn(r.cmd, "%s did not run: the folder is not trusted; `snaphook trust` shows them, `snaphook trust grant` allows them",
			cli.Count(n, "hook"))
	}
	return o, nil
}

// close ends the sessions.
func (r *replaying) close() {
	for _, o := range r.open {
		o.mods.End(r.cmd)
		_, _ = o.ses.Close(context.WithoutCancel(r.cmd.Context())), o.sys.Close() // all errors have been reported
	}
}

// conclude prints how many outcomes differ, and how many lines were not replayed.
func (r *replaying) conclude() error {
	if more := r.unreadable - records.MaxToldLines; more > 0 {
		cli.Warn(r.cmd, "%s: %s more cannot be used", r.file, cli.Count(more, "line"))
	}
	for _, why := range slices.Sorted(maps.Keys(r.unfit)) {
		cli.Warn(r.cmd, "%s: %s cannot be replayed: %s", r.file, cli.Count(r.unfit[why], "line"), why)
	}
	switch {
	case r.fired == 0 && len(r.unfit) > 0:
		return fmt.Errorf("%s: no line of the record can be replayed; keep a record with --record-input full", r.file)
	case r.fired == 0 && r.unreadable == 0:
		return fmt.Errorf("%s: the record has no fire", r.file)
	case r.fired == 0:
		return fmt.Errorf("%s: %s cannot be used", r.file, cli.Count(r.unreadable, "line"))
	}
	if err := cli.Say(r.cmd, fmt.Sprintf("%d of %d differ", r.differ, r.fired)); err != nil {
		return err
	}
	if r.unreadable > 0 {
		return fmt.Errorf("%s: %s cannot be used", r.file, cli.Count(r.unreadable, "line"))
	}
	r.Status = lo.Ternary(r.differ > 0, cli.Failed, 0)
	return nil
}
