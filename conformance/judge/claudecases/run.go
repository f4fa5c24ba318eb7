package claudecases

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/conformance/judge/llxprtcases"
)

// Engine runs one prepared case. Its methods are called one after another. An error means that the
// engine could not do the step at all, and fails the case.
type Engine interface {
	// Fire fires the event and reports its result, without waiting for hooks in the background.
	// input includes the base fields.
	Fire(ctx context.Context, event string, input jsontext.Value) (Observation, error)

	// Refresh makes the engine read its settings again.
	Refresh(ctx context.Context) error

	// Settle waits until every hook in the background has ended, and reports their results.
	Settle(ctx context.Context) (Background, error)

	// Close ends the engine, after everything was judged.
	Close() error
}

// Open returns the engine of one case: with p.LayerFiles and p.Plugins for its settings,
// p.Environ() for its environment, p.Model and p.User for its callbacks, at p.Level. A reason to
// skip means that this engine cannot run the case; the engine is nil then. An error ends t.
type Open func(t testing.TB, p *Prepared) (engine Engine, skip string)

const (
	atOnce   = 8               // cases that run at the same time
	patience = 2 * time.Minute // the time limit of one case; hooks have shorter timeouts
)

// Run judges an engine by every case, each in a subtest of its name, and by every variant of a case, in
// a subtest "name/level". A failing subtest prints the differences, the expectation, the observation,
// and the case's file. Subtests run in parallel, up to eight at once. Without any case, t fails.
func Run(t *testing.T, cases []Case, open Open) {
	t.Helper()
	if len(cases) == 0 {
		t.Fatal("there are no cases to run: look at SNAPHOOK_CASES, and at Cases and Load")
	}
	places := make(chan struct{}, atOnce)
	run := func(name, level string, c Case) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			places <- struct{}{}
			defer func() { <-places }()
			c.run(t, level, open)
		})
	}
	for _, c := range cases {
		run(c.Name, "", c)
		for _, level := range c.levels() {
			run(c.Name+"/"+level, level, c)
		}
	}
}

func (c Case) run(t *testing.T, level string, open Open) {
	p := c.Prepare(t, level)
	engine, skip := open(t, p)
	if skip != "" {
		t.Skip(skip)
	}
	defer func() {
		if err := engine.Close(); err != nil {
			t.Errorf("the engine did not close: %v", err)
		}
	}()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if failure := p.play(ctx, engine); failure != "" {
		t.Error(failure)
	}
}

// play runs the steps of the case and returns the differences of all failing steps. It continues after a difference,
// but not after an error.
func (p *Prepared) play(ctx context.Context, engine Engine) (failure string) {
	var failures []string
	steps := p.steps()
	for i, s := range steps {
		got, wrong, err := p.step(ctx, engine, s)
		if err != nil {
			wrong = append(wrong, err.Error())
		}
		if len(wrong) > 0 {
			failures = append(
				failures,
				fmt.Sprintf("step %d of %d: %s", i+1, len(steps), p.failure(s.Expect, got, wrong)),
			)
		}
		if err != nil {
			break
		}
	}
	return strings.Join(failures, "\n")
}

func (p *Prepared) step(ctx context.Context, engine Engine, s Step) (seen stepReport, wrong []string, err error) {
	switch s.Action {
	case writeSettings:
		return seen, nil, llxprtcases.WriteFile(p.projectSettings(), string(s.Settings), 0o644)
	case refreshSnapshot:
		return seen, nil, engine.Refresh(ctx)
	}
	if seen.fire, err = p.fire(ctx, engine, s); err != nil {
		return seen, nil, fmt.Errorf("fire: %w", err)
	}
	wrong = p.Judge(s.Expect, seen.fire)
	async, wanted := s.Expect["async"].(Expect)
	if !wanted {
		return seen, wrong, nil
	}
	later, err := engine.Settle(ctx)
	if err != nil {
		return seen, wrong, fmt.Errorf("settle: %w", err)
	}
	seen.later = &later
	for _, difference := range p.JudgeBackground(async, seen.fire, later) {
		wrong = append(wrong, "async: "+difference)
	}
	return seen, wrong, nil
}

func (p *Prepared) fire(ctx context.Context, engine Engine, s Step) (got Observation, err error) {
	input, err := p.input(s.Event, s.Input)
	if err != nil {
		return got, err
	}
	if err := p.mark(); err != nil {
		return got, err
	}
	start := time.Now()
	got, err = engine.Fire(ctx, s.Event, input)
	if got.Elapsed == 0 {
		got.Elapsed = time.Since(start)
	}
	return got, err
}

// stepReport is an engine's report of one step.
type stepReport struct {
	fire  Observation
	later *Background
}

// failure returns the report of a step that failed.
func (p *Prepared) failure(expect Expect, got stepReport, wrong []string) string {
	all := map[string]any{
		"http_requests": p.server.received(),
		"llm_requests":  p.Model.requests(),
		"user_prompts":  p.User.prompts(),
	}
	all["hook.log"], _ = p.log() // the judge has reported the error
	all["duration_ms"] = got.fire.Elapsed.Seconds() * 1000
	reported, err := members(got.fire)
	if err != nil {
		all["observation"] = err.Error()
	}
	for key, value := range reported {
		all[key] = value
	}
	if got.later != nil {
		all["async"] = got.later
	}
	lines := jsontext.WithIndent("  ")
	return fmt.Sprintf(
		"%s\nexpectation: %s\nseen: %s\ncase: %q of %s, level %q\nbasis: %q %s %s",
		strings.Join(wrong, "\n"),
		show(expect, lines),
		show(all, lines),
		p.Name,
		p.File,
		p.Level,
		p.Basis,
		p.Rules,
		p.Note,
	)
}
