package xcsh

import (
	"context"
	"errors"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

// FireResult fires the event like [Event.Fire], and returns the report of each handler too. The result is never nil; a
// handler has answered if its Set has [hook.SetSpecific].
func (e *Event[E, R]) FireResult(ctx context.Context, m *Modules, in *E) (*hook.Result[R], error) {
	ses := m.ses
	if m.shut.Load() {
		ses = nil // closed modules: fire without a session
	}
	res, err := e.of(m).Fire(m.firing(ctx), ses, in)
	if ses == nil {
		return res, hook.ErrClosed
	}
	if err != nil {
		return res, passedOn(ctx, err)
	}
	if e.cutShort(m, &res.Specific) {
		denied, _ := e.of(m).Fire(m.firing(ctx), nil, in) // a fire without a session runs no handler, and returns the denial
		denied.Reports = res.Reports
		return denied, hook.ErrClosed
	}
	return res, nil
}

// FireResult fires the notice like [Notice.Fire], and returns the report of each handler.
func (n *Notice[E]) FireResult(ctx context.Context, m *Modules, in *E) *hook.Result[Nothing] {
	res, _ := n.event.FireResult(ctx, m, in) // a notice returns no error
	return res
}

// Outcome classifies the run of a handler in one word.
func (e *Event[E, R]) Outcome(m *Modules, r *hook.Report[R]) pipeline.Outcome {
	return e.of(m).Outcome(r)
}

// Outcome classifies the run of a handler in one word.
func (n *Notice[E]) Outcome(m *Modules, r *hook.Report[Nothing]) pipeline.Outcome {
	return n.event.Outcome(m, r)
}

// Declared returns the event's declarations, in the hook runtime and in the extension runtime.
func (e *Event[E, R]) Declared() [2]pipeline.Declared {
	return [2]pipeline.Declared{e.hooks, e.extensions}
}

// Declared returns the event's declarations, in the hook runtime and in the extension runtime.
func (n *Notice[E]) Declared() [2]pipeline.Declared { return n.event.Declared() }

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

// Review returns the result for the model, given the answer o of a fire of [ToolResult].
func (m *Modules) Review(done *ToolResultEvent, o *ToolResultOverride) ToolResultEvent {
	now := *done
	if m.cfg.Extensions {
		now.IsError = o.isError(now.IsError)
	}
	if !done.IsError || m.cfg.Extensions {
		now.Content, now.Details = o.content(now.Content), o.details(now.Details)
	}
	return now
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
