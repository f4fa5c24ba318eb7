package cursor_test

import (
	"testing"

	"github.com/snaphook-go/snaphook/events/cursor"
	"github.com/snaphook-go/snaphook/hooktest"
	"github.com/snaphook-go/snaphook/pipeline"
)

// checkEvent checks that an event keeps the contracts that the engine relies on. It leaves out
// hooktest.Codec, which requires that the input keeps unknown members: inputs of Cursor do not keep
// them.
func checkEvent[In any](t *testing.T, event *pipeline.Event[In, cursor.Output], but ...hooktest.Exception) {
	t.Run(event.Info().Name, func(t *testing.T) {
		hooktest.Idle(t, event, *new(In), but...)
		hooktest.Reducer(t, event.Reduce, nil, but...)
		hooktest.Chain(t, event, nil, nil)
	})
}

func TestEveryEventHolds(t *testing.T) {
	checkEvent(t, cursor.SessionStart)
	checkEvent(t, cursor.SessionEnd)
	checkEvent(t, cursor.BeforeSubmitPrompt)
	checkEvent(t, cursor.PreToolUse)
	checkEvent(t, cursor.PostToolUse)
	checkEvent(t, cursor.PostToolUseFailure)
	checkEvent(t, cursor.BeforeShellExecution)
	checkEvent(t, cursor.AfterShellExecution)
	checkEvent(t, cursor.BeforeMCPExecution)
	checkEvent(t, cursor.AfterMCPExecution)
	checkEvent(t, cursor.BeforeReadFile)
	checkEvent(t, cursor.AfterFileEdit)
	checkEvent(t, cursor.BeforeTabFileRead)
	checkEvent(t, cursor.AfterTabFileEdit)
	checkEvent(t, cursor.SubagentStart)
	checkEvent(t, cursor.SubagentStop)
	checkEvent(t, cursor.Stop)
	checkEvent(t, cursor.PreCompact)
	checkEvent(t, cursor.AfterAgentResponse)
	checkEvent(t, cursor.AfterAgentThought)
	checkEvent(t, cursor.WorkspaceOpen)
	if n := len(pipeline.Events(cursor.Dialect)); n != 21 {
		t.Errorf("the dialect has %d events; want 21", n)
	}
}
