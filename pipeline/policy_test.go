package pipeline_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/policy"
)

// under returns the configuration of a system whose hooks have a policy of the program.
func under(o policy.Overlay, hooks ...*hook.Hook) pipeline.Config {
	return pipeline.Config{Load: []pipeline.Load{loads(hooks...)}, Policy: policy.Source{Overlays: []policy.Overlay{o}}}
}

// switched is a hook that fails or works, depending on its switch.
type switched struct {
	works  atomic.Bool
	starts atomic.Int64
}

func (s *switched) Run(context.Context, hook.Call) (hook.Reply, error) {
	s.starts.Add(1)
	if s.works.Load() {
		return hook.Reply{}, nil
	}
	return hook.Reply{}, &hook.ClassError{Class: hook.ClassSpawn, Err: errors.New("fork: out of memory")}
}

// classes returns the failure classes of a result's hooks, in plan order.
func classes(res *hook.Result[edit]) string {
	var all []string
	for _, r := range res.Reports {
		all = append(all, string(hook.ClassOf(r.Err)))
	}
	return strings.Join(all, " ")
}

var breakerOfThree = policy.Limits{Breaker: policy.Breaker{Failures: 3, For: time.Minute}}

func TestABreakerOpensHalfOpensAndCloses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &switched{}
		h := configured("Call", "h", nil)
		h.Runner = s
		sys, ses := start(t, under(policy.Overlay{Limits: breakerOfThree}, h))
		expect := func(what, class string, starts int64) {
			t.Helper()
			res := fire(t, event, ses, call{Tool: "t"})
			if got := classes(res); got != class || s.starts.Load() != starts || res.Blocked() {
				t.Errorf("%s: class %q after %d starts, blocked %v; want %q after %d, open", what, got, s.starts.Load(), res.Blocked(), class, starts)
			}
		}
		for i := range int64(3) {
			expect("it fails", "spawn", i+1)
		}
		expect("the breaker is open", "breaker", 3)
		time.Sleep(59 * time.Second)
		expect("it is still", "breaker", 3)
		time.Sleep(2 * time.Second)
		expect("the trial fails", "spawn", 4)
		expect("which opens it again", "breaker", 4)
		time.Sleep(61 * time.Second)
		s.works.Store(true)
		expect("the trial works", "", 5)
		expect("which closes it", "", 6)
		s.works.Store(false)
		expect("one failure", "spawn", 7)
		expect("two", "spawn", 8)
		if by := sys.FailedOpenBy(); by[hook.ClassBreaker] != 3 || by[hook.ClassSpawn] != 6 || sys.FailedOpen() != 9 {
			t.Errorf("failed open %v, %d in all", by, sys.FailedOpen())
		}
	})
}

// A host may end each session before it makes the next. The garbage collector then takes the settings, but not the count
// of failures.
func TestABreakerOutlivesTheSessionsOfItsDirectory(t *testing.T) {
	s := &switched{}
	var reads atomic.Int64
	load := func(context.Context, pipeline.Workspace) (pipeline.Loaded, error) {
		reads.Add(1)
		h := configured("Call", "h", nil)
		h.Runner = s
		return pipeline.Loaded{Hooks: []*hook.Hook{h}}, nil
	}
	sys := pipeline.NewSystem(pipeline.Config{Log: quiet, Load: []pipeline.Load{load}, Policy: policy.Source{Overlays: []policy.Overlay{
		{Limits: policy.Limits{Breaker: policy.Breaker{Failures: 2, For: time.Hour}}},
	}}})
	defer sys.Close()
	for i, want := range []string{"spawn", "spawn", "breaker", "breaker"} {
		if got := classes(fire(t, event, session(t, sys, "one after the other"), call{Tool: "t"})); got != want {
			t.Errorf("session %d: class %q, want %q", i, got, want)
		}
		before := reads.Load()
		eventually(t, "the settings of a session that is gone", func() bool { session(t, sys, "again"); return reads.Load() > before })
	}
	if s.starts.Load() != 2 {
		t.Errorf("%d starts, want 2", s.starts.Load())
	}
}

