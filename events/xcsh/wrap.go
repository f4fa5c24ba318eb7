package xcsh

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/wire"
)

// Execute runs a tool of the host, with parameters P and a result R. It calls progress, unless this is nil, with the
// partial result.
type Execute[P, R any] func(ctx context.Context, id string, params P, progress func(R)) (R, error)

// Shape converts the parameters and results of a host's tools for hooks; see [WrapTool].
type Shape[P, R any] struct {
	// Input returns the parameters as an object. If Input is nil, hooks get the JSON of the parameters.
	Input func(P) (wire.Object, error)

	// Content and Details are the parts of a result that hooks see.
	Content func(R) []Part
	Details func(R) jsontext.Value

	// Make returns a result with the content and details after the hooks; all other parts of the tool's own result are
	// lost.
	Make func(content []Part, details jsontext.Value) R
}

// Output is a tool's result, for hosts without a type of their own.
type Output struct {
	Content []Part         `json:"content"`
	Details jsontext.Value `json:"details,omitzero"`
	Extra   jsontext.Value `json:",embed"` // further members, an object or nil
}

// OutputShape returns the [Shape] of tools that return an [Output].
func OutputShape[P any]() Shape[P, *Output] {
	return Shape[P, *Output]{
		Content: func(o *Output) []Part { return o.Content },
		Details: func(o *Output) jsontext.Value { return o.Details },
		Make: func(content []Part, details jsontext.Value) *Output {
			return &Output{Content: content, Details: details}
		},
	}
}

// BlockedError reports that hooks have kept a tool from running, or have marked its result as an
// error.
type BlockedError struct{ Reason string }

func (e *BlockedError) Error() string { return e.Reason }

// WrapTool returns a tool that runs execute with its hooks (X28). execute gets the caller's own parameters, context and
// progress.
//
//   - If a handler of ToolCall blocks, or fails, the tool does not run: the error is a
//     [BlockedError], or the handler's own.
//   - The handlers of ToolResult get the tool's result. If a handler has an answer, the shape makes the
//     result; otherwise the tool's own result stays.
//   - The handlers of ToolResult also get the error of a tool that failed, which stays an error. In the extension
//     runtime they can turn a failure into a success, and a success into a [BlockedError].
//
// Without handlers the tool costs no more than before.
func WrapTool[P, R any](m *Modules, name string, shape Shape[P, R], execute Execute[P, R]) Execute[P, R] {
	w := toolWrapper[P, R]{m: m, name: name, shape: shape, execute: execute}
	if w.shape.Input == nil {
		w.shape.Input = func(p P) (wire.Object, error) { return wire.Of(p) }
	}
	return w.run
}

type toolWrapper[P, R any] struct {
	m       *Modules
	name    string
	shape   Shape[P, R]
	execute Execute[P, R]
}

func (w *toolWrapper[P, R]) run(ctx context.Context, id string, params P, progress func(R)) (none R, err error) {
	if err := w.before(ctx, id, params); err != nil {
		return none, err
	}
	result, err := w.execute(ctx, id, params, progress)
	if !ToolResult.Active(w.m) {
		return result, err
	}
	if err != nil {
		return w.afterFailure(ctx, id, params, result, err)
	}
	return w.afterSuccess(ctx, id, params, result)
}

// before fires ToolCall, and returns an error if the tool must not run.
func (w *toolWrapper[P, R]) before(ctx context.Context, id string, params P) error {
	if !ToolCall.Active(w.m) {
		return w.m.gone()
	}
	input, err := w.shape.Input(params)
	if err != nil {
		return fmt.Errorf("the parameters of %s cannot be shown to its hooks: %w", w.name, err)
	}
	r, err := ToolCall.Fire(ctx, w.m, &ToolCallEvent{ToolName: w.name, ToolCallID: id, Input: input})
	return w.m.Verdict(r, err)
}

func (w *toolWrapper[P, R]) event(id string, params P) *ToolResultEvent {
	input, err := w.shape.Input(params)
	if err != nil {
		input = nil // the tool has already run: if there were gates, this error would have stopped it
	}
	return &ToolResultEvent{ToolName: w.name, ToolCallID: id, Input: input}
}

func (w *toolWrapper[P, R]) afterSuccess(ctx context.Context, id string, params P, result R) (none R, err error) {
	e := w.event(id, params)
	e.Content, e.Details = w.shape.Content(result), w.shape.Details(result)
	o, err := ToolResult.Fire(ctx, w.m, e)
	if err != nil || o == nil {
		return result, nil // the failure has been reported
	}
	content := o.content(e.Content)
	if w.m.cfg.Extensions && o.isError(false) {
		return none, &BlockedError{Reason: marked(content)}
	}
	return w.shape.Make(content, o.details(e.Details)), nil
}

func (w *toolWrapper[P, R]) afterFailure(ctx context.Context, id string, params P, result R, failed error) (R, error) {
	e := w.event(id, params)
	e.Content, e.IsError = []Part{TextPart(failed.Error())}, true
	o, err := ToolResult.Fire(ctx, w.m, e)
	if err != nil || o == nil || !w.m.cfg.Extensions || o.isError(true) {
		return result, failed
	}
	return w.shape.Make(o.content(e.Content), o.details(e.Details)), nil
}

// marked returns the error text of a result that is marked as an error.
func marked(content []Part) string {
	var texts []string
	for _, part := range content {
		if text, ok := part.PlainText(); ok && text != "" {
			texts = append(texts, text)
		}
	}
	if len(texts) == 0 {
		return "Tool result marked as error by extension"
	}
	return strings.Join(texts, "\n")
}
