package genai

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/wire"
)

// replaceCandidates returns the candidates of a response, was, with the changes of a hook's candidates. Candidates
// correspond by their position in the list.
func replaceCandidates(was, hook []jsontext.Value) []jsontext.Value {
	now := []jsontext.Value{}
	for i, candidate := range hook {
		switch {
		case i >= len(was):
			if candidate.Kind() == '{' {
				now = append(now, fromCandidate(wire.Object(candidate), nil))
			}
		case candidate.Kind() == '{' && (was[i].Kind() == '{' || !given(was[i])):
			now = append(now, fromCandidate(wire.Object(candidate), was[i]))
		default:
			now = append(now, was[i])
		}
	}
	for _, removed := range was[min(len(hook), len(was)):] {
		content := object(object(removed).Get("content"))
		if hidden := fill(list(content.Get("parts")), nil); len(hidden) > 0 {
			content = content.With("parts", array(hidden))
			now = append(now, jsontext.Value(wire.Object(removed).With("content", value(content))))
		}
	}
	return now
}

// fromCandidate returns was with the changes of the hook's candidate. Without was, the result has
// only the hook's members.
func fromCandidate(hook wire.Object, was jsontext.Value) jsontext.Value {
	base := object(was)
	sdk := base
	if content := hook.Get("content"); given(content) {
		said, ok := hookTexts(content)
		if len(was) == 0 || ok && !slices.Equal(said, candidateTexts(base)) {
			sdk = sdk.With("content", replaceTexts(object(base.Get("content")), said))
		}
	}
	for _, name := range [...]string{"finishReason", "index"} {
		if member := hook.Get(name); given(member) {
			sdk = sdk.With(name, member)
		}
	}
	if ratings := hook.Get("safetyRatings"); ratings.Kind() == '[' {
		before := list(base.Get("safetyRatings"))
		if now := replaceRatings(before, list(ratings)); base == nil || !sameValues(now, before) {
			sdk = sdk.With("safetyRatings", array(now))
		}
	}
	if sdk.IsEmpty() && len(was) > 0 {
		return was
	}
	return value(sdk)
}

// hookTexts reads the content of a hook's candidate: {"parts": …}, or a text in place of it. ok is
// false if the content is not empty and has no text.
func hookTexts(content jsontext.Value) (said []string, ok bool) {
	parts := object(content).Get("parts")
	if !given(parts) {
		parts = content
	}
	all := list(parts)
	said = texts(all)
	return said, len(said) == len(all) || len(said) > 0
}

func replaceTexts(content wire.Object, said []string) jsontext.Value {
	parts := fill(list(content.Get("parts")), said)
	if content == nil {
		return modelContent(parts)
	}
	return jsontext.Value(content.With("parts", array(parts)))
}

// replaceRatings returns the ratings of a hook, completed by the members of was that hooks do not
// see. Ratings of equal category correspond.
func replaceRatings(was, hook []jsontext.Value) []jsontext.Value {
	unused := slices.Clone(was)
	now := []jsontext.Value{}
	for _, rating := range hook {
		i := slices.IndexFunc(unused, func(w jsontext.Value) bool { return sameCategory(w, rating) })
		if i < 0 {
			now = append(now, rating)
			continue
		}
		now = append(now, withRating(unused[i], rating))
		unused = slices.Delete(unused, i, i+1)
	}
	return now
}

func sameCategory(a, b jsontext.Value) bool {
	return ratingText(a, "category") == ratingText(b, "category")
}

// ratingText returns a member of a rating in the form that hooks see.
func ratingText(rating jsontext.Value, name string) string {
	text, _ := hookText(object(rating).Get(name))
	return text
}

func withRating(was, hook jsontext.Value) jsontext.Value {
	for _, name := range [...]string{"category", "probability"} {
		member := object(hook).Get(name)
		if given(member) && ratingText(hook, name) != ratingText(was, name) {
			was = jsontext.Value(object(was).With(name, member))
		}
	}
	return was
}
