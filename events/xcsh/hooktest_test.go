package xcsh_test

import (
	"context"
	"testing"

	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/hooktest"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

// inModules fires an event in m and ignores the session.
type inModules[In, Out any] struct {
	event *xcsh.Event[In, Out]
	m     *xcsh.Modules
}

func (e inModules[In, Out]) Fire(ctx context.Context, _ *pipeline.Session, in *In) (*hook.Result[Out], error) {
	_, err := e.event.Fire(ctx, e.m, in)
	return nil, err
}

// checkEvent checks that an event keeps the contracts that the engine relies on, in both
// runtimes.
func checkEvent[In, Out any](t *testing.T, event *xcsh.Event[In, Out]) {
	t.Run(event.Name(), func(t *testing.T) {
		hooktest.Idle(t, inModules[In, Out]{event, start(t, xcsh.Config{})}, *new(In), hooktest.WorksIdle("the runtime is looked up"))
		for _, e := range event.Runtimes() {
			t.Run(e.Info().Dialect, func(t *testing.T) {
				hooktest.Idle(t, e, *new(In))
				but := []hooktest.Exception{hooktest.LosesStops("no answer of a module stops the agent")}
				if e.Info().Can&pipeline.CanBlock == 0 {
					but = append(but, hooktest.LosesBlocks("nothing is there to block"))
				}
				hooktest.Reducer(t, e.Reduce, nil, but...)
				hooktest.Chain(t, e, nil, nil)
				hooktest.Codec(t, e, hooktest.DropsUnknown("both sides are the program's own types"))
			})
		}
	})
}

func TestEveryEventHolds(t *testing.T) {
	checkEvent(t, xcsh.Context)
	checkEvent(t, xcsh.BeforeAgentStart)
	checkEvent(t, xcsh.SessionBeforeSwitch)
	checkEvent(t, xcsh.SessionBeforeBranch)
	checkEvent(t, xcsh.SessionBeforeCompact)
	checkEvent(t, xcsh.SessionCompacting)
	checkEvent(t, xcsh.SessionBeforeTree)
	checkEvent(t, xcsh.ToolCall)
	checkEvent(t, xcsh.ToolResult)
	checkEvent(t, xcsh.AgentStart.Event())
	checkEvent(t, xcsh.AgentEnd.Event())
	checkEvent(t, xcsh.TurnStart.Event())
	checkEvent(t, xcsh.TurnEnd.Event())
	checkEvent(t, xcsh.AutoCompactionStart.Event())
	checkEvent(t, xcsh.AutoCompactionEnd.Event())
	checkEvent(t, xcsh.AutoRetryStart.Event())
	checkEvent(t, xcsh.AutoRetryEnd.Event())
	checkEvent(t, xcsh.TTSRTriggered.Event())
	checkEvent(t, xcsh.TodoReminder.Event())
	checkEvent(t, xcsh.SessionStart.Event())
	checkEvent(t, xcsh.SessionSwitch.Event())
	checkEvent(t, xcsh.SessionBranch.Event())
	checkEvent(t, xcsh.SessionCompact.Event())
	checkEvent(t, xcsh.SessionTree.Event())
	checkEvent(t, xcsh.SessionShutdown.Event())
}

func BenchmarkToolCall(b *testing.B) {
	for _, e := range xcsh.ToolCall.Runtimes() {
		b.Run(e.Info().Dialect, func(b *testing.B) {
			hooktest.Benchmark(b, e, xcsh.ToolCallEvent{ToolName: "bash", ToolCallID: "c1", Input: wire.Object(`{"command":"ls"}`)})
		})
	}
}
