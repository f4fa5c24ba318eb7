package xcsh

import (
	"errors"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/reducers"
	"github.com/snaphook-go/snaphook/wire"
)

// The events around a tool (X28), which [WrapTool] fires.
var (
	// ToolCall fires before a tool runs. The first result that blocks ends the fire, else the
	// last one counts, as a whole. The error of a handler is Fire's error: the tool does not run,
	// nor do the handlers after it; listeners are not called.
	//
	// In the extension runtime listeners are called, and the error is a block.
	ToolCall *Event[ToolCallEvent, ToolCallResult] = declare(pipeline.Spec[ToolCallEvent, ToolCallResult]{
		Name:        "tool_call",
		Doc:         "before a tool runs",
		Can:         pipeline.CanBlock,
		Rules:       pipeline.Rules{Propagate: true},
		Check:       ToolCallEvent.check,
		Subject:     func(e *ToolCallEvent) *string { return &e.ToolName },
		SubjectName: "toolName",
		Reduce:      reducers.LastWhole[ToolCallResult](nil),
		Refine: upheld[ToolCallEvent](func(r *ToolCallResult, reason string) {
			*r = ToolCallResult{Block: true, Reason: reason}
		}),
	}, func(r *ToolCallResult) (bool, string) { return r.Block, r.Reason }, errorsBlock)

	// ToolResult fires when a tool is done, or has failed. The last result
	// counts, as a whole: one without content undoes the content of another.
	//
	// In the extension runtime results are merged by member, and each handler
	// sees the changes of those before it.
	ToolResult *Event[ToolResultEvent, ToolResultOverride] = declare(pipeline.Spec[ToolResultEvent, ToolResultOverride]{
		Name:        "tool_result",
		Doc:         "when a tool is done, or has failed",
		Can:         pipeline.CanRewriteOutput,
		Check:       ToolResultEvent.check,
		Subject:     func(e *ToolResultEvent) *string { return &e.ToolName },
		SubjectName: "toolName",
		Reduce:      reducers.LastWhole[ToolResultOverride](nil),
	}, nil, mergeOverrides)
)

// ToolCallEvent is a tool that is about to run. Input is the handler's own
// copy: changing it changes nothing.
type ToolCallEvent struct {
	ToolName   string      `json:"toolName"`
	ToolCallID string      `json:"toolCallId"`
	Input      wire.Object `json:"input"`
}

func (e ToolCallEvent) check() error {
	switch {
	case e.ToolName == "":
		return missing("toolName")
	case e.Input == nil:
		return missing("input")
	}
	return nil
}

// ToolCallResult can keep the tool from running.
type ToolCallResult struct {
	Block  bool   `json:"block,omitzero"`
	Reason string `json:"reason,omitzero"` // for the model
}

// ToolResultEvent is a tool that has run. Input and Content are the handler's
// own copies.
type ToolResultEvent struct {
	ToolName   string         `json:"toolName"`
	ToolCallID string         `json:"toolCallId"`
	Input      wire.Object    `json:"input"`
	Content    []Part         `json:"content"` // of a failure: the error's text
	Details    jsontext.Value `json:"details,omitzero"`
	IsError    bool           `json:"isError"`
}

func (e ToolResultEvent) check() error {
	switch {
	case e.ToolName == "":
		return missing("toolName")
	case e.Content == nil:
		return missing("content")
	}
	return nil
}

// ToolResultOverride replaces the parts of a tool's result that are not nil here. An empty list
// is content, and null is no details.
type ToolResultOverride struct {
	Content []Part         `json:"content,omitzero"`
	Details jsontext.Value `json:"details,omitzero"`
	IsError *bool          `json:"isError,omitzero"` // counts in the extension runtime alone
}

// content, details and isError return the replacement, or the present value.
func (o *ToolResultOverride) content(there []Part) []Part {
	if o.Content == nil {
		return there
	}
	return o.Content
}

func (o *ToolResultOverride) details(there jsontext.Value) jsontext.Value {
	if o.Details.Kind() == 0 || o.Details.Kind() == 'n' {
		return there
	}
	return o.Details
}

func (o *ToolResultOverride) isError(there bool) bool {
	if o.IsError == nil {
		return there
	}
	return *o.IsError
}

// mergeOverrides are the extension runtime's rules.
func mergeOverrides(ev *pipeline.Spec[ToolResultEvent, ToolResultOverride]) {
	ev.Chain = func(e ToolResultEvent, o hook.Output[ToolResultOverride]) ToolResultEvent {
		e.Content = o.Specific.content(e.Content)
		e.Details = o.Specific.details(e.Details)
		e.IsError = o.Specific.isError(e.IsError)
		return e
	}
	ev.Refine = unless[ToolResultEvent](
		func(r *ToolResultOverride) bool { return r.Content == nil && r.Details == nil && r.IsError == nil },
	)
	ev.Reduce = reducers.Gather(func(all *ToolResultOverride, one ToolResultOverride) {
		all.Content, all.Details = one.content(all.Content), one.details(all.Details)
		if one.IsError != nil {
			all.IsError = one.IsError
		}
	})
}

// errorsBlock are the extension runtime's rules.
func errorsBlock(ev *pipeline.Spec[ToolCallEvent, ToolCallResult]) {
	ev.Rules.Propagate, ev.Rules.FailClosed = false, true
	ev.Refine = func(_ *pipeline.Session, _ *ToolCallEvent, r *hook.Report[ToolCallResult]) {
		p, failed := r.Hook.Policy, new(hook.Error)
		if errors.As(r.Err, &failed) && (p == nil || r.Output.Decision.Blocks()) {
			reason := "Extension " + r.Hook.Label() + " failed: " + failed.Err.Error()
			if p != nil && p.From["onFailure"].Level != "" { // an overlay decides
				reason = r.Output.Reason
			}
			r.Output.Specific = ToolCallResult{Block: true, Reason: reason}
			r.Output.Reason = reason
			r.Output.Set |= hook.SetSpecific
		}
	}
}
