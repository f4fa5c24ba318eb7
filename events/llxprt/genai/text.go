package genai

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/wire"
)

// SpellText copies the member text of a hook's response to its first candidate, where readers of the SDK expect it.
// shown is the response that the hook was given, in the hooks' format; nil if there was none because the hook's answer
// replaces the model's. Without shown, the first candidate gets the finishReason STOP if it has none.
//
// If the hook wrote texts into the candidate that differ from the shown ones, those texts take precedence over the
// member text. If the hook has not changed the candidate, its change of the member text is a redaction and is used.
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

// candidatesOf returns the candidates of a hook's response, or else those that the hook was shown.
func candidatesOf(resp, shown wire.Object) []jsontext.Value {
	if given := resp.Get("candidates"); given.Kind() == '[' {
		return list(given)
	}
	return list(shown.Get("candidates"))
}
