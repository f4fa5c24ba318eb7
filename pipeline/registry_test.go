package pipeline_test

import (
	"context"
	"errors"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/policy"
	"github.com/snaphook-go/snaphook/settings"
)

func TestReloadSwapsHooksForFiresToCome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		nap := func(context.Context, hook.Call) (hook.Reply, error) {
			time.Sleep(time.Second)
			return hook.Reply{}, nil
		}
		var hooks atomic.Pointer[[]*hook.Hook]
		var problem atomic.Pointer[settings.Problem]
		hooks.Store(&[]*hook.Hook{configured("Chain", "old 1", nap), configured("Chain", "old 2", nap)})
		sys, s := start(t, pipeline.Config{Load: []pipeline.Load{func(context.Context, pipeline.Workspace) (l pipeline.Loaded, err error) {
			l.Hooks = *hooks.Load()
			if p := problem.Load(); p != nil {
				l.Hooks, l.Problems = nil, []settings.Problem{*p}
			}
			return l, nil
		}}})
		chain.On(s, "own", allow)

		done := make(chan *hook.Result[edit], 1)
		go func() { done <- fire(t, chain, s, call{Tool: "write"}) }()
		synctest.Wait()
		hooks.Store(&[]*hook.Hook{configured("Chain", "new", nap)})
		if err := sys.Reload(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := labels(fire(t, chain, s, call{Tool: "write"})); got != "[own new]" {
			t.Errorf("after the reload %s ran", got)
		}
		if got := labels(<-done); got != "[own old 1 old 2]" {
			t.Errorf("the fire that had begun ran %s", got)
		}

		problem.Store(&settings.Problem{Position: hook.Position{File: "settings.json", Line: 3, Column: 1}, Message: "not JSON", Fatal: true})
		if err := sys.Reload(t.Context()); err == nil || !strings.Contains(err.Error(), "settings.json:3:1: not JSON") {
			t.Errorf("broken settings: %v", err)
		}
		if got := labels(fire(t, chain, s, call{Tool: "write"})); got != "[own new]" || len(s.Problems()) != 0 {
			t.Errorf("after a broken reload %s ran, problems %v", got, s.Problems())
		}
		if _, err := sys.NewSession(t.Context(), pipeline.SessionConfig{Dir: "/usr"}); err == nil {
			t.Error("a session of broken settings was made")
		}
	})
}

func TestSettingsOfADirectoryAreReadOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var reads atomic.Int64
		sys := pipeline.NewSystem(pipeline.Config{Log: quiet, Load: []pipeline.Load{func(_ context.Context, at pipeline.Workspace) (pipeline.Loaded, error) {
			reads.Add(1)
			time.Sleep(time.Second)
			return pipeline.Loaded{Files: []string{at.Dir + "/settings.json"}}, nil
		}}})
		defer sys.Close()
		sessions := make([]*pipeline.Session, 100)
		var all sync.WaitGroup
		for i := range sessions {
			all.Go(func() {
				s, err := sys.NewSession(t.Context(), pipeline.SessionConfig{Dir: []string{"/usr", "/tmp"}[i%2], Untrusted: i%4 > 1})
				if err != nil {
					t.Error(err)
				}
				sessions[i] = s
			})
		}
		all.Wait()
		if reads.Load() != 4 {
			t.Errorf("%d reads of two directories, each trusted and not; want 4", reads.Load())
		}
		if got := strings.Join(sessions[1].Files(), " "); got != "/tmp/settings.json" || sessions[1].Dir() != "/tmp" {
			t.Errorf("files %s of %s", got, sessions[1].Dir())
		}
	})
}

func TestASessionThatGivesUpTakesNoOtherWithIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var reads atomic.Int64
		sys := pipeline.NewSystem(pipeline.Config{Log: quiet, Load: []pipeline.Load{func(ctx context.Context, _ pipeline.Workspace) (pipeline.Loaded, error) {
			reads.Add(1)
			select {
			case <-ctx.Done():
				return pipeline.Loaded{}, ctx.Err()
			case <-time.After(time.Second):
				return pipeline.Loaded{}, nil
			}
		}}})
		defer sys.Close()
		hasty, cancel := context.WithTimeout(t.Context(), time.Second/2)
		defer cancel()
		first := make(chan error, 1)
		go func() {
			_, err := sys.NewSession(hasty, pipeline.SessionConfig{Dir: "/usr"})
			first <- err
		}()
		synctest.Wait()
		if _, err := sys.NewSession(t.Context(), pipeline.SessionConfig{Dir: "/usr"}); err != nil {
			t.Errorf("the patient session: %v", err)
		}
		if err := <-first; !errors.Is(err, context.DeadlineExceeded) || reads.Load() != 2 {
			t.Errorf("the hasty session: %v; %d reads, want 2", err, reads.Load())
		}
	})
}

