package codex_test

import (
	"testing"

	"github.com/snaphook-go/snaphook/events/codex"
	"github.com/snaphook-go/snaphook/hooktest"
	"github.com/snaphook-go/snaphook/pipeline"
)

// checkEvent checks that an event keeps the contracts that the engine relies on. It leaves out
// hooktest.Codec, which requires that the input keeps unknown members: the input schemas of Codex
// are closed (CX14).
func checkEvent[In any](t *testing.T, event *pipeline.Event[In, codex.Output], but ...hooktest.Exception) {
	t.Run(event.Info().Name, func(t *testing.T) {
		hooktest.Idle(t, event, *new(In), but...)
		hooktest.Reducer(t, event.Reduce, nil, but...)
		hooktest.Chain(t, event, nil, nil)
	})
}

// stopFrees exempts an event from the rule that no block is lost: an answer that stops the agent cancels a block that
// keeps the agent working.
var stopFrees = hooktest.LosesBlocks("an answer that stops the agent lifts what keeps it at work")

func TestEveryEventHolds(t *testing.T) {
	checkEvent(t, codex.SessionStart, hooktest.WorksIdle("variables of earlier hooks are forgotten"))
	checkEvent(t, codex.SessionEnd)
	checkEvent(t, codex.UserPromptSubmit)
	checkEvent(t, codex.PreToolUse)
	checkEvent(t, codex.PermissionRequest)
	checkEvent(t, codex.PostToolUse)
	checkEvent(t, codex.PreCompact)
	checkEvent(t, codex.PostCompact)
	checkEvent(t, codex.SubagentStart)
	checkEvent(t, codex.SubagentStop, stopFrees)
	checkEvent(t, codex.Stop, stopFrees)
	checkEvent(t, codex.Interrupt)
}
