package fleet

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/pipeline"
)

// ratio returns the median of the ratios of neighbours, in the order a b b a: what disturbs the machine disturbs both.
func ratio(pairs, each int, a, b func()) float64 {
	time := func(f func()) float64 {
		began := time.Now()
		for range each {
			f()
		}
		return time.Since(began).Seconds()
	}
	var all []float64
	time(a)
	time(b)
	for range pairs {
		first, second := time(a), time(b)
		all = append(all, second/first)
		second = time(b)
		all = append(all, second/time(a))
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// goHook is a hook of a worker: a function that denies nothing.
var goHook = hooked("claude", "PreToolUse", says(""))

// roundTrips are a call that asks a worker whose hook is a function, its hook alone, and a plain request of the same
// size.
func roundTrips(t testing.TB) (plain, ask, call func()) {
	nc := connect(t, startServer(t))
	serve(t, nc, sessionsOf(t, system(t, pipeline.Config{Load: []pipeline.Load{goHook}})), ServeOptions{})
	s := session(t, system(t, pipeline.Config{Load: []pipeline.Load{Hooks(nc, HookOptions{})}}))
	e, other := preToolUse(t), connect(t, nc.ConnectedUrl())
	question, answer := sizes(t)
	reply := make([]byte, answer)
	if _, err := other.Subscribe("plain", func(m *nats.Msg) { _ = m.Respond(reply) }); err != nil {
		t.Fatal(err)
	}
	if err := other.Flush(); err != nil {
		t.Fatal(err)
	}
	request := make([]byte, question)
	var one *hook.Hook
	for _, h := range s.Hooks() {
		if h.Event == e.Info().Name && h.Dialect == e.Info().Dialect {
			one = h
		}
	}
	payload := []byte(`{"session_id":"s-1","transcript_path":"","cwd":"/x","hook_event_name":"PreToolUse",` + bash[1:])
	plain = func() {
		if _, err := nc.Request("plain", request, patience); err != nil {
			t.Error(err)
		}
	}
	ask = func() {
		if _, err := one.Runner.Run(t.Context(), hook.Call{Payload: payload, Session: "s-1", Dir: "/x", Timeout: time.Minute}); err != nil {
			t.Error(err)
		}
	}
	call = func() {
		if res := fire(t, e, s, bash); res.Blocked {
			t.Error("the call is blocked")
		}
	}
	return plain, ask, call
}

// sizes are the bytes of a request and of its response on the wire, with their headers.
func sizes(t testing.TB) (question, answer int) {
	nc := connect(t, startServer(t))
	agent := connect(t, nc.ConnectedUrl())
	serve(t, nc, sessionsOf(t, system(t, pipeline.Config{Load: []pipeline.Load{goHook}})), ServeOptions{})
	s := session(t, system(t, pipeline.Config{Load: []pipeline.Load{Hooks(agent, HookOptions{})}}))
	fire(t, preToolUse(t), s, bash)
	before := agent.Stats()
	fire(t, preToolUse(t), s, bash)
	after := agent.Stats()
	return int(after.OutBytes - before.OutBytes), int(after.InBytes - before.InBytes)
}

// BenchmarkRoundTrip compares the hook that asks a worker, and the whole call, with a plain request of the same size.
func BenchmarkRoundTrip(b *testing.B) {
	plain, ask, call := roundTrips(b)
	for name, f := range map[string]func(){"plain": plain, "hook": ask, "call": call} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				f()
			}
		})
	}
	b.Run("ratio", func(b *testing.B) {
		for b.Loop() {
			b.ReportMetric(ratio(20, 200, plain, ask), "hook/plain")
			b.ReportMetric(ratio(20, 200, plain, call), "call/plain")
		}
	})
}

var _ = testkit.Timed
var _ = sync.NewCond
var _ = fmt.Sprint
var _ context.Context
