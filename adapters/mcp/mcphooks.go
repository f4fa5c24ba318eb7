// Package mcphooks puts the hooks of a session around the tools of Model Context Protocol servers,
// on the side of the client or of the server:
//
//	client.AddSendingMiddleware(mcphooks.Middleware(session, mcphooks.Options{}))
//	server.AddReceivingMiddleware(mcphooks.Middleware(session, mcphooks.Options{}))
//
// The middleware affects only tools/call. For servers that are separate programs there is `snaphook mcp-proxy`, which
// needs no code.
//
// Effects that MCP cannot express:
//
//	hook says            a client gets
//	deny                 a result with isError, whose text is the reason
//	ask                  the same, unless [snaphook.Config].Ask answers
//	stop                 a text in the result: MCP has no message that ends the agent's work
//	rewritten arguments  (the server gets them)
//	rewritten result     a result of one text; structuredContent is left out
//	context              one more text in the result
//	message to the user  nothing: [Options].Message is called
package mcphooks

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/snaphook-go/snaphook"
	"github.com/snaphook-go/snaphook/internal/adapter"
	"github.com/snaphook-go/snaphook/wire"
)

// Options holds the callbacks of a [Middleware].
type Options struct {
	// Name maps the server's name of a tool to the host's name. If Name is nil, the host uses the server's name.
	// Describe the names in [snaphook.Config] as tools of kind MCP.
	Name func(tool string) string

	// Message shows the user a message of a hook; nil drops it.
	Message func(text string)

	// Stop is called when a hook wants the agent to end its work. If Stop is nil, only the text of the tool's result
	// tells the model.
	Stop func(reason string)
}

// Middleware runs the hooks of a session around calls of tools.
func Middleware(s *snaphook.Session, opt Options) mcp.Middleware {
	h := adapter.New(s, opt.Message, opt.Stop)
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if method != "tools/call" {
				return next(ctx, method, req)
			}
			c, err := callOf(req)
			if err != nil {
				return nil, err
			}
			if opt.Name != nil {
				c.name = opt.Name(c.name)
			}
			return c.run(ctx, h, func(ctx context.Context) (mcp.Result, error) { return next(ctx, method, req) })
		}
	}
}

// mcpCall is a call of a tool, in a client or in a server.
type mcpCall struct {
	name string // the host's name of the tool
	args wire.Object
	set  func(json.RawMessage)
}

// callOf returns the call in a request.
func callOf(req mcp.Request) (*mcpCall, error) {
	switch p := req.GetParams().(type) {
	case *mcp.CallToolParamsRaw:
		return &mcpCall{p.Name, wire.Object(p.Arguments), func(args json.RawMessage) { p.Arguments = args }}, nil
	case *mcp.CallToolParams:
		args, err := json.Marshal(p.Arguments)
		if p.Arguments == nil {
			args = nil
		}
		return &mcpCall{p.Name, wire.Object(args), func(args json.RawMessage) { p.Arguments = args }}, err
	default:
		return nil, fmt.Errorf("mcphooks: a call of a tool with parameters of type %T cannot be shown to hooks", p)
	}
}

// run runs the call with the hooks around it.
func (c *mcpCall) run(
	ctx context.Context,
	h *adapter.Hooks,
	next func(context.Context) (mcp.Result, error),
) (mcp.Result, error) {
	var result *mcp.CallToolResult
	var other mcp.Result // a result that asks for more input before the call can run
	var seen snaphook.ToolResult
	asked := &snaphook.ToolCall{Name: c.name, Input: c.args}
	out, err := h.Run(ctx, asked, func(ctx context.Context, args wire.Object) (snaphook.ToolResult, error) {
		if len(args) > 0 {
			c.set(json.RawMessage(args))
		}
		res, err := next(ctx)
		var ok bool
		if result, ok = res.(*mcp.CallToolResult); !ok {
			other = res
			return snaphook.ToolResult{}, err
		}
		seen = toolResult(result)
		return seen, err
	})
	switch {
	case result != nil:
	case err != nil && (!out.Failed || ctx.Err() != nil):
		return nil, err
	case other != nil:
		return other, err
	}
	if result != nil && !bytes.Equal(out.Data, seen.Data) { // hooks have replaced the images too
		now := *result
		now.Content, now.StructuredContent, now.IsError = []mcp.Content{parts.Part(out.TextWithStop())}, nil, out.Failed
		return &now, nil
	}
	return withText(result, out), nil
}

var parts = adapter.Parts[mcp.Content]{
	Text: func(content mcp.Content) (string, bool) {
		text, ok := content.(*mcp.TextContent)
		if !ok {
			return "", false
		}
		return text.Text, true
	},
	Part: func(text string) mcp.Content { return &mcp.TextContent{Text: text} },
}

// toolResult returns a result in the form that hooks see.
func toolResult(r *mcp.CallToolResult) snaphook.ToolResult {
	data, err := json.Marshal(r)
	if err != nil {
		data = nil // without Data, hooks see the text
	}
	return snaphook.ToolResult{Text: parts.Join(r.Content, "\n"), Data: data, Failed: r.IsError}
}

// withText returns a result with the changes of hooks; r is nil for a call that has not run.
func withText(r *mcp.CallToolResult, out snaphook.ToolResult) *mcp.CallToolResult {
	text := out.TextWithStop()
	if r == nil {
		return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{parts.Part(text)}}
	}
	now := *r
	now.Content = parts.With(r.Content, text)
	if _, kept := adapter.Added(parts.Join(r.Content, "\n"), text); !kept {
		now.StructuredContent, now.IsError = nil, out.Failed
	}
	return &now
}
