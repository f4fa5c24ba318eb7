package pipeline_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/match"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

type marked struct{}

// follower is an observer that records its calls and marks the contexts.
type follower struct {
	mu   sync.Mutex
	name string
	said []string
	ends []pipeline.FireOutcome
}

func (o *follower) say(ctx context.Context, words ...any) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.said = append(o.said, fmt.Sprint(words...)+" in "+fmt.Sprint(ctx.Value(marked{})))
}

func (o *follower) FireStart(ctx context.Context, f *pipeline.FireInfo) context.Context {
	o.say(ctx, "start ", f.Event)
	return context.WithValue(ctx, marked{}, o.name)
}

func (o *follower) HookStart(ctx context.Context, _ *pipeline.FireInfo, h *hook.Hook) context.Context {
	o.say(ctx, "begin ", h.Label())
	return context.WithValue(ctx, marked{}, o.name+"/"+h.Label())
}

func (o *follower) HookEnd(ctx context.Context, e *pipeline.Evaluation) {
	o.say(ctx, "end ", e.Hook.Label(), " ", e.SkipReason, e.Outcome)
}

func (o *follower) FireEnd(ctx context.Context, _ *pipeline.FireInfo, r *pipeline.FireOutcome) {
	o.say(ctx, "done ", r.Decision)
	o.ends = append(o.ends, *r)
}

func TestAnObserverFollowsAFireInTheContextThatItMakes(t *testing.T) {
	other := configured("Call", "other", prints(0, "{}"))
	other.Matcher, other.Pattern = match.Exact("other"), "other"
	a := &follower{name: "a"}
	_, s := start(t, pipeline.Config{Observe: []pipeline.Observer{a}, Load: []pipeline.Load{loads(other)}})
	event.On(s, "own", func(ctx context.Context, _ call) (output, error) {
		a.say(ctx, "runs")
		return output{Decision: hook.Deny, Reason: "no"}, nil
	})
	want := []string{
		"start test.Call in <nil>", "end other matcher in a", "begin own in a", "runs in a/own", "end own blocking in a/own", "done deny in a",
	}
	fire(t, event, s, call{Tool: "write"})
	if !slices.Equal(a.said, want) {
		t.Errorf("a fire: got\n%s\nwant\n%s", strings.Join(a.said, "\n"), strings.Join(want, "\n"))
	}
	a.said = nil
	for range event.Stream(t.Context(), s, &call{Tool: "write"}) { //nolint:revive // the loop fires the event
	}
	if !slices.Equal(a.said, want) {
		t.Errorf("a stream: got\n%s\nwant\n%s", strings.Join(a.said, "\n"), strings.Join(want, "\n"))
	}
}

func TestTheEndOfAFireSaysWhatItAmountsTo(t *testing.T) {
	tests := map[string]struct {
		answer string
		exit   int
		want   pipeline.FireOutcome
	}{
		"silence":         {"", 0, pipeline.FireOutcome{}},
		"a denial":        {`{"decision":"deny","reason":"no"}`, 0, pipeline.FireOutcome{Decision: hook.Deny, Reason: "no"}},
		"a block":         {`{"decision":"block","reason":"no"}`, 0, pipeline.FireOutcome{Decision: hook.Deny, Reason: "no"}},
		"status 2":        {"", 2, pipeline.FireOutcome{Decision: hook.Deny}},
		"an approval":     {`{"decision":"approve"}`, 0, pipeline.FireOutcome{Decision: hook.Allow}},
		"a permission":    {`{"decision":"allow"}`, 0, pipeline.FireOutcome{Decision: hook.Allow}},
		"a question":      {`{"decision":"ask","reason":"sure?"}`, 0, pipeline.FireOutcome{Decision: hook.Ask, Reason: "sure?"}},
		"plain text":      {"fine", 0, pipeline.FireOutcome{}},
		"the wish to end": {`{"continue":false,"stopReason":"late"}`, 0, pipeline.FireOutcome{Stop: true, Reason: "late"}},
		"a rewrite":       {`{"hookSpecificOutput":{"input":{"a":1}}}`, 0, pipeline.FireOutcome{Rewritten: true}},
		"a failure":       {"", 1, pipeline.FireOutcome{FailedOpen: 1}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			o := &follower{}
			_, s := start(t, pipeline.Config{Observe: []pipeline.Observer{o}, Load: []pipeline.Load{loads(configured("Call", "hook", prints(test.exit, test.answer)))}})
			res := fire(t, event, s, call{Tool: "write"})
			if len(o.ends) != 1 {
				t.Fatalf("%d ends, want 1", len(o.ends))
			}
			got := o.ends[0]
			if got.Elapsed <= 0 {
				t.Errorf("it took %v", got.Elapsed)
			}
			if test.exit == 2 {
				test.want.Reason = res.Reason // the engine's wording
			}
			if got.Elapsed = 0; fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", test.want) {
				t.Errorf("got  %+v\nwant %+v", got, test.want)
			}
		})
	}
}

// faulty is an observer that panics wherever it is called.
type faulty struct{}

