package fleet

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/snaphook-go/snaphook/fleet/embedded"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/pipeline"
)

// ratio runs a and b in the order a b b a, and returns the median of the ratios of b to a in neighbouring runs, because
// other work on the machine slows both.
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

// roundTrips returns the measured operations: plain is a request of the same size, ask is the hook that asks a worker,
// and call is the whole call. The worker's hook is a function.
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

// sizes returns the number of bytes of a request and of its response on the wire, with their headers.
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

// recordCost returns two operations to compare: a call without a record, and the same call with a record.
func recordCost(t testing.TB) (without, with func()) {
	nc := connect(t, startServer(t))
	r, err := Records(nc, t.TempDir(), RecordOptions{Log: quiet, MaxSpool: 1 << 32})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	calls := func(cfg pipeline.Config) func() {
		cfg.Load = []pipeline.Load{goHook}
		s, e := session(t, system(t, cfg)), preToolUse(t)
		return func() { fire(t, e, s, bash) }
	}
	return calls(pipeline.Config{}), calls(pipeline.Config{Observe: []pipeline.Observer{r.Shared()}})
}

// BenchmarkRecord compares a call that is recorded with a call that is not.
func BenchmarkRecord(b *testing.B) {
	without, with := recordCost(b)
	for name, f := range map[string]func(){"without": without, "with": with} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				f()
			}
		})
	}
	b.Run("ratio", func(b *testing.B) {
		for b.Loop() {
			more := ratio(20, 200, without, with)
			b.ReportMetric(more, "with/without")
			began := time.Now()
			for range 1000 {
				without()
			}
			b.ReportMetric((more-1)*float64(time.Since(began).Microseconds())/1000, "µs/record")
		}
	})
}

// BenchmarkMessage counts the bytes of a request and of its response, with their headers, and of a record.
func BenchmarkMessage(b *testing.B) {
	question, answer := sizes(b)
	nc, err := Connect("nats://127.0.0.1:1", ConnectOptions{Wait: -1, Log: quiet})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(nc.Close)
	r, err := Records(nc, b.TempDir(), RecordOptions{Log: quiet, Close: time.Millisecond})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(r.Close)
	fire(b, preToolUse(b), recordingAgent(b, r), bash)
	testkit.Eventually(b, "the line is in the spool", func() bool { return r.Waiting() > 0 })
	for b.Loop() {
		b.ReportMetric(float64(question), "B/request")
		b.ReportMetric(float64(answer), "B/response")
		b.ReportMetric(float64(r.Waiting()), "B/record")
	}
}

// callsWith returns the time that some workers take for 384 calls, 64 at a time. Each worker serves two calls at a
// time, and its hook takes 2 ms.
func callsWith(t testing.TB, workers int) time.Duration {
	nc := connect(t, startServer(t))
	slow := hooked("claude", "PreToolUse", runner(func(context.Context, hook.Call) (hook.Reply, error) {
		timer := time.NewTimer(2 * time.Millisecond)
		<-timer.C
		return hook.Reply{}, nil
	}))
	for range workers {
		serve(t, nc, sessionsOf(t, system(t, pipeline.Config{Load: []pipeline.Load{slow}})), ServeOptions{Concurrency: 2})
	}
	s := session(t, system(t, pipeline.Config{Load: []pipeline.Load{Hooks(nc, HookOptions{Patience: patience})}}))
	began := time.Now()
	var all sync.WaitGroup
	for range 64 {
		all.Go(func() {
			for range 400 / 64 {
				if res, err := preToolUse(t).FireJSON(context.Background(), s, []byte(bash)); err != nil || res.Blocked {
					t.Errorf("a call is blocked, or %v", err)
				}
			}
		})
	}
	all.Wait()
	return time.Since(began)
}

// BenchmarkThroughput compares four workers with one.
func BenchmarkThroughput(b *testing.B) {
	for b.Loop() {
		b.ReportMetric(callsWith(b, 1).Seconds()/callsWith(b, 4).Seconds(), "4workers/1")
	}
}