// A hook in the background guards nothing: if it is not started, it does not count as failed open.
func TestABackgroundHookThatIsNotStartedDoesNotFailOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := configured("Call", "h", nil)
		h.Runner, h.Background = &switched{}, hook.Async
		sys, ses := start(t, under(policy.Overlay{Limits: breakerOfThree}, h))
		for range 3 {
			fire(t, event, ses, call{Tool: "t"})
			if err := ses.Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		res := fire(t, event, ses, call{Tool: "t"})
		if classes(res) != "breaker" || res.FailedOpen() != 0 || sys.FailedOpen() != 0 {
			t.Errorf("class %q, failed open %d, %v in all; want none with an open breaker", classes(res), res.FailedOpen(), sys.FailedOpenBy())
		}
	})
}

func TestABreakerNeverOpensAClosedGate(t *testing.T) {
	for name, on := range map[string]policy.OnFailure{
		"all closed":                            {policy.Default: hook.FailClosed},
		"breaker open, what broke closed":       {policy.Default: hook.FailOpen, hook.ClassSpawn: hook.FailClosed},
		"breaker open in words, others closed":  {policy.Default: hook.FailClosed, hook.ClassBreaker: hook.FailOpen},
		"breaker closed, what broke is let off": {policy.Default: hook.FailOpen, hook.ClassBreaker: hook.FailClosed},
	} {
		t.Run(name, func(t *testing.T) {
			h := configured("Call", "h", nil)
			h.Runner = &switched{}
			_, ses := start(t, under(policy.Overlay{Limits: breakerOfThree, Rules: []policy.Rule{{OnFailure: on}}}, h))
			for range 3 {
				fire(t, event, ses, call{Tool: "t"})
			}
			res := fire(t, event, ses, call{Tool: "t"})
			if !res.Blocked() || classes(res) != "breaker" || !strings.Contains(strings.Join(res.Reports[0].Notes, ""), `"h"`) || !strings.Contains(res.Reason, `"breaker"`) {
				t.Errorf("blocked %v, class %s, reason %q; want a denial by the breaker", res.Blocked(), classes(res), res.Reason)
			}
		})
	}
}

// In a system that keeps no hooks warm, a worker fails, and other hooks start cold.
func TestAWorkerThatCannotBeAskedFails(t *testing.T) {
	for kind, want := range map[string]string{"worker": "spawn", "python": "", "off": ""} {
		runs := &switched{}
		runs.works.Store(true)
		h := configured("Call", "h", nil)
		h.Type, h.Runner = "command", runs
		_, ses := start(t, under(policy.Overlay{Rules: []policy.Rule{{Warm: kind, OnFailure: policy.OnFailure{policy.Default: hook.FailClosed}}}}, h))
		res := fire(t, event, ses, call{Tool: "t"})
		if res.Blocked() != (want != "") || classes(res) != want || (runs.starts.Load() == 0) != (want != "") {
			t.Errorf("%s: blocked %v, class %q, %d starts; want class %q", kind, res.Blocked(), classes(res), runs.starts.Load(), want)
		}
	}
}

// A breaker does not count an exit status, a denial or an empty answer: none of them is a failure
// of the infrastructure.
func TestABreakerDoesNotCountWhatAHookSays(t *testing.T) {
	for name, r := range map[string]runner{"a status": prints(1, ""), "a denial": prints(2, ""), "silence": prints(0, "")} {
		t.Run(name, func(t *testing.T) {
			_, ses := start(t, under(policy.Overlay{Limits: policy.Limits{Breaker: policy.Breaker{Failures: 1, For: time.Hour}}}, configured("Call", "h", r)))
			for range 5 {
				if res := fire(t, event, ses, call{Tool: "t"}); strings.Contains(classes(res), "breaker") {
					t.Fatal("the breaker has opened")
				}
			}
		})
	}
}

// Hooks that wait for a permit while the breaker opens do not start. After the breaker's delay a
// single trial runs.
func TestABreakerStopsTheCrowdThatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var starts atomic.Int64
		h := configured("Call", "h", runner(func(ctx context.Context, c hook.Call) (hook.Reply, error) {
			starts.Add(1)
			return hangs(ctx, c)
		}))
		h.Timeout = time.Second
		cfg := under(policy.Overlay{Limits: policy.Limits{Breaker: policy.Breaker{Failures: 1, For: time.Minute}}}, h)
		cfg.Workers = 4
		sys, ses := start(t, cfg)
		crowd := func() {
			var all sync.WaitGroup
			for range 500 {
				all.Go(func() { fire(t, event, ses, call{Tool: "t"}) })
			}
			all.Wait()
		}
		began := time.Now()
		crowd()
		if took := time.Since(began); took != time.Second || starts.Load() != 4 {
			t.Errorf("500 fires took %v and started the hook %d times; want 1s and 4", took, starts.Load())
		}
		if by := sys.FailedOpenBy(); by[hook.ClassTimeout] != 4 || by[hook.ClassBreaker] != 496 {
			t.Errorf("failed open %v, want 4 timeouts and 496 of the breaker", by)
		}
		time.Sleep(time.Minute)
		crowd()
		if starts.Load() != 5 {
			t.Errorf("the half-open breaker let %d runs through, want 1", starts.Load()-4)
		}
	})
}

