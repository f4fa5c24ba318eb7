package xcsh

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/reducers"
	"github.com/snaphook-go/snaphook/wire"
)

// The events around a tool (X28), which [WrapTool] fires.
var (
	// ToolCall fires before a tool runs. The first result that blocks ends the fire; otherwise the last one is used, as
	// a whole. If a handler returns an error, Fire returns it: neither the tool nor the remaining handlers run, and
	// listeners are not called.
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

	// ToolResult fires when a tool has ended, even if it has failed. The last result of a handler is used, as a whole:
	// a result without content undoes the content of an earlier one, and the report has a note. If a handler in
	// JavaScript changes content or details in place, later handlers see the changes, which are used if the last result
	// lacks these members.
	//
	// In the extension runtime results are merged by member, and each handler sees the changes of the earlier handlers.
	ToolResult *Event[ToolResultEvent, ToolResultOverride] = declare(pipeline.Spec[ToolResultEvent, ToolResultOverride]{
		Name:        "tool_result",
		Doc:         "when a tool is done, or has failed",
		Can:         pipeline.CanRewriteOutput,
		Check:       ToolResultEvent.check,
		Subject:     func(e *ToolResultEvent) *string { return &e.ToolName },
		SubjectName: "toolName",
		Chain:       chainInPlace,
		Refine:      refineOverride,
		Reduce:      lastOverride,
	}, nil, mergeOverrides).counting(func(r, changed *ToolResultOverride) *ToolResultOverride {
		if r == nil {
			r = &ToolResultOverride{silent: true}
		}
		r.inPlace = changed
		return r
	}, "content", "details")
)

// ToolCallEvent describes a tool that is about to run. Input is the handler's own copy: changing it has no effect.
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

func (e *ToolCallEvent) own() { e.Input = bytes.Clone(e.Input) }

// changed returns the names of the members that differ from the original event's.
func (e *ToolCallEvent) changed(from *ToolCallEvent) []string {
	return differing("input", bytes.Equal(e.Input, from.Input), "toolName", e.ToolName == from.ToolName)
}

// ToolCallResult can keep the tool from running.
type ToolCallResult struct {
	Block  bool   `json:"block,omitzero"`
	Reason string `json:"reason,omitzero"` // for the model
}

// ToolResultEvent describes a tool that has run. Input, Content and Details are the handler's own copies.
type ToolResultEvent struct {
	ToolName   string         `json:"toolName"`
	ToolCallID string         `json:"toolCallId"`
	Input      wire.Object    `json:"input"`
	Content    []Part         `json:"content"` // after a failure the error's text
	Details    jsontext.Value `json:"details,omitzero"`
	IsError    bool           `json:"isError"`

	returned returned // the members that the last result has, in the hook runtime
}

// returned records which members a result has.
type returned struct{ content, details bool }

func (e ToolResultEvent) check() error {
	switch {
	case e.ToolName == "":
		return missing("toolName")
	case e.Content == nil:
		return missing("content")
	}
	return nil
}

func (e *ToolResultEvent) own() {
	e.Input, e.Details = bytes.Clone(e.Input), bytes.Clone(e.Details)
	e.Content = ownObjects(e.Content, func(p *Part) *wire.Object { return &p.Object })
}

func (e *ToolResultEvent) changed(from *ToolResultEvent) []string {
	return differing(
		"content", slices.EqualFunc(e.Content, from.Content, func(a, b Part) bool { return bytes.Equal(a.Object, b.Object) }),
		"details", bytes.Equal(e.Details, from.Details),
		"isError", e.IsError == from.IsError,
	)
}

// ToolResultOverride replaces parts of a tool's result. A nil part, or null as Details, leaves this part of the result
// unchanged. An empty list removes the content.
type ToolResultOverride struct {
	Content []Part         `json:"content,omitzero"`
	Details jsontext.Value `json:"details,omitzero"`
	IsError *bool          `json:"isError,omitzero"` // has an effect in the extension runtime alone

	inPlace *ToolResultOverride // members of the event that the handler has changed in place
	silent  bool                // the handler has returned nothing
}

// merged returns the override, completed by the members changed in place.
func (o *ToolResultOverride) merged() ToolResultOverride {
	all := ToolResultOverride{Content: o.Content, Details: o.Details, IsError: o.IsError}
	if o.inPlace != nil {
		all.Content, all.Details = o.content(o.inPlace.Content), o.details(o.inPlace.Details)
	}
	return all
}

// content, details and isError return the override's value, or the given value if the override has none.
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

// chainInPlace returns the event for the next handler of the hook runtime. The event has the changes that earlier
// handlers made in place, but not the results that they returned.
func chainInPlace(e ToolResultEvent, o hook.Output[ToolResultOverride]) ToolResultEvent {
	if changed := o.Specific.inPlace; changed != nil {
		e.Content, e.Details = changed.content(e.Content), changed.details(e.Details)
	}
	if !o.Specific.silent {
		e.returned = returned{o.Specific.Content != nil, o.Specific.details(nil) != nil}
	}
	return e
}

