package explain

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/wire"
)

// callMembers lists the members of an input, or of a tool's arguments, by which people recognise a call, the best
// first.
var callMembers = []string{
	"command", "cmd", "prompt", "file_path", "filePath", "path", "url", "query", "pattern", "description", "message",
	"notification", "absolute_path", "notebook_path", "skill",
}

// argumentMembers lists the members of an input that contain the arguments of a tool.
var argumentMembers = []string{"tool_input", "toolArgs", "input", "arguments"}

// maxCall bounds the text of a call, in bytes.
const maxCall = 200

// Call returns the command, path or prompt of an event's input, in one line, cut after 200 bytes. It is empty if the
// input has none, or has types in place of values.
func Call(input jsontext.Value) string {
	if len(input) == 0 || input.Kind() != '{' {
		return ""
	}
	in := wire.Object(input)
	for _, member := range argumentMembers {
		switch v := in.Get(member); {
		case v == nil:
		case v.Kind() == '{':
			if text := callIn(wire.Object(v)); text != "" {
				return text
			}
		case v.Kind() == '"':
			if text, _ := wire.Text(v); strings.HasPrefix(text, "{") && jsontext.Value(text).IsValid() {
				if text := callIn(wire.Object(text)); text != "" {
					return text
				}
			}
		}
	}
	return callIn(in)
}

func callIn(o wire.Object) string {
	for _, member := range callMembers {
		if text := o.Text(member); text != "" && text != "string" { // a record that keeps only keys has types as values
			return shortened(text)
		}
	}
	return ""
}

// shortened returns a text in one line, cut to maxCall.
func shortened(text string) string {
	cut := len(text) > maxCall
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text[:min(len(text), maxCall)], "")), " ")
	if cut {
		text += "…"
	}
	return text
}

// modelMembers and userMembers are the members of answers that go to the model and to the user.
var (
	modelMembers = []string{"additionalContext", "additional_context", "agent_message", "agentMessage"}
	userMembers  = []string{"systemMessage", "user_message", "userMessage"}
)

// textsOf returns the texts for the model and for the user in a hook's answer.
func textsOf(answer string) (model, user []string) {
	v := jsontext.Value(strings.TrimSpace(answer))
	if len(v) == 0 || v[0] != '{' || !v.IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) {
		return nil, nil
	}
	o := wire.Object(v)
	objects := []wire.Object{o}
	if own := o.Get("hookSpecificOutput"); own != nil && own.Kind() == '{' {
		objects = append(objects, wire.Object(own))
	}
	for _, o := range objects {
		for _, member := range modelMembers {
			if text := o.Text(member); text != "" {
				model = append(model, text)
			}
		}
		for _, member := range userMembers {
			if text := o.Text(member); text != "" {
				user = append(user, text)
			}
		}
	}
	return model, user
}
