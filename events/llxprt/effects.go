package llxprt

import (
	"github.com/go-json-experiment/json/jsontext"
	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/events/llxprt/genai"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/wire"
)

// Effects lists the effects of a result, under the names of the original's methods.
type Effects struct {
	IsBlocking        bool          `json:"isBlocking"`
	ShouldStop        bool          `json:"shouldStop"`
	EffectiveReason   *string       `json:"effectiveReason"`
	BlockingError     *blockedError `json:"blockingError"`
	AdditionalContext *string       `json:"additionalContext"`
	ModifiedToolInput *wire.Object  `json:"modifiedToolInput"`
	SyntheticResponse *wire.Object  `json:"syntheticResponse"`
	ModifiedResponse  *wire.Object  `json:"modifiedResponse"`
	ModifiedRequest   *wire.Object  `json:"modifiedRequest"` // has only the members of the request that hooks see; see BeforeModelOutput.ApplyTo
	ToolSelection     *wire.Object  `json:"toolSelection"`   // {"toolConfig"}; see BeforeToolSelectionOutput.ApplyTo
	ClearContext      bool          `json:"clearContext"`

	// The next members have no method in the original.
	Decision     *hook.Decision `json:"decision"`     // the decision in effect: "ask" does not block
	AskUser      bool           `json:"askUser"`      // the tool waits until the user agrees, in the profile Gemini
	ToolResponse *wire.Object   `json:"toolResponse"` // the result that the model sees after AfterTool, if hooks changed it
}

type blockedError struct {
	Blocked bool   `json:"blocked"`
	Reason  string `json:"reason"`
}

func effects[T any](res *hook.Result[T]) Effects {
	if !res.Answered {
		return Effects{}
	}
	blocked, reason := BlockingError(&res.Output)
	return Effects{
		IsBlocking:        blocked,
		ShouldStop:        res.Stop,
		EffectiveReason:   lo.ToPtr(EffectiveReason(&res.Output)),
		BlockingError:     &blockedError{Blocked: blocked, Reason: reason},
		AdditionalContext: lo.EmptyableToPtr(res.Context),
		Decision:          lo.EmptyableToPtr(wanted(&res.Output)),
	}
}

func present(o wire.Object) *wire.Object {
	if o == nil {
		return nil
	}
	return &o
}

func plainEffects[In any](_ In, res *hook.Result[BasicOutput]) any { return effects(res) }

func toolDoneEffects(in AfterToolInput, res *hook.Result[BasicOutput]) any {
	e := effects(res)
	if _, response := ApplyAfterTool(&in, res); string(response) != string(in.Response) {
		e.ToolResponse = present(response)
	}
	return e
}

func gateEffects(_ BeforeToolInput, res *hook.Result[BeforeToolOutput]) any {
	e := effects(res)
	e.ModifiedToolInput = present(res.Specific.ModifiedToolInput())
	e.AskUser = res.Specific.waits
	return e
}

func modelGateEffects(in BeforeModelInput, res *hook.Result[BeforeModelOutput]) any {
	e := effects(res)
	if changes := res.Specific.changes(); changes != nil {
		e.ModifiedRequest = present(genai.ApplyRequest(changes, genai.FromHookRequest(in.Request, nil)))
	}
	e.SyntheticResponse = present(res.Specific.SyntheticResponse())
	return e
}

func modelEditEffects(in AfterModelInput, res *hook.Result[AfterModelOutput]) any {
	e := effects(res)
	switch {
	case res.Specific.replaces:
		e.ModifiedResponse = present(noCandidates)
	case res.Answered:
		said, shown := genai.SpellText(res.Specific.changes(), in.Response), wire.Object(nil)
		if !speaks(said) && !res.Stop { // the answer has only some members, such as counters
			shown = genai.FromHookResponse(in.Response, nil)
		}
		e.ModifiedResponse = present(modifiedResponse(&res.Output, said, shown))
	}
	return e
}

func toolChoiceEffects(in BeforeModelInput, res *hook.Result[BeforeToolSelectionOutput]) any {
	e := effects(res)
	if res.Specific.said != nil {
		e.ToolSelection = present(res.Specific.ApplyTo(toolConfigOf(in.Request)))
	}
	return e
}

// toolConfigOf returns the toolConfig of a request that hooks see, as a member of an SDK request.
func toolConfigOf(request wire.Object) wire.Object {
	shown := wire.Object(request.Get("toolConfig"))
	if !shown.IsObject() || len(shown) == 0 {
		return wire.Object("{}")
	}
	return wire.Object("{}").With("toolConfig", jsontext.Value(genai.FromHookToolConfig(shown)))
}

func agentEndEffects(_ AfterAgentInput, res *hook.Result[AfterAgentOutput]) any {
	e := effects(res)
	e.ClearContext = res.Specific.ClearContext
	return e
}