// A run that began before the breaker opened does not close it. If the trial is cancelled, another
// trial may run.
func TestABreakerGoesByItsTrialAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var n atomic.Int64
		slow := make(chan struct{})
		h := configured("Call", "h", runner(func(ctx context.Context, c hook.Call) (hook.Reply, error) {
			switch n.Add(1) {
			case 1:
				<-slow
				return hook.Reply{}, nil
			case 3: // the trial
				return hangs(ctx, c)
			}
			return hook.Reply{}, errors.New("broken")
		}))
		_, ses := start(t, under(policy.Overlay{Limits: policy.Limits{Breaker: policy.Breaker{Failures: 1, For: time.Minute}}}, h))
		var all sync.WaitGroup
		all.Go(func() { fire(t, event, ses, call{Tool: "t"}) })
		synctest.Wait()
		fire(t, event, ses, call{Tool: "t"}) // this failure opens the breaker
		close(slow)
		all.Wait()
		if got := classes(fire(t, event, ses, call{Tool: "t"})); got != "breaker" {
			t.Errorf("after an old run has worked, the class is %q; want an open breaker", got)
		}
		time.Sleep(2 * time.Minute)
		ctx, cancel := context.WithCancel(t.Context())
		all.Go(func() { _, _ = event.Fire(ctx, ses, &call{Tool: "t"}) })
		synctest.Wait()
		if got := classes(fire(t, event, ses, call{Tool: "t"})); got != "breaker" {
			t.Errorf("beside the trial the class is %q", got)
		}
		cancel()
		all.Wait()
		if got := classes(fire(t, event, ses, call{Tool: "t"})); got != "spawn" {
			t.Errorf("after a trial that was cancelled the class is %q, want the class of another trial", got)
		}
	})
}

func TestAReloadKeepsABreakerAndTakesItsNewLimits(t *testing.T) {
	h := configured("Call", "h", nil)
	h.Runner = &switched{}
	sys, ses := start(t, under(policy.Overlay{Limits: breakerOfThree}, h))
	for range 3 {
		fire(t, event, ses, call{Tool: "t"})
	}
	if err := sys.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := classes(fire(t, event, ses, call{Tool: "t"})); got != "breaker" {
		t.Errorf("after Reload the class is %q, want the breaker to be open still", got)
	}
}

// crowdOf fires n times at once. It returns the highest number of hooks that ran at the same time, and the number of
// hooks by the way in which they ended.
func crowdOf(t *testing.T, n int, limits policy.Limits, rule policy.Rule) (most int, ended map[string]int, took time.Duration) {
	var running, peak atomic.Int64
	h := configured("Call", "h", runner(func(context.Context, hook.Call) (hook.Reply, error) {
		now := running.Add(1)
		for old := peak.Load(); now > old && !peak.CompareAndSwap(old, now); old = peak.Load() {
		}
		testkit.Sleep(time.Second)
		running.Add(-1)
		return hook.Reply{}, nil
	}))
	h.Type = "http" // commands also wait for processors
	cfg := under(policy.Overlay{Limits: limits, Rules: []policy.Rule{rule}}, h)
	cfg.Workers = 100
	_, ses := start(t, cfg)
	var all sync.WaitGroup
	var mu sync.Mutex
	ended = map[string]int{}
	began := time.Now()
	for range n {
		all.Go(func() {
			res := fire(t, event, ses, call{Tool: "t"})
			mu.Lock()
			defer mu.Unlock()
			ended[fmt.Sprint(classes(res), res.Blocked())]++
		})
	}
	all.Wait()
	return int(peak.Load()), ended, time.Since(began)
}

