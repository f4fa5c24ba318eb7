package pipeline_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
)

func TestHooksThatAreReadyCanBeRegistered(t *testing.T) {
	sys, s := start(t, pipeline.Config{Load: []pipeline.Load{loads(of(event, "settings", prints(0, "")))}})
	other := session(t, sys, "s2")
	ready := []*hook.Hook{of(event, "one", prints(0, "")), of(event, "two", prints(0, "")), of(chain, "three", prints(0, ""))}
	want := func(s *pipeline.Session, labelled string) {
		t.Helper()
		if got := labels(fire(t, event, s, call{Tool: "write"})); got != labelled {
			t.Errorf("session %s runs %s, want %s", s.ID(), got, labelled)
		}
	}
	remove, err := pipeline.Register(s, ready...)
	if err != nil {
		t.Fatal(err)
	}
	want(s, "[one two settings]")
	want(other, "[settings]")
	if !chain.Active(s) || chain.Active(other) {
		t.Error("the other event is active in the other session, or not in this one")
	}
	again, _ := pipeline.Register(s, ready...) // two agents with the same front matter register the same hooks twice
	want(s, "[one two one two settings]")
	again()
	again()
	want(s, "[one two settings]")
	everywhere, _ := pipeline.Register(sys, ready[0])
	ready[1] = nil // a change of the caller's list has no effect
	want(other, "[one settings]")
	remove()
	want(s, "[one settings]")
	everywhere()
	want(s, "[settings]")
	want(other, "[settings]")
}

// admits returns a loader of hooks that excludes each hook whose command contains the word.
func admits(word string, why hook.SkipReason, hooks ...*hook.Hook) pipeline.Load {
	return func(context.Context, pipeline.Workspace) (pipeline.Loaded, error) {
		return pipeline.Loaded{Hooks: hooks, Admit: func(h *hook.Hook) hook.Exclusion {
			if strings.Contains(h.Label(), word) {
				return hook.Exclusion{Skip: why, SkipDetail: "because of " + word}
			}
			return hook.Exclusion{}
		}}, nil
	}
}

func TestEveryLoaderAdmitsEveryHook(t *testing.T) {
	sys, s := start(t, pipeline.Config{Load: []pipeline.Load{
		admits("bad", hook.Policy, of(event, "bad one", prints(0, "")), of(event, "good", prints(0, ""))),
		loads(of(event, "worse", prints(0, ""))),
		admits("worse", hook.Disabled, of(toolDone, "bad too", prints(0, ""))),
	}})
	event.On(s, "bad own", allow)
	event.On(sys, "worse host", allow)
	event.On(s, "good own", allow)
	pipeline.Register(s, of(event, "bad and worse", prints(0, "")))
	if got := labels(fire(t, event, s, call{Tool: "write"})); got != "[good own good]" {
		t.Errorf("%s ran, want what all admit", got)
	}
	if toolDone.Active(s) {
		t.Error("the hook of another dialect runs")
	}
	why := map[string]string{}
	for _, h := range s.Hooks() {
		if h.Skip != "" {
			why[h.Label()] = string(h.Skip) + " " + h.SkipDetail
		}
	}
	for label, want := range map[string]string{
		"bad own": "policy because of bad", "worse host": "disabled because of worse", "bad and worse": "policy because of bad",
		"bad one": "policy because of bad", "worse": "disabled because of worse", "bad too": "policy because of bad",
	} {
		if why[label] != want {
			t.Errorf("%s does not run: %q, want %q", label, why[label], want)
		}
	}
	sys.SetEnabled("good", false)
	if got := labels(fire(t, event, s, call{Tool: "write"})); got != "[good own]" {
		t.Errorf("%s ran, want what is switched on", got)
	}
}

func TestSettingsAreForTheFunctionsOfTheDialect(t *testing.T) {
	var n atomic.Int64
	values := func(key any) pipeline.Load {
		return func(context.Context, pipeline.Workspace) (pipeline.Loaded, error) {
			return pipeline.Loaded{Values: map[any]any{key: n.Add(1)}}, nil
		}
	}
	sys, s := start(t, pipeline.Config{Load: []pipeline.Load{values(keyA{}), loads(), values(keyB{1})}})
	if a, b, none := s.Setting(keyA{}), s.Setting(keyB{1}), s.Setting(keyB{2}); a != int64(1) || b != int64(2) || none != nil {
		t.Errorf("settings %v, %v and %v; want 1, 2 and none", a, b, none)
	}
	if err := sys.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	if a := s.Setting(keyA{}); a != int64(3) {
		t.Errorf("after the reload %v, want 3", a)
	}
	_, bare := start(t, pipeline.Config{})
	if got := bare.Setting(keyA{}); got != nil {
		t.Errorf("a system without settings has %v", got)
	}
}

func TestSettingsAreReadForEveryKindOfPlace(t *testing.T) {
	var places []pipeline.Workspace
	sys, s := start(t, pipeline.Config{Load: []pipeline.Load{func(_ context.Context, at pipeline.Workspace) (pipeline.Loaded, error) {
		places = append(places, at)
		return pipeline.Loaded{}, nil
	}}})
	seen := map[pipeline.Workspace]bool{{Dir: "/tmp"}: true}
	for _, trusted := range []bool{true, false} {
		for _, interactive := range []bool{true, false} {
			for range 2 {
				at := visit(t, sys, pipeline.SessionConfig{Untrusted: !trusted, Interactive: interactive})
				if at.Interactive() != interactive {
					t.Errorf("interactive %v, want %v", at.Interactive(), interactive)
				}
			}
			seen[pipeline.Workspace{Dir: "/tmp", Untrusted: !trusted, Interactive: interactive}] = true
		}
	}
	if len(places) != 4 || len(seen) != 4 || s.Interactive() {
		t.Errorf("read %+v, want each of four places once", places)
	}
	for _, at := range places {
		if !seen[at] {
			t.Errorf("read %+v", at)
		}
	}
}
