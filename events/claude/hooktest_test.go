package claude_test

import (
	"testing"

	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/hooktest"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

// checkEvent checks that an event keeps the contracts that the engine relies on.
func checkEvent[In, Out any](t *testing.T, event *pipeline.Event[In, Out], but ...hooktest.Exception) {
	t.Run(event.Info().Name, func(t *testing.T) {
		hooktest.Idle(t, event, *new(In), but...)
		if event.Info().Can&pipeline.CanBlock == 0 {
			but = append(but, hooktest.LosesBlocks("nothing is there to block"))
		}
		hooktest.Reducer(t, event.Reduce, nil, but...)
		hooktest.Chain(t, event, nil, nil)
		hooktest.Codec(t, event)
	})
}

// stopFrees exempts an event from the rule that no block is lost: an answer that stops the agent cancels a block that
// keeps the agent working.
var stopFrees = hooktest.LosesBlocks("an answer that stops the agent lifts what keeps it at work")

func TestEveryEventHolds(t *testing.T) {
	checkEvent(t, claude.ConfigChange)
	checkEvent(t, claude.CwdChanged)
	checkEvent(t, claude.DirectoryAdded)
	checkEvent(t, claude.Elicitation)
	checkEvent(t, claude.ElicitationResult)
	checkEvent(t, claude.FileChanged)
	checkEvent(t, claude.InstructionsLoaded)
	checkEvent(t, claude.MessageDisplay)
	checkEvent(t, claude.Notification)
	checkEvent(t, claude.PermissionDenied)
	checkEvent(t, claude.PermissionRequest)
	checkEvent(t, claude.PostCompact)
	checkEvent(t, claude.PostModelSwitch)
	checkEvent(t, claude.PostToolBatch)
	checkEvent(t, claude.PostToolUse)
	checkEvent(t, claude.PostToolUseFailure)
	checkEvent(t, claude.PreCompact)
	checkEvent(t, claude.PreModelSwitch)
	checkEvent(t, claude.PreToolUse)
	checkEvent(t, claude.SessionEnd)
	checkEvent(t, claude.SessionStart, hooktest.WorksIdle("variables of earlier hooks are forgotten"))
	checkEvent(t, claude.Setup)
	checkEvent(t, claude.Stop, stopFrees)
	checkEvent(t, claude.StopFailure)
	checkEvent(t, claude.SubagentStart)
	checkEvent(t, claude.SubagentStop, stopFrees)
	checkEvent(t, claude.TaskCompleted, stopFrees)
	checkEvent(t, claude.TaskCreated)
	checkEvent(t, claude.TeammateIdle, stopFrees)
	checkEvent(t, claude.UserPromptExpansion)
	checkEvent(t, claude.UserPromptSubmit)
	checkEvent(t, claude.WorktreeCreate)
	checkEvent(t, claude.WorktreeRemove)
}

func BenchmarkPreToolUse(b *testing.B) {
	hooktest.Benchmark(b, claude.PreToolUse, claude.PreToolUseInput{Name: "Bash", Input: wire.Object(`{"command":"ls"}`)})
}
