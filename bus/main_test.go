package bus_test

import (
	"context"
	"testing"

	"github.com/samber/lo"
	"go.uber.org/goleak"

	"github.com/snaphook-go/snaphook/bus"
	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/hooktest"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// served is a bus on which the events of a session can be fired.
func served(t *testing.T) (*bus.Bus, *pipeline.Session) {
	b, ses := new(bus.Bus), hooktest.Session(t)
	t.Cleanup(bus.Serve(b, ses, pipeline.Events(llxprt.Dialect)))
	return b, ses
}

func ask(t *testing.T, b *bus.Bus, r bus.Request) bus.Response {
	t.Helper()
	answer, err := b.Ask(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// toolCall is a request to fire BeforeTool.
func toolCall(id string) bus.Request {
	return bus.Request{CorrelationID: id, EventName: "BeforeTool", Input: wire.Object(`{"tool_name":"ls","tool_input":{}}`)}
}

// gate adds a hook to BeforeTool.
func gate(ses *pipeline.Session, f func(ctx context.Context) error) {
	llxprt.BeforeTool.On(ses, "gate", func(ctx context.Context, _ llxprt.BeforeToolInput) (hook.Output[llxprt.BeforeToolOutput], error) {
		return hook.Output[llxprt.BeforeToolOutput]{}, f(ctx)
	})
}

// inputs holds a minimal valid input for each event.
var inputs = map[string]string{
	"BeforeTool":          `{"tool_name":"t","tool_input":{}}`,
	"AfterTool":           `{"tool_name":"t","tool_input":{},"tool_response":{}}`,
	"BeforeModel":         `{"llm_request":{}}`,
	"AfterModel":          `{"llm_request":{},"llm_response":{}}`,
	"BeforeToolSelection": `{"llm_request":{}}`,
	"BeforeAgent":         `{"prompt":"go"}`,
	"AfterAgent":          `{"prompt":"go","prompt_response":"done","stop_hook_active":false}`,
	"SessionStart":        `{"source":"startup"}`,
	"SessionEnd":          `{"reason":"exit"}`,
	"PreCompress":         `{"trigger":"auto"}`,
	"Notification":        `{"notification_type":"ToolPermission","message":"may I","details":{}}`,
}

// others holds an invalid input for each event, and the member that the error has to name.
var others = map[string][2]string{
	"BeforeTool":          {`{"tool_name":"t","tool_input":[]}`, "tool_input"},
	"AfterTool":           {`{"tool_name":"t","tool_input":{}}`, "tool_response"},
	"BeforeModel":         {`{"llm_request":[]}`, "llm_request"},
	"AfterModel":          {`{"llm_request":{}}`, "llm_response"},
	"BeforeToolSelection": {`{}`, "llm_request"},
	"BeforeAgent":         {`{"prompt":7}`, "prompt"},
	"AfterAgent":          {`{"prompt":"go","prompt_response":"done","stop_hook_active":"no"}`, "stop_hook_active"},
	"SessionStart":        {`{}`, "source"},
	"SessionEnd":          {`{"reason":""}`, "reason"},
	"PreCompress":         {`{"trigger":null}`, "trigger"},
	"Notification":        {`{"notification_type":"ToolPermission","details":{}}`, "message"},
}

var names = lo.Map(pipeline.Events(llxprt.Dialect), func(e pipeline.Declared, _ int) string { return e.Info().Name })
