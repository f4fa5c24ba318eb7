package xcsh

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/wire"
)

// Message is one message of the conversation in the host's form: a JSON object with a role (X25).
type Message struct{ wire.Object }

// Role returns the author of the message: "user", "assistant", "toolResult", "custom".
func (m Message) Role() string { return m.Text("role") }

// Entry is one entry of the session's file: a JSON object with a type, an id
// and the id of its parent.
type Entry struct{ wire.Object }

// Model is a model in the host's form. The zero Model means that there is no model.
type Model struct{ wire.Object }

// ID returns the model's name.
func (m Model) ID() string { return m.Text("id") }

// Part is a piece of a tool's output: text or an image.
type Part struct{ wire.Object }

// TextPart makes a part of text.
func TextPart(text string) Part {
	return Part{wire.Object(`{"type":"text"}`).With("text", wire.Quote(text))}
}

// ImagePart makes a part of an image, encoded in base64.
func ImagePart(mimeType, data string) Part {
	return Part{wire.Object(`{"type":"image"}`).With("data", wire.Quote(data)).With("mimeType", wire.Quote(mimeType))}
}

// PlainText returns the text of a part of text.
func (p Part) PlainText() (text string, ok bool) {
	return p.Text("text"), p.Text("type") == "text"
}

// CustomMessage is a message that a module sends. A renderer may show it.
type CustomMessage struct {
	CustomType  string         `json:"customType"`
	Content     jsontext.Value `json:"content"` // made by [Text] or [Parts]
	Display     bool           `json:"display"` // show it to the user
	Details     jsontext.Value `json:"details,omitzero"`
	Attribution string         `json:"attribution,omitzero"` // "user" or "agent"; empty leaves it to the host
}

// Text returns the content of a message that consists of text alone.
func Text(text string) jsontext.Value { return wire.Quote(text) }

// Parts returns the content of a message that is a list of parts.
func Parts(parts ...Part) jsontext.Value {
	list := jsontext.Value("[")
	for i, part := range parts {
		if i > 0 {
			list = append(list, ',')
		}
		list = append(list, part.Object...)
	}
	return append(list, ']')
}

// SendOptions decide when the model sees a message.
type SendOptions struct {
	TriggerTurn bool   `json:"triggerTurn,omitzero"` // start a turn if the agent is idle
	DeliverAs   string `json:"deliverAs,omitzero"`   // if the agent is working: "steer", or "followUp" for after the turn
}
