// Package tests has the verbs that run hooks and compare their answers: test, replay and record-test.
package tests

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"strings"
	"sync"

	"github.com/samber/lo"
	"github.com/spf13/cobra"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/fixture"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/project"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/systems"
	"github.com/snaphook-go/snaphook/policy"
)

// testFlags holds the flags of test.
type testFlags struct {
	project.SourceFlags
	jobs     int
	update   bool
	watch    bool
	junit    string
	coverage bool
	min      float64
}

// NewTest returns the verb test.
func NewTest(global *cli.Global) *cobra.Command {
	f := &testFlags{SourceFlags: project.SourceFlags{Global: global}}
	cmd := &cobra.Command{
		Use:   "test [FILE|DIR…]",
		Short: "Run the test fixtures of hooks",
		Long: "Runs the fixtures in the given files, or in files below the given directories: *.hooktest.json and *.hooktest.jsonl. " +
			"Without an argument it runs all fixtures below the project's directory.\n\n" +
			"Each fixture is a session in a temporary copy of the project, with its own home directory. Commands really run; " +
			"the user, the model and HTTP servers answer as the fixture says. The copy is trusted.\n\n" +
			"Exit status: 0 all pass; 1 a fixture fails, or the coverage is below --min; 2 a fixture or setting cannot be used, or there is no fixture.",
		Example: `# Run every fixture of the project
snaphook test
# One file, with what each hook did
snaphook test hooks/guard.hooktest.json -v
# As a step of CI: writes the results as JUnit XML, and fails unless every hook ran
snaphook test --junit hooks.xml --coverage --min 100
# Write the actual values into fixtures that are out of date
snaphook test --update`,
		RunE: func(cmd *cobra.Command, args []string) error { return f.test(cmd, args) },
	}
	f.AddSources(cmd.Flags())
	f.AddModules(cmd.Flags())
	f.AddPolicy(cmd.Flags())
	f.add(cmd)
	return cli.TwoIfUnusable(cmd)
}

func (f *testFlags) add(cmd *cobra.Command) {
	to := cmd.Flags()
	to.IntVar(&f.jobs, "jobs", runtime.GOMAXPROCS(0), "Run `N` fixtures at once; default: the number of processors: --jobs 4")
	to.BoolVar(&f.update, "update", false, "Write the actual values into expectations that do not hold, and into steps without expectations: test --update")
	to.BoolVar(&f.watch, "watch", false, "Run again whenever a file of the project changes, until interrupted: test --watch")
	to.StringVar(&f.junit, "junit", "", "Write the results to `FILE` as JUnit XML: --junit hooks.xml")
	to.BoolVar(&f.coverage, "coverage", false, "List the hooks and matchers that no fixture reached: test --coverage")
	to.Float64Var(&f.min, "min", 0, "With --coverage, exit with status 1 if less than `PERCENT` of the hooks ran: --coverage --min 100")
}

func (f *testFlags) check() error {
	switch {
	case f.jobs < 1:
		return fmt.Errorf("--jobs %d: write 1 or more", f.jobs)
	case f.min != 0 && !f.coverage:
		return errors.New("--min needs --coverage; add it")
	case f.min < 0 || f.min > 100:
		return fmt.Errorf("--min %v: write a percentage from 0 to 100", f.min)
	case f.update && f.watch:
		return errors.New("--update and --watch exclude each other; give one of them")
	}
	return nil
}

// tester runs fixtures.
type tester struct {
	*project.SourceFlags
	flags    *testFlags
	project  string // absolute
	parts    map[string]systems.Given
	policies map[policy.Level]string
	log      *slog.Logger
	worlds   *fixture.Worlds
	reached  *coverage
}

func (f *testFlags) test(cmd *cobra.Command, args []string) error {
	if err := f.check(); err != nil {
		return err
	}
	t, err := newTester(cmd, f)
	if err != nil {
		return err
	}
	if f.watch {
		return t.watch(cmd, args)
	}
	return t.once(cmd, args)
}

