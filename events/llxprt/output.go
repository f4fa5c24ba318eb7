package llxprt

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/events/llxprt/genai"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/reducers"
	"github.com/snaphook-go/snaphook/wire"
)

// BasicOutput is the own part of events that have none: members that hooks pass on.
type BasicOutput struct {
	Extra jsontext.Value `json:",embed"`

	replaces bool // a denial takes the place of the tool's result
}

// Replaces reports whether the denial in a merged result of AfterTool takes the place of the
// tool's result, by the rules of Gemini CLI.
func (o *BasicOutput) Replaces() bool { return o.replaces }

// BeforeToolOutput is the answer of a BeforeTool hook besides the common fields (L44, L45).
type BeforeToolOutput struct {
	// PermissionDecision counts like Decision, and its reason is shown first.
	PermissionDecision       hook.Decision `json:"permissionDecision,omitempty"`
	PermissionDecisionReason string        `json:"permissionDecisionReason,omitempty"`

	// ToolInput are the arguments that the hook changes. In a merged result it
	// is the last hook's; see [ModifiedToolInput] for all of them together.
	ToolInput wire.Object    `json:"tool_input,omitzero"`
	Extra     jsontext.Value `json:",embed"`

	patch wire.Object // the ToolInput of every hook, merged in plan order
	waits bool        // the tool waits for the user's word
}

// BeforeModelOutput is the answer of a BeforeModel hook besides the common fields (L60).
type BeforeModelOutput struct {
	Request  wire.Object    `json:"llm_request,omitzero"`  // changes to the request
	Response wire.Object    `json:"llm_response,omitzero"` // takes the place of the model's
	Extra    jsontext.Value `json:",embed"`

	patch wire.Object // the Request of every hook, merged in plan order
}

// AfterModelOutput is the answer of an AfterModel hook besides the common fields (L51).
type AfterModelOutput struct {
	Response wire.Object    `json:"llm_response,omitzero"` // what changes of the response
	Extra    jsontext.Value `json:",embed"`

	patch    wire.Object // the Response of every hook, merged in plan order
	replaces bool        // a denial takes the place of the response
}

// Replaces reports whether the denial in a merged result takes the place of the model's
// response, by the rules of Gemini CLI.
func (o *AfterModelOutput) Replaces() bool { return o.replaces }

// AfterAgentOutput is the answer of an AfterAgent hook besides the common fields.
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

// dropMistyped drops a member of the wrong type, which decoding keeps in extra, once a hook has
// given one of the right type, which counts in any order.
func dropMistyped(extra *jsontext.Value, name string, known bool) {
	if o := wire.Object(*extra); known && len(o) > 0 && o.Get(name) != nil {
		*extra = jsontext.Value(o.Without(name))
	}
}

// erases reports whether a hook took back a member with an explicit null.
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

// rewrittenRequest is the request as hooks have left it; ok is false where none
// goes to the model.
func rewrittenRequest(c BeforeModelInput, o *hook.Output[BeforeModelOutput]) (final BeforeModelInput, ok bool) {
	changes := o.Specific.changes()
	if changes == nil || o.Specific.Response != nil {
		return c, false
	}
	before := c.Request
	c.Request = genai.MergeRequest(c.Request, changes)
	return c, !wire.Equal(jsontext.Value(before), jsontext.Value(c.Request))
}

// keepsRequest leaves the request as it is.
func keepsRequest(o *hook.Output[BeforeModelOutput]) (rewrote bool) {
	rewrote = o.Specific.changes() != nil
	o.Specific.Request, o.Specific.patch = nil, nil
	return rewrote
}

// keepsCall leaves of an answer the permission alone.
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

// checkGate wants a Go function's permission to be a word that means something.
// Of hooks outside one that does not is noted, as LLxprt lets the tool run.
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

// addPermission lets the last word count, but no word lifts a stricter one. A denial without a
// reason keeps the reason of an earlier denial, and so does an ask.
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
