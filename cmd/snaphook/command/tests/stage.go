package tests

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/cmd/snaphook/command/fire"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/fixture"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/project"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/systems"
	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/events/xcsh/discover"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/policy"
	"github.com/snaphook-go/snaphook/settings"
	"github.com/snaphook-go/snaphook/warm"
	"github.com/snaphook-go/snaphook/wire"
)

// fixtureStage fires the events of one fixture: in a session for each dialect that they name, in a copy of
// the project, with answers from the script alone.
type fixtureStage struct {
	tester     *tester
	fixture    *fixture.Fixture
	world      *fixture.World
	paths      copyPaths
	script     *fixture.Script
	fixtureEnv *systems.FixtureEnv
	log        *slog.Logger
	open       map[string]*opened // sessions by dialect
	sight      *sighting          // outcome of the fire in progress
	carried    []string           // texts for the model's next turn
	problems   []string
}

// opened is a session of one dialect.
type opened struct {
	sys  *pipeline.System
	ses  *pipeline.Session
	mods *project.Attached
}

// newStage prepares the stage of a fixture.
func newStage(t *tester, fx *fixture.Fixture, world *fixture.World) *fixtureStage {
	s := &fixtureStage{tester: t, fixture: fx, world: world, script: fx.Script(world.Place), open: map[string]*opened{}}
	s.log, s.paths = t.log, copyPaths{world.Dir, t.project}
	s.fixtureEnv = &systems.FixtureEnv{Environ: s.environ(), Home: world.Home, Transport: s.script}
	s.fixtureEnv.Model, s.fixtureEnv.Agent = scriptedModel{s.script}, scriptedModel{s.script}
	s.fixtureEnv.Tools = scriptedTools{s.script}
	return s
}

// strangers lists the prefixes of variables that an agent or a desktop sets when it runs the tests. Hooks of a test
// must not depend on these variables.
var strangers = []string{
	"CLAUDE", "LLXPRT_", "GEMINI_", "XCSH_", "PI_", "XDG_", "SNAPHOOK_", "TRACEPARENT", "TRACESTATE", "GITHUB_SHA",
}

// environ returns the environment of the hooks: the environment of the process without the variables that strangers
// lists, and with the fixture's own directories and variables.
func (s *fixtureStage) environ() []string {
	env := map[string]string{}
	for _, pair := range os.Environ() {
		name, value, ok := strings.Cut(pair, "=")
		if ok && !slices.ContainsFunc(strangers, func(prefix string) bool { return strings.HasPrefix(name, prefix) }) {
			env[name] = value
		}
	}
	env["HOME"], env["TMPDIR"] = s.world.Home, s.world.Temp
	for name, value := range s.fixture.Env {
		if value == nil {
			delete(env, name)
		} else {
			env[name] = s.world.Text(*value)
		}
	}
	pairs := lo.MapToSlice(env, func(name, value string) string { return name + "=" + value })
	slices.Sort(pairs)
	return pairs
}

// session returns the session of a dialect, and opens it for the first event.
func (s *fixtureStage) session(ctx context.Context, d *systems.Dialect, input wire.Object) (*opened, error) {
	if o := s.open[d.Name]; o != nil {
		return o, nil
	}
	load, err := (&fixtureSettings{s, d, s.tester.parts[d.TrustName()]}).load()
	if err != nil {
		return nil, err
	}
	o := &opened{sys: pipeline.NewSystem(pipeline.Config{
		Load: []pipeline.Load{load}, Log: s.log, Observe: []pipeline.Observer{s}, ObserveIdle: true,
		Policy: policy.Source{Files: fixturePolicies(s.world, s.tester.policies)},
		Warm:   project.ForOneCall{Warm: warm.New(warm.Config{Log: s.log})},
	})}
	o.ses, err = o.sys.NewSession(ctx, s.config(input))
	if err == nil {
		err = project.Unreadable(o.ses.Problems())
	}
	if err == nil {
		o.mods, err = s.attach(ctx, d, o.ses)
	}
	if err != nil {
		_ = o.sys.Close() // never fails
		return nil, s.paths.err(err)
	}
	for _, p := range o.ses.Problems() {
		s.problems = append(s.problems, s.paths.text(p.String()))
	}
	s.open[d.Name] = o
	return o, nil
}

