//go:build !race

package modules_test

import (
	"context"
	"testing"

	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/jsrun/modules"
)

// mostAllocations limits the allocations of a fire with one handler in JavaScript, with a small
// margin.
const mostAllocations = 130

func TestAGateAllocatesLittle(t *testing.T) { // not parallel: AllocsPerRun counts the whole process
	h := opened(t, xcsh.Config{}, &modules.Loader{})
	h.written(t, "gate.ts", small)
	got := testing.AllocsPerRun(200, func() {
		if _, err := h.call(context.Background(), "bash", `{"command":"ls -la"}`); err != nil {
			t.Error(err)
		}
	})
	t.Logf("%v allocations", got)
	if got > mostAllocations {
		t.Errorf("a fire with one gate allocates %v times, want at most %d", got, mostAllocations)
	}
}

func TestWithoutHandlersAModuleCostsNothing(t *testing.T) {
	h := opened(t, xcsh.Config{}, &modules.Loader{})
	h.written(t, "gate.ts", small)
	got := testing.AllocsPerRun(200, func() { xcsh.TurnStart.Fire(context.Background(), h.Modules, &xcsh.TurnStartEvent{}) })
	if got != 0 {
		t.Errorf("a fire without handlers allocates %v times", got)
	}
}
