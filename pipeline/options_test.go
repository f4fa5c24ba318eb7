package pipeline_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/match"
	"github.com/snaphook-go/snaphook/pipeline"
)

func TestAHookInGoIsRegisteredWithOptions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, s := start(t, pipeline.Config{})
		slow := func(ctx context.Context, _ call) (output, error) { <-ctx.Done(); return output{}, ctx.Err() }
		event.On(s, "by name", slow, pipeline.Match("write"), pipeline.Timeout(time.Second), pipeline.FailClosed())
		event.On(s, "by matcher", allow, pipeline.MatchWith(match.Names{"read"}))
		began := time.Now()
		if res := fire(t, event, s, call{Tool: "write"}); labels(res) != "[by name]" || !res.Blocked() || time.Since(began) != time.Second {
			t.Errorf("%s ran, blocked %v after %v", labels(res), res.Blocked(), time.Since(began))
		}
		if res := fire(t, event, s, call{Tool: "read"}); labels(res) != "[by matcher]" || res.Blocked() {
			t.Errorf("%s ran, blocked %v", labels(res), res.Blocked())
		}
		list.On(s, "no subject", func(context.Context, []int) (output, error) { return output{Decision: hook.Deny}, nil }, pipeline.Match("write"))
		if res, err := list.Fire(t.Context(), s, &[]int{1}); err != nil || !res.Blocked() {
			t.Errorf("an event without a subject: %v, blocked %v; want the matcher to be ignored", err, res.Blocked())
		}
	})
}

func TestSettingsDecideAboutWhatUsersProvideAlone(t *testing.T) {
	refuse := func(context.Context, pipeline.Workspace) (pipeline.Loaded, error) {
		return pipeline.Loaded{Admit: func(h *hook.Hook) hook.Exclusion {
			if h.UserProvided {
				return hook.Exclusion{Skip: hook.Policy, SkipDetail: "no"}
			}
			return hook.Exclusion{}
		}}, nil
	}
	_, s := start(t, pipeline.Config{Load: []pipeline.Load{refuse}})
	event.On(s, "own", allow)
	event.On(s, "theirs", allow, pipeline.UserProvided())
	if got := labels(fire(t, event, s, call{Tool: "write"})); got != "[own]" {
		t.Errorf("%s ran", got)
	}
}

func TestWhatCanNeverRunIsNotRegistered(t *testing.T) {
	_, s := start(t, pipeline.Config{})
	for name, test := range map[string]struct {
		hook *hook.Hook
		want string
	}{
		"nil":                    {nil, "nil"},
		"no such event":          {&hook.Hook{Identity: hook.Identity{Dialect: "test", Event: "Cal", Name: "h"}}, `there is no event "test.Cal"`},
		"another dialect":        {&hook.Hook{Identity: hook.Identity{Dialect: "tset", Event: "Call", Name: "h"}}, `there is no event "tset.Call"`},
		"a function of no event": {&hook.Hook{Identity: hook.Identity{Dialect: "test", Event: "Call", Name: "h"}, Func: func() {}}, "its Func is a func(); want a hook.Func"},
		"of another event":       {&hook.Hook{Identity: hook.Identity{Dialect: "test", Event: "List", Name: "h"}, Func: hook.Func[call, edit](allow)}, "its Func is a hook.Func"},
		"a nil function":         {&hook.Hook{Identity: hook.Identity{Dialect: "test", Event: "Call", Name: "h"}, Func: hook.Func[call, edit](nil)}, "its Func is a"},
	} {
		remove, err := pipeline.Register(s, of(event, "good", prints(0, "")), test.hook)
		if err == nil || !strings.Contains(err.Error(), test.want) || event.Active(s) {
			t.Errorf("%s: %v; want %q, and no hook", name, err, test.want)
		}
		remove()
	}
}

// plainRules is an event of a dialect that declares no exits: only exit status 2 refuses.
var plainRules = pipeline.Declare(&pipeline.Dialect{Name: "plain"}, pipeline.Spec[call, edit]{Name: "Call"})

func TestADialectWithoutExitsRefusesWithStatusTwo(t *testing.T) {
	for status, blocked := range map[int]bool{0: false, 1: false, 2: true} {
		h := configured("Call", "h", prints(status, ""))
		h.Dialect = "plain"
		_, s := start(t, pipeline.Config{Load: []pipeline.Load{loads(h)}})
		if res := fire(t, plainRules, s, call{}); res.Blocked() != blocked {
			t.Errorf("status %d: blocked %v, want %v", status, res.Blocked(), blocked)
		}
	}
}

// A hook that closes its system does not wait for the running fires: the hook is part of one of them, and
// waiting would be a deadlock.
func TestASystemThatAHookClosesIsClosedWithoutWaiting(t *testing.T) {
	for _, e := range []*pipeline.Event[call, edit]{event, chain} {
		sys, s := start(t, pipeline.Config{})
		var closing error
		e.On(s, "closes", func(context.Context, call) (output, error) { closing = sys.Close(); return output{}, nil })
		e.On(s, "after", allow)
		res, err := e.Fire(t.Context(), s, &call{Tool: "write"})
		if closing == nil || !errors.Is(err, hook.ErrClosed) && e == chain || err != nil && !res.Blocked() {
			t.Errorf("%s: Close returned %v, the fire %v", e.Info().Name, closing, err)
		}
		if err := sys.Close(); err != nil {
			t.Errorf("outside of hooks: %v", err)
		}
	}
}

func TestFilesOfASessionThatIsDroppedAreRemoved(t *testing.T) {
	for _, how := range []string{"by the system's Close", "when the session is gone"} {
		temp := t.TempDir()
		t.Setenv("TMPDIR", temp)
		sys := pipeline.NewSystem(pipeline.Config{})
		drop := func() {
			s, err := sys.NewSession(t.Context(), pipeline.SessionConfig{Dir: "/"})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.Keep("long.txt", "text"); err != nil {
				t.Fatal(err)
			}
		}
		drop()
		if how == "by the system's Close" {
			sys.Close()
		}
		testkit.Eventually(t, "no file is left, "+how, func() bool {
			runtime.GC()
			left, _ := filepath.Glob(filepath.Join(temp, "*"))
			return len(left) == 0
		})
		sys.Close()
		if _, err := os.Stat(temp); err != nil {
			t.Error(err)
		}
	}
}