func TestABulkheadBoundsWhatRunsAndTheQueueHowLongItWaits(t *testing.T) {
	closed := policy.OnFailure{hook.ClassQueue: hook.FailClosed}
	for name, test := range map[string]struct {
		limits policy.Limits
		rule   policy.Rule
		most   int
		ended  map[string]int
		took   time.Duration
	}{
		"no limit but the workers":      {policy.Limits{}, policy.Rule{}, 20, map[string]int{"false": 20}, time.Second},
		"over all fires":                {policy.Limits{Concurrent: 5}, policy.Rule{}, 5, map[string]int{"false": 20}, 4 * time.Second},
		"for the event":                 {policy.Limits{PerEvent: map[string]int{"test.Call": 4}}, policy.Rule{}, 4, map[string]int{"false": 20}, 5 * time.Second},
		"for another event":             {policy.Limits{PerEvent: map[string]int{"test.Chain": 1}}, policy.Rule{}, 20, map[string]int{"false": 20}, time.Second},
		"both, the narrower one counts": {policy.Limits{Concurrent: 10, PerEvent: map[string]int{"test.Call": 4}}, policy.Rule{}, 4, map[string]int{"false": 20}, 5 * time.Second},
		"a queue, open":                 {policy.Limits{Concurrent: 5}, policy.Rule{Queue: 1500 * time.Millisecond}, 5, map[string]int{"false": 10, "queuefalse": 10}, 2 * time.Second},
		"a queue, closed":               {policy.Limits{Concurrent: 5}, policy.Rule{Queue: 1500 * time.Millisecond, OnFailure: closed}, 5, map[string]int{"false": 10, "queuetrue": 10}, 2 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				most, ended, took := crowdOf(t, 20, test.limits, test.rule)
				if most != test.most || took != test.took || fmt.Sprint(ended) != fmt.Sprint(test.ended) {
					t.Errorf("%d at once, %v, in %v; want %d, %v, %v", most, ended, took, test.most, test.ended, test.took)
				}
			})
		})
	}
}

// Events that acquire their limits in the same order cannot deadlock, and a hook whose wait fails keeps no permit.
func TestPermitsAreReturnedHoweverTheWaitEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var hooks []*hook.Hook
		for _, name := range []string{"Call", "Chain", "Guarded"} {
			h := configured(name, "h of "+name, hangs)
			h.Timeout = time.Second
			hooks = append(hooks, h)
		}
		cfg := under(policy.Overlay{
			Limits: policy.Limits{Concurrent: 2, PerEvent: map[string]int{"test.Call": 1, "test.Chain": 2, "test.Guarded": 1}},
			Rules:  []policy.Rule{{Queue: 100 * time.Millisecond}},
		}, hooks...)
		cfg.Workers = 2
		_, ses := start(t, cfg)
		for range 3 {
			var all sync.WaitGroup
			for i := range 60 {
				e := []*pipeline.Event[call, edit]{event, chain, guarded}[i%3]
				all.Go(func() { fire(t, e, ses, call{Tool: "t"}) })
			}
			all.Wait()
		}
		if got := classes(fire(t, event, ses, call{Tool: "t"})); got != "timeout" {
			t.Errorf("afterwards a hook ends with %q, want it to run, and to be late", got)
		}
	})
}

func TestAHookIsRunAgainOnlyInTheClassesOfItsRetry(t *testing.T) {
	for name, test := range map[string]struct {
		retry  hook.Retry
		ends   []runner // the results of the runs; the last is also the result of all later runs
		starts int
		class  string
	}{
		"it works the second time":     {hook.Retry{Times: 1, On: []hook.Class{hook.ClassSpawn}}, []runner{broken2, prints(0, "")}, 2, ""},
		"it never works":               {hook.Retry{Times: 3, On: []hook.Class{hook.ClassSpawn}}, []runner{broken2}, 4, "spawn"},
		"another class":                {hook.Retry{Times: 3, On: []hook.Class{hook.ClassTimeout}}, []runner{broken2}, 1, "spawn"},
		"another class the third time": {hook.Retry{Times: 5, On: []hook.Class{hook.ClassSpawn}}, []runner{broken2, broken2, prints(1, "")}, 3, "exit"},
		"a denial stands":              {hook.Retry{Times: 5, On: []hook.Class{hook.ClassExit, hook.ClassSpawn}}, []runner{prints(2, ""), prints(0, "")}, 1, ""},
		"no times":                     {hook.Retry{Times: 0, On: []hook.Class{hook.ClassSpawn}}, []runner{broken2}, 1, "spawn"},
	} {
		t.Run(name, func(t *testing.T) {
			starts := 0
			h := configured("Call", "h", runner(func(ctx context.Context, c hook.Call) (hook.Reply, error) {
				starts++
				return test.ends[min(starts, len(test.ends))-1](ctx, c)
			}))
			_, ses := start(t, under(policy.Overlay{Rules: []policy.Rule{{Retry: &test.retry}}}, h))
			res := fire(t, event, ses, call{Tool: "t"})
			if starts != test.starts || classes(res) != test.class {
				t.Errorf("%d starts, class %q; want %d, %q", starts, classes(res), test.starts, test.class)
			}
			if r := res.Reports[0]; len(r.Notes) != test.starts-1 {
				t.Errorf("notes %q, want one for each time that it was run again", r.Notes)
			}
		})
	}
}

