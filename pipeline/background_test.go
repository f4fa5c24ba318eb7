package pipeline_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/pipeline"
)

// reply is a hook that ends with a reply after a second.
func reply(r hook.Reply) runner {
	return func(context.Context, hook.Call) (hook.Reply, error) {
		testkit.Sleep(time.Second)
		return r, nil
	}
}

// A background hook ends as rule C81 says; the table also has the failures that every hook can have.
func TestAHookInTheBackgroundEnds(t *testing.T) {
	const context1 = `{"hookSpecificOutput":{"additionalContext":"c"},"systemMessage":"m"}`
	out := func(exit int, stdout string) runner { return reply(hook.Reply{Exit: exit, Stdout: []byte(stdout)}) }
	tests := map[string]struct {
		how     hook.Background
		run     runner
		outcome pipeline.Outcome
		context string
		wake    string
		err     string
		note    string
		took    time.Duration // 0 means a second
	}{
		"with an answer":                   {hook.Async, out(0, context1), pipeline.Success, "c|m", "", "", "", 0},
		"in silence":                       {hook.Async, out(0, ""), pipeline.Success, "", "", "", "", 0},
		"with plain text":                  {hook.Async, out(0, "hello"), pipeline.Success, "", "", "", "", 0},
		"with an answer in a line":         {hook.Async, out(0, "noise\n"+context1+"\nnoise"), pipeline.Success, "c|m", "", "", "", 0},
		"with one over many lines":         {hook.Async, out(0, "{\n\"systemMessage\":\n\"m\"}"), pipeline.Success, "m", "", "", "", 0},
		"behind a declaration":             {hook.Async, out(0, "{\"async\":true}\n"+context1), pipeline.Success, "c|m", "", "", "", 0},
		"with nothing but a declaration":   {hook.Async, out(0, `{"async":true,"systemMessage":"m"}`), pipeline.Success, "", "", "", "", 0},
		"having decided nothing":           {hook.Async, out(0, `{"decision":"block","reason":"r","continue":false}`), pipeline.Success, "", "", "", "", 0},
		"with a member that does not fit":  {hook.Async, out(0, `{"systemMessage":7,"hookSpecificOutput":{"additionalContext":"c"}}`), pipeline.Success, "c", "", "", "systemMessage", 0},
		"with status 2":                    {hook.Async, reply(hook.Reply{Exit: 2, Stderr: []byte("no")}), pipeline.Success, "", "", "", "", 0},
		"with status 2 and an answer":      {hook.Async, out(2, context1), pipeline.Success, "c|m", "", "", "", 0},
		"with status 1 and an answer":      {hook.Async, out(1, context1), pipeline.Success, "c|m", "", "", "", 0},
		"with status 127":                  {hook.Async, reply(hook.Reply{Exit: 127, Stderr: []byte("not found")}), pipeline.NonBlockingError, "", "", "exit status 127", "", 0},
		"by a signal":                      {hook.Async, reply(hook.Reply{Exit: -1, Signal: syscall.SIGKILL}), pipeline.NonBlockingError, "", "", "killed", "", 0},
		"without a start":                  {hook.Async, func(context.Context, hook.Call) (hook.Reply, error) { return hook.Reply{}, errors.New("no such file") }, pipeline.NonBlockingError, "", "", "no such file", "", -1},
		"in a panic":                       {hook.Async, func(context.Context, hook.Call) (hook.Reply, error) { panic("oh") }, pipeline.NonBlockingError, "", "", "panic: oh", "", -1},
		"late":                             {hook.Async, hangs, pipeline.Cancelled, "", "", "Hook timed out after 60000ms", "", time.Minute},
		"waking the model":                 {hook.Rewake, reply(hook.Reply{Exit: 2, Stderr: []byte(" failed\n"), Stdout: []byte("out")}), pipeline.Success, "", "failed", "", "", 0},
		"waking with standard output":      {hook.Rewake, out(2, "out\n"), pipeline.Success, "", "out", "", "", 0},
		"waking no one":                    {hook.Rewake, out(0, context1), pipeline.Success, "", "", "", "", 0},
		"waking no one, with status 1":     {hook.Rewake, out(1, context1), pipeline.NonBlockingError, "", "", "exit status 1", "", 0},
		"waking no one, killed by a ghost": {hook.Rewake, reply(hook.Reply{Exit: 2, Signal: syscall.SIGTERM}), pipeline.NonBlockingError, "", "", "killed", "", 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var told host
				var seen evaluations
				sys, s := open(t, pipeline.Config{Observe: []pipeline.Observer{pipeline.HookEnds(seen.add)}, Load: []pipeline.Load{loads(behind("hook", test.how, test.run))}}, pipeline.SessionConfig{Finished: told.finished})
				began := time.Now()
				res := fire(t, toolDone, s, call{Tool: "write"})
				if r := res.Reports[0]; time.Since(began) != 0 || !r.Backgrounded || r.Err != nil || r.Answered || r.Reply != nil || res.Answered {
					t.Errorf("the fire took %v, and its report is %+v; want a hook that goes on", time.Since(began), r)
				}
				if texts := s.NextTurn(); texts != nil {
					t.Errorf("already the hook has said %q", texts)
				}
				if err := s.Wait(t.Context()); err != nil {
					t.Error(err)
				}
				if len(told.all) != 1 {
					t.Fatalf("the host was told of %d ends, want 1", len(told.all))
				}
				f := told.all[0]
				took := max(0, map[bool]time.Duration{true: time.Second, false: test.took}[test.took == 0])
				if f.Event != "lively.Done" || f.Hook.Command != "hook" || f.Outcome != test.outcome || f.Elapsed != took {
					t.Errorf("%s of %s, %s after %v; want %s after %v", f.Hook.Command, f.Event, f.Outcome, f.Elapsed, test.outcome, took)
				}
				if f.Wakes != (test.wake != "") || f.Wake != test.wake {
					t.Errorf("wakes %v with %q, want %q", f.Wakes, f.Wake, test.wake)
				}
				if (f.Err != nil) != (test.err != "") || f.Err != nil && !strings.Contains(f.Err.Error(), `Done hook "hook": `+test.err) && !strings.Contains(f.Err.Error(), test.err) {
					t.Errorf("err %v, want %q", f.Err, test.err)
				}
				if notes := strings.Join(f.Notes, "|"); !strings.Contains(notes, test.note) || !strings.HasSuffix(notes, "refined") {
					t.Errorf("notes %q, want %q, and that the event was asked", notes, test.note)
				}
				if said, again := strings.Join(s.NextTurn(), "|"), s.NextTurn(); said != test.context || strings.Join(f.Context, "|") != said || again != nil {
					t.Errorf("for the next turn %q, then %q; want %q, once", said, again, test.context)
				}
				if want := "hook: backgrounded, hook: " + string(test.outcome); seen.words() != want || sys.FailedOpen() != 0 {
					t.Errorf("observed %s, failed open %d; want %s, 0", seen.words(), sys.FailedOpen(), want)
				}
			})
		})
	}
}

