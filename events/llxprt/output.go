package llxprt

import (
	"iter"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/events/llxprt/genai"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/reducers"
	"github.com/snaphook-go/snaphook/wire"
)

// Plain is the own part of events that have none: members that hooks pass on.
type Plain struct {
	Extra jsontext.Value `json:",embed"`
}

// ToolGate is what a BeforeTool hook can say besides the common fields (seed
// 001 BeforeToolOutput).
type ToolGate struct {
	// PermissionDecision counts like Decision, and its reason is shown first.
	PermissionDecision       hook.Decision `json:"permissionDecision,omitempty"`
	PermissionDecisionReason string        `json:"permissionDecisionReason,omitempty"`

	// ToolInput are the arguments that the hook changes. In a merged result it
	// is the last hook's; see [ModifiedToolInput] for all of them together.
	ToolInput wire.Object    `json:"tool_input,omitzero"`
	Extra     jsontext.Value `json:",embed"`

	patch wire.Object // the ToolInput of every hook, merged in plan order
}

// ModelGate is what a BeforeModel hook can say besides the common fields (seed
// 001 BeforeModelOutput).
type ModelGate struct {
	Request  wire.Object    `json:"llm_request,omitzero"`  // what changes of the request
	Response wire.Object    `json:"llm_response,omitzero"` // takes the place of the model's
	Extra    jsontext.Value `json:",embed"`

	patch wire.Object // the Request of every hook, merged in plan order
}

// ModelEdit is what an AfterModel hook can say besides the common fields (seed
// 001 AfterModelOutput).
type ModelEdit struct {
	Response wire.Object    `json:"llm_response,omitzero"`
	Extra    jsontext.Value `json:",embed"`
}

// AgentEnd is what an AfterAgent hook can say besides the common fields.
type AgentEnd struct {
	ClearContext bool           `json:"clearContext,omitzero"` // forget the conversation so far
	Extra        jsontext.Value `json:",embed"`
}

// ToolChoice is what a BeforeToolSelection hook can say besides the common
// fields (seed 001 BeforeToolSelectionOutput): a ToolConfig of seed 003 §5.3.
type ToolChoice struct {
	HookEventName string         `json:"hookEventName,omitempty"`
	ToolConfig    wire.Object    `json:"toolConfig,omitzero"`
	Extra         jsontext.Value `json:",embed"`

	restricts bool // at least one hook gave a ToolConfig
}

func merge(all *jsontext.Value, one jsontext.Value) {
	if len(one) > 0 {
		*all = jsontext.Value(wire.Object(*all).Merge(wire.Object(one)))
	}
}

func addPlain(all *Plain, one Plain) { merge(&all.Extra, one.Extra) }

// settle drops a member of the wrong type, which decoding keeps in extra, once
// a hook has given one of the right type: that one counts, in whatever order.
func settle(extra *jsontext.Value, name string, known bool) {
	if o := wire.Object(*extra); known && len(o) > 0 && o.Get(name) != nil {
		*extra = jsontext.Value(o.Without(name))
	}
}

// erases reports whether a hook took back a member with an explicit null.
func erases(extra jsontext.Value, name string) bool {
	return len(extra) > 0 && wire.Object(extra).Get(name).Kind() == 'n'
}

func addAgentEnd(all *AgentEnd, one AgentEnd) {
	all.ClearContext = all.ClearContext || one.ClearContext
	merge(&all.Extra, one.Extra)
	settle(&all.Extra, "clearContext", true)
}

func addModelEdit(all *ModelEdit, one ModelEdit) {
	if one.Response != nil || erases(one.Extra, "llm_response") {
		all.Response = one.Response
	}
	merge(&all.Extra, one.Extra)
	settle(&all.Extra, "llm_response", all.Response != nil)
}

func addModelGate(all *ModelGate, one ModelGate) {
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
	settle(&all.Extra, "llm_request", all.Request != nil)
	settle(&all.Extra, "llm_response", all.Response != nil)
}

func chainModel(c ModelCall, o hook.Output[ModelGate]) ModelCall {
	c.Request = genai.MergeRequest(c.Request, o.Specific.Request)
	return c
}

