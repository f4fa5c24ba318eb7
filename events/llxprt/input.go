package llxprt

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/wire"
)

// BeforeToolInput is the input of BeforeTool: a tool about to run (L17).
type BeforeToolInput struct {
	Name  string      `json:"tool_name"`
	Input wire.Object `json:"tool_input"` // the tool's arguments

	// OriginalInput holds the arguments as the model gave them, if a hook has rewritten them; otherwise nil. Hooks of a
	// recheck and of AfterTool see both OriginalInput and Input.
	OriginalInput wire.Object `json:"snaphook_original_input,omitzero"`

	Extra jsontext.Value `json:",embed"` // further members for the hooks, such as mcp_context {server_name}; an object or nil
}

// AfterToolInput is the input of AfterTool: a tool that has run (L17).
type AfterToolInput struct {
	Name     string      `json:"tool_name"`
	Input    wire.Object `json:"tool_input"`
	Response wire.Object `json:"tool_response"` // the tool's result: llmContent, returnDisplay, …

	OriginalInput wire.Object `json:"snaphook_original_input,omitzero"` // see [BeforeToolInput]

	Extra jsontext.Value `json:",embed"`
}

// BeforeModelInput is the input of BeforeModel and BeforeToolSelection. The request
// is in the stable format of rule L56; package genai translates.
type BeforeModelInput struct {
	Request wire.Object    `json:"llm_request"`
	Extra   jsontext.Value `json:",embed"`
}

// AfterModelInput is the input of AfterModel, in the stable formats of rules L56, L57.
type AfterModelInput struct {
	Request  wire.Object    `json:"llm_request"`
	Response wire.Object    `json:"llm_response"`
	Extra    jsontext.Value `json:",embed"`
}

// BeforeAgentInput is the input of BeforeAgent: the user's prompt.
type BeforeAgentInput struct {
	Prompt string         `json:"prompt"`
	Extra  jsontext.Value `json:",embed"`
}

// AfterAgentInput is the input of AfterAgent: the agent's answer. StopHookActive reports that a
// hook has already sent it back to work.
type AfterAgentInput struct {
	Prompt         string         `json:"prompt"`
	Response       string         `json:"prompt_response"`
	StopHookActive bool           `json:"stop_hook_active"`
	Extra          jsontext.Value `json:",embed"`
}

// SessionStartInput is the input of SessionStart. Source is startup, resume, clear or
// compress.
type SessionStartInput struct {
	Source string         `json:"source"`
	Extra  jsontext.Value `json:",embed"`
}

// SessionEndInput is the input of SessionEnd. Reason is exit, clear, logout,
// prompt_input_exit or other.
type SessionEndInput struct {
	Reason string         `json:"reason"`
	Extra  jsontext.Value `json:",embed"`
}

// PreCompressInput is the input of PreCompress. Trigger is manual or auto.
type PreCompressInput struct {
	Trigger string         `json:"trigger"`
	Extra   jsontext.Value `json:",embed"`
}

// NotificationInput is the input of Notification. Type is the kind of notification, such as ToolPermission.
type NotificationInput struct {
	Type    string         `json:"notification_type"`
	Message string         `json:"message"`
	Details wire.Object    `json:"details"`
	Extra   jsontext.Value `json:",embed"`
}

// An empty string does not show whether the member "prompt" is present, and an empty prompt is
// allowed. So the decoder checks that the member is present.

// UnmarshalJSONFrom requires the prompt.
func (p *BeforeAgentInput) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	type plain BeforeAgentInput
	return decodeWith(d, (*plain)(p), "prompt")
}

// UnmarshalJSONFrom requires every member.
func (a *AfterAgentInput) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	type plain AfterAgentInput
	return decodeWith(d, (*plain)(a), "prompt", "prompt_response", "stop_hook_active")
}

func decodeWith(d *jsontext.Decoder, ptr any, names ...string) error {
	value, err := d.ReadValue()
	if err != nil {
		return err
	}
	if value.Kind() != '{' {
		return fmt.Errorf("got %s, want an object", wire.KindName(value.Kind()))
	}
	o := wire.Object(value) // the value has to be read before the decoder continues
	var missing []error
	for _, name := range names {
		if v := o.Get(name); v == nil || v.Kind() == 'n' {
			missing = append(missing, fmt.Errorf("%s: missing", name))
		}
	}
	return errors.Join(append(missing, mismatch(o.Into(ptr)))...)
}

// mismatch returns err. For a member of the wrong type it returns an error without the names of Go types.
func mismatch(err error) error {
	var se *json.SemanticError
	if !errors.As(err, &se) || se.GoType == nil {
		return err
	}
	return fmt.Errorf(
		"%s: got %s, want %s",
		se.JSONPointer.LastToken(),
		wire.KindName(se.JSONKind),
		wire.Wanted(se.GoType),
	)
}

// rewrite replaces the arguments of a call, and keeps the model's in OriginalInput. It reports
// whether they differ.
func (c *BeforeToolInput) rewrite(to wire.Object) bool {
	if wire.Equal(jsontext.Value(to), jsontext.Value(c.Input)) {
		return false
	}
	if c.OriginalInput == nil {
		c.OriginalInput = c.Input
	}
	c.Input = to
	return true
}

func required(name, value string) error {
	if value == "" {
		return fmt.Errorf("%s: missing; want a string that is not empty", name)
	}
	return nil
}

func object(name string, o wire.Object) error {
	if o == nil {
		return fmt.Errorf("%s: missing; want an object", name)
	}
	return nil
}

// server checks the member mcp_context, which names the server of an MCP tool, if the input has it.
func server(extra jsontext.Value) error {
	context := wire.Object(extra).Get("mcp_context")
	switch context.Kind() {
	case 0, 'n':
		return nil
	case '{':
		return required("mcp_context.server_name", wire.Object(context).Text("server_name"))
	}
	return fmt.Errorf("mcp_context: got %s, want an object", wire.KindName(context.Kind()))
}

func (c BeforeToolInput) check() error {
	return errors.Join(required("tool_name", c.Name), object("tool_input", c.Input), server(c.Extra))
}

func (d AfterToolInput) check() error {
	return errors.Join(
		required("tool_name", d.Name),
		object("tool_input", d.Input),
		object("tool_response", d.Response),
		server(d.Extra),
	)
}

func (c BeforeModelInput) check() error { return object("llm_request", c.Request) }

func (d AfterModelInput) check() error {
	return errors.Join(object("llm_request", d.Request), object("llm_response", d.Response))
}

func (n NotificationInput) check() error {
	return errors.Join(
		required("notification_type", n.Type),
		required("message", n.Message),
		object("details", n.Details),
	)
}