// Each call of NextTurn returns the texts that hooks have returned by then, in the order of the fires and of their
// plans. Neither the speed of the hooks nor the goroutines of a fire change the order.
func TestTheNextTurnIsInTheOrderOfTheStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, s := open(t, pipeline.Config{Workers: 8, Load: []pipeline.Load{loads(
			behind("a", hook.Async, says(7*time.Second)), of(toolDone, "b", leaves{rest: says(4 * time.Second)}),
			behind("c", hook.Async, says(time.Second)), of(toolDone, "d", leaves{rest: says(0)}),
		)}}, pipeline.SessionConfig{})
		for range 2 {
			fire(t, toolDone, s, call{Tool: "write"})
		}
		time.Sleep(500 * time.Millisecond)
		synctest.Wait()
		if got := strings.Join(s.NextTurn(), ""); got != "cdcd" {
			t.Errorf("after the second fire %q, want what has been said: %q", got, "cdcd")
		}
		if err := s.Wait(t.Context()); err != nil {
			t.Error(err)
		}
		if got := strings.Join(s.NextTurn(), ""); got != "abab" {
			t.Errorf("then %q, want %q", got, "abab")
		}
	})
	for range 50 { // with varying goroutine schedules
		var hooks []*hook.Hook
		for _, name := range strings.Split("abcdefgh", "") {
			hooks = append(hooks, behind(name, hook.Async, says(0)))
		}
		_, s := open(t, pipeline.Config{Load: []pipeline.Load{loads(hooks...)}}, pipeline.SessionConfig{})
		fire(t, toolDone, s, call{Tool: "write"})
		fire(t, toolDone, s, call{Tool: "write"})
		if err := s.Wait(t.Context()); err != nil {
			t.Error(err)
		}
		if got := strings.Join(s.NextTurn(), ""); got != "abcdefghabcdefgh" {
			t.Fatalf("got %q, want the plan's order", got)
		}
	}
}