// lastOverride merges results by the rules of the hook runtime: it keeps the last result as a
// whole, and takes members that the last result lacks from changes in place.
func lastOverride(outs iter.Seq[hook.Output[ToolResultOverride]]) (last hook.Output[ToolResultOverride]) {
	var changed ToolResultOverride
	answered := false
	for o := range outs {
		if by := o.Specific.inPlace; by != nil {
			changed.Content, changed.Details = by.content(changed.Content), by.details(changed.Details)
		}
		if answered = true; !o.Specific.silent {
			last = o
		}
		if o.Decision.Blocks() {
			break
		}
	}
	if answered {
		last.Specific.inPlace = &changed
		last.Specific = last.Specific.merged()
		last.Set |= hook.SetAnswer | hook.SetSpecific
	}
	return last
}

// refineOverride notes each part of a result that the hook runtime drops: a part of this handler's
// result, or of an earlier one's.
func refineOverride(_ *pipeline.Session, e *ToolResultEvent, r *hook.Report[ToolResultOverride]) {
	o := &r.Output.Specific
	if r.Err != nil || !r.Answered {
		return
	}
	if e.IsError {
		r.Notes = append(r.Notes, "the tool has failed, and its error stays as it is: "+
			"only the extension runtime reads results of tool_result after a failure")
		return
	}
	if o.IsError != nil && *o.IsError != e.IsError {
		r.Notes = append(r.Notes, `"isError" of its result has no effect in the hook runtime`)
	}
	var changed ToolResultOverride
	if o.inPlace != nil {
		changed = *o.inPlace
	}
	noteLoss(r, "content", e.returned.content, o.Content != nil, changed.Content != nil)
	noteLoss(r, "details", e.returned.details, o.details(nil) != nil, changed.details(nil) != nil)
}

// noteLoss notes that a member returned by an earlier handler is lost, because the last result is used as a whole
// (X31).
func noteLoss(r *hook.Report[ToolResultOverride], member string, earlier, has, changed bool) {
	switch silent := r.Output.Specific.silent; {
	case !earlier:
	case has:
		r.Notes = append(r.Notes, fmt.Sprintf("its %s replaces the %[1]s of an earlier handler, which it has not seen", member))
	case changed && silent:
		r.Notes = append(r.Notes, fmt.Sprintf("its change of %q has no effect: an earlier handler has returned %[1]s", member))
	case !silent:
		r.Notes = append(r.Notes, fmt.Sprintf("its result has no %s, and drops the %[1]s of an earlier handler", member))
	}
}

// mergeOverrides sets the rules of the extension runtime: results are merged by member.
func mergeOverrides(ev *pipeline.Spec[ToolResultEvent, ToolResultOverride]) {
	ev.Chain = func(e ToolResultEvent, o hook.Output[ToolResultOverride]) ToolResultEvent {
		e.Content = o.Specific.content(e.Content)
		e.Details = o.Specific.details(e.Details)
		e.IsError = o.Specific.isError(e.IsError)
		return e
	}
	empty := unless[ToolResultEvent](
		func(r *ToolResultOverride) bool { return r.Content == nil && r.Details == nil && r.IsError == nil },
	)
	ev.Refine = func(s *pipeline.Session, e *ToolResultEvent, r *hook.Report[ToolResultOverride]) {
		r.Output.Specific = r.Output.Specific.merged()
		empty(s, e, r)
	}
	ev.Reduce = reducers.Gather(func(all *ToolResultOverride, one ToolResultOverride) {
		all.Content, all.Details = one.content(all.Content), one.details(all.Details)
		if one.IsError != nil {
			all.IsError = one.IsError
		}
	})
}

// errorsBlock sets the rule of the extension runtime: the error of a handler blocks the tool.
func errorsBlock(ev *pipeline.Spec[ToolCallEvent, ToolCallResult]) {
	ev.Rules.Propagate, ev.Rules.FailClosed = false, true
	ev.Refine = func(_ *pipeline.Session, _ *ToolCallEvent, r *hook.Report[ToolCallResult]) {
		p, failed := r.Hook.Policy, new(hook.Error)
		if errors.As(r.Err, &failed) && (p == nil || r.Output.Decision.Blocks()) {
			reason := "Extension " + r.Hook.Label() + " failed: " + failed.Err.Error()
			if p != nil && p.From["onFailure"].Level != "" { // an overlay has set the policy
				reason = r.Output.Reason
			}
			r.Output.Specific = ToolCallResult{Block: true, Reason: reason}
			r.Output.Reason = reason
			r.Output.Set |= hook.SetSpecific
		}
	}
}