func (faulty) FireStart(context.Context, *pipeline.FireInfo) context.Context { panic("start") }
func (faulty) HookStart(context.Context, *pipeline.FireInfo, *hook.Hook) context.Context {
	panic("begin")
}
func (faulty) HookEnd(context.Context, *pipeline.Evaluation)                      { panic("end") }
func (faulty) FireEnd(context.Context, *pipeline.FireInfo, *pipeline.FireOutcome) { panic("done") }

// contextless is an observer that returns no context.
type contextless struct{ faulty }

func (contextless) FireStart(context.Context, *pipeline.FireInfo) context.Context { return nil }

func TestAnObserverThatPanicsChangesNothing(t *testing.T) {
	after := &follower{name: "after"}
	sys, s := start(t, pipeline.Config{Observe: []pipeline.Observer{faulty{}, contextless{}, after}, Load: []pipeline.Load{loads(configured("Call", "denies", prints(2, "no")))}})
	if res := fire(t, event, s, call{Tool: "write"}); !res.Blocked() || len(res.Reports) != 1 || res.Reports[0].Err != nil {
		t.Errorf("the result is %+v; want the denial", res)
	}
	if got := sys.ObserverFailures(); got != 7 {
		t.Errorf("%d failures of observers are counted, want 7", got)
	}
	if len(after.said) != 4 {
		t.Errorf("the observer after them has seen %q", after.said)
	}
}

// ender is an observer of the system's end.
type ender struct {
	pipeline.HookEnds
	times *int
}

func (e ender) SystemEnd() { *e.times++ }

func TestObserversLearnOfTheEndOfTheSystem(t *testing.T) {
	times := 0
	sys, s := start(t, pipeline.Config{Observe: []pipeline.Observer{ender{func(context.Context, *pipeline.Evaluation) {}, &times}}})
	event.On(s, "own", allow)
	fire(t, event, s, call{Tool: "write"})
	if times != 0 {
		t.Error("the end has come too early")
	}
	if sys.Close(); times != 1 {
		t.Errorf("%d ends, want 1", times)
	}
}

func TestFiresWithoutHooksAreObservedOnRequest(t *testing.T) {
	for _, idle := range []bool{false, true} {
		o := &follower{name: "o"}
		_, s := start(t, pipeline.Config{Observe: []pipeline.Observer{o}, ObserveIdle: idle})
		res := fire(t, event, s, call{Tool: "write"})
		if event.Active(s) || res != fire(t, event, s, call{Tool: "write"}) {
			t.Error("an event without hooks is active, or has a result of its own")
		}
		if want := map[bool]int{true: 4}[idle]; len(o.said) != want {
			t.Errorf("idle %v: seen %q, want %d calls", idle, o.said, want)
		}
	}
}

func TestObserversCanReadTheInput(t *testing.T) {
	var texts []string
	read := func(f *pipeline.FireInfo) {
		text, err := f.AppendInput([]byte("> "))
		texts = append(texts, fmt.Sprint(string(text), err))
	}
	for _, h := range []*hook.Hook{configured("Call", "outside", prints(0, "")), configured("Other", "none", prints(0, ""))} {
		texts = nil
		_, s := start(t, pipeline.Config{Observe: []pipeline.Observer{reader{read}}, Load: []pipeline.Load{loads(h)}})
		event.On(s, "own", allow)
		fire(t, event, s, call{Tool: "write", Input: wire.Object(`{"path":"a"}`)})
		want := `> {"tool":"write","input":{"path":"a"}}<nil>`
		if !slices.Equal(texts, []string{want, want}) {
			t.Errorf("%s: got %q, want %q twice", h.Command, texts, want)
		}
	}
}

// reader is an observer that calls its function read with the FireInfo when a fire starts and ends.
type reader struct{ read func(*pipeline.FireInfo) }

func (r reader) FireStart(ctx context.Context, f *pipeline.FireInfo) context.Context {
	r.read(f)
	return ctx
}
func (reader) HookEnd(context.Context, *pipeline.Evaluation) {}
func (r reader) FireEnd(_ context.Context, f *pipeline.FireInfo, _ *pipeline.FireOutcome) {
	r.read(f)
}

func TestHooksGetTheTraceOfTheirContext(t *testing.T) {
	const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	var call1 hook.Call
	keeps := func(_ context.Context, c hook.Call) (hook.Reply, error) {
		call1 = c
		return hook.Reply{}, nil
	}
	_, s := start(t, pipeline.Config{Load: []pipeline.Load{loads(configured("Call", "hook", keeps))}})
	fire(t, event, s, call{Tool: "write"})
	if len(call1.Env) != 0 || call1.Trace != (hook.Trace{}) {
		t.Errorf("without a trace the call has %q", call1.Env)
	}
	ctx := hook.WithTrace(t.Context(), hook.Trace{Parent: parent, State: "a=b"})
	if _, err := event.Fire(ctx, s, &call{Tool: "write"}); err != nil {
		t.Fatal(err)
	}
	if want := []string{"TRACEPARENT=" + parent, "TRACESTATE=a=b"}; !slices.Equal(call1.Env, want) || call1.Trace.Parent != parent {
		t.Errorf("the call has %q, want %q", call1.Env, want)
	}
}