// eventually runs the garbage collector until ok is true, or fails after a while.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !ok(); runtime.GC() {
		if time.Now().After(deadline) {
			t.Fatalf("%s is still there", what)
		}
	}
}

func TestSettingsGoWithTheLastSession(t *testing.T) {
	var reads atomic.Int64
	sys := pipeline.NewSystem(pipeline.Config{Log: quiet, Load: []pipeline.Load{func(context.Context, pipeline.Workspace) (pipeline.Loaded, error) {
		reads.Add(1)
		return pipeline.Loaded{}, nil
	}}})
	defer sys.Close()
	session(t, sys, "s1")
	eventually(t, "the settings of a session that is gone", func() bool { session(t, sys, "again"); return reads.Load() > 1 })
}

// runsWith is a hook that refers to its session.
type runsWith struct {
	hook.Runner
	*pipeline.Session
}

func TestSessionsNeedNoClosing(t *testing.T) {
	for name, cfg := range map[string]pipeline.Config{
		"without a policy": {},
		"under a policy":   {Policy: policy.Source{Overlays: []policy.Overlay{{Limits: breakerOfThree}}}},
		"with Wrap":        {Wrap: func(_ *hook.Hook, r hook.Runner) hook.Runner { return r }},
	} {
		t.Run(name, func(t *testing.T) {
			sys, s := start(t, cfg)
			var gone atomic.Bool
			func() {
				other := session(t, sys, "s2")
				event.On(other, "own", func(ctx context.Context, in call) (output, error) {
					runtime.KeepAlive(other) // a hook may use its session
					return allow(ctx, in)
				})
				event.On(other, "own", allow)()
				if cfg.Wrap != nil { // a program's Wrap gets hooks with a Runner
					h := configured("Call", "own too", prints(0, ""))
					h.Runner = runsWith{h.Runner, other}
					if _, err := pipeline.Register(other, h); err != nil {
						t.Error(err)
					}
				}
				runtime.AddCleanup(other, func(gone *atomic.Bool) { gone.Store(true) }, &gone)
			}()
			eventually(t, "a session with a hook of its own", gone.Load)
			event.On(sys, "host", deny) // hooks of a session that has been collected do no harm
			if res := fire(t, event, s, call{Tool: "write"}); !res.Blocked() {
				t.Errorf("decision %q", res.Decision)
			}
		})
	}
}

// All operations that change hooks may run at the same time as fires.
func TestNothingGetsInTheWayOfAnythingElse(t *testing.T) {
	sys, s := start(t, pipeline.Config{Workers: 4, Observe: []pipeline.Observer{pipeline.HookEnds(func(context.Context, *pipeline.Evaluation) {})}, Load: []pipeline.Load{loads(configured("Call", "a", prints(0, `{"reason":"a"}`)), configured("Call", "b", prints(2, "b")))}})
	other := session(t, sys, "s2")
	ctx := context.Background()
	var all sync.WaitGroup
	repeat := func(f func(i int)) {
		all.Go(func() {
			for i := range 300 {
				f(i)
			}
		})
	}
	for _, s := range []*pipeline.Session{s, other} {
		repeat(func(i int) {
			if res, err := event.Fire(ctx, s, &call{Tool: "tool " + strconv.Itoa(i)}); err != nil || !res.Answered {
				t.Errorf("said %v, err %v", res.Answered, err)
			}
		})
		repeat(func(i int) {
			for range event.Stream(ctx, s, &call{Tool: "write"}) {
				if i%2 == 0 {
					break
				}
			}
		})
		repeat(func(int) { event.On(s, "own", allow)() })
		repeat(func(int) { s.Hooks(); s.Files(); s.Problems(); event.Active(s) })
	}
	repeat(func(int) { event.On(sys, "host", allow)() })
	repeat(func(i int) { sys.SetEnabled("a", i%2 == 0) })
	repeat(func(i int) {
		if i%30 == 0 {
			declare("Late"+strconv.FormatInt(lates.Add(1), 10), pipeline.Rules{})
		}
	})
	repeat(func(int) {
		if err := sys.Reload(ctx); err != nil {
			t.Error(err)
		}
	})
	repeat(func(i int) {
		if _, err := sys.NewSession(ctx, pipeline.SessionConfig{Dir: []string{"/usr", "/tmp", "/etc", "/", "/usr/bin"}[i%5]}); err != nil {
			t.Error(err)
		}
	})
	all.Wait()

	for range 4 { // fires run while the system closes
		repeat(func(int) {
			res, err := event.Fire(ctx, s, &call{Tool: "write"})
			if closed := errors.Is(err, hook.ErrClosed); err != nil && !closed || !res.Blocked() || len(res.Reports) == 0 {
				t.Errorf("%d reports, err %v, blocked %v", len(res.Reports), err, res.Blocked())
			}
		})
	}
	sys.Close()
	sys.SetEnabled("unknown", false)
	all.Wait()
}
