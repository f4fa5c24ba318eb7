package llxprt

import (
	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/events/llxprt/genai"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/wire"
)

// What follows are the helper methods of seed 001, "Hook Output Classes".
// Those that need the common fields of an answer are functions.

// EffectiveReason is the reason to show for a block or a stop: StopReason,
// else Reason, else "No reason provided" (getEffectiveReason).
func EffectiveReason[T any](o *hook.Output[T]) string {
	if g, ok := any(&o.Specific).(*ToolGate); ok && g.PermissionDecisionReason != "" {
		return g.PermissionDecisionReason
	}
	return lo.CoalesceOrEmpty(o.StopReason, o.Reason, "No reason provided")
}

// BlockingError tells whether an answer blocks, and why if it does
// (getBlockingError).
func BlockingError[T any](o *hook.Output[T]) (blocked bool, reason string) {
	blocked = o.Decision.Blocks()
	if g, ok := any(o).(*hook.Output[ToolGate]); ok {
		blocked = gateBlocks(g)
	}
	if blocked {
		reason = EffectiveReason(o)
	}
	return blocked, reason
}

// ModifiedToolInput are the arguments that hooks change, of all hooks together
// in plan order, or nil (getModifiedToolInput). They are the changes alone:
// [ApplyBeforeTool] merges them with the tool's own arguments.
func (g *ToolGate) ModifiedToolInput() wire.Object {
	if g.patch != nil {
		return g.patch
	}
	if g.ToolInput.IsObject() {
		return g.ToolInput
	}
	return nil
}

// SyntheticResponse is the response that takes the place of the model's, in
// the shape of the Google GenAI SDK, or nil (getSyntheticResponse).
func (g *ModelGate) SyntheticResponse() wire.Object {
	if g.Response == nil || !g.Response.IsObject() {
		return nil
	}
	if response := genai.FromHookResponse(g.Response, nil); response != nil {
		return response
	}
	return wire.Object("{}") // an object, if one that says nothing
}

// ApplyTo gives an SDK request with what the hooks change of it; what they
// cannot see stays (applyLLMRequestModifications).
func (g *ModelGate) ApplyTo(request wire.Object) wire.Object {
	patch := g.patch
	if patch == nil {
		patch = g.Request
	}
	if patch == nil || !patch.IsObject() {
		return request
	}
	return genai.ApplyRequest(patch, request)
}

// ApplyTo gives an SDK request's toolConfig and tools with the choice of the
// hooks; without one they stay (applyToolConfigModifications).
func (c *ToolChoice) ApplyTo(target wire.Object) wire.Object {
	if !c.restricts {
		return target
	}
	return genai.ApplyToolConfig(c.ToolConfig, target)
}

// ModifiedResponse is the response that takes the place of the model's, in the
// SDK's shape, or nil (getModifiedResponse). A stop gives a response that says
// the reason (seed 003 §3.4). original is the SDK's response, whose parts that
// hooks cannot see are kept; nil keeps none.
func ModifiedResponse(o *hook.Output[ModelEdit], original wire.Object) wire.Object {
	if r := o.Specific.Response; r != nil && hasContent(r) {
		return genai.FromHookResponse(r, original)
	}
	if !o.Stop {
		return nil
	}
	stop, _ := wire.Of(genai.Response{Candidates: []genai.Candidate{{
		Content:      genai.Content{Role: "model", Parts: []genai.Text{genai.Text(EffectiveReason(o))}},
		FinishReason: "STOP",
	}}})
	return genai.FromHookResponse(stop, nil)
}

// hasContent reports whether a response has candidates[0].content.
func hasContent(response wire.Object) bool {
	var r struct {
		Candidates []struct {
			Content wire.Object `json:"content"`
		} `json:"candidates"`
	}
	return response.Into(&r) == nil && len(r.Candidates) > 0 && r.Candidates[0].Content != nil
}

// Effects is what a caller has to apply, by the names of seed 001's methods.
type Effects struct {
	IsBlocking        bool          `json:"isBlocking"`
	ShouldStop        bool          `json:"shouldStop"`
	EffectiveReason   *string       `json:"effectiveReason"`
	BlockingError     *blockedError `json:"blockingError"`
	AdditionalContext *string       `json:"additionalContext"`
	ModifiedToolInput *wire.Object  `json:"modifiedToolInput"`
	SyntheticResponse *wire.Object  `json:"syntheticResponse"`
	ModifiedResponse  *wire.Object  `json:"modifiedResponse"`
	ModifiedRequest   *wire.Object  `json:"modifiedRequest"` // needs the request, so it is null here; see ModelGate.ApplyTo
	ToolSelection     *wire.Object  `json:"toolSelection"`   // the same; see ToolChoice.ApplyTo
	ClearContext      bool          `json:"clearContext"`
}

type blockedError struct {
	Blocked bool   `json:"blocked"`
	Reason  string `json:"reason"`
}

func effects[T any](res *hook.Result[T]) Effects {
	if !res.Said {
		return Effects{}
	}
	blocked, reason := BlockingError(&res.Output)
	return Effects{
		IsBlocking:        blocked,
		ShouldStop:        res.Stop,
		EffectiveReason:   lo.ToPtr(EffectiveReason(&res.Output)),
		BlockingError:     &blockedError{Blocked: blocked, Reason: reason},
		AdditionalContext: lo.EmptyableToPtr(res.Context),
	}
}

func present(o wire.Object) *wire.Object {
	if o == nil {
		return nil
	}
	return &o
}

func plainEffects[In any](_ In, res *hook.Result[Plain]) any { return effects(res) }

func gateEffects(_ ToolCall, res *hook.Result[ToolGate]) any {
	e := effects(res)
	e.ModifiedToolInput = present(res.Specific.ModifiedToolInput())
	return e
}

func modelGateEffects(_ ModelCall, res *hook.Result[ModelGate]) any {
	e := effects(res)
	e.SyntheticResponse = present(res.Specific.SyntheticResponse())
	return e
}

func modelEditEffects(_ ModelDone, res *hook.Result[ModelEdit]) any {
	e := effects(res)
	if res.Said {
		e.ModifiedResponse = present(ModifiedResponse(&res.Output, nil))
	}
	return e
}

func toolChoiceEffects(_ ModelCall, res *hook.Result[ToolChoice]) any { return effects(res) }

func agentEndEffects(_ Answer, res *hook.Result[AgentEnd]) any {
	e := effects(res)
	e.ClearContext = res.Specific.ClearContext
	return e
}
