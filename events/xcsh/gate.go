package xcsh

import (
	"context"
	"errors"

	"github.com/snaphook-go/snaphook/wire"
)

// GateTool fires [ToolCall]. It is the first half of [WrapTool], for frameworks with callbacks before and after a tool.
// If it returns an error, a [BlockedError] or a handler's, the tool must not run.
func GateTool(ctx context.Context, m *Modules, call *ToolCallEvent) error {
	return m.Verdict(ToolCall.Fire(ctx, m, call))
}

// ReviewTool fires [ToolResult]. It is the second half of [WrapTool]. done describes a tool that has ended, or has
// failed if done.IsError is set. ReviewTool returns the result for the model, with the content and details as changed
// by handlers. In the extension runtime a handler can turn a success into a failure, and a failure into a success.
func ReviewTool(ctx context.Context, m *Modules, done *ToolResultEvent) ToolResultEvent {
	o, err := ToolResult.Fire(ctx, m, done)
	if err != nil || o == nil {
		return *done // failures have already been reported
	}
	return m.Review(done, o)
}

// RunTool is [WrapTool] for one call of a tool that returns an [Output]. A call that handlers refuse is not an error:
// refused has the reason.
//
//	out, refused, err := xcsh.RunTool(ctx, modules, &call, tool)
func RunTool(
	ctx context.Context,
	m *Modules,
	call *ToolCallEvent,
	tool func(context.Context, *ToolCallEvent) (*Output, error),
) (out *Output, refused string, err error) {
	run := WrapTool(m, call.ToolName, Shape[*ToolCallEvent, *Output]{
		Input:   func(c *ToolCallEvent) (in wire.Object, err error) { return c.Input, nil },
		Content: OutputShape[*ToolCallEvent]().Content,
		Details: OutputShape[*ToolCallEvent]().Details,
		Make:    OutputShape[*ToolCallEvent]().Make,
	}, func(ctx context.Context, _ string, c *ToolCallEvent, _ func(*Output)) (*Output, error) {
		return tool(ctx, c)
	})
	out, err = run(ctx, call.ToolCallID, call, nil)
	if blocked := new(BlockedError); errors.As(err, &blocked) {
		return out, blocked.Reason, nil
	}
	return out, "", err
}
