// Package measure has the verb bench.
package measure

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/bench"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/project"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/records"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/systems"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	rec "github.com/snaphook-go/snaphook/record"
	"github.com/snaphook-go/snaphook/warm"
	"github.com/snaphook-go/snaphook/wire"
)

// benchFlags holds the flags of bench.
type benchFlags struct {
	project.SessionFlags
	cli.JSONFlag
	n       int
	svg     string
	compare string
	record  string
}

// mostRuns limits -n: a measurement of days is a mistake.
const mostRuns = 100_000

// NewBench returns the verb bench.
func NewBench(global *cli.Global) *cobra.Command {
	f := &benchFlags{SessionFlags: project.NewSessionFlags(global)}
	cmd := &cobra.Command{
		Use:   "bench [EVENT]",
		Short: "Measure the hooks of an event, and find changes that make them faster",
		Long: "Reads the event's fields as JSON on stdin, and runs the hooks that they select many times: each alone and all together, cold and kept warm, " +
			"and each with an empty script, to measure its start-up. Each round measures everything once, so that other work on the machine slows all measurements alike. " +
			"bench advises a change if it tried the change and the gain was larger than the noise. Without EVENT, the input's hook_event_name names the event.\n\n" +
			"The hooks really run, with all their effects, in each run.\n\n" +
			"Exit status: 0 measured; 2 no hook is selected; 1 snaphook could not measure.",
		Example: `# What do the hooks of this call cost, and what would help?
snaphook bench claude.PreToolUse --svg bench.svg < call.json
# Before a change, and after it
snaphook bench claude.PreToolUse --json < call.json > before.json
snaphook bench claude.PreToolUse --compare before.json < call.json
# Would an "if" skip most calls?
snaphook bench claude.PreToolUse --record hooks.jsonl < call.json`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: systems.CompleteEvent,
		RunE:              func(cmd *cobra.Command, args []string) error { return f.bench(cmd, args) },
	}
	f.AddJSON(cmd)
	f.AddSources(cmd.Flags())
	f.AddPolicy(cmd.Flags())
	f.AddHost(cmd.Flags())
	f.AddModules(cmd.Flags())
	cmd.Flags().IntVarP(&f.n, "n", "n", 50, "Measure everything `N` times: --n 200")
	cmd.Flags().StringVar(&f.svg, "svg", "", "Write the histograms to `FILE`: --svg bench.svg")
	cmd.Flags().StringVar(&f.compare, "compare", "", "Compare with `FILE`, the output of an earlier run with --json: --compare before.json")
	cmd.Flags().
		StringVar(&f.record, "record", "", "Look in the record `FILE`, kept with --record-input full, for calls that an \"if\" would skip: --record hooks.jsonl")
	return cmd
}

func (f *benchFlags) bench(cmd *cobra.Command, args []string) error {
	if f.n < 1 || f.n > mostRuns {
		return fmt.Errorf("--n %d: write a number from 1 to %d", f.n, mostRuns)
	}
	before, err := f.before(cmd.Context())
	if err != nil {
		return err
	}
	input, err := project.ReadInput(cmd)
	if err != nil {
		return err
	}
	event, err := eventOf(args, input)
	if err != nil {
		return err
	}
	result, err := f.benched(cmd, event, input)
	switch {
	case cmd.Context().Err() != nil:
		return cli.ErrInterrupted
	case errors.Is(err, bench.ErrNoHook):
		cli.Warn(cmd, "no hook is selected for %s; snaphook plan %[1]s says why, for the same input", event.Info().FullName())
		f.Status = cli.Refused
		return nil
	case err != nil:
		return project.InputError(err)
	}
	return f.sayBench(cmd, result, before)
}

// benched measures the hooks of an event.
func (f *benchFlags) benched(
	cmd *cobra.Command, event pipeline.Declared, input []byte,
) (*bench.Result, error) {
	d, err := systems.Named(event.Info().Dialect)
	if err != nil {
		return nil, err
	}
	if d.Modules {
		if f.record != "" {
			return nil, fmt.Errorf("--record: modules of %s have no \"if\"; leave the flag out", d.Name)
		}
		return benchModules(cmd, f.SessionFlags, event, input, f.n).Run(cmd.Context())
	}
	m, err := f.measure(cmd, event, d, input)
	if err != nil {
		return nil, err
	}
	m.N = f.n
	if m.Calls, err = f.recordedCalls(cmd, event, f.record); err != nil {
		return nil, err
	}
	defer f.forgetBenched(m, input)
	return m.Run(cmd.Context())
}

// forgetBenched removes the state that hooks kept between their runs, as fire does.
func (f *benchFlags) forgetBenched(m *bench.Bench, input []byte) {
	ctx := context.Background()
	sys := m.System(func(*pipeline.Loaded) {}, nil)
	defer sys.Close()
	if s, err := m.Session(ctx, sys); err == nil {
		f.Forget(s, input)
	}
}

// mostResult limits the size of the file that --compare reads, in bytes. Every measurement of many hooks is smaller.
const mostResult = 64 << 20

