package llxprt

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/events/llxprt/genai"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/reducers"
	"github.com/snaphook-go/snaphook/wire"
)

// BasicOutput is the hookSpecificOutput of events that define no members for it. It keeps the members that hooks write.
type BasicOutput struct {
	Extra jsontext.Value `json:",embed"`

	replaces bool // a denial replaces the tool's result
}

// Replaces reports whether the denial in a merged result of AfterTool replaces the tool's result,
// by the rules of Gemini CLI.
func (o *BasicOutput) Replaces() bool { return o.replaces }

// BeforeToolOutput is the answer of a BeforeTool hook in addition to the common fields (L44, L45).
type BeforeToolOutput struct {
	// PermissionDecision has the same effect as Decision; its reason takes precedence over Reason.
	PermissionDecision       hook.Decision `json:"permissionDecision,omitempty"`
	PermissionDecisionReason string        `json:"permissionDecisionReason,omitempty"`

	// ToolInput holds the arguments that the hook changes. A merged result has the ToolInput of the last
	// hook; [BeforeToolOutput.ModifiedToolInput] returns the changes of all hooks.
	ToolInput wire.Object    `json:"tool_input,omitzero"`
	Extra     jsontext.Value `json:",embed"`

	patch wire.Object // the ToolInput of every hook, merged in plan order
	waits bool        // the tool waits until the user agrees
}

// ModifiedToolInput returns the arguments that hooks change, merged in plan order, or nil (getModifiedToolInput). It
// has only the changes: [ApplyBeforeTool] merges them with the tool's own arguments.
func (g *BeforeToolOutput) ModifiedToolInput() wire.Object {
	if g.patch != nil {
		return g.patch
	}
	if g.ToolInput.IsObject() {
		return g.ToolInput
	}
	return nil
}

// BeforeModelOutput is the answer of a BeforeModel hook in addition to the common fields (L60).
type BeforeModelOutput struct {
	Request  wire.Object    `json:"llm_request,omitzero"`  // changes to the request
	Response wire.Object    `json:"llm_response,omitzero"` // replaces the model's response
	Extra    jsontext.Value `json:",embed"`

	patch wire.Object // the Request of every hook, merged in plan order
}

// SyntheticResponse returns the response that replaces the model's, in the shape of the Google
// GenAI SDK, or nil (getSyntheticResponse).
func (g *BeforeModelOutput) SyntheticResponse() wire.Object {
	if g.Response == nil || !g.Response.IsObject() {
		return nil
	}
	if response := genai.FromHookResponse(g.Response, nil); response != nil {
		return response
	}
	return wire.Object("{}") // the result is an object, even without members
}

// ApplyTo returns an SDK request with the changes of the hooks; members that hooks do not see stay
// as they are (applyLLMRequestModifications).
func (g *BeforeModelOutput) ApplyTo(request wire.Object) wire.Object {
	if changes := g.changes(); changes != nil {
		return genai.ApplyRequest(changes, request)
	}
	return request
}

// changes returns the changes of all hooks to the request.
func (g *BeforeModelOutput) changes() wire.Object {
	if g.patch != nil {
		return g.patch
	}
	if g.Request.IsObject() {
		return g.Request
	}
	return nil
}

// AfterModelOutput is the answer of an AfterModel hook in addition to the common fields (L51).
type AfterModelOutput struct {
	Response wire.Object    `json:"llm_response,omitzero"` // changes to the response
	Extra    jsontext.Value `json:",embed"`

	patch    wire.Object // the Response of every hook, merged in plan order
	replaces bool        // a denial replaces the response
}

// Replaces reports whether the denial in a merged result replaces the model's response, by the
// rules of Gemini CLI.
func (o *AfterModelOutput) Replaces() bool { return o.replaces }

// changes returns the changes of all hooks to the response.
func (e *AfterModelOutput) changes() wire.Object {
	if e.patch != nil {
		return e.patch
	}
	if e.Response.IsObject() {
		return e.Response
	}
	return nil
}

// AfterAgentOutput is the answer of an AfterAgent hook in addition to the common fields.
type AfterAgentOutput struct {
	ClearContext bool           `json:"clearContext,omitzero"` // forget the conversation so far
	Extra        jsontext.Value `json:",embed"`
}

func merge(all *jsontext.Value, one jsontext.Value) {
	if len(one) > 0 {
		*all = jsontext.Value(wire.Object(*all).Merge(wire.Object(one)))
	}
}

func addPlain(all *BasicOutput, one BasicOutput) { merge(&all.Extra, one.Extra) }

// dropMistyped removes a member of the wrong type from extra, where decoding has put it, if any hook has set the member
// to a value of the right type.
func dropMistyped(extra *jsontext.Value, name string, known bool) {
	if o := wire.Object(*extra); known && len(o) > 0 && o.Get(name) != nil {
		*extra = jsontext.Value(o.Without(name))
	}
}