func broken2(context.Context, hook.Call) (hook.Reply, error) {
	return hook.Reply{}, errors.New("fork: resource temporarily unavailable")
}

func TestARetryEndsWithTheFire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := configured("Call", "h", hangs)
		h.Timeout = time.Minute
		retry := hook.Retry{Times: 10, On: []hook.Class{hook.ClassTimeout}}
		_, ses := start(t, under(policy.Overlay{Rules: []policy.Rule{{Retry: &retry}}}, h))
		ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
		defer cancel()
		began := time.Now()
		res, _ := event.Fire(ctx, ses, &call{Tool: "t"})
		if took := time.Since(began); took != 90*time.Second || len(res.Reports) != 1 || len(res.Reports[0].Notes) != 1 {
			t.Errorf("the fire took %v, reports %+v; want the caller's 90s, with one try again", took, res.Reports)
		}
	})
}

func TestWrapStandsAroundEveryRunner(t *testing.T) {
	var wrapped []string
	inner := configured("Call", "inner", prints(0, ""))
	inner.Timeout = time.Second
	untrusted := configured("Call", "untrusted", prints(0, ""))
	untrusted.Skip = hook.Untrusted
	cfg := under(policy.Overlay{Rules: []policy.Rule{{OnFailure: policy.OnFailure{policy.Default: hook.FailClosed}}}}, inner, untrusted)
	cfg.Wrap = func(h *hook.Hook, r hook.Runner) hook.Runner {
		wrapped = append(wrapped, h.Label())
		return runner(func(ctx context.Context, c hook.Call) (hook.Reply, error) {
			reply, err := r.Run(ctx, c)
			reply.Exit, reply.Stderr = 2, []byte("wrapped")
			return reply, err
		})
	}
	sys, ses := start(t, cfg)
	event.On(ses, "func", allow)
	res := fire(t, event, ses, call{Tool: "t"})
	if !res.Blocked() || !strings.Contains(res.Reason, "wrapped") {
		t.Errorf("blocked %v, %q; want what was put around the hook", res.Blocked(), res.Reason)
	}
	for _, r := range res.Reports {
		if r.Hook.Command == "untrusted" && hook.ClassOf(r.Err) != hook.ClassUntrusted {
			t.Errorf("the hook that may not run ended with %v; a Wrap has run it", r.Err)
		}
	}
	if !slices.Equal(wrapped, []string{"inner"}) {
		t.Errorf("wrapped %q, want the one hook that has a Runner and may run, once", wrapped)
	}
	if err := sys.Reload(t.Context()); err != nil || len(wrapped) != 2 {
		t.Errorf("after Reload wrapped %q, %v; want it to be asked once more", wrapped, err)
	}
}

// A hook does not run without the wrapper that the program wants around it.
func TestAHookThatCannotBeWrappedFails(t *testing.T) {
	for name, wrap := range map[string]func(*hook.Hook, hook.Runner) hook.Runner{
		"no Runner": func(*hook.Hook, hook.Runner) hook.Runner { return nil },
		"a panic":   func(*hook.Hook, hook.Runner) hook.Runner { panic("no bwrap here") },
	} {
		t.Run(name, func(t *testing.T) {
			ran := false
			h := configured("Guarded", "h", runner(func(context.Context, hook.Call) (hook.Reply, error) { ran = true; return hook.Reply{}, nil }))
			_, ses := start(t, pipeline.Config{Load: []pipeline.Load{loads(h)}, Wrap: wrap})
			if res := fire(t, guarded, ses, call{Tool: "t"}); ran || !res.Blocked() || classes(res) != "spawn" {
				t.Errorf("ran %v, blocked %v, class %q; want a failure to start, which blocks here", ran, res.Blocked(), classes(res))
			}
		})
	}
}

