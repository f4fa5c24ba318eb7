package pipeline_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
)

var (
	propagates  = declare("Propagates", pipeline.Rules{Propagate: true, Sequential: true})
	unstoppable = declare("Unstoppable", pipeline.Rules{Unstoppable: true, Sequential: true})
	live        = declare("Live", pipeline.Rules{Live: true, Sequential: true})
)

var errBroken = errors.New("broken")

func broken(context.Context, call) (output, error) { return output{}, errBroken }

func TestAnErrorIsThatOfFireWhereItPropagates(t *testing.T) {
	_, s := start(t, pipeline.Config{})
	var told []string
	s.OnFailure(func(f pipeline.Failure) { told = append(told, f.Hook.Name) })
	propagates.On(s, "fine", allow)
	propagates.On(s, "broken", broken)
	propagates.On(s, "behind", allow)
	res, err := propagates.Fire(t.Context(), s, &call{Tool: "t"})
	failed := new(hook.Error)
	if !errors.As(err, &failed) || failed.Hook.Name != "broken" || !errors.Is(err, errBroken) {
		t.Errorf("the error is %v", err)
	}
	if !res.Blocked() || labels(res) != "[fine broken]" || len(told) > 0 {
		t.Errorf("blocked %v, ran %s, told %q; want a block, no hook behind, and no listener told", res.Blocked(), labels(res), told)
	}
}

func TestListenersAreToldOfHooksThatFail(t *testing.T) {
	_, s := start(t, pipeline.Config{})
	var told []string
	listen := func(name string) func(pipeline.Failure) {
		return func(f pipeline.Failure) {
			if !errors.Is(f.Err, errBroken) {
				t.Errorf("the error is %v", f.Err)
			}
			told = append(told, name+" "+f.Event+" "+f.Hook.Name)
			if f.Blocked {
				told = append(told, "blocked")
			}
			panic("a listener can do no harm")
		}
	}
	s.OnFailure(listen("first"))
	remove := s.OnFailure(listen("second"))
	chain.On(s, "broken", broken)
	chain.On(s, "behind", allow)
	guarded.On(s, "guard", broken)
	if res := fire(t, chain, s, call{Tool: "t"}); res.Blocked() || labels(res) != "[broken behind]" {
		t.Errorf("blocked %v, ran %s", res.Blocked(), labels(res))
	}
	remove()
	remove()
	fire(t, guarded, s, call{Tool: "t"})
	want := []string{"first test.Chain broken", "second test.Chain broken", "first test.Guarded guard", "blocked"}
	if !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
}

func TestHooksThatCannotBeStoppedSeeThatTheCallerHasGivenUp(t *testing.T) {
	sys, s := start(t, pipeline.Config{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	guard := func(ctx context.Context, _ call) (output, error) {
		if ctx.Err() == nil {
			t.Error("the hook does not see it")
		}
		return output{}, nil
	}
	unstoppable.On(s, "one", guard)
	unstoppable.On(s, "two", guard)
	if res, err := unstoppable.Fire(ctx, s, &call{Tool: "t"}); err != nil || labels(res) != "[one two]" || !res.OK() {
		t.Errorf("%v, ran %s, OK %v", err, labels(res), res.OK())
	}
	pipeline.Register(s, configured("Unstoppable", "outside", prints(0, "")))
	if res, err := unstoppable.Fire(ctx, s, &call{Tool: "t"}); err != nil || res.OK() {
		t.Errorf("%v: a process that could not run is no failure", err)
	}
	sys.Close()
	if res, _ := unstoppable.Fire(ctx, s, &call{Tool: "t"}); len(res.Errs()) != 3 {
		t.Errorf("with the system closed %d hooks have failed, want all 3", len(res.Errs()))
	}
}

func TestALivePlanGrowsAndShrinks(t *testing.T) {
	_, s := start(t, pipeline.Config{})
	var removeLast func()
	live.On(s, "first", func(context.Context, call) (output, error) {
		pipeline.Register(s, &hook.Hook{Identity: hook.Identity{Dialect: "test", Event: "Live", Name: "before"}, Selection: hook.Selection{Rank: -1}, Func: hook.Func[call, edit](allow)})
		live.On(s, "new", func(context.Context, call) (output, error) { return output{Message: "hi"}, nil })
		return output{}, nil
	})
	live.On(s, "second", func(context.Context, call) (output, error) { removeLast(); return output{}, nil })
	removeLast = live.On(s, "last", allow)
	live.On(s, "stays", allow)
	res := fire(t, live, s, call{Tool: "t"})
	if got := labels(res); got != "[first second stays new]" || res.Message != "hi" {
		t.Errorf("ran %s, message %q", got, res.Message)
	}
	var removeSelf func()
	_, s = start(t, pipeline.Config{})
	removeSelf = live.On(s, "once", func(context.Context, call) (output, error) { removeSelf(); return output{}, nil })
	live.On(s, "behind", allow)
	if got := labels(fire(t, live, s, call{Tool: "t"})); got != "[once behind]" {
		t.Errorf("ran %s", got)
	}
}

// After a hook has removed itself, a live plan still gets the new hooks that come after the position of that hook.
func TestALivePlanGrowsBehindAHookThatHasRemovedItself(t *testing.T) {
	ranked := func(s *pipeline.Session, name string, rank int, f hook.Func[call, edit]) func() {
		remove, err := pipeline.Register(s, &hook.Hook{Identity: hook.Identity{Dialect: "test", Event: "Live", Name: name}, Selection: hook.Selection{Rank: rank}, Func: f})
		if err != nil {
			t.Fatal(err)
		}
		return remove
	}
	_, s := start(t, pipeline.Config{})
	ranked(s, "a1", 1, allow)
	var removeSelf, removeLast func()
	removeSelf = ranked(s, "b1", 2, func(context.Context, call) (o output, err error) {
		removeSelf()
		removeLast()
		ranked(s, "a2, too late", 1, allow)
		ranked(s, "b3", 2, allow)
		ranked(s, "c2", 3, allow)
		return o, nil
	})
	ranked(s, "b2", 2, allow)
	ranked(s, "c1", 3, allow)
	removeLast = ranked(s, "removed", 3, allow)
	if got := labels(fire(t, live, s, call{Tool: "t"})); got != "[a1 b1 b2 b3 c1 c2]" {
		t.Errorf("ran %s", got)
	}
}

func TestHooksRunByRank(t *testing.T) {
	sys, s := start(t, pipeline.Config{})
	for _, h := range []struct {
		name string
		rank int
	}{{"b1", 2}, {"a1", 1}, {"b2", 2}, {"a2", 1}} {
		for _, scope := range []pipeline.Scope{sys, s} {
			pipeline.Register(scope, &hook.Hook{Identity: hook.Identity{Dialect: "test", Event: "Chain", Name: h.name}, Selection: hook.Selection{Rank: h.rank}, Func: hook.Func[call, edit](allow)})
		}
	}
	if got := labels(fire(t, chain, s, call{Tool: "t"})); got != "[a1 a2 b1 b2 a1 a2 b1 b2]" {
		t.Errorf("ran %s", got)
	}
}