// A fire has its own workers, however many hooks run in the background.
func TestAFullBackgroundHoldsUpNoFire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told host
		slow := behind("slow", hook.Async, says(10*time.Second))
		_, s := open(t, pipeline.Config{Workers: 1, Load: []pipeline.Load{loads(slow, of(toolDone, "quick", prints(0, `{"reason":"quick"}`)))}}, pipeline.SessionConfig{Finished: told.finished})
		began := time.Now()
		for range 3 {
			if res := fire(t, toolDone, s, call{Tool: "write"}); !res.OK() || res.Reason != "quick" || !res.Reports[0].Backgrounded {
				t.Errorf("reason %q, errors %v; want the fire to have its answer", res.Reason, res.Errs())
			}
		}
		if took := time.Since(began); took != 0 {
			t.Errorf("three fires took %v, want no time", took)
		}
		if err := s.Wait(t.Context()); err != nil || time.Since(began) != 30*time.Second {
			t.Errorf("the background was idle after %v, %v; want one hook after the other", time.Since(began), err)
		}
		for _, f := range told.all {
			if f.Outcome != pipeline.Success || f.Elapsed != 10*time.Second {
				t.Errorf("%s after %v; want waiting for a place not to count as the hook's time", f.Outcome, f.Elapsed)
			}
		}
	})
}

func TestACallerThatHasGivenUpStartsNothingBehind(t *testing.T) {
	_, s := open(t, pipeline.Config{Load: []pipeline.Load{loads(behind("hook", hook.Async, func(context.Context, hook.Call) (hook.Reply, error) {
		t.Error("the hook runs")
		return hook.Reply{}, nil
	}))}}, pipeline.SessionConfig{})
	res, err := toolDone.Fire(ended(), s, &call{Tool: "write"})
	if !errors.Is(err, context.Canceled) || len(res.Reports) != 1 || res.Reports[0].Backgrounded || !errors.Is(res.Reports[0].Err, context.Canceled) {
		t.Errorf("reports %+v, err %v; want one that says why", res.Reports, err)
	}
	if err := s.Wait(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestAHostThatPanicsWhenItIsToldCostsALineOfTheLog(t *testing.T) {
	var told []string
	text := logged(t, slog.LevelInfo, func(log *slog.Logger) {
		_, s := open(t, pipeline.Config{Log: log, Load: []pipeline.Load{loads(behind("a", hook.Async, says(0)))}}, pipeline.SessionConfig{Finished: func(pipeline.Finished) { panic("oh") }})
		fire(t, toolDone, s, call{Tool: "write"})
		if err := s.Wait(t.Context()); err != nil {
			t.Error(err)
		}
		told = s.NextTurn()
	})
	if !strings.Contains(text, `msg="the host's Finished panicked" session=s1 panic=oh`) || !slices.Equal(told, []string{"a"}) {
		t.Errorf("for the next turn %q, the log is\n%s", told, text)
	}
}

// moodyOut is the event's own part of the answers. Decoding it panics.
type moodyOut struct{}

func (*moodyOut) UnmarshalJSON([]byte) error { panic("oh") }

var moodyDone = pipeline.Declare(lively, pipeline.Spec[call, moodyOut]{Name: "MoodyDone"})

func TestAnAnswerThatPanicsCostsItsHookInTheBackground(t *testing.T) {
	var told host
	h := configured("MoodyDone", "a", prints(0, `{"hookSpecificOutput":{}}`))
	h.Dialect, h.Background = "lively", hook.Async
	_, s := open(t, pipeline.Config{Load: []pipeline.Load{loads(h)}}, pipeline.SessionConfig{Finished: told.finished})
	if _, err := moodyDone.Fire(t.Context(), s, &call{}); err != nil {
		t.Error(err)
	}
	if err := s.Wait(t.Context()); err != nil {
		t.Error(err)
	}
	var panicked *hook.PanicError
	if len(told.all) != 1 || !errors.As(told.all[0].Err, &panicked) {
		t.Errorf("the host was told %+v, want a panic", told.all)
	}
}

func TestAnInputThatPanicsStartsNothingBehind(t *testing.T) {
	for _, n := range []int{1, 2} {
		var hooks []*hook.Hook
		for _, name := range []string{"a", "b"}[:n] {
			h := configured("Moody", name, prints(0, ""))
			h.Background = hook.Async
			hooks = append(hooks, h)
		}
		_, s := open(t, pipeline.Config{Load: []pipeline.Load{loads(hooks...)}}, pipeline.SessionConfig{})
		res, err := moods.Fire(t.Context(), s, &moody{})
		var panicked *hook.PanicError
		if !errors.As(err, &panicked) || len(res.Reports) > 0 {
			t.Errorf("%d hooks: %d reports, err %v; want the panic", n, len(res.Reports), err)
		}
	}
}
