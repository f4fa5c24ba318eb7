//go:build !race

package xcsh_test

import (
	"context"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/hooktest"
	"github.com/snaphook-go/snaphook/wire"
)

// mostAllocations limits the allocations of a fire with one handler.
const mostAllocations = 11

var bash = xcsh.ToolCallEvent{ToolName: "bash", ToolCallID: "c1", Input: wire.Object(`{"command":"ls -la /tmp"}`)}

// gated returns modules with a gate in Go.
func gated(t testing.TB) *xcsh.Modules {
	m := start(t, xcsh.Config{})
	if err := m.Add("gate", gate); err != nil {
		t.Fatal(err)
	}
	return m
}

func gate(api *xcsh.API) error {
	xcsh.ToolCall.On(api, func(_ context.Context, e *xcsh.ToolCallEvent, _ *xcsh.HookContext) (*xcsh.ToolCallResult, error) {
		if e.ToolName == "bash" && strings.Contains(e.Input.Text("command"), "rm -rf") {
			return &xcsh.ToolCallResult{Block: true, Reason: "blocked by policy"}, nil
		}
		return nil, nil
	})
	return nil
}

func TestAGateInGoAllocatesLittle(t *testing.T) { // not parallel: AllocsPerRun counts the whole process
	m := gated(t)
	got := testing.AllocsPerRun(200, func() { _, _ = xcsh.ToolCall.Fire(context.Background(), m, &bash) })
	t.Logf("%v allocations", got)
	if got > mostAllocations {
		t.Errorf("a fire with one gate allocates %v times, want at most %d", got, mostAllocations)
	}
}

// mostForEachHandler limits the allocations that a further handler adds. A handler allocates its copy of the event and
// the members that it reads, but no plan.
const mostForEachHandler = 4

func TestFurtherHandlersAllocateLittle(t *testing.T) {
	counts := map[int]float64{}
	for _, n := range []int{4, 12} {
		m := start(t, xcsh.Config{})
		for range n {
			if err := m.Add("gate", gate); err != nil {
				t.Fatal(err)
			}
		}
		counts[n] = testing.AllocsPerRun(200, func() { _, _ = xcsh.ToolCall.Fire(context.Background(), m, &bash) })
	}
	if each := (counts[12] - counts[4]) / 8; each > mostForEachHandler {
		t.Errorf("each handler allocates %v times, want at most %d", each, mostForEachHandler)
	} else {
		t.Logf("%v allocations each", each)
	}
}

func TestWithoutHandlersNothingIsAllocated(t *testing.T) {
	event := inModules[xcsh.TurnStartEvent, xcsh.Nothing]{xcsh.TurnStart.Event(), gated(t)}
	hooktest.Idle(t, event, xcsh.TurnStartEvent{}, hooktest.WorksIdle("the runtime is looked up"))
}

// BenchmarkToolCallGate times a fire with one handler. The test of FireGate in package bench limits the time of such a
// fire to 1.25 times the decoding of its event from JSON.
func BenchmarkToolCallGate(b *testing.B) {
	m := gated(b)
	b.ReportAllocs()
	for b.Loop() {
		_, _ = xcsh.ToolCall.Fire(b.Context(), m, &bash)
	}
}
