package pipeline_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/match"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

func TestAFireWithoutHooksGivesTheSharedEmptyResult(t *testing.T) {
	other := configured("Call", "other", prints(0, "{}"))
	other.Matcher = match.Exact("other")
	off := configured("Chain", "off", prints(0, "{}"))
	off.Skip = hook.Untrusted
	_, s := start(t, pipeline.Config{Load: []pipeline.Load{loads(other, off)}})

	for name, e := range map[string]*pipeline.Event[call, edit]{"no hook": guarded, "none that matches": event, "none that can run": chain} {
		first, again := fire(t, e, s, call{Tool: "write"}), fire(t, e, s, call{Tool: "write"})
		if first != again || first.Answered || first.Blocked() || !first.OK() || len(first.Reports) > 0 {
			t.Errorf("%s: %+v, want the same empty result twice", name, first)
		}
	}
	if got := [...]bool{event.Active(s), chain.Active(s), guarded.Active(s)}; got != [...]bool{true, false, false} {
		t.Errorf("active %v, want only the event with a hook that can run", got)
	}
}

func TestHooksEndWithTheirTime(t *testing.T) {
	slow := func(ctx context.Context, _ call) (output, error) { <-ctx.Done(); return output{}, ctx.Err() }
	for name, test := range map[string]struct {
		own, want time.Duration
	}{"its own": {3 * time.Second, 3 * time.Second}, "the event's": {0, time.Minute}} {
		synctest.Test(t, func(t *testing.T) {
			outside := configured("Call", "outside", hangs)
			outside.Timeout = test.own
			_, s := start(t, pipeline.Config{Load: []pipeline.Load{loads(outside)}})
			began := time.Now()
			res := fire(t, event, s, call{Tool: "write"})
			var timeout *hook.TimeoutError
			if err := res.Reports[0].Err; !errors.As(err, &timeout) || timeout.After != test.want || time.Since(began) != test.want || res.Reports[0].Elapsed != test.want {
				t.Errorf("%s: %v after %v; want a timeout after %v", name, err, time.Since(began), test.want)
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		_, s := start(t, pipeline.Config{})
		event.On(s, "slow", slow)
		res := fire(t, event, s, call{Tool: "write"})
		var timeout *hook.TimeoutError
		if err := res.Reports[0].Err; !errors.As(err, &timeout) || res.Reports[0].Elapsed != time.Minute {
			t.Errorf("a hook in Go: %v after %v, want a timeout after 1m", err, res.Reports[0].Elapsed)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		patient := configured("Call", "patient", func(context.Context, hook.Call) (hook.Reply, error) {
			time.Sleep(time.Hour)
			return hook.Reply{}, nil
		})
		patient.Timeout = -1
		_, s := start(t, pipeline.Config{Load: []pipeline.Load{loads(patient)}})
		if res := fire(t, event, s, call{Tool: "write"}); !res.OK() || res.Reports[0].Elapsed != time.Hour {
			t.Errorf("a hook without limit: %v after %v", res.Errs(), res.Reports[0].Elapsed)
		}
	})
}

func TestTheHostsLimitHoldsOverAllFires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var running, most atomic.Int64
		nap := func(context.Context, hook.Call) (hook.Reply, error) {
			now := running.Add(1)
			for m := most.Load(); now > m && !most.CompareAndSwap(m, now); m = most.Load() {
			}
			time.Sleep(40 * time.Second)
			running.Add(-1)
			return hook.Reply{}, nil
		}
		_, s := start(t, pipeline.Config{Workers: 3, Load: []pipeline.Load{loads(configured("Call", "a", nap), configured("Call", "b", nap))}})
		began, done := time.Now(), make(chan *hook.Result[edit])
		for range 6 {
			go func() { done <- fire(t, event, s, call{Tool: "write"}) }()
		}
		for range 6 {
			// Each hook takes 40 seconds of its minute, and the last hooks wait two minutes for a permit: waiting does
			// not count against the timeout.
			if res := <-done; !res.OK() {
				t.Errorf("a hook that waited for a place failed: %v", res.Errs())
			}
		}
		if most.Load() != 3 || time.Since(began) != 160*time.Second {
			t.Errorf("%d hooks at the same time, all done after %v; want 3 and 2m40s", most.Load(), time.Since(began))
		}
	})
}

func TestHooksInGoCanFireEventsWithOneWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, s := start(t, pipeline.Config{Workers: 1, Load: []pipeline.Load{loads(configured("Chain", "deep", prints(0, `{"reason":"deep"}`)), configured("Call", "beside", prints(0, "{}")))}})
		nested := func(ctx context.Context, c call) (output, error) {
			res, err := chain.Fire(ctx, s, &c)
			return output{Reason: res.Reason}, err
		}
		event.On(s, "one", nested)
		event.On(s, "two", nested)
		if res := fire(t, event, s, call{Tool: "write"}); res.Reason != "deep\ndeep" || !res.OK() {
			t.Errorf("reason %q, errors %v", res.Reason, res.Errs())
		}
	})
}

