package tests

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/samber/lo"
	"github.com/spf13/cobra"

	"github.com/snaphook-go/snaphook/cmd/snaphook/command/fire"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/fixture"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/project"
	"github.com/snaphook-go/snaphook/pipeline"
)

// fixtureResult is the result of a fixture.
type fixtureResult struct {
	*fixture.Fixture
	steps    []stepResult
	problems []string // problems of the fixture's settings
	took     time.Duration
	err      error // why the fixture could not run
}

type stepResult struct {
	*sighting
	place fixture.Place
	wrong []fixture.Difference
}

func (r *fixtureResult) failed() bool {
	return lo.SomeBy(r.steps, func(s stepResult) bool { return len(s.wrong) > 0 })
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
	s := t.stage(fx, world)
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

// shown returns a fixture's line, with its details below.
func (t *tester) shown(r *fixtureResult) string {
	var b strings.Builder
	word := cli.Good.Render("ok    ")
	if r.failed() {
		word = cli.Bad.Render("FAIL  ")
	}
	fmt.Fprintf(&b, "%s%s  %s\n", word, cli.OneLine(r.Name), cli.Faint.Render(cli.Milliseconds(r.took.Seconds()*1000)))
	if !r.failed() && !t.Verbose {
		return b.String()
	}
	if at := r.At.String(); !strings.HasPrefix(at, r.Name) {
		b.WriteString("      " + cli.Faint.Render(cli.OneLine(at)) + "\n")
	}
	for i, step := range r.steps {
		if len(step.wrong) == 0 && !t.Verbose {
			continue
		}
		fmt.Fprintf(&b, "  step %d, %s\n", i+1, cli.Strong.Render(cli.OneLine(r.Session[i].Event)))
		b.WriteString(step.text())
	}
	return b.String()
}

// text lists the unmet expectations, and a line for each hook.
func (s stepResult) text() string {
	var b strings.Builder
	for _, d := range s.wrong {
		fmt.Fprintf(&b, "    %s\n      expected %s\n      got      %s\n",
			cli.Bad.Render(cli.OneLine(d.Member)), cli.OneLine(s.place.Hold(d.Expected)), cli.OneLine(s.place.Hold(d.Got)))
	}
	for i := range s.fired.Hooks {
		b.WriteString(s.place.Hold(hookTrace(&s.fired.Hooks[i])))
	}
	for _, l := range s.looked {
		if l.why != "" {
			id := pipeline.Identify(l.hook)
			fmt.Fprintf(&b, "    %s  %s  %s\n          %s\n", cli.Odd.Render(fmt.Sprintf("%-18s", "not run")), project.Label(id), project.Place(id),
				cli.OneLine(cli.SkipText(string(l.why), l.detail)))
		}
	}
	if len(s.fired.Hooks)+len(s.looked) == 0 {
		b.WriteString("    no hook is configured for this event\n")
	}
	for _, note := range s.notes {
		b.WriteString("    " + cli.Odd.Render("note") + "  " + cli.OneLine(note) + "\n")
	}
	return b.String()
}

// hookTrace returns the line of one hook, with its exit status, its output and its notes below.
func hookTrace(h *pipeline.HookRun) string {
	var b strings.Builder
	fmt.Fprintf(&b, "    %s  %s  %s  %s\n",
		fire.OutcomeStyle(fire.WordOf(*h), false), project.Label(h.HookID),
		cli.Faint.Render(cli.Milliseconds(h.DurationMS)), project.Place(h.HookID))
	line := func(name, text string) {
		if text = strings.TrimRight(text, "\n"); text != "" {
			fmt.Fprintf(&b, "          %-6s  %s\n", name, cli.Indented(text, 18))
		}
	}
	if h.ExitCode != nil {
		line("exit", fmt.Sprint(*h.ExitCode))
	}
	line("stdout", lo.FromPtr(h.Stdout))
	line("stderr", lo.FromPtr(h.Stderr))
	line("error", lo.FromPtr(h.Error))
	if end := h.Background; end != nil {
		line("later", string(end.Outcome))
		line("stdout", lo.FromPtr(end.Stdout))
		line("stderr", lo.FromPtr(end.Stderr))
		line("error", lo.FromPtr(end.Error))
	}
	for _, note := range h.Notes {
		line("note", note)
	}
	return b.String()
}

// conclude prints how many fixtures pass, and sets the exit status.
func (t *tester) conclude(cmd *cobra.Command, results []*fixtureResult) error {
	for _, problem := range lo.Uniq(lo.FlatMap(results, func(r *fixtureResult, _ int) []string { return r.problems })) {
		cli.Warn(cmd, "%s", problem)
	}
	if t.flags.update {
		if err := t.update(cmd, results); err != nil {
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
		enough, err := t.cover(cmd)
		if err != nil {
			return err
		}
		if !enough {
			t.Status = cli.Failed
		}
	}
	return cli.Say(cmd, fmt.Sprintf("%d passed, %d failed\n", len(results)-wrong, wrong))
}
