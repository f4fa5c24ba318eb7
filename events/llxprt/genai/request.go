// Package genai translates between the JSON of the Google GenAI v1 SDK and the stable format that hooks read and write
// (L56, L57, L58, L59).
//
// Hooks see only text, and no function calls and responses, images and files. The translation back keeps the parts that
// hooks do not see. Every From function takes the SDK value that hooks were shown as its base, and keeps the parts that
// a hook did not change byte for byte.
//
// All functions are pure, never fail, and may be called concurrently. A member of the wrong type at the top of a
// request or a response has no effect: the base's value stays. The functions read their arguments several times and
// copy the parts that they keep: a request of a megabyte takes some tens of milliseconds.
package genai

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/wire"
)

// configFields lists the generation settings that hooks may see and set.
var configFields = [...]string{
	"temperature", "maxOutputTokens", "topP", "topK",
	"stopSequences", "candidateCount", "presencePenalty", "frequencyPenalty",
}

// ToHookRequest converts an SDK request to the format that hooks read (rule L56).
//
// A message is the joined text of one element of contents; an element without text has none. A
// string becomes a message of the user, and the user is also the role for every role other than
// model and system. Members that the request does not have are left out, except messages and
// config.
func ToHookRequest(sdk wire.Object) wire.Object {
	req := wire.Object("{}")
	if model := sdk.Get("model"); given(model) {
		req = req.With("model", model)
	}
	messages := []jsontext.Value{}
	for _, content := range list(sdk.Get("contents")) {
		if m, ok := show(content); ok {
			messages = append(messages, m.encode())
		}
	}
	req = req.With("messages", array(messages))
	req = req.With("config", value(hookConfig(object(sdk.Get("config")))))
	if tools := RequestToolConfig(sdk); !tools.IsEmpty() {
		req = req.With("toolConfig", value(tools))
	}
	return req
}

func hookConfig(sdk wire.Object) wire.Object {
	config := wire.Object("{}")
	for _, name := range configFields {
		if setting := sdk.Get(name); given(setting) {
			config = config.With(name, setting)
		}
	}
	return config
}

// FromHookRequest returns the SDK request for a hook's request: base, which is the request that the hook was shown,
// with the hook's changes. A nil base is an empty one.
//
// Model and contents are replaced if req has them. The keys of config and toolConfig are replaced one by one; a
// toolConfig stays where base has it, or goes into config if base has none.
//
// In contents, elements with an unchanged message stay as they are. In a changed element the new text replaces the old
// among the other parts. Of a removed element, the parts that hooks do not see stay. Elements without text stay too, so
// that a function call never loses its response. A new message becomes an element with its role and one text part; if
// it would come between a call and its response, it comes after both. Messages without text are dropped.
//
// Messages correspond by position if their number and roles are unchanged; otherwise by their texts. The comparison of
// texts takes time and memory by the square of the number of messages between the first and the last change, up to two
// thousand; if there are more, all of them are matched in order.
func FromHookRequest(req, base wire.Object) wire.Object {
	if !base.IsObject() {
		return base
	}
	sdk := base
	if model := req.Get("model"); model.Kind() == '"' && req.Text("model") != "" {
		sdk = sdk.With("model", model)
	}
	fresh := len(base) == 0
	if messages := req.Get("messages"); messages.Kind() == '[' {
		contents, changed := rewrite(base.Get("contents"), list(messages))
		if changed || fresh {
			sdk = sdk.With("contents", contents)
		}
	}
	if config := req.Get("config"); config.Kind() == '{' && (fresh || !object(config).IsEmpty()) {
		merged := object(sdk.Get("config")).Merge(wire.Object(config))
		sdk = sdk.With("config", value(merged))
	}
	return applyRequestToolConfig(req.Get("toolConfig"), sdk)
}

// ApplyRequest returns target with the changes of a hook's partial llm_request, by the rules of
// [FromHookRequest]: members that patch lacks stay. Without a patch, target is unchanged.
func ApplyRequest(patch, target wire.Object) wire.Object {
	if !patch.IsObject() || patch.IsEmpty() {
		return target
	}
	return FromHookRequest(fromReference(patch), target)
}

// MergeRequest returns a hook request with the changes of a partial one (L60): a member of patch
// replaces the member of req; in config and toolConfig each key does. A model, messages, config or toolConfig
// of the wrong type, null included, is treated as absent. A patch may use the names of the API
// reference: contents, generationConfig and systemInstruction.
func MergeRequest(req, patch wire.Object) wire.Object {
	patch = fromReference(patch)
	var changes wire.Builder
	for name, member := range patch.Unique().Members() {
		switch name {
		case "model":
			if member.Kind() != '"' {
				continue
			}
		case "messages":
			if member.Kind() != '[' {
				continue
			}
		case "config", "toolConfig":
			if member.Kind() != '{' {
				continue
			}
			member = value(object(req.Get(name)).Merge(wire.Object(member)))
		}
		changes.Add(name, member)
	}
	return req.Merge(changes.Object())
}
