package llxprt_test

import (
	"testing"

	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/hooktest"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

// checkEvent checks that an event keeps the contracts that the engine relies on.
func checkEvent[In, Out any](t *testing.T, event *pipeline.Event[In, Out], but ...hooktest.Exception) {
	t.Run(event.Info().Name, func(t *testing.T) {
		hooktest.Idle(t, event, *new(In))
		hooktest.Reducer(t, event.Reduce, nil, but...)
		hooktest.Chain(t, event, nil, nil)
		hooktest.Codec(t, event)
	})
}

// The variables exempt events at which a later answer replaces an earlier block or stop (rules L39, L41).
var (
	replaces = hooktest.LosesBlocks("later answers replace earlier ones")
	undoes   = hooktest.LosesStops("later answers replace earlier ones")
)

func TestEveryEventHolds(t *testing.T) {
	checkEvent(t, llxprt.AfterAgent)
	checkEvent(t, llxprt.AfterModel, replaces, undoes)
	checkEvent(t, llxprt.AfterTool)
	checkEvent(t, llxprt.BeforeAgent)
	checkEvent(t, llxprt.BeforeModel, replaces, undoes)
	checkEvent(t, llxprt.BeforeTool)
	checkEvent(t, llxprt.BeforeToolSelection,
		hooktest.LosesBlocks("nothing is there to block"), hooktest.DecidesAlone("a selection is always spelled out"))
	checkEvent(t, llxprt.Notification, replaces, undoes)
	checkEvent(t, llxprt.PreCompress, replaces, undoes)
	checkEvent(t, llxprt.SessionEnd, replaces, undoes)
	checkEvent(t, llxprt.SessionStart)
}

func BenchmarkBeforeTool(b *testing.B) {
	hooktest.Benchmark(b, llxprt.BeforeTool, llxprt.BeforeToolInput{Name: "write_file", Input: wire.Object(`{"path":"a.txt"}`)})
}
