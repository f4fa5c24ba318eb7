package pipeline_test

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/state"
	"github.com/snaphook-go/snaphook/wire"
)

type calls chan hook.Call

func (c calls) Run(_ context.Context, call hook.Call) (hook.Reply, error) {
	c <- call
	return hook.Reply{}, nil
}

// The agent may work on another machine: payloads contain the agent's directory, and hooks run here.
func TestTheAgentMayWorkOnAnotherMachine(t *testing.T) {
	here := t.TempDir()
	sys, _ := start(t, pipeline.Config{})
	s, err := sys.NewSession(t.Context(), pipeline.SessionConfig{Dir: here, AgentDir: "/of/another/machine"})
	if err != nil {
		t.Fatal(err)
	}
	e, seen := declare("TheAgentMayWorkOnAnotherMachine", pipeline.Rules{}), make(calls, 1)
	if _, err := pipeline.Register(s, &hook.Hook{
		Identity: hook.Identity{ID: "1", Dialect: dialect.Name, Event: e.Info().Name}, Runner: seen,
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Fire(t.Context(), s, &call{Tool: "x"}); err != nil {
		t.Fatal(err)
	}
	got := <-seen
	if cwd := wire.Object(got.Payload).Text("cwd"); cwd != "/of/another/machine" || got.Dir != here {
		t.Errorf("the payload says %q, and the hook runs in %q; want the agent's directory, and %q", cwd, got.Dir, here)
	}
	if s.AgentDir() != "/of/another/machine" || s.Dir() != here {
		t.Errorf("the session has %q and %q", s.AgentDir(), s.Dir())
	}
}

// named is a State that processes can reach under a name.
type named struct{ hook.State }

func (named) Name() string { return "elsewhere:1" }

func TestAProgramMayKeepTheStateElsewhere(t *testing.T) {
	for name, test := range map[string]struct {
		state hook.State
		want  string
	}{
		"with a name":    {named{state.Dir(filepath.Join(t.TempDir(), "a"))}, "SNAPHOOK_STATE=elsewhere:1"},
		"without a name": {nameless{state.Dir(filepath.Join(t.TempDir(), "b"))}, "SNAPHOOK_STATE="},
	} {
		t.Run(name, func(t *testing.T) {
			sys, _ := start(t, pipeline.Config{})
			s, err := sys.NewSession(t.Context(), pipeline.SessionConfig{
				ID: "s", Dir: t.TempDir(), States: func(hook.Source) hook.State { return test.state },
			})
			if err != nil {
				t.Fatal(err)
			}
			e, seen := declare("AProgramMayKeepTheStateElsewhere "+name, pipeline.Rules{}), make(calls, 1)
			if _, err := pipeline.Register(s, &hook.Hook{
				Identity: hook.Identity{ID: "1", Dialect: dialect.Name, Event: e.Info().Name}, Runner: seen,
			}); err != nil {
				t.Fatal(err)
			}
			if err := s.State().Set(t.Context(), "k", "v"); err != nil {
				t.Fatal(err)
			}
			if got, _, err := test.state.Get(t.Context(), "k"); got != "v" || err != nil {
				t.Errorf("the program's state has %q, %v; want what the session has set", got, err)
			}
			if _, err := e.Fire(t.Context(), s, &call{Tool: "x"}); err != nil {
				t.Fatal(err)
			}
			if got := (<-seen).Env; !slices.Contains(got, test.want) {
				t.Errorf("the variables are %q, want %s among them", got, test.want)
			}
		})
	}
}

type nameless struct{ hook.State }
