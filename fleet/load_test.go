package fleet

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

// gated is a worker's hook that waits until release is closed. begun gets the id of each call.
func gated(begun chan<- string, release <-chan struct{}) pipeline.Load {
	return hooked("claude", "PreToolUse", runner(func(ctx context.Context, call hook.Call) (hook.Reply, error) {
		begun <- wire.Object(call.Payload).Text("tool_use_id")
		select {
		case <-release:
			return hook.Reply{}, nil
		case <-ctx.Done():
			return hook.Reply{}, ctx.Err()
		}
	}))
}

// A worker at its limit refuses requests of the host that sends too many, still accepts requests of other hosts, and
// serves the hosts in turn.
func TestAWorkerAtItsLimitRefusesFairly(t *testing.T) {
	nc := connect(t, startServer(t))
	begun, release := make(chan string, 16), make(chan struct{})
	metrics := NewMetrics()
	server := serve(t, nc, sessionsOf(t, system(t, pipeline.Config{Load: []pipeline.Load{gated(begun, release)}})),
		ServeOptions{Concurrency: 1, Queue: 4, PerHost: 2, Metrics: metrics})
	replies := make(chan string, 16)
	inbox := nats.NewInbox()
	sub, err := nc.Subscribe(inbox, func(m *nats.Msg) {
		replies <- wire.Object(m.Data).Text("correlationId") + " " + m.Header.Get("Nats-Service-Error-Code")
	})
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Unsubscribe()
	waits := func(n int) {
		t.Helper()
		testkit.Eventually(t, fmt.Sprint(n, " requests wait"), func() bool { _, waiting := server.Load(); return waiting == n })
	}
	ask := func(host, id string) {
		t.Helper()
		input := strings.Replace(bash, `"t"`, `"`+id+`"`, 1)
		if err := nc.PublishMsg(&nats.Msg{
			Subject: FirePrefix + "claude.PreToolUse", Reply: inbox, Header: nats.Header{HostHeader: {host}},
			Data: []byte(`{"correlationId":"` + id + `","input":` + input + `}`),
		}); err != nil {
			t.Fatal(err)
		}
	}
	ask("greedy", "g1")
	if got := <-begun; got != "g1" {
		t.Fatalf("%s has begun", got)
	}
	ask("greedy", "g2")
	ask("greedy", "g3")
	waits(2)
	ask("greedy", "g4")
	if got := <-replies; got != "g4 overloaded" {
		t.Errorf("the host that asks too much got %q", got)
	}
	ask("modest", "m1")
	waits(3)
	ask("third", "t1")
	waits(4)
	ask("fourth", "f1")
	if got := <-replies; got != "f1 overloaded" {
		t.Errorf("beyond the limit of all hosts: %q", got)
	}
	close(release)
	order := []string{<-begun, <-begun, <-begun, <-begun}
	if want := []string{"g2", "m1", "t1", "g3"}; !slices.Equal(order, want) {
		t.Errorf("the order is %v; want the hosts in turn: %v", order, want)
	}
	for range 5 {
		if got := <-replies; !strings.HasSuffix(got, " ") {
			t.Errorf("a request that waited got %q", got)
		}
	}
}

// A slow worker takes only its share of the requests; meanwhile the other worker answers all other requests.
func TestASlowWorkerSlowsItsShareAlone(t *testing.T) {
	nc := connect(t, startServer(t))
	begun, release := make(chan string, 64), make(chan struct{})
	serve(t, nc, sessionsOf(t, system(t, pipeline.Config{Load: []pipeline.Load{gated(begun, release)}})),
		ServeOptions{Concurrency: 2, Queue: 2, PerHost: 2})
	serve(t, nc, sessionsOf(t, system(t, pipeline.Config{Load: []pipeline.Load{goHook}})), ServeOptions{})
	s := session(t, system(t, pipeline.Config{Load: []pipeline.Load{Hooks(nc, HookOptions{Patience: patience})}}))
	const calls = 64
	ended := make(chan bool, calls)
	for range calls {
		go func() {
			res, err := preToolUse(t).FireJSON(context.Background(), s, []byte(bash))
			ended <- err == nil && !res.Blocked
		}()
	}
	const stuck = 4 // calls that run or wait at the slow worker
	for range calls - stuck {
		select {
		case ok := <-ended:
			if !ok {
				t.Error("a call is denied")
			}
		case <-time.After(patience):
			t.Fatal("the slow worker holds up more than it runs")
		}
	}
	close(release)
	for range stuck {
		if ok := <-ended; !ok {
			t.Error("a call of the slow worker is denied")
		}
	}
}

// saturated returns local, which fires a hook of the agent itself, and saturate, which sends twice as many requests as
// may be in flight; end answers these requests.
func saturated(t testing.TB, own pipeline.Load) (local func(), saturate func() (end func())) {
	nc := connect(t, startServer(t))
	begun, release := make(chan string, 256), make(chan struct{})
	serve(t, nc, sessionsOf(t, system(t, pipeline.Config{Workers: 256, Load: []pipeline.Load{gated(begun, release)}})), ServeOptions{Concurrency: 256})
	asks := only(preToolUse(t), Hooks(nc, HookOptions{}))
	s := session(t, system(t, pipeline.Config{Load: []pipeline.Load{asks, own}}))
	prompt := event(t, claude.Dialect, "UserPromptSubmit")
	local = func() {
		res, err := prompt.FireJSON(context.Background(), s, []byte(`{"prompt":"go"}`))
		if err != nil || !res.Blocked {
			t.Errorf("the agent's own hook: %v, %v", res, err)
		}
	}
	return local, func() func() {
		var all sync.WaitGroup
		for range 128 { // twice the limit of simultaneous requests
			all.Go(func() { _, _ = preToolUse(t).FireJSON(context.Background(), s, []byte(bash)) })
		}
		for range 64 {
			select {
			case <-begun:
			case <-time.After(patience):
				t.Fatal("the requests are not under way")
			}
		}
		return func() {
			close(release)
			all.Wait()
		}
	}
}

// ownHook is a hook of the agent's machine: it starts no process and denies.
func ownHook() pipeline.Load {
	return hooked("claude", "UserPromptSubmit", says(`{"decision":"block","reason":"own"}`))
}

func TestOwnHooksRunWhileTheFleetIsSaturated(t *testing.T) {
	local, saturate := saturated(t, ownHook())
	defer saturate()()
	for range 100 {
		local()
	}
}

// While the fleet is saturated, an agent's own hooks take at most 1.2 times as long as before.
func TestOwnHooksKeepTheirLatencyWhileTheFleetIsSaturated(t *testing.T) {
	testkit.Timed(t)
	best := 100.0
	for range 3 {
		free, _ := saturated(t, ownHook())
		busy, saturate := saturated(t, ownHook())
		end := saturate()
		best = min(best, ratio(40, 300, free, busy))
		end()
	}
	t.Logf("the ratio is %.2f", best)
	if best > 1.2 {
		t.Errorf("the ratio is %.2f; want 1.2 at most", best)
	}
}
