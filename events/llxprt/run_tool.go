package llxprt

import (
	"context"
	"strings"

	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

// GateTool fires BeforeTool and applies its result. It is the first half of [RunTool], for frameworks with callbacks
// before and after a tool. It returns the error of the fire; Run is then false.
func GateTool(ctx context.Context, s *pipeline.Session, call *BeforeToolInput) (ToolVerdict, error) {
	res, err := BeforeTool.Fire(ctx, s, call)
	v := ApplyBeforeTool(call, res)
	if err != nil {
		v.Run, v.Result = false, err.Error()
	}
	return v, err
}

// ReviewTool fires AfterTool and applies its result. It is the second half of [RunTool]. response is for the model.
func ReviewTool(
	ctx context.Context,
	s *pipeline.Session,
	done *AfterToolInput,
) (c Common, response wire.Object, err error) {
	res, err := AfterTool.Fire(ctx, s, done)
	c, response = ApplyAfterTool(done, res)
	return c, response, err
}

// RunTool runs a tool with its hooks. tool gets the arguments after the hooks' rewrites, and returns the members that
// AfterTool shows: llmContent, returnDisplay, and error if it has failed. If tool returns an error, RunTool returns
// that error and AfterTool does not fire. A refused call is not an error: the tool does not run, and the llmContent of
// response is the reason. asks has the messages of both events.
//
//	response, asks, err := llxprt.RunTool(ctx, session, &call, tool)
func RunTool(ctx context.Context, s *pipeline.Session, call *BeforeToolInput,
	tool func(context.Context, wire.Object) (wire.Object, error)) (response wire.Object, asks Common, err error) {
	gate, err := GateTool(ctx, s, call)
	if err != nil || !gate.Run {
		return wire.Object(nil).With("llmContent", wire.Quote(gate.Result)), gate.Common, err
	}
	response, err = tool(ctx, gate.Input)
	if err != nil {
		return response, gate.Common, err
	}
	if response == nil {
		response = wire.Object("{}")
	}
	final := *call
	final.rewrite(gate.Input)
	asks, response, err = ReviewTool(ctx, s, &AfterToolInput{
		Name: call.Name, Input: final.Input, OriginalInput: final.OriginalInput, Response: response, Extra: call.Extra,
	})
	asks.Message = strings.Trim(gate.Message+"\n"+asks.Message, "\n")
	return response, asks, err
}
