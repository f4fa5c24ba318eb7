package genai

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/wire"
)

// fromReference translates a hook's partial request to the names of rule L56. Hooks may also use the names of the API
// reference: contents for messages, generationConfig for config, and systemInstruction, which SDKs have in config. If
// both names are present, the one of L56 takes precedence.
func fromReference(patch wire.Object) wire.Object {
	contents, generation := patch.Get("contents"), patch.Get("generationConfig")
	instruction := patch.Get("systemInstruction")
	if contents.Kind() != '[' && generation.Kind() != '{' && !isContent(instruction) {
		return patch
	}
	out := patch.Without("contents", "generationConfig", "systemInstruction")
	if contents.Kind() == '[' && patch.Get("messages").Kind() != '[' {
		messages := []jsontext.Value{}
		for _, content := range list(contents) {
			if m, ok := show(content); ok {
				messages = append(messages, m.encode())
			}
		}
		out = out.With("messages", array(messages))
	}
	config := wire.Object("{}")
	if isContent(instruction) {
		config = config.With("systemInstruction", plainContent(instruction))
	}
	if generation.Kind() == '{' {
		config = config.Merge(wire.Object(generation))
	}
	if own := patch.Get("config"); own.Kind() == '{' {
		config = config.Merge(wire.Object(own))
	}
	if !config.IsEmpty() {
		out = out.With("config", value(config))
	}
	return out
}

// isContent reports whether a value can be a systemInstruction: a text, or an object with parts.
func isContent(v jsontext.Value) bool {
	return v.Kind() == '"' || v.Kind() == '{' && object(v).Get("parts").Kind() == '['
}

// plainContent returns a content whose parts are objects, as SDKs want them; the reference allows
// strings too.
func plainContent(content jsontext.Value) jsontext.Value {
	if content.Kind() != '{' {
		return content
	}
	parts := list(object(content).Get("parts"))
	for i, part := range parts {
		if text, ok := wire.Text(part); ok {
			parts[i] = textPart(text)
		}
	}
	return value(object(content).With("parts", array(parts)))
}