func TestAReloadSwitchesTheModesOfHooks(t *testing.T) {
	for name, own := range map[string]bool{"of the settings": false, "of a session": true} {
		t.Run(name, func(t *testing.T) {
			mode := hook.Shadow
			h := configured("Call", "h", prints(2, ""))
			cfg := pipeline.Config{Policy: policy.Source{Overlays: []policy.Overlay{{Rules: []policy.Rule{{Mode: &mode}}}}}}
			if !own {
				cfg.Load = []pipeline.Load{loads(h)}
			}
			sys, ses := start(t, cfg)
			if own {
				if _, err := pipeline.Register(ses, h); err != nil {
					t.Fatal(err)
				}
			}
			for _, step := range []struct {
				mode    hook.Mode
				blocked bool
				ran     int
			}{{hook.Shadow, false, 1}, {hook.Enforce, true, 1}, {hook.Off, false, 0}, {hook.Shadow, false, 1}} {
				mode = step.mode
				if err := sys.Reload(t.Context()); err != nil {
					t.Fatal(err)
				}
				if res := fire(t, event, ses, call{Tool: "t"}); res.Blocked() != step.blocked || len(res.Reports) != step.ran {
					t.Errorf("%v: blocked %v, %d ran; want %v, %d", step.mode, res.Blocked(), len(res.Reports), step.blocked, step.ran)
				}
			}
		})
	}
}

func TestHooksInShadowAreComparedOneByOneAndTogether(t *testing.T) {
	shadow := []policy.Rule{{Match: policy.Match{Command: "shadow*"}, Mode: new(hook.Shadow)}}
	says := func(decision string) runner {
		return prints(0, fmt.Sprintf(`{"decision":%q,"reason":%q}`, decision, decision))
	}
	for name, test := range map[string]struct {
		event   *pipeline.Event[call, edit]
		hooks   map[string]runner // by command, run in the order of the names
		differs string            // the hooks that would change the outcome, each of them alone
		would   string
	}{
		"a denial":                      {event, map[string]runner{"a": prints(0, ""), "shadow1": prints(2, "")}, "shadow1", "deny"},
		"three that differ in part":     {event, map[string]runner{"shadow1": prints(2, ""), "shadow2": prints(0, ""), "shadow3": says("ask")}, "shadow1 shadow3", "deny"},
		"a denial beside a denial":      {event, map[string]runner{"a": says("deny"), "shadow1": says("deny")}, "", ""},
		"two that say the same":         {event, map[string]runner{"shadow1": says("deny"), "shadow2": says("deny")}, "shadow1 shadow2", "deny"},
		"what an enforced denial hides": {chain, map[string]runner{"a": prints(2, ""), "shadow1": prints(0, "")}, "", ""},
		"an allow beside silence":       {event, map[string]runner{"shadow1": says("allow")}, "shadow1", "allow"},
		"a failure that would be open":  {event, map[string]runner{"shadow1": prints(1, "")}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			var hooks []*hook.Hook
			var names []string
			for command := range test.hooks {
				names = append(names, command)
			}
			slices.Sort(names)
			for _, command := range names {
				hooks = append(hooks, configured(test.event.Info().Name, command, test.hooks[command]))
			}
			sys, ses := start(t, under(policy.Overlay{Rules: shadow}, hooks...))
			res := fire(t, test.event, ses, call{Tool: "t"})
			var differs []string
			for _, r := range res.Reports {
				if r.Shadow != nil && r.Shadow.Differs {
					differs = append(differs, r.Hook.Command)
				}
			}
			would := ""
			if res.Would != nil {
				would = string(res.Would.Decision)
			}
			if got := strings.Join(differs, " "); got != test.differs || would != test.would {
				t.Errorf("%q differ, and it would be %q; want %q, %q", got, would, test.differs, test.would)
			}
			if n := sys.FailedOpen(); n != 0 {
				t.Errorf("failed open %d times, though a hook in shadow guards nothing", n)
			}
		})
	}
}
