package tests

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/colorprofile"
	"github.com/samber/lo"
	"github.com/spf13/cobra"

	"github.com/snaphook-go/snaphook/cmd/snaphook/command/fire"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/fixture"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/project"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/systems"
	"github.com/snaphook-go/snaphook/policy"
)

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

// settled is the time for which a project has to be unchanged before it is tested again: editors
// write a file in several steps.
const settled = 200 * time.Millisecond

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

// watch runs the fixtures, and again after each change of the project, until it is interrupted.
// The exit status is the last run's.
func (t *tester) watch(cmd *cobra.Command, args []string) error {
	ctx := cmd.Context()
	own := "" // files that a run writes itself
	if t.flags.junit != "" {
		var err error
		if own, err = filepath.Abs(t.flags.junit); err != nil {
			return err
		}
	}
	var err error
	tell := colorprofile.NewWriter(cmd.ErrOrStderr(), os.Environ())
	for {
		changes, failed := fixture.Watch(ctx, t.project, own)
		if failed != nil {
			return failed
		}
		if err = t.once(cmd, args); err != nil && ctx.Err() == nil {
			fmt.Fprintln(tell, cli.Odd.Render("snaphook:"), cli.Visible(err.Error()))
		}
		if ctx.Err() == nil {
			fmt.Fprintln(tell, cli.Faint.Render("waiting for a change; an interrupt ends the program"))
		}
		if changes.Wait(ctx, settled) != nil {
			if errors.Is(err, cli.ErrInterrupted) {
				err = nil
			}
			return err
		}
	}
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
		if err := cli.Say(cmd, results[i].text(t.Verbose)); err != nil && len(errs) == 0 {
			errs = append(errs, err)
		}
	}
	running.Wait()
	return results, errors.Join(errs...)
}

// play runs one fixture.
func (t *tester) play(ctx context.Context, fx *fixture.Fixture) *fixtureResult {
	r := &fixtureResult{Fixture: fx}
	if r.err = ctx.Err(); r.err != nil {
		return r
	}
	start := time.Now()
	world, err := t.worlds.For(ctx, fx)
	if err != nil {
		r.err = err
		return r
	}
	s := newStage(t, fx, world)
	for i := range fx.Session {
		step := &fx.Session[i]
		seen, err := s.fire(ctx, step, i == len(fx.Session)-1)
		if err != nil {
			if r.err = err; !strings.HasPrefix(fx.Name, fx.At.File) {
				r.err = fmt.Errorf("%w; in the fixture %q", err, fx.Name)
			}
			break
		}
		expect := world.Expect(step.Expect)
		r.steps = append(r.steps, stepResult{seen, world.Place, expect.Judge(&seen.seen)})
	}
	t.learn(s, r)
	r.problems = s.problems
	r.err = errors.Join(r.err, s.close(context.WithoutCancel(ctx)), world.Release(context.WithoutCancel(ctx)))
	r.took = time.Since(start)
	return r
}

// learn records the hooks that a fixture has reached, unless the fixture has settings in its text.
func (t *tester) learn(s *fixtureStage, r *fixtureResult) {
	if s.fixture.Settings.Object != nil {
		return
	}
	for _, o := range s.open {
		t.reached.know(s, o.ses.Hooks())
	}
	for _, step := range r.steps {
		t.reached.reach(s, step.looked)
	}
}

// knowProject adds the hooks of the project's own settings, in every dialect.
func (t *tester) knowProject(ctx context.Context) (err error) {
	fx := &fixture.Fixture{}
	world, err := t.worlds.For(ctx, fx)
	if err != nil {
		return err
	}
	s := newStage(t, fx, world)
	s.sight = &sighting{fired: &fire.Fired{}}
	for _, d := range systems.Main() {
		if src, err := t.SourcesGiven(d, t.parts[d.Name]); err == nil && src.Idle() {
			continue
		}
		o, opening := s.session(ctx, d, nil)
		if err = opening; err != nil {
			break
		}
		t.reached.know(s, o.ses.Hooks())
	}
	return errors.Join(err, s.close(context.WithoutCancel(ctx)), world.Release(context.WithoutCancel(ctx)))
}

// conclude prints how many fixtures pass, and sets the exit status.
func (t *tester) conclude(cmd *cobra.Command, results []*fixtureResult) error {
	for _, problem := range lo.Uniq(lo.FlatMap(results, func(r *fixtureResult, _ int) []string { return r.problems })) {
		cli.Warn(cmd, "%s", problem)
	}
	if t.flags.update {
		if err := updateFixtures(cmd, results); err != nil {
			return err
		}
	}
	wrong := lo.CountBy(results, (*fixtureResult).failed)
	t.Status = lo.Ternary(wrong > 0, cli.Failed, 0)
	if t.flags.junit != "" {
		if err := writeJUnit(t.flags.junit, results); err != nil {
			return fmt.Errorf("--junit %s: %w", t.flags.junit, err)
		}
	}
	if t.flags.coverage {
		if err := t.knowProject(cmd.Context()); err != nil {
			return err
		}
		enough, err := t.reached.report(cmd, t.flags.min)
		if err != nil {
			return err
		}
		if !enough {
			t.Status = cli.Failed
		}
	}
	return cli.Say(cmd, fmt.Sprintf("%d passed, %d failed\n", len(results)-wrong, wrong))
}