// config returns the configuration of the session: a trusted project, and a user who answers if the
// fixture has answers.
func (s *fixtureStage) config(input wire.Object) pipeline.SessionConfig {
	cfg := pipeline.SessionConfig{
		ID:         lo.CoalesceOrEmpty(input.Text("session_id"), "test"),
		Transcript: input.Text("transcript_path"),
		Dir:        s.world.Dir,
		Finished:   func(end pipeline.Finished) { s.sight.fired.Hear(end) },
		Scratch:    filepath.Join(s.world.Temp, "snaphook-scratch"),
		State:      filepath.Join(s.world.Home, ".local", "state", "snaphook", "sessions"),
	}
	if len(s.fixture.User) > 0 {
		cfg.Interactive, cfg.Ask = true, s.ask
		cfg.MayAsk = func(h *hook.Hook) bool { return h.Type == "command" }
	}
	return cfg
}

// ask returns the fixture's answer to a hook's question; ok is false if the fixture has no answer, or an answer that is
// not an option, as if the user had left.
func (s *fixtureStage) ask(_ context.Context, _ *hook.Hook, q hook.Question) (key string, ok bool) {
	typed, ok := s.script.Answer(q.Message)
	if !ok {
		s.sight.add("no answer in the fixture for the question %q: add an answer to its \"user\"", q.Message)
		return "", false
	}
	if key, ok = project.ChosenOption(q.Options, typed); !ok {
		s.sight.add("the answer %q is not an option of the question %q", typed, q.Message)
	}
	return key, ok
}

// attach loads modules, if the dialect has any. If a module cannot be loaded, the fixture is invalid, because the
// module may be a guard.
func (s *fixtureStage) attach(
	ctx context.Context, d *systems.Dialect, ses *pipeline.Session,
) (*project.Attached, error) {
	if !d.Modules {
		return nil, nil
	}
	host := &project.Host{FixtureEnv: s.fixtureEnv, Execs: true, JS: s.tester.JS}
	if len(s.fixture.User) > 0 {
		host.UI = &scriptedUI{script: s.script}
	}
	a := &project.Attached{}
	a.Modules = xcsh.New(ses, xcsh.Config{
		Extensions: d.IsVariant(), Loaders: []xcsh.ModuleLoader{host.Loader(ses.Dir(), nil)},
		Session: project.SessionView{Ses: ses, Transcript: ses.Transcript()}, Log: s.log,
	})
	a.Initialize(host.Xcsh())
	if named := s.tester.parts[d.TrustName()].Modules; len(named) > 0 {
		wd, err := os.Getwd()
		if err != nil {
			return nil, errors.Join(err, a.Close())
		}
		a.Failed = a.Load(ctx, named, wd)
	} else {
		place := discover.Place{Cwd: ses.Dir(), Home: s.fixtureEnv.Home, User: s.fixtureEnv.User()}
		_, a.Failed = a.DiscoverAndLoad(ctx, xcsh.Discovery{Registry: discover.Standard(), Place: place}, nil)
	}
	if len(a.Failed) == 0 {
		return a, nil
	}
	errs := lo.Map(a.Failed, func(e *xcsh.LoadError, _ int) error { return fmt.Errorf("%w%s", e, project.WhereThrown(e)) })
	return nil, errors.Join(append(errs, a.Close())...)
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

// close ends the sessions, and removes their files.
func (s *fixtureStage) close(ctx context.Context) (err error) {
	for _, o := range s.open {
		if o.mods != nil {
			err = errors.Join(err, o.mods.Close())
		}
		err = errors.Join(err, o.ses.Close(ctx), o.sys.Close())
	}
	return err
}
