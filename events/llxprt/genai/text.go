package genai

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/wire"
)

// SpellText puts the member text of a hook's response into its first candidate, where readers of
// the SDK look for it. shown is the response that the hook was given, in the hooks' format; nil if
// it was given none because its answer replaces the model's. The candidate then also gets a
// finishReason.
//
// Texts that the hook gave the candidate itself come before text, if they differ from those that it
// was shown: a hook that passes the candidates on and changes text alone has redacted the response.
func SpellText(resp, shown wire.Object) wire.Object {
	text, ok := wire.Text(resp.Get("text"))
	if !ok || given(shown.Get("text")) && text == shown.Text("text") {
		return resp
	}
	candidates := slices.Clone(candidatesOf(resp, shown))
	var was wire.Object
	if all := list(shown.Get("candidates")); len(all) > 0 {
		was = object(all[0])
	}
	if len(candidates) == 0 {
		candidates = []jsontext.Value{jsontext.Value("{}")}
	}
	first := object(candidates[0])
	if said, _ := hookTexts(first.Get("content")); len(said) > 0 && !slices.Equal(said, candidateTexts(was)) {
		return resp
	}
	first = first.With("content", modelContent([]jsontext.Value{wire.Quote(text)}))
	if len(shown) == 0 && !given(first.Get("finishReason")) {
		first = first.With("finishReason", wire.Quote("STOP"))
	}
	candidates[0] = jsontext.Value(first)
	return resp.With("candidates", array(candidates))
}

// candidatesOf returns the candidates of a hook's response, or those that the hook was shown if it
// gave none.
func candidatesOf(resp, shown wire.Object) []jsontext.Value {
	if given := resp.Get("candidates"); given.Kind() == '[' {
		return list(given)
	}
	return list(shown.Get("candidates"))
}
