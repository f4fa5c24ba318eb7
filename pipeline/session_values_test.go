package pipeline_test

import (
	"context"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/state"
)

// stateUser calls a function with the directory in SNAPHOOK_STATE. Hooks outside the process find their state there.
type stateUser func(context.Context, state.Dir) error

func (u stateUser) Run(ctx context.Context, c hook.Call) (hook.Reply, error) {
	dir := ""
	for _, v := range c.Env {
		if value, is := strings.CutPrefix(v, "SNAPHOOK_STATE="); is {
			dir = value
		}
	}
	return hook.Reply{}, u(ctx, state.Dir(dir))
}

func TestTheHooksOfASourceCountOnTheirOwn(t *testing.T) {
	home := t.TempDir()
	sys, _ := start(t, pipeline.Config{})
	s, err := sys.NewSession(t.Context(), pipeline.SessionConfig{State: home, Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	resets := stateUser(func(ctx context.Context, d state.Dir) error { return d.Set(ctx, "n", "-5") })
	counts := stateUser(func(ctx context.Context, d state.Dir) error {
		_, err := d.Incr(ctx, "n", 1)
		return err
	})
	e := declare("TheHooksOfASourceCountOnTheirOwn", pipeline.Rules{Sequential: true})
	for i, h := range []struct {
		source hook.Source
		runner hook.Runner
	}{{hook.User, counts}, {hook.Managed, counts}, {hook.User, counts}, {hook.Project, resets}, {hook.Host, counts}, {hook.Plugin, counts}, {hook.Extension, resets}} {
		if _, err := pipeline.Register(s, &hook.Hook{
			Identity: hook.Identity{ID: strconv.Itoa(i), Dialect: dialect.Name, Event: e.Info().Name, Source: h.source},
			Runner:   h.runner,
		}); err != nil {
			t.Fatal(err)
		}
	}
	e.On(s, "in Go", func(ctx context.Context, _ call) (out hook.Output[edit], err error) {
		_, err = hook.StateFrom(ctx).Incr(ctx, "n", 1)
		return out, err
	})
	e.On(s, "of a user, in Go", func(ctx context.Context, _ call) (out hook.Output[edit], err error) {
		_, err = hook.StateFrom(ctx).Incr(ctx, "n", 1)
		return out, err
	}, pipeline.UserProvided())
	for range 2 {
		if res, err := e.Fire(t.Context(), s, &call{Tool: "x"}); err != nil || !res.OK() {
			t.Fatalf("%+v, %v", res, err)
		}
	}
	for source, want := range map[hook.Source]string{
		hook.Host: "6", hook.User: "4", hook.Managed: "2", hook.Project: "-5", hook.Plugin: "2", hook.Extension: "-5", hook.Flag: "",
	} {
		if got, _, err := s.SourceState(source).Get(t.Context(), "n"); got != want || err != nil {
			t.Errorf("the hooks of %s have counted %q, %v; want %q", source, got, err, want)
		}
	}
	if got, _, err := s.State().Get(t.Context(), "n"); got != "6" || err != nil {
		t.Errorf("the program has %q, %v; want 6", got, err)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(home); err != nil || len(left) > 1 { // state.Sweep leaves one file, its marker
		t.Errorf("the session has left %v, %v", left, err)
	}
}

// A program that is a hook of another agent has the state variable of that agent's engine. The program's own hooks must
// not get this variable.
func TestNoHookInheritsTheStateOfAnotherEngine(t *testing.T) {
	t.Setenv("SNAPHOOK_STATE", t.TempDir())
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	_, s := start(t, pipeline.Config{})
	e, got := declare("NoHookInheritsTheStateOfAnotherEngine", pipeline.Rules{}), state.Dir("")
	if _, err := pipeline.Register(s, &hook.Hook{
		Identity: hook.Identity{Dialect: dialect.Name, Event: e.Info().Name, Source: hook.Project},
		Runner:   stateUser(func(_ context.Context, d state.Dir) error { got = d; return nil }),
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Fire(t.Context(), s, &call{Tool: "x"}); err != nil || got != s.SourceState(hook.Project) {
		t.Errorf("the hook is told of %q, %v; want %q", got, err, s.SourceState(hook.Project))
	}
}

func TestTheVariableOfTheStateIsMadeOnce(t *testing.T) {
	_, s := start(t, pipeline.Config{})
	_ = s.SourceState(hook.User)
	if n := testing.AllocsPerRun(100, func() { _ = s.SourceState(hook.User) == nil }); n > 1 { // the conversion to an interface allocates
		t.Errorf("%v allocations, want 1", n)
	}
}
