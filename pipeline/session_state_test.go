package pipeline_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
)

type keyA struct{}

type keyB struct{ n int }

func TestAValueIsMadeOnceForASessionAndAKey(t *testing.T) {
	sys, s := start(t, pipeline.Config{})
	other := session(t, sys, "s2")
	var made atomic.Int64
	count := func() any { return made.Add(1) }
	var all sync.WaitGroup
	values := make([]any, 8)
	for i := range values {
		all.Go(func() { values[i] = s.Value(keyA{}, count) })
	}
	all.Wait()
	for _, v := range values {
		if v != int64(1) {
			t.Errorf("values %v, want the first one everywhere", values)
		}
	}
	for key, want := range map[any]any{keyA{}: int64(1), keyB{1}: "b1", keyB{2}: "b2"} {
		if got := s.Value(key, func() any { return want }); got != want {
			t.Errorf("the value of %#v is %v, want %v", key, got, want)
		}
	}
	if got := other.Value(keyA{}, count); got != int64(2) {
		t.Errorf("another session has the value %v, want one of its own", got)
	}
	if got := s.Value(keyB{3}, func() any { return nil }); got != nil || s.Value(keyB{3}, count) != nil {
		t.Errorf("the value %v, want nil to be a value too", got)
	}
}

// single returns a hook of the event that runs once in a session.
func single(command string, r runner) *hook.Hook {
	h := configured("Call", command, r)
	h.Once = true
	return h
}

func TestAHookThatRunsOnceDoesSoInEverySession(t *testing.T) {
	sys, s := start(t, pipeline.Config{Load: []pipeline.Load{loads(single("once", prints(0, "{}")), configured("Call", "often", prints(0, "{}")))}})
	other := session(t, sys, "s2")
	ran := func(s *pipeline.Session, want string) {
		t.Helper()
		if got := labels(fire(t, event, s, call{Tool: "write"})); got != want {
			t.Errorf("session %s runs %s, want %s", s.ID(), got, want)
		}
	}
	plan, err := event.PlanJSON(s, []byte(`{"tool":"write"}`))
	if err != nil || len(plan.Run) != 2 {
		t.Errorf("%d hooks are planned, %v; want 2, and that planning spends none", len(plan.Run), err)
	}
	ran(s, "[once often]")
	ran(s, "[often]")
	ran(other, "[once often]")
	ran(other, "[often]")
	if err := sys.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	ran(s, "[often]")
	if plan, _ := event.PlanJSON(s, []byte(`{"tool":"write"}`)); len(plan.Skipped) != 1 || plan.Skipped[0].Reason != hook.Disabled {
		t.Errorf("skipped %+v, want the hook that has run", plan.Skipped)
	}
}

// After a Reload another hook may have the same position in the file, and thus the same ID: it has its own run.
func TestAnotherHookInItsPlaceHasARunOfItsOwn(t *testing.T) {
	var command atomic.Pointer[string]
	old, changed := "old", "changed"
	command.Store(&old)
	sys, s := start(t, pipeline.Config{Load: []pipeline.Load{func(context.Context, pipeline.Workspace) (pipeline.Loaded, error) {
		h := single(*command.Load(), prints(0, "{}"))
		h.ID = "project/Call/0/0"
		return pipeline.Loaded{Hooks: []*hook.Hook{h}}, nil
	}}})
	for _, want := range []string{"[old]", "[]"} {
		if got := labels(fire(t, event, s, call{Tool: "write"})); got != want {
			t.Errorf("%s ran, want %s", got, want)
		}
	}
	command.Store(&changed)
	if err := sys.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"[changed]", "[]"} {
		if got := labels(fire(t, event, s, call{Tool: "write"})); got != want {
			t.Errorf("after the reload %s ran, want %s", got, want)
		}
	}
}

func TestFiresAtTheSameTimeShareTheOneRun(t *testing.T) {
	for range 20 {
		var ran [3]atomic.Int64
		counts := func(n *atomic.Int64) runner {
			return func(context.Context, hook.Call) (hook.Reply, error) { n.Add(1); return hook.Reply{}, nil }
		}
		_, s := start(t, pipeline.Config{Load: []pipeline.Load{loads(single("a", counts(&ran[0])), single("b", counts(&ran[1])), configured("Call", "c", counts(&ran[2])))}})
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() { fire(t, event, s, call{Tool: "write"}) })
		}
		all.Wait()
		if got := [...]int64{ran[0].Load(), ran[1].Load(), ran[2].Load()}; got != [...]int64{1, 1, 8} {
			t.Fatalf("the hooks ran %v times, want [1 1 8]", got)
		}
	}
}

// A run-once hook that was planned but not started can still run later.
func TestAHookThatDidNotComeToItsTurnRunsLater(t *testing.T) {
	tests := map[string]struct {
		fire func(t *testing.T, s *pipeline.Session)
	}{
		"since the caller had given up": {func(t *testing.T, s *pipeline.Session) {
			if _, err := chain.Fire(ended(), s, &call{Tool: "read"}); !errors.Is(err, context.Canceled) {
				t.Errorf("err %v", err)
			}
		}},
		"since the one before blocked": {func(t *testing.T, s *pipeline.Session) {
			if res := fire(t, chain, s, call{Tool: "write"}); !res.Blocked() {
				t.Error("nothing blocked")
			}
		}},
		"since nothing read on": {func(t *testing.T, s *pipeline.Session) {
			for range chain.Stream(t.Context(), s, &call{Tool: "read"}) {
				break
			}
		}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			guard := configured("Chain", "guard", func(_ context.Context, c hook.Call) (hook.Reply, error) {
				if strings.Contains(string(c.Payload), `"tool":"write"`) {
					return hook.Reply{Exit: 2}, nil
				}
				return hook.Reply{}, nil
			})
			later := configured("Chain", "later", prints(0, "{}"))
			later.Once = true
			_, s := start(t, pipeline.Config{Load: []pipeline.Load{loads(guard, later)}})
			test.fire(t, s)
			for _, want := range []string{"[guard later]", "[guard]"} {
				if got := labels(fire(t, chain, s, call{Tool: "read"})); got != want {
					t.Errorf("%s ran, want %s", got, want)
				}
			}
		})
	}
}

func TestConditionsGoByTheDetailOfTheEvent(t *testing.T) {
	conditional := func(e *pipeline.Event[call, edit], where string) *hook.Hook {
		h := of(e, where, prints(0, "{}"))
		h.Condition = inDir(where)
		return h
	}
	_, s := start(t, pipeline.Config{Load: []pipeline.Load{loads(
		conditional(moving, "/tmp"), conditional(moving, "/elsewhere"), conditional(event, "/tmp"), conditional(event, ""),
	)}})
	for tool, want := range map[string]string{"write": "[/tmp]", "cd": "[/elsewhere]"} {
		if got := labels(fire(t, moving, s, call{Tool: tool})); got != want {
			t.Errorf("for %s %s ran, want %s", tool, got, want)
		}
	}
	if res := fire(t, event, s, call{Tool: "write"}); len(res.Reports) > 0 {
		t.Errorf("%s ran, although the event has no detail", labels(res))
	}
}

// inDir is a condition that is true in one directory.
type inDir string

func (c inDir) Holds(d hook.ConditionInput) bool { return d.Dir == string(c) }