func TestConflictsAreMembersRewrittenDifferently(t *testing.T) {
	edits := func(input string) runner { return prints(0, `{"hookSpecificOutput":{"input":`+input+`}}`) }
	tests := map[string]struct {
		inputs []string
		want   string
	}{
		"different values":           {[]string{`{"path":"a"}`, `{"path":"b"}`}, "path: 0 1"},
		"equal values are none":      {[]string{`{"o":{"x":1,"y":"é"}}`, `{"o":{ "y":"\u00e9", "x":1.0 }}`}, ""},
		"different members are none": {[]string{`{"a":1}`, `{"b":2}`}, ""},
		"all who took part":          {[]string{`{"a":1}`, `{"b":2}`, `{"a":1}`, `{"a":2}`}, "a: 0 2 3"},
		"one hook alone has none":    {[]string{`{"a":1}`}, ""},
		"nor with itself":            {[]string{`{"a":1,"a":2}`, `{"b":2}`}, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var hooks []*hook.Hook
			for i, input := range test.inputs {
				hooks = append(hooks, configured("Call", string(rune('0'+i)), edits(input)))
			}
			_, s := start(t, pipeline.Config{Load: []pipeline.Load{loads(hooks...)}})
			var got []string
			for _, c := range fire(t, event, s, call{Tool: "write"}).Conflicts {
				words := []string{c.Key + ":"}
				for _, h := range c.Hooks {
					words = append(words, h.Command)
				}
				got = append(got, strings.Join(words, " "))
			}
			if strings.Join(got, "; ") != test.want {
				t.Errorf("conflicts %q, want %q", got, test.want)
			}
		})
	}
}

func TestAChainPassesChangesOnAndLeavesTheOriginal(t *testing.T) {
	var payloads []string
	reads := func(stdout string) runner {
		return func(_ context.Context, c hook.Call) (hook.Reply, error) {
			payloads = append(payloads, string(c.Payload))
			return hook.Reply{Stdout: []byte(stdout)}, nil
		}
	}
	_, s := start(t, pipeline.Config{Load: []pipeline.Load{loads(
		configured("Chain", "1", reads(`{"hookSpecificOutput":{"input":{"path":"b","new":true}}}`)),
		configured("Chain", "2", reads(`plain text`)),
		configured("Chain", "3", reads(``)),
	)}})
	var typed []string
	chain.On(s, "first", func(_ context.Context, c call) (output, error) {
		typed = append(typed, string(c.Input))
		return output{Specific: edit{Input: wire.Object(`{"path":"a"}`)}}, nil
	})
	chain.On(s, "second", func(_ context.Context, c call) (output, error) {
		typed = append(typed, string(c.Input))
		return output{}, nil
	})
	in := call{Tool: "write", Input: wire.Object(`{"path":"/etc","n":12345678901234567890}`)}
	if _, err := chain.Fire(t.Context(), s, &in); err != nil {
		t.Error(err)
	}
	if string(in.Input) != `{"path":"/etc","n":12345678901234567890}` {
		t.Errorf("the original became %s", in.Input)
	}
	if want := []string{`{"path":"/etc","n":12345678901234567890}`, `{"path":"a","n":12345678901234567890}`}; !slices.Equal(typed, want) {
		t.Errorf("hooks in Go saw %q, want %q", typed, want)
	}
	const base = `{"session_id":"s1","transcript_path":"/t.jsonl","cwd":"/tmp","hook_event_name":"Chain","tool":"write","input":`
	changed := base + `{"path":"b","n":12345678901234567890,"new":true}}`
	if want := []string{base + `{"path":"a","n":12345678901234567890}}`, changed, changed}; !slices.Equal(payloads, want) {
		t.Errorf("hooks outside saw\n%s\nwant\n%s", strings.Join(payloads, "\n"), strings.Join(want, "\n"))
	}
}

func TestAChainEndsWithABlock(t *testing.T) {
	_, s := start(t, pipeline.Config{Load: []pipeline.Load{loads(
		configured("Chain", "fails", prints(1, "oh")),
		configured("Chain", "stops", prints(0, `{"continue":false}`)),
		configured("Chain", "blocks", prints(2, "")),
		configured("Chain", "never", prints(0, `{"decision":"allow"}`)),
	)}})
	if res := fire(t, chain, s, call{Tool: "write"}); labels(res) != "[fails stops blocks]" || !res.Blocked() || !res.Stop {
		t.Errorf("%s ran, decision %q", labels(res), res.Decision)
	}
}
