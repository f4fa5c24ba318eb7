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

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/fixture"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/project"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/systems"
	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/events/xcsh/discover"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/policy"
	"github.com/snaphook-go/snaphook/warm"
	"github.com/snaphook-go/snaphook/wire"
)

// fixtureStage fires the events of one fixture: in a session for each dialect that they name, in a copy of
// the project, with answers from the script alone.
type fixtureStage struct {
	tester     *tester
	fixture    *fixture.Fixture
	world      *fixture.World
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

func (t *tester) stage(fx *fixture.Fixture, world *fixture.World) *fixtureStage {
	s := &fixtureStage{tester: t, fixture: fx, world: world, script: fx.Script(world.Place), open: map[string]*opened{}}
	s.log = t.log
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
	load, err := s.load(d)
	if err != nil {
		return nil, err
	}
	o := &opened{sys: pipeline.NewSystem(pipeline.Config{
		Load: []pipeline.Load{load}, Log: s.log, Observe: []pipeline.Observer{s}, ObserveIdle: true,
		Policy: policy.Source{Files: s.policies()}, Warm: project.ForOneCall{Warm: warm.New(warm.Config{Log: s.log})},
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
		return nil, s.original(err)
	}
	for _, p := range o.ses.Problems() {
		s.problems = append(s.problems, s.originalText(p.String()))
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

// originalFile returns the project's path for a file of the copy.
func (s *fixtureStage) originalFile(file string) string {
	if below, err := filepath.Rel(s.world.Dir, file); err == nil && filepath.IsLocal(below) {
		return cli.ShortPath(filepath.Join(s.tester.project, below))
	}
	return cli.ShortPath(file)
}

func (s *fixtureStage) originalText(text string) string {
	below := string(filepath.Separator)
	if at := cli.ShortPath(s.tester.project); at != "." {
		return strings.ReplaceAll(text, s.world.Dir+below, at+below)
	}
	return strings.ReplaceAll(text, s.world.Dir+below, "")
}

func (s *fixtureStage) original(err error) error {
	if text := err.Error(); strings.Contains(text, s.world.Dir) {
		return errors.New(s.originalText(text))
	}
	return err
}
