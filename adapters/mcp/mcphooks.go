// Package mcphooks puts the hooks of a session around the tools of Model Context Protocol
// servers, on the side of the client or of the server:
//
//	client.AddSendingMiddleware(mcphooks.Middleware(session, mcphooks.Options{}))
//	server.AddReceivingMiddleware(mcphooks.Middleware(session, mcphooks.Options{}))
//
// Both see tools/call alone. For servers that are programs of their own there is
// `snaphook mcp-proxy`, which needs no code.
//
// What MCP cannot express:
//
//	hook says            a client gets
//	deny                 a result with isError, whose text is the reason
//	ask                  the same, unless [agent.Config].Ask answers
//	stop                 a text in the result: there is no verb that ends the agent's work
//	rewritten arguments  (the server gets them)
//	rewritten result     a result of one text; structuredContent is left out
//	context              one more text in the result
//	message to the user  nothing: [Options].Message is called
package mcphooks

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/snaphook-go/snaphook/agent"
	"github.com/snaphook-go/snaphook/wire"
)

// Options are what a [Middleware] may need besides the session.
type Options struct {
	// Name is the host's name of a tool, by the server's; nil keeps it. Describe the names
	// in [agent.Config] as tools of kind MCP.
	Name func(tool string) string

	// Message shows the user what a hook has to say; nil drops it.
	Message func(text string)

	// Stop is called when a hook wants the agent to end its work; nil leaves it to the text.
	Stop func(reason string)
}

// Middleware runs the hooks of a session around calls of tools.
func Middleware(s *agent.Session, opt Options) mcp.Middleware {
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			c, err := callOf(method, req)
			if c == nil || err != nil {
				if err != nil {
					return nil, err
				}
				return next(ctx, method, req)
			}
			return opt.run(ctx, s, c, func(ctx context.Context) (mcp.Result, error) { return next(ctx, method, req) })
		}
	}
}

// call is a call of a tool, on either side.
type call struct {
	name string
	args wire.Object
	set  func(json.RawMessage)
}

// callOf is the call in a request; nil if it is no call of a tool.
func callOf(method string, req mcp.Request) (*call, error) {
	if method != "tools/call" {
		return nil, nil
	}
	switch p := req.GetParams().(type) {
	case *mcp.CallToolParamsRaw:
		return &call{p.Name, wire.Object(p.Arguments), func(args json.RawMessage) { p.Arguments = args }}, nil
	case *mcp.CallToolParams:
		args, err := json.Marshal(p.Arguments)
		if p.Arguments == nil {
			args = nil
		}
		return &call{p.Name, wire.Object(args), func(args json.RawMessage) { p.Arguments = args }}, err
	default:
		return nil, fmt.Errorf("mcphooks: a call of a tool with parameters of type %T cannot be shown to hooks", p)
	}
}

// run runs a call with the hooks around it.
func (opt *Options) run(
	ctx context.Context,
	s *agent.Session,
	c *call,
	next func(context.Context) (mcp.Result, error),
) (mcp.Result, error) {
	name := c.name
	if opt.Name != nil {
		name = opt.Name(name)
	}
	var result *mcp.CallToolResult
	var other mcp.Result // of a server that wants more input first
	out, err := s.RunTool(
		ctx,
		&agent.ToolCall{Name: name, Input: c.args},
		func(ctx context.Context, args wire.Object) (agent.ToolResult, error) {
			if len(args) > 0 {
				c.set(json.RawMessage(args))
			}
			res, err := next(ctx)
			var ok bool
			if result, ok = res.(*mcp.CallToolResult); !ok {
				other = res
				return agent.ToolResult{}, err
			}
			return toolResult(result), err
		},
	)
	for _, text := range out.Messages {
		if opt.Message != nil {
			opt.Message(text)
		}
	}
	if out.Stop && opt.Stop != nil {
		opt.Stop(out.StopReason)
	}
	switch {
	case result == nil && err == nil && other != nil:
		return other, nil
	case result == nil && err != nil && !out.Failed, result == nil && err != nil && ctx.Err() != nil:
		return nil, err
	case result == nil && err != nil && other != nil:
		return other, err
	}
	return withText(result, out), nil
}

// toolResult returns what hooks see of a result.
func toolResult(r *mcp.CallToolResult) agent.ToolResult {
	data, err := json.Marshal(r)
	if err != nil {
		data = nil
	}
	return agent.ToolResult{Text: texts(r), Data: data, Failed: r.IsError}
}

func texts(r *mcp.CallToolResult) string {
	var all []string
	for _, content := range r.Content {
		if text, ok := content.(*mcp.TextContent); ok {
			all = append(all, text.Text)
		}
	}
	return strings.Join(all, "\n")
}

// withText returns a result as hooks have left it.
func withText(r *mcp.CallToolResult, out agent.ToolResult) *mcp.CallToolResult {
	text := out.TextWithStop()
	if r == nil {
		return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: text}}}
	}
	before := texts(r)
	if text == before {
		return r
	}
	now := *r
	if more, kept := strings.CutPrefix(text, before); kept {
		now.Content = append(
			now.Content[:len(now.Content):len(now.Content)],
			&mcp.TextContent{Text: strings.TrimLeft(more, "\n")},
		)
		return &now
	}
	now.Content, now.StructuredContent, now.IsError = []mcp.Content{&mcp.TextContent{Text: text}}, nil, out.Failed
	return &now
}