// before reads the earlier result of --compare; nil without one.
func (f *benchFlags) before(ctx context.Context) (*bench.Result, error) {
	if f.compare == "" {
		return nil, nil
	}
	if err := cli.WantFile(f.compare); err != nil {
		return nil, fmt.Errorf("--compare: %w", err)
	}
	text, err := cli.ReadUntil(ctx, f.compare, mostResult)
	if err != nil {
		return nil, fmt.Errorf("--compare: %w", err)
	}
	before := &bench.Result{}
	if err := json.Unmarshal(text, before); err != nil || before.Event == "" {
		return nil, fmt.Errorf("--compare %s: the file is not an answer of snaphook bench --json%s", f.compare, badAnswer(err))
	}
	return before, nil
}

func badAnswer(err error) string {
	if err == nil {
		return ": it names no event"
	}
	return ": " + err.Error()
}

// eventOf returns the event that the arguments name, or else the one that the input names.
func eventOf(args []string, input []byte) (pipeline.Declared, error) {
	all := systems.Events()
	if len(args) > 0 {
		return systems.EventNamed(args[0], all)
	}
	name := wire.Object(input).Text("hook_event_name")
	found := systems.EventsByName(name, all)
	if name == "" {
		return nil, errors.New("EVENT is missing, and the input has no hook_event_name; write snaphook bench claude.PreToolUse")
	}
	if len(found) != 1 {
		return nil, fmt.Errorf(
			"EVENT is missing, and the input's hook_event_name %q belongs to %s; write snaphook bench claude.PreToolUse",
			name,
			cli.Count(len(found), "event"),
		)
	}
	return found[0], nil
}

// measure prepares a benchmark on the settings that the flags describe.
func (f *benchFlags) measure(
	cmd *cobra.Command, event pipeline.Declared, d *systems.Dialect, input []byte,
) (*bench.Bench, error) {
	src, err := f.Sources(d)
	if err != nil {
		return nil, err
	}
	trust, err := f.Judge(cmd, src)
	if err != nil {
		return nil, err
	}
	if err := project.WarnMissing(cmd, src, trust.Missed); err != nil {
		return nil, err
	}
	o := project.Opening{Event: event, Input: input}
	session := f.SessionConfig(o, src.Dir, trust)
	first := true
	return &bench.Bench{
		Event: event, Input: input,
		System: func(change func(*pipeline.Loaded), kept pipeline.Warmer) *pipeline.System {
			asWritten := map[string]*hook.Hook{} // hooks by id, before changes
			load := func(ctx context.Context, at pipeline.Workspace) (pipeline.Loaded, error) {
				loaded, err := src.Load(ctx, at)
				for _, h := range loaded.Hooks {
					asWritten[h.ID] = h
				}
				change(&loaded)
				return loaded, err
			}
			return pipeline.NewSystem(pipeline.Config{
				Load: []pipeline.Load{load}, Log: f.Log(cmd), Policy: src.Policy, Wrap: trust.WrapAs(asWritten),
				Warm: cmp.Or[pipeline.Warmer](kept, project.WorkersAlone{Warm: warm.New(warm.Config{Log: f.Log(cmd)})}),
			})
		},
		Session: func(ctx context.Context, sys *pipeline.System) (*pipeline.Session, error) {
			s, err := sys.NewSession(ctx, session)
			if err == nil && first {
				if err = project.Unreadable(s.Problems()); err == nil {
					o.Warn(cmd, s, f.Logs())
				}
			}
			first = false
			return s, err
		},
	}, nil
}

// recordedCalls reads the calls of a record; nil without one.
func (f *benchFlags) recordedCalls(cmd *cobra.Command, event pipeline.Declared, path string) (*bench.Recorded, error) {
	if path == "" {
		return nil, nil
	}
	dir, err := f.Directory()
	if err != nil {
		return nil, err
	}
	calls := &bench.Recorded{File: cli.ShortPath(path), Dir: dir, Event: event.Info().FullName()}
	_, err = records.ReadRecord(cmd, path, false, func(_ rec.Text, l *rec.Line) error {
		calls.Add(l)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("--record: %w", err)
	}
	if calls.Empty() {
		cli.Warn(cmd, "--record %s: no line of %s has the whole input; keep a record with --record-input full", cli.ShortPath(path), calls.Event)
	}
	return calls, nil
}

// sayBench writes the histograms to the file of --svg, and prints a result. For people it also prints the comparison
// with an earlier result.
func (f *benchFlags) sayBench(cmd *cobra.Command, r, before *bench.Result) error {
	if f.svg != "" {
		if err := cli.SaveFile(f.svg, []byte(r.SVG()), 0o644); err != nil {
			return fmt.Errorf("--svg %s: %w", f.svg, err)
		}
	}
	var differences []bench.Difference
	if before != nil {
		var err error
		if differences, err = bench.Compare(before, r); err != nil {
			return fmt.Errorf("--compare %s: %w", f.compare, err)
		}
	}
	for i := range r.Hooks {
		if h := &r.Hooks[i]; h.Failed != "" {
			cli.Warn(cmd, "%s fails, so its figures are the times of failing runs: %s", benchLabel(h), h.Failed)
		}
	}
	if f.JSON {
		return cli.SayJSON(cmd, r)
	}
	return cli.Say(cmd, benchText(cmd, r)+comparisonText(cmd, f.compare, differences))
}