// erases reports whether a hook removed a member with an explicit null.
func erases(extra jsontext.Value, name string) bool {
	return len(extra) > 0 && wire.Object(extra).Get(name).Kind() == 'n'
}

func addAgentEnd(all *AfterAgentOutput, one AfterAgentOutput) {
	all.ClearContext = all.ClearContext || one.ClearContext
	merge(&all.Extra, one.Extra)
	dropMistyped(&all.Extra, "clearContext", true)
}

func addModelEdit(all *AfterModelOutput, one AfterModelOutput) {
	if one.Response != nil {
		all.Response = one.Response
		all.patch = all.patch.Merge(one.Response)
	} else if erases(one.Extra, "llm_response") {
		all.Response, all.patch = nil, nil
	}
	merge(&all.Extra, one.Extra)
	dropMistyped(&all.Extra, "llm_response", all.Response != nil)
}

func addModelGate(all *BeforeModelOutput, one BeforeModelOutput) {
	if one.Request != nil {
		all.Request = one.Request
		all.patch = genai.MergeRequest(all.patch, one.Request)
	} else if erases(one.Extra, "llm_request") {
		all.Request, all.patch = nil, nil
	}
	if one.Response != nil || erases(one.Extra, "llm_response") {
		all.Response = one.Response
	}
	merge(&all.Extra, one.Extra)
	dropMistyped(&all.Extra, "llm_request", all.Request != nil)
	dropMistyped(&all.Extra, "llm_response", all.Response != nil)
}

func chainModel(c BeforeModelInput, o hook.Output[BeforeModelOutput]) BeforeModelInput {
	c.Request = genai.MergeRequest(c.Request, o.Specific.Request)
	return c
}

// rewrittenRequest returns the request with the changes of all hooks. ok is false if no request is sent, or nothing
// changed.
func rewrittenRequest(c BeforeModelInput, o *hook.Output[BeforeModelOutput]) (final BeforeModelInput, ok bool) {
	changes := o.Specific.changes()
	if changes == nil || o.Specific.Response != nil {
		return c, false
	}
	before := c.Request
	c.Request = genai.MergeRequest(c.Request, changes)
	return c, !wire.Equal(jsontext.Value(before), jsontext.Value(c.Request))
}

// keepsRequest removes the changes to the request, and reports whether there were any.
func keepsRequest(o *hook.Output[BeforeModelOutput]) (rewrote bool) {
	rewrote = o.Specific.changes() != nil
	o.Specific.Request, o.Specific.patch = nil, nil
	return rewrote
}

// keepsCall removes everything but the permission, and reports whether the arguments were changed.
func keepsCall(o *hook.Output[BeforeToolOutput]) (rewrote bool) {
	g := o.Specific
	o.Specific = BeforeToolOutput{
		PermissionDecision: g.PermissionDecision, PermissionDecisionReason: g.PermissionDecisionReason,
	}
	return g.ModifiedToolInput() != nil
}

func chainPrompt(p BeforeAgentInput, o hook.Output[BasicOutput]) BeforeAgentInput {
	if o.Context != "" {
		p.Prompt += "\n\n" + o.Context
	}
	return p
}

// checkGate returns an error for an unknown permission of a Go function. For other hooks an unknown permission is only
// noted, because LLxprt lets the tool run.
func checkGate(o *hook.Output[BeforeToolOutput]) error {
	switch d := o.Specific.PermissionDecision; d {
	case "", hook.Allow, hook.Approve, hook.Ask, hook.Defer, hook.Deny, hook.Block:
		return nil
	default:
		return fmt.Errorf("there is no permissionDecision %q; write allow, ask, block or deny", d)
	}
}

var blockWins = reducers.BlockWins(addGate)

func addGate(all *BeforeToolOutput, one BeforeToolOutput) {
	addPermission(all, one)
	if one.ToolInput != nil {
		all.ToolInput = one.ToolInput
		all.patch = all.patch.Merge(one.ToolInput)
	}
	merge(&all.Extra, one.Extra)
	dropMistyped(&all.Extra, "tool_input", all.ToolInput != nil)
	dropMistyped(&all.Extra, "permissionDecision", all.PermissionDecision != "")
	dropMistyped(&all.Extra, "permissionDecisionReason", all.PermissionDecisionReason != "")
}

// addPermission keeps the last permission that is at least as strict as the earlier ones. A denial without a reason
// keeps the reason of an earlier denial, and an ask the reason of an earlier ask.
func addPermission(all *BeforeToolOutput, one BeforeToolOutput) {
	word, reason := one.PermissionDecision, one.PermissionDecisionReason
	had := rank(all.PermissionDecision)
	if rank(word) < had {
		return
	}
	if reason != "" || word != "" && rank(word) != had {
		all.PermissionDecisionReason = reason
	}
	if word != "" {
		all.PermissionDecision = word
	}
}
