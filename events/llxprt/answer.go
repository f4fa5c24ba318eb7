package llxprt

import (
	"github.com/go-json-experiment/json/jsontext"
	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/events/llxprt/genai"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/wire"
)

// The functions and methods of this file interpret an answer (L44, L45, L46). Functions need the common fields too, and
// take a whole [hook.Output].

// EffectiveReason returns the reason to show for a block or a stop: for BeforeTool
// PermissionDecisionReason, else StopReason, else Reason, else "No reason provided"
// (getEffectiveReason).
func EffectiveReason[T any](o *hook.Output[T]) string {
	if g, ok := any(&o.Specific).(*BeforeToolOutput); ok && g.PermissionDecisionReason != "" {
		return g.PermissionDecisionReason
	}
	return lo.CoalesceOrEmpty(o.StopReason, o.Reason, "No reason provided")
}

// BlockingError reports whether an answer blocks, and returns the reason if it does
// (getBlockingError).
func BlockingError[T any](o *hook.Output[T]) (blocked bool, reason string) {
	blocked = o.Decision.Blocks()
	if g, ok := any(o).(*hook.Output[BeforeToolOutput]); ok {
		blocked = gateBlocks(g)
	}
	if blocked {
		reason = EffectiveReason(o)
	}
	return blocked, reason
}

// ModifiedResponse returns the response that replaces the model's, in the SDK's shape, or nil (getModifiedResponse).
// Hooks may give only some members, such as a text, counters, or a candidate with a finishReason; the rest is taken
// from original, the SDK's response, including members that hooks do not see. If original is nil, the result has only
// the hooks' members. After a stop without a text the response has the reason as its text (L51).
func ModifiedResponse(o *hook.Output[AfterModelOutput], original wire.Object) wire.Object {
	return modifiedResponse(o, o.Specific.changes(), original)
}

func modifiedResponse(o *hook.Output[AfterModelOutput], r, original wire.Object) wire.Object {
	if speaks(r) || r != nil && !o.Stop && changes(r) {
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

// speaks reports whether a response has a text, or candidates[0].content.
func speaks(response wire.Object) bool {
	if _, ok := wire.Text(response.Get("text")); ok {
		return true
	}
	var r struct {
		Candidates []struct {
			Content jsontext.Value `json:"content"`
		} `json:"candidates"`
	}
	return response.Into(&r) == nil && len(r.Candidates) > 0 && r.Candidates[0].Content != nil &&
		r.Candidates[0].Content.Kind() != 'n'
}

// changes reports whether a partial response has candidates or usageMetadata.
func changes(response wire.Object) bool {
	candidates := response.Get("candidates")
	return candidates.Kind() == '[' && string(candidates) != "[]" || response.Get("usageMetadata").Kind() == '{'
}
