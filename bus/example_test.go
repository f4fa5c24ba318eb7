package bus_test

import (
	"context"
	"fmt"

	"github.com/snaphook-go/snaphook/bus"
	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

func Example() {
	ctx := context.Background()
	sys := pipeline.NewSystem(pipeline.Config{})
	defer sys.Close()
	ses, err := sys.NewSession(ctx, pipeline.SessionConfig{ID: "s-1"})
	if err != nil {
		fmt.Println(err)
		return
	}
	llxprt.BeforeTool.On(ses, "guard", func(_ context.Context, call llxprt.BeforeToolInput) (o hook.Output[llxprt.BeforeToolOutput], err error) {
		if call.Name == "rm" {
			o.Decision, o.Reason = hook.Deny, "nothing is removed"
		}
		return o, nil
	})

	var b bus.Bus
	defer b.Close()
	defer bus.Serve(&b, ses, pipeline.Events(llxprt.Dialect))()

	for _, event := range []string{"BeforeTool", "BeforeLunch"} {
		answer, err := b.Ask(ctx, bus.Request{CorrelationID: "c-1", EventName: event, Input: wire.Object(`{"tool_name":"rm","tool_input":{}}`)})
		switch {
		case err != nil:
			fmt.Println(err)
		case answer.Error != nil:
			fmt.Println(answer.CorrelationID, answer.Error.Code, answer.Error.Message)
		default:
			fmt.Println(answer.CorrelationID, answer.Output.FinalOutput.Text("decision"), answer.Output.FinalOutput.Text("reason"))
		}
	}
	// Output:
	// c-1 deny nothing is removed
	// c-1 unsupported_event there is no event "BeforeLunch"
}