// newTester prepares the parts that all fixtures share.
func newTester(cmd *cobra.Command, f *testFlags) (*tester, error) {
	t := &tester{
		SourceFlags: &f.SourceFlags, flags: f, parts: map[string]systems.Given{}, log: slog.New(slog.DiscardHandler),
	}
	var err error
	if t.project, err = f.Directory(); err != nil {
		return nil, err
	}
	if project.WantsDebug() {
		t.log = f.Log(cmd)
	}
	parts, err := f.Split(cmd, systems.Main())
	if err != nil {
		return nil, err
	}
	for i, d := range systems.Main() {
		if _, err := d.LevelNamed(parts[i].Level); err != nil {
			return nil, err
		}
		if err := d.ProfileNamed(parts[i].Profile); err != nil {
			return nil, err
		}
		if _, err := d.Added(parts[i]); err != nil {
			return nil, err
		}
		if _, err := d.PluginOptions(parts[i].Options); err != nil {
			return nil, err
		}
		t.parts[d.Name] = parts[i]
	}
	if t.policies, err = f.namedPolicies(); err != nil {
		return nil, err
	}
	return t, t.warnMissing(cmd)
}

// warnMissing reports guards that existed when trust in the project was granted, and do not exist
// now. A test requires no trust, but a fire blocks in place of these guards.
func (t *tester) warnMissing(cmd *cobra.Command) error {
	for _, d := range systems.Main() {
		var missed project.Trust
		part := t.parts[d.Name]
		src, err := t.SourcesGiven(d, part)
		if err == nil && !part.Replaces {
			missed.Miss(src, project.Decisions(cmd))
			err = project.WarnMissing(cmd, src, missed.Missed)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// namedPolicies returns the policies of --policy alone.
func (f *testFlags) namedPolicies() (map[policy.Level]string, error) {
	src, err := f.PolicySource(os.DevNull)
	if err != nil {
		return nil, err
	}
	named := map[policy.Level]string{}
	for _, value := range f.Policies {
		name, _ := systems.LayerOf(value)
		level, _ := project.LevelNamed(name)
		named[level] = src.Files[level]
	}
	return named, nil
}

// once runs all fixtures one time, and prints the results.
func (t *tester) once(cmd *cobra.Command, args []string) error {
	all, err := t.read(cmd.Context(), args)
	if err != nil {
		return err
	}
	// Fixtures make many small, short-lived allocations.
	defer project.CollectAt(400)()
	t.reached = newCoverage()
	if t.worlds, err = fixture.NewWorlds(cmd.Context(), t.project); err != nil {
		return err
	}
	results, err := t.run(cmd, all)
	if err == nil {
		err = t.conclude(cmd, results)
	}
	err = errors.Join(err, t.worlds.Close())
	if cmd.Context().Err() != nil {
		return cli.ErrInterrupted
	}
	return err
}

// read reads the fixtures that the arguments name.
func (t *tester) read(ctx context.Context, args []string) ([]*fixture.Fixture, error) {
	where := args
	if len(where) == 0 {
		where = []string{lo.CoalesceOrEmpty(t.Dir, ".")}
	}
	files, err := fixture.Find(ctx, where)
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("there is no fixture in %s; write one in a file whose name ends in %s, or let `snaphook init` write the first",
			strings.Join(where, ", "), strings.Join(fixture.Suffixes, " or "))
	}
	var all []*fixture.Fixture
	var errs []error
	for _, file := range files {
		some, err := fixture.Read(ctx, file)
		all, errs = append(all, some...), append(errs, err)
	}
	return all, errors.Join(errs...)
}

// run runs fixtures, several at a time, and prints the results in the order of the fixtures.
func (t *tester) run(cmd *cobra.Command, all []*fixture.Fixture) ([]*fixtureResult, error) {
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	results := make([]*fixtureResult, len(all))
	done := make([]chan struct{}, len(all))
	for i := range done {
		done[i] = make(chan struct{})
	}
	next := make(chan int)
	var running sync.WaitGroup
	for range min(t.flags.jobs, len(all)) {
		running.Go(func() {
			for i := range next {
				results[i] = t.play(ctx, all[i])
				close(done[i])
			}
		})
	}
	go func() {
		defer close(next)
		for i := range all {
			next <- i
		}
	}()
	var errs []error
	for i := range all {
		<-done[i]
		if results[i].err != nil {
			errs = append(errs, results[i].err)
			continue
		}
		if err := cli.Say(cmd, t.shown(results[i])); err != nil && len(errs) == 0 {
			errs = append(errs, err)
		}
	}
	running.Wait()
	return results, errors.Join(errs...)
}
