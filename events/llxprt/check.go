package llxprt

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/wire"
)

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