func chainPrompt(p Prompt, o hook.Output[Plain]) Prompt {
	if o.Context != "" {
		p.Prompt += "\n\n" + o.Context
	}
	return p
}

func gateBlocks(o *hook.Output[ToolGate]) bool {
	return o.Decision.Blocks() || o.Specific.PermissionDecision.Blocks()
}

// mergeGates is BlockWins in which a denial by PermissionDecision counts too,
// also when a later hook permits (a guard is never lost).
func mergeGates(outs iter.Seq[hook.Output[ToolGate]]) hook.Output[ToolGate] {
	return blockWins(func(yield func(hook.Output[ToolGate]) bool) {
		for o := range outs {
			if p := o.Specific.PermissionDecision; p.Blocks() && !o.Decision.Blocks() {
				o.Decision = p
			}
			if !yield(o) {
				return
			}
		}
	})
}

var blockWins = reducers.BlockWins(addGate)

func addGate(all *ToolGate, one ToolGate) {
	addPermission(all, one)
	if one.ToolInput != nil {
		all.ToolInput = one.ToolInput
		all.patch = all.patch.Merge(one.ToolInput)
	}
	merge(&all.Extra, one.Extra)
	settle(&all.Extra, "tool_input", all.ToolInput != nil)
	settle(&all.Extra, "permissionDecision", all.PermissionDecision != "")
	settle(&all.Extra, "permissionDecisionReason", all.PermissionDecisionReason != "")
}

// addPermission lets the last word count, except that none lifts a denial. A
// denial without a reason keeps that of an earlier denial.
func addPermission(all *ToolGate, one ToolGate) {
	word, reason := one.PermissionDecision, one.PermissionDecisionReason
	denied := all.PermissionDecision.Blocks()
	if denied && !word.Blocks() {
		return
	}
	if reason != "" || word != "" && word.Blocks() != denied {
		all.PermissionDecisionReason = reason
	}
	if word != "" {
		all.PermissionDecision = word
	}
}

// uniteTools allows every tool that any hook allows; of the modes the most
// restrictive one counts, and NONE allows no tool at all (seed 003 §7.3,
// §8.1). A hook without a toolConfig has no say. Names are sorted, so that the
// request does not depend on the order of hooks. Denials have no effect here
// (seed 003 §8); the other common fields are merged as in BlockWins.
func uniteTools(outs iter.Seq[hook.Output[ToolChoice]]) hook.Output[ToolChoice] {
	said := slices.Collect(outs)
	all := reducers.BlockWins(addToolChoice)(slices.Values(said))
	all.Decision = ""

	mode, allowed := "AUTO", []string{}
	for _, o := range said {
		config := o.Specific.ToolConfig
		all.Specific.restricts = all.Specific.restricts || config != nil
		mode = stricter(mode, config.Text("mode"))
		allowed = append(allowed, texts(config.Get("allowedFunctionNames"))...)
	}
	if mode == "NONE" {
		allowed = nil
	}
	slices.Sort(allowed)
	config, _ := wire.Of(genai.ToolConfig{Mode: mode, AllowedFunctionNames: append([]string{}, slices.Compact(allowed)...)})
	all.Specific.HookEventName, all.Specific.ToolConfig = "BeforeToolSelection", config
	return all
}

func addToolChoice(all *ToolChoice, one ToolChoice) {
	merge(&all.Extra, one.Extra)
	settle(&all.Extra, "hookEventName", true)
	settle(&all.Extra, "toolConfig", true)
}

// stricter gives the more restrictive of two modes; words that are no mode
// count as AUTO (seed 003 §7.3).
func stricter(a, b string) string {
	for _, mode := range [...]string{"NONE", "ANY"} {
		if a == mode || b == mode {
			return mode
		}
	}
	return "AUTO"
}

// texts gives the strings in a JSON array.
func texts(array jsontext.Value) (list []string) {
	var values []jsontext.Value
	if json.Unmarshal(array, &values) != nil {
		return nil
	}
	return lo.FilterMap(values, func(v jsontext.Value, _ int) (string, bool) { return wire.Text(v) })
}