// blocking is an observer that blocks in one of its methods until the test releases it.
type blocking struct {
	follower
	in    string
	calls atomic.Int64
	free  chan struct{}
}

func (b *blocking) wait(in string) {
	if b.in == in {
		b.calls.Add(1)
		<-b.free
	}
}

func (b *blocking) FireStart(ctx context.Context, f *pipeline.FireInfo) context.Context {
	ctx = b.follower.FireStart(ctx, f)
	b.wait("FireStart")
	f.Trace = hook.Trace{Parent: "late"} // the fire must not see this write, and there must be no race
	_, _ = f.AppendInput(nil)
	return ctx
}

func (b *blocking) HookStart(ctx context.Context, f *pipeline.FireInfo, h *hook.Hook) context.Context {
	ctx = b.follower.HookStart(ctx, f, h)
	b.wait("HookStart")
	return ctx
}

func (b *blocking) HookEnd(ctx context.Context, e *pipeline.Evaluation) {
	b.follower.HookEnd(ctx, e)
	b.wait("HookEnd")
}

func (b *blocking) FireEnd(ctx context.Context, f *pipeline.FireInfo, r *pipeline.FireOutcome) {
	b.follower.FireEnd(ctx, f, r)
	b.wait("FireEnd")
}

func (b *blocking) HookAdded(string, *hook.Hook)   { b.wait("HookAdded") }
func (b *blocking) HookRemoved(string, *hook.Hook) { b.wait("HookRemoved") }
func (b *blocking) SystemEnd()                     { b.wait("SystemEnd") }

// An observer that blocks delays one fire by half a second, and no other fire. While the observer
// blocks, the engine skips all calls of a fire to the observer, which therefore sees no end without
// a beginning.
func TestAnObserverThatBlocksHoldsUpOneFireAtMost(t *testing.T) {
	calls := map[string]int{"FireStart": 1, "HookStart": 2, "HookEnd": 3, "FireEnd": 4}
	for _, in := range slices.Sorted(maps.Keys(calls)) {
		t.Run(in, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b, after := &blocking{in: in, free: make(chan struct{})}, &follower{name: "after"}
				sys, s := start(t, pipeline.Config{
					Observe: []pipeline.Observer{b, after},
					Load:    []pipeline.Load{loads(configured("Call", "denies", prints(2, "no")))},
				})
				for i := range 3 {
					began := time.Now()
					if res := fire(t, event, s, call{Tool: "write"}); !res.Blocked() || res.Reports[0].Err != nil {
						t.Errorf("the result is %+v; want the denial", res)
					}
					if took := time.Since(began); took != map[int]time.Duration{0: 500 * time.Millisecond}[i] {
						t.Errorf("fire %d took %v", i, took)
					}
				}
				if got := sys.ObserverFailures(); got != 3 || b.calls.Load() != 1 {
					t.Errorf("%d failures are counted, want 3, and %d calls, want 1", got, b.calls.Load())
				}
				if got := len(b.said); got != calls[in] {
					t.Errorf("it has seen %d calls, want %d: %q", got, calls[in], b.said)
				}
				if len(after.said) != 12 {
					t.Errorf("the observer after it has seen %q", after.said)
				}
				close(b.free)
				synctest.Wait()
				b.in = "" // from now on it does not block
				fire(t, event, s, call{Tool: "write"})
				if got := len(b.said); got != calls[in]+4 || sys.ObserverFailures() != 3 {
					t.Errorf("once it has returned it sees %d calls more, want 4", got-calls[in])
				}
			})
		})
	}
}

func TestAnObserverThatBlocksHoldsUpNoChangeOfHooksAndNoEnd(t *testing.T) {
	for in, want := range map[string]time.Duration{
		"HookAdded": 500 * time.Millisecond, "HookRemoved": 500 * time.Millisecond, "SystemEnd": 10 * time.Second,
	} {
		t.Run(in, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := &blocking{in: in, free: make(chan struct{})}
				sys, s := start(t, pipeline.Config{Observe: []pipeline.Observer{b}})
				began := time.Now()
				remove := event.On(s, "own", allow)
				remove()
				sys.Close()
				if took := time.Since(began); took != want || sys.ObserverFailures() < 1 {
					t.Errorf("it took %v, want %v; %d failures", took, want, sys.ObserverFailures())
				}
				close(b.free)
			})
		})
	}
}

// prompt is an observer that is called on the goroutine of the fire.
type prompt struct{ reader }

func (prompt) ObservesPromptly() {}

func TestAPromptObserverIsCalledOnTheGoroutineOfTheFire(t *testing.T) {
	n := 0 // no lock is needed
	_, s := start(t, pipeline.Config{Observe: []pipeline.Observer{prompt{reader{func(*pipeline.FireInfo) { n++ }}}}})
	event.On(s, "own", allow)
	fire(t, event, s, call{Tool: "write"})
	if n != 2 {
		t.Errorf("%d calls, want 2", n)
	}
}
