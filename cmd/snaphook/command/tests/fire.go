package tests

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/cmd/snaphook/command/fire"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/fixture"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/systems"
	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
	"github.com/snaphook-go/snaphook/wire"
)

// sighting is the observed outcome of one fire.
type sighting struct {
	fired *fire.Fired
	seen  fixture.Seen

	mu       sync.Mutex // guards the members below: hooks end on many goroutines
	outcome  *pipeline.FireOutcome
	looked   []looked
	notes    []string
	dialects string
}

// looked is a hook that a fire considered: whether its matcher matched, and whether it ran.
type looked struct {
	hook   *hook.Hook
	why    hook.SkipReason // empty if it ran
	detail string
}

func (s *sighting) add(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notes = append(s.notes, fmt.Sprintf(format, args...))
}

// FireStart implements [pipeline.Observer].
func (s *fixtureStage) FireStart(ctx context.Context, _ *pipeline.FireInfo) context.Context {
	return ctx
}

// HookEnd implements [pipeline.Observer].
func (s *fixtureStage) HookEnd(_ context.Context, e *pipeline.Evaluation) {
	if e.Late {
		return
	}
	s.sight.mu.Lock()
	defer s.sight.mu.Unlock()
	s.sight.looked = append(s.sight.looked, looked{e.Hook, e.SkipReason, e.SkipDetail})
}

// FireEnd implements [pipeline.Observer].
func (s *fixtureStage) FireEnd(_ context.Context, _ *pipeline.FireInfo, out *pipeline.FireOutcome) {
	s.sight.mu.Lock()
	defer s.sight.mu.Unlock()
	s.sight.outcome = out
}

// fire fires the event of a step, and waits for all of its hooks.
func (s *fixtureStage) fire(ctx context.Context, step *fixture.Step, last bool) (*sighting, error) {
	event, err := systems.EventNamed(step.Event, systems.Events())
	if err != nil {
		return nil, settings.Problem{Position: step.At, Message: err.Error()}
	}
	d, err := systems.Named(event.Info().Dialect)
	if err != nil {
		return nil, settings.Problem{Position: step.At, Message: err.Error()}
	}
	input := s.world.JSON(step.Input)
	s.sight = &sighting{fired: &fire.Fired{}, dialects: d.Name}
	o, err := s.session(ctx, d, wire.Object(input))
	if err != nil {
		return nil, err
	}
	start := time.Now()
	s.sight.fired.JSONResult, err = event.FireJSON(ctx, o.ses, input)
	s.sight.seen.Took = time.Since(start)
	wrong := new(pipeline.InputError)
	if errors.As(err, &wrong) {
		return nil, settings.Problem{Position: step.InAt, Message: wrong.Error()}
	}
	if err = o.mods.For(event).Conclude(s.sight.fired.JSONResult, err); err != nil {
		return nil, fmt.Errorf("%s: %w", step.At, err)
	}
	if err := s.sight.fired.Gather(ctx, o.ses, s.fixtureEnv.Environ); err != nil {
		return nil, fmt.Errorf("%s: %w", step.At, err)
	}
	s.describe(last)
	return s.sight, nil
}

// describe summarises the outcome of a fire. A text for the model's next turn counts as context of the next fire; if
// the fire is the last, the text counts as context of this fire.
func (s *fixtureStage) describe(last bool) {
	at, f := s.sight, s.sight.fired
	at.seen.Blocked, at.seen.Stop, at.seen.Reason = f.Blocked, f.Stop, lo.FromPtr(f.Reason)
	effects, err := wire.Of(f.Effects)
	if err != nil {
		at.add("the effects are not a JSON object: %v", err)
	}
	at.seen.Effects = jsontext.Value(effects)
	at.seen.Decision = "none"
	at.mu.Lock()
	if at.outcome != nil {
		at.seen.Decision = recordedDecision(at.outcome.Decision)
	}
	at.mu.Unlock()
	if f.Blocked {
		at.seen.Decision = "deny"
	}
	var out, err2 []string
	for i := range f.Hooks {
		h := &f.Hooks[i]
		at.seen.Ran = append(at.seen.Ran, fixture.Ran{
			Name: lo.FromPtr(h.Name), ID: h.ID, Command: lo.FromPtr(h.Command),
		})
		out, err2 = append(out, lo.FromPtr(h.Stdout)), append(err2, lo.FromPtr(h.Stderr))
		if h.Background != nil {
			out, err2 = append(out, lo.FromPtr(h.Background.Stdout)), append(err2, lo.FromPtr(h.Background.Stderr))
		}
	}
	at.seen.Stdout, at.seen.Stderr = joined(out), joined(err2)
	contexts := append(s.carried, contextOf(effects)...)
	if s.carried = f.Next; last {
		contexts = append(contexts, f.Next...)
	}
	at.seen.Context = joined(contexts)
}

// recordedDecision returns the word for a decision in records and fixtures.
func recordedDecision(d hook.Decision) string {
	switch {
	case d.Blocks():
		return "deny"
	case d == hook.Approve, d == hook.Allow:
		return "allow"
	case d == hook.Ask:
		return "ask"
	}
	return "none"
}

// joined joins texts, each on lines of its own.
func joined(texts []string) string {
	var b strings.Builder
	for _, text := range texts {
		if text = strings.TrimRight(text, "\r\n"); text == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(text)
	}
	return b.String()
}

// contextOf returns the texts that hooks add for the model.
func contextOf(effects wire.Object) (texts []string) {
	v := effects.Get("additionalContext")
	if text, ok := wire.Text(v); ok {
		return []string{text}
	}
	if v.Kind() != '[' {
		return nil
	}
	d := jsontext.NewDecoder(bytes.NewReader(v), jsontext.AllowInvalidUTF8(true))
	for token, err := d.ReadToken(); err == nil; token, err = d.ReadToken() {
		if token.Kind() == '"' {
			texts = append(texts, token.String())
		}
	}
	return texts
}

var _ xcsh.UI = (*scriptedUI)(nil)
