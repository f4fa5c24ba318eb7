package genai

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/wire"
)

// usageFields lists the counters that hooks may see.
var usageFields = [...]string{"promptTokenCount", "candidatesTokenCount", "totalTokenCount"}

// ToHookResponse returns an SDK response for hooks, in the format of rule L57: of each candidate the texts,
// finishReason, index, and the category and probability of its safetyRatings; of usageMetadata three counters. The
// member text is the joined text of the first candidate. Members that the response does not have are left out, except
// candidates and their content.
func ToHookResponse(sdk wire.Object) wire.Object {
	var text string
	candidates := []jsontext.Value{}
	for i, candidate := range list(sdk.Get("candidates")) {
		said := candidateTexts(object(candidate))
		if i == 0 {
			text = join(said)
		}
		candidates = append(candidates, hookCandidate(object(candidate), said))
	}
	resp := wire.Object("{}")
	if text != "" {
		resp = resp.With("text", wire.Quote(text))
	}
	resp = resp.With("candidates", array(candidates))
	if usage := sdk.Get("usageMetadata"); usage.Kind() == '{' {
		resp = resp.With("usageMetadata", value(hookUsage(wire.Object(usage))))
	}
	return resp
}

func candidateTexts(sdk wire.Object) []string {
	return texts(list(object(sdk.Get("content")).Get("parts")))
}

func hookCandidate(sdk wire.Object, said []string) jsontext.Value {
	parts := make([]jsontext.Value, len(said))
	for i, text := range said {
		parts[i] = wire.Quote(text)
	}
	candidate := wire.Object(nil).With("content", modelContent(parts))
	for _, name := range [...]string{"finishReason", "index"} {
		if member := sdk.Get(name); given(member) {
			candidate = candidate.With(name, member)
		}
	}
	if ratings := sdk.Get("safetyRatings"); ratings.Kind() == '[' {
		candidate = candidate.With("safetyRatings", array(hookRatings(list(ratings))))
	}
	return jsontext.Value(candidate)
}

func modelContent(parts []jsontext.Value) jsontext.Value {
	return jsontext.Value(wire.Object(`{"role":"model"}`).With("parts", array(parts)))
}

func hookRatings(sdk []jsontext.Value) []jsontext.Value {
	ratings := make([]jsontext.Value, len(sdk))
	for i, rating := range sdk {
		r := wire.Object(nil)
		for _, name := range [...]string{"category", "probability"} {
			r = r.With(name, wire.Quote(ratingText(rating, name)))
		}
		ratings[i] = jsontext.Value(r)
	}
	return ratings
}

func hookUsage(sdk wire.Object) wire.Object {
	usage := wire.Object("{}")
	for _, name := range usageFields {
		if count := sdk.Get(name); given(count) {
			usage = usage.With(name, count)
		}
	}
	return usage
}

// FromHookResponse returns the SDK response for a hook's response: base, which is the response that the hook was shown,
// with the hook's changes. A nil base is an empty one, for an answer that replaces the model's.
//
// Candidates correspond by position. So do the texts of a candidate if their number is unchanged; otherwise the first
// text parts take the new texts, further texts become new parts, and further text parts are removed. Parts that hooks
// do not see stay, even in a candidate that the hook removed. The texts of a hook are strings or {"text": string}; its
// other parts are dropped. The member text of the hook is the text of the first candidate, see [SpellText]; the base's
// member text follows its first candidate.
func FromHookResponse(resp, base wire.Object) wire.Object {
	if !base.IsObject() {
		return base
	}
	resp = SpellText(resp, shownOf(resp, base))
	sdk := base
	if text := resp.Get("text"); text.Kind() == '"' && len(base) == 0 {
		sdk = sdk.With("text", text)
	}
	if candidates := resp.Get("candidates"); candidates.Kind() == '[' {
		was := list(base.Get("candidates"))
		now := replaceCandidates(was, list(candidates))
		if len(base) == 0 || !sameValues(now, was) {
			sdk = followText(sdk.With("candidates", array(now)), base)
		}
	}
	if usage := object(resp.Get("usageMetadata")); usage != nil && !(usage.IsEmpty() && len(base) > 0) {
		merged := object(base.Get("usageMetadata")).Merge(usage)
		sdk = sdk.With("usageMetadata", value(merged))
	}
	return sdk
}

// shownOf returns base in the form that the hook was shown; nil if base is empty or resp has no text to compare with
// it.
func shownOf(resp, base wire.Object) wire.Object {
	if len(base) == 0 || resp.Get("text") == nil {
		return nil
	}
	return ToHookResponse(base)
}

// followText updates the member text that some SDKs write outside of candidates, because a text that a hook redacted
// must not survive in this member.
func followText(sdk, base wire.Object) wire.Object {
	now := ToHookResponse(sdk).Text("text")
	if !given(base.Get("text")) || now == ToHookResponse(base).Text("text") {
		return sdk
	}
	return sdk.With("text", wire.Quote(now))
}