// swapTime returns the time from a push until a number of agents and a worker run the policy, while calls are made.
func swapTime(t testing.TB, agents int) time.Duration {
	url := startServer(t)
	nc := connect(t, url)
	public, private := newKey(t)
	push(t, nc, private, policyDir(t, "first"))
	w, stop := work(t, connect(t, url), public, t.TempDir())
	defer stop()
	policies := []*Policy{w.Policy}
	for range agents {
		policies = append(policies, watch(t, connect(t, url), public, t.TempDir()))
	}
	s := agent(t, nc, policies[1])
	all := func(revision uint64) bool {
		return !slices.ContainsFunc(policies, func(p *Policy) bool { return p.Revision() != revision })
	}
	testkit.Eventually(t, "all run the first policy", func() bool { return all(1) })
	ctx, cancel := context.WithCancel(context.Background())
	var load sync.WaitGroup
	for range 4 {
		load.Go(func() {
			for ctx.Err() == nil {
				if res, err := preToolUse(t).FireJSON(context.Background(), s, []byte(bash)); err != nil || !res.Blocked {
					t.Errorf("a call goes ahead during the swap, %v", err)
				}
			}
		})
	}
	dir := policyDir(t, "second")
	began := time.Now()
	push(t, nc, private, dir)
	testkit.Eventually(t, "all run the second policy", func() bool { return all(2) })
	took := time.Since(began)
	cancel()
	load.Wait()
	return took
}

// BenchmarkSwap compares the swap of a policy on 64 agents with the swap on one agent.
func BenchmarkSwap(b *testing.B) {
	for b.Loop() {
		one, many := swapTime(b, 1), swapTime(b, 64)
		b.ReportMetric(float64(many.Milliseconds()), "ms/64agents")
		b.ReportMetric(many.Seconds()/one.Seconds(), "64agents/1")
	}
}

// BenchmarkRecovery measures the time from the restart of a server to the first answer of a worker, and compares it
// with the time that a client of NATS takes to be connected again.
func BenchmarkRecovery(b *testing.B) {
	for b.Loop() {
		dir := b.TempDir()
		s, err := embedded.Start(embedded.Options{URL: "nats://127.0.0.1:0", Dir: dir})
		if err != nil {
			b.Fatal(err)
		}
		url := s.ClientURL()
		nc, other := connect(b, url), connect(b, url)
		serve(b, nc, sessionsOf(b, system(b, pipeline.Config{Load: []pipeline.Load{goHook}})), ServeOptions{})
		ses := session(b, system(b, pipeline.Config{Load: []pipeline.Load{Hooks(nc, HookOptions{Patience: -1})}}))
		fire(b, preToolUse(b), ses, bash)
		s.Close()
		testkit.Eventually(b, "the connections are lost", func() bool { return !nc.IsConnected() && !other.IsConnected() })
		if s, err = embedded.Start(embedded.Options{URL: url, Dir: dir}); err != nil {
			b.Fatal(err)
		}
		b.Cleanup(s.Close)
		began := time.Now()
		testkit.Eventually(b, "a client is connected", other.IsConnected)
		plain := time.Since(began)
		testkit.Eventually(b, "a worker answers", func() bool { return !fire(b, preToolUse(b), ses, bash).Blocked })
		b.ReportMetric(float64(time.Since(began).Milliseconds()), "ms")
		b.ReportMetric(time.Since(began).Seconds()/plain.Seconds(), "answer/connected")
	}
}

// The measured costs stay near the figures in docs/fleet.md. The two ratios to a plain request are up to half as high
// again on a machine whose processor is slower and whose system calls are not.
func TestTheFleetCostsWhatItsPageSays(t *testing.T) {
	testkit.Timed(t)
	plain, ask, call := roundTrips(t)
	without, with := recordCost(t)
	for name, tt := range map[string]struct {
		measure func() float64
		most    float64
	}{
		"a hook that asks, of a plain request": {func() float64 { return ratio(20, 200, plain, ask) }, 4.5},
		"a call, of a plain request":           {func() float64 { return ratio(20, 200, plain, call) }, 6},
		"a recorded call, of one that is not":  {func() float64 { return ratio(20, 200, without, with) }, 4},
		"four workers' time, of that of one":   {func() float64 { return callsWith(t, 4).Seconds() / callsWith(t, 1).Seconds() }, 0.8},
		"a swap on 64 agents, in seconds":      {func() float64 { return swapTime(t, 64).Seconds() }, 5},
	} {
		best := tt.measure()
		for range 2 {
			if best > tt.most {
				best = min(best, tt.measure())
			}
		}
		t.Logf("%s: %.2f", name, best)
		if best > tt.most {
			t.Errorf("%s: %.2f; want %.2f at most", name, best, tt.most)
		}
	}
}
