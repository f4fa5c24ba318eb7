package claudecases_test

import (
	"context"
	"errors"
	"os"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/samber/lo"

	claudecases "github.com/snaphook-go/snaphook/conformance/judge/claudecases"
	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/run/judge"
	"github.com/snaphook-go/snaphook/settings"
)

// TestClaude runs the cases with the Go API.
func TestClaude(t *testing.T) {
	claudecases.Run(t, claudecases.Cases(t), func(t testing.TB, p *claudecases.Prepared) (claudecases.Engine, string) {
		return open(t, p), ""
	})
}

// engine runs cases with the Go API.
type engine struct {
	sys    *pipeline.System
	ses    *pipeline.Session
	events map[string]pipeline.Declared

	mu    sync.Mutex
	waked []string
}

func open(t testing.TB, p *claudecases.Prepared) *engine {
	e := &engine{events: lo.SliceToMap(pipeline.Events(claude.Dialect), func(d pipeline.Declared) (string, pipeline.Declared) {
		return d.Info().Name, d
	})}
	e.sys = pipeline.NewSystem(pipeline.Config{Load: []pipeline.Load{configured(p).Load}})
	cfg := pipeline.SessionConfig{
		ID: claudecases.SessionID, Dir: p.Dir, Transcript: p.Transcript,
		Interactive: p.Host.Interactive, Untrusted: !p.Host.Trusted, Finished: e.finished,
	}
	if p.User != nil {
		cfg.MayAsk = func(*hook.Hook) bool { return true }
		cfg.Ask = func(_ context.Context, _ *hook.Hook, q hook.Question) (string, bool) {
			return p.User.Select(q.Message, lo.Map(q.Options, func(o hook.Option, _ int) string { return o.Key }))
		}
	}
	var err error
	if e.ses, err = e.sys.NewSession(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	return e
}

// configured returns the case's settings.
func configured(p *claudecases.Prepared) claude.Settings {
	sources := map[string]hook.Source{"managed": hook.Managed, "flag": hook.Flag, "local": hook.Local, "project": hook.Project, "user": hook.User}
	return claude.Settings{
		Layers: lo.Map(p.LayerFiles, func(l claudecases.LayerFile, _ int) settings.Layer {
			return settings.Layer{Name: l.Name, Source: sources[l.Name], File: l.File, Strict: true}
		}),
		Plugins: lo.Map(p.Plugins, func(q claudecases.Plugin, _ int) claude.Plugin {
			return claude.Plugin{Name: q.Name, Marketplace: q.Marketplace, Root: q.Root, Data: q.Hooks, Options: q.Options}
		}),
		Environ: p.Environ(),
		Level:   lo.Ternary(p.Level == "", claude.Base, claude.Docs),
		Model:   scripted{p.Model},
		Agent:   scripted{p.Model},
	}
}

// scripted returns the case's answers in place of the models.
type scripted struct{ *claudecases.LLM }

func (s scripted) Generate(ctx context.Context, r judge.ModelRequest) (string, error) {
	return s.LLM.Generate(ctx, "prompt", r.Model, r.Prompt)
}

func (s scripted) RunAgent(ctx context.Context, r judge.AgentRequest) (string, error) {
	return s.LLM.Generate(ctx, "agent", r.Model, r.Prompt)
}

func (e *engine) finished(f pipeline.Finished) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if f.Wakes {
		e.waked = append(e.waked, f.Wake)
	}
}

func (e *engine) Fire(ctx context.Context, event string, in jsontext.Value) (claudecases.Observation, error) {
	fired, err := e.events[event].FireJSON(ctx, e.ses, in)
	if err != nil {
		return claudecases.Observation{}, err
	}
	text, err := json.Marshal(fired)
	if err != nil {
		return claudecases.Observation{}, err
	}
	o, err := claudecases.ObserveCLI(text)
	o.EnvFiles = []string{}
	for _, file := range e.ses.EnvFiles() {
		text, failed := os.ReadFile(file)
		err = errors.Join(err, failed)
		o.EnvFiles = append(o.EnvFiles, string(text))
	}
	return o, err
}

func (e *engine) Refresh(ctx context.Context) error { return e.sys.Reload(ctx) }

func (e *engine) Settle(ctx context.Context) (b claudecases.Background, err error) {
	err = e.ses.Wait(ctx)
	e.mu.Lock()
	defer e.mu.Unlock()
	return claudecases.Background{
		NextTurnContext: append([]string{}, e.ses.NextTurn()...), Rewake: append([]string{}, e.waked...), UserSees: []string{},
	}, err
}

func (e *engine) Close() error {
	return errors.Join(e.ses.Close(context.Background()), e.sys.Close())
}
