package llxprtcases

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/samber/lo"
)

// Engine runs one prepared case. Its methods are called one after another. An error means that the
// engine could not do the step at all, and fails the case.
type Engine interface {
	// Fire fires the event, with the event's own fields as input, and reports its result.
	Fire(ctx context.Context, event string, input jsontext.Value) (Observation, error)

	// Publish puts the message on the engine's bus, waits up to [BusPatience] for the response, and
	// reports it.
	Publish(ctx context.Context, message jsontext.Value) (Observation, error)

	// SetHookEnabled switches the hooks with that name or command on or off.
	SetHookEnabled(hook string, enabled bool) error

	// ChangeSettings changes the settings on disk, without telling the engine.
	ChangeSettings(settings jsontext.Value) error

	// Reinitialize makes the engine read its settings again.
	Reinitialize() error

	// Close ends the engine, after everything was judged.
	Close() error
}

// Open creates and initialises the engine of one event case, with p.Environ() for its environment.
// A reason to skip means that this engine cannot run the case; the engine is nil then. An error
// ends t.
type Open func(t testing.TB, p *Prepared) (engine Engine, skip string)

// Translate calls the translator function of that name.
type Translate func(fn string, args []jsontext.Value) (result any, err error)

// Run judges an engine by every case, each in a subtest "theme/name". A failing subtest prints the
// differences, the expectation, the observation, and the case's file. If translate is nil, the cases of
// the translator are skipped. Cases that measure time run alone, the others in parallel, and go test
// -short skips the slow cases. Without any case, t fails.
func Run(t *testing.T, cases []Case, open Open, translate Translate) {
	t.Helper()
	if len(cases) == 0 {
		t.Fatal("there are no cases to run: look at SNAPHOOK_CASES, and at Dir and Load")
	}
	themes := lo.GroupBy(cases, func(c Case) string { return c.Theme })
	for _, theme := range lo.UniqMap(cases, func(c Case, _ int) string { return c.Theme }) {
		t.Run(theme, func(t *testing.T) {
			for _, c := range themes[theme] {
				t.Run(c.Name, func(t *testing.T) { c.run(t, open, translate) })
			}
		})
	}
}

func (c Case) run(t *testing.T, open Open, translate Translate) {
	if c.Slow && testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	if !c.looksAtTheClock() {
		t.Parallel()
	}
	if c.Kind == "translator" {
		c.runTranslator(t, translate)
		return
	}
	p := c.Prepare(t)
	engine, skip := open(t, p)
	if skip != "" {
		t.Skip(skip)
	}
	defer func() {
		if err := engine.Close(); err != nil {
			t.Errorf("the engine did not close: %v", err)
		}
	}()
	if failure := p.play(t.Context(), engine); failure != "" {
		t.Error(failure)
	}
}

func (c Case) runTranslator(t *testing.T, translate Translate) {
	if translate == nil {
		t.Skip("this engine has no translator")
	}
	if failure := c.Prepare(t).translate(translate); failure != "" {
		t.Error(failure)
	}
}

func (p *Prepared) translate(translate Translate) (failure string) {
	result, err := translate(p.Fn, p.Args)
	if err != nil {
		return p.failure(p.Expect, Observation{}, []string{p.Fn + ": " + err.Error()})
	}
	got := Observation{Result: result}
	return p.failure(p.Expect, got, p.Judge(p.Expect, got))
}

// play runs the steps of an event case and returns the differences of all failing steps. It continues after a
// difference, but not after an error.
func (p *Prepared) play(ctx context.Context, engine Engine) (failure string) {
	var failures []string
	for i, s := range p.steps() {
		got, err := p.step(ctx, engine, s)
		wrong := []string{fmt.Sprint(err)}
		if err == nil {
			wrong = p.Judge(s.Expect, got)
		}
		if failure := p.failure(s.Expect, got, wrong); failure != "" {
			failures = append(failures, fmt.Sprintf("step %d of %d: %s", i+1, len(p.steps()), failure))
		}
		if err != nil {
			break
		}
	}
	return strings.Join(failures, "\n")
}

func (p *Prepared) step(ctx context.Context, engine Engine, s Step) (Observation, error) {
	if s.SetHookEnabled != nil {
		if err := engine.SetHookEnabled(s.SetHookEnabled.Hook, s.SetHookEnabled.Enabled); err != nil {
			return Observation{}, fmt.Errorf("setHookEnabled: %w", err)
		}
	}
	if s.Settings != nil {
		if err := engine.ChangeSettings(slices.Clone(s.Settings)); err != nil {
			return Observation{}, fmt.Errorf("settings: %w", err)
		}
	}
	if s.Reinitialize {
		if err := engine.Reinitialize(); err != nil {
			return Observation{}, fmt.Errorf("reinitialize: %w", err)
		}
	}
	if s.ResetTrace {
		if err := p.resetTrace(); err != nil {
			return Observation{}, fmt.Errorf("resetTrace: %w", err)
		}
	}
	return p.fire(ctx, engine, s.Fire)
}

func (p *Prepared) fire(ctx context.Context, engine Engine, f *Fire) (got Observation, err error) {
	switch {
	case f == nil:
		return got, nil
	case p.Via == "bus":
		got, err = engine.Publish(ctx, slices.Clone(p.Bus.Message))
	default:
		input := p.Input
		if f.Input != nil {
			input = f.Input
		}
		got, err = engine.Fire(ctx, cmp.Or(f.Event, p.Event), slices.Clone(input))
	}
	if err != nil {
		err = fmt.Errorf("fire: %w", err)
	}
	return got, err
}

// failure returns the report of a step that failed; empty if there were no differences.
func (p *Prepared) failure(expect map[string]any, got Observation, wrong []string) string {
	if len(wrong) == 0 {
		return ""
	}
	seen, err := got.decoded()
	if err != nil {
		seen = map[string]any{"observation": err.Error()}
	}
	seen["trace"], _ = p.traced() // the judge has reported the error
	lines := jsontext.WithIndent("  ")
	return fmt.Sprintf("%s\nexpectation: %s\nseen: %s\ncase: %q of %s\nbasis: %s %q %s",
		strings.Join(wrong, "\n"), Show(expect, lines), Show(seen, lines), p.Name, p.File, p.Basis, p.Rules, p.Note)
}

// looksAtTheClock reports whether c measures time, so that other work on the machine could fail it.
func (c *Case) looksAtTheClock() bool {
	return slices.ContainsFunc(c.steps(), func(s Step) bool {
		return lo.SomeBy(
			[]string{"minMs", "maxMs", "deadPids"},
			func(key string) bool { return lo.HasKey(s.Expect, key) },
		)
	})
}
