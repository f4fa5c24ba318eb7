// Package tests has the verbs that run hooks and compare their answers: test, replay and record-test.
package tests

import (
	"errors"
	"fmt"
	"os"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
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
