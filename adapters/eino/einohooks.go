// Package einohooks puts the hooks of a session around the tools and the chat model of an eino agent:
//
//	react.NewAgent(ctx, &react.AgentConfig{
//		ToolCallingModel: einohooks.Model(session, model, opt),
//		ToolsConfig: compose.ToolsNodeConfig{
//			Tools: tools, ToolCallMiddlewares: []compose.ToolMiddleware{einohooks.Tools(session, opt)},
//		},
//	})
//
// Effects that eino cannot express:
//
//	hook says            an agent gets
//	deny                 the reason as the tool's result; from the model: an answer that is the reason
//	ask                  the same, unless [snaphook.Config].Ask answers
//	stop                 a text in the result: [Options].Stop can end the graph
//	rewritten arguments  (the tool gets them)
//	rewritten request    messages; the model's name and its settings stay as they are
//	rewritten result     one text
//	context              after the result; of a request: one more system message; of a response: nothing
//	message to the user  nothing: [Options].Message is called
//
// If a hook could run before or after a tool, the tool's stream is read to its end before it is passed on; so is a
// model's stream if hooks look at responses. For hooks, a tool that interrupts the graph has failed.
package einohooks

import (
	"context"

	"github.com/cloudwego/eino/compose"

	"github.com/snaphook-go/snaphook"
	"github.com/snaphook-go/snaphook/internal/adapter"
	"github.com/snaphook-go/snaphook/wire"
)

// Options holds the callbacks of [Tools] and [Model].
type Options struct {
	// Message shows the user a message of a hook; nil drops it.
	Message func(text string)

	// Stop is called when a hook wants the agent to end its work. If Stop is nil, only the text of the result tells the
	// model. ctx is the context of the tool or of the model. Functions such as react.SetReturnDirectly need it; they
	// have an effect only in the context of a tool.
	Stop func(ctx context.Context, reason string)
}

func (opt Options) hooks(s *snaphook.Session) *adapter.Hooks {
	return &adapter.Hooks{Session: s, Message: opt.Message, Stop: opt.Stop}
}

// Tools runs the hooks of a session around every tool: with a text or with parts, whole or
// as a stream.
func Tools(s *snaphook.Session, opt Options) compose.ToolMiddleware {
	h := opt.hooks(s)
	return compose.ToolMiddleware{
		Invokable:          around[compose.InvokableToolEndpoint](h, false, readText, makeText),
		Streamable:         around[compose.StreamableToolEndpoint](h, true, readStream, makeStream),
		EnhancedInvokable:  around[compose.EnhancedInvokableToolEndpoint](h, false, readParts, makeParts),
		EnhancedStreamable: around[compose.EnhancedStreamableToolEndpoint](h, true, readPartStream, makePartStream),
	}
}

// around puts hooks around tools of one of eino's four kinds (text or parts, whole or streamed). A refusal, and
// arguments that are not a JSON object, become a text for the model.
func around[E ~func(context.Context, *compose.ToolInput) (*Out, error), Out any](
	h *adapter.Hooks, streams bool, read func(*Out) (outputParts, error), write func(outputParts) *Out,
) func(E) E {
	return func(next E) E {
		return func(ctx context.Context, in *compose.ToolInput) (*Out, error) {
			call := &snaphook.ToolCall{ID: in.CallID, Name: in.Name, Input: wire.Object(in.Arguments)}
			if streams && passes(ctx, h.Session, call) {
				return next(ctx, in)
			}
			var whole outputParts
			text, err := h.RunTool(ctx, call, func(ctx context.Context, args wire.Object) (snaphook.ToolResult, error) {
				changed := *in
				changed.Arguments = string(args)
				out, err := next(ctx, &changed)
				if err == nil {
					whole, err = read(out)
				}
				return snaphook.ToolResult{Text: part.Join(whole, "\n")}, err
			})
			if err != nil {
				return nil, err
			}
			return write(part.With(whole, text)), nil
		}
	}
}

// passes reports whether no hook could run for a call: a stream can then be passed on unchanged. It is false in a
// closed session.
func passes(ctx context.Context, s *snaphook.Session, call *snaphook.ToolCall) bool {
	if s.Active(snaphook.BeforeTool) || s.Active(snaphook.AfterTool) {
		return false
	}
	v, err := s.BeforeTool(ctx, call)
	return err == nil && len(v.Reports) == 0
}
