// Package einohooks puts the hooks of a session around the tools and the chat model of an
// eino agent:
//
//	react.NewAgent(ctx, &react.AgentConfig{
//		ToolCallingModel: einohooks.Model(session, model, opt),
//		ToolsConfig: compose.ToolsNodeConfig{
//			Tools: tools, ToolCallMiddlewares: []compose.ToolMiddleware{einohooks.Tools(session, opt)},
//		},
//	})
//
// What eino cannot express:
//
//	hook says            an agent gets
//	deny                 the reason as the tool's result; from the model: an answer that is the reason
//	ask                  the same, unless [agent.Config].Ask answers
//	stop                 a text in the result: [Options].Stop can end the graph
//	rewritten arguments  (the tool gets them)
//	rewritten request    messages; the model's name and its settings stay as they are
//	rewritten result     one text
//	context              after the result; of a request: one more system message; of a response: nothing
//	message to the user  nothing: [Options].Message is called
//
// What streams is read to its end before it goes on, where hooks look at results. A tool
// that interrupts the graph has failed, in the eyes of hooks.
package einohooks

import (
	"context"
	"errors"
	"strings"

	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"

	"github.com/snaphook-go/snaphook/agent"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/wire"
)

// Options are what the middleware may need besides the session.
type Options struct {
	// Message shows the user what a hook has to say; nil drops it.
	Message func(text string)

	// Stop is called when a hook wants the agent to end its work; nil leaves it to the
	// text. ctx is that of the tool or of the model, for react.SetReturnDirectly and the
	// like, which count in a tool alone.
	Stop func(ctx context.Context, reason string)
}

// Tools runs the hooks of a session around every tool: with a text or with parts, whole or
// as a stream.
func Tools(s *agent.Session, opt Options) compose.ToolMiddleware {
	return compose.ToolMiddleware{
		Invokable: func(next compose.InvokableToolEndpoint) compose.InvokableToolEndpoint {
			return func(ctx context.Context, in *compose.ToolInput) (*compose.ToolOutput, error) {
				return run(ctx, s, &opt, in, next, plain)
			}
		},
		Streamable: func(next compose.StreamableToolEndpoint) compose.StreamableToolEndpoint {
			return func(ctx context.Context, in *compose.ToolInput) (*compose.StreamToolOutput, error) {
				if passes(ctx, s, in) {
					return next(ctx, in)
				}
				return run(ctx, s, &opt, in, next, stream)
			}
		},
		EnhancedInvokable: func(next compose.EnhancedInvokableToolEndpoint) compose.EnhancedInvokableToolEndpoint {
			return func(ctx context.Context, in *compose.ToolInput) (*compose.EnhancedInvokableToolOutput, error) {
				return run(ctx, s, &opt, in, next, enhanced)
			}
		},
		EnhancedStreamable: func(next compose.EnhancedStreamableToolEndpoint) compose.EnhancedStreamableToolEndpoint {
			return func(ctx context.Context, in *compose.ToolInput) (*compose.EnhancedStreamableToolOutput, error) {
				if passes(ctx, s, in) {
					return next(ctx, in)
				}
				return run(ctx, s, &opt, in, next, enhancedStream)
			}
		},
	}
}

// passes reports whether no hook looks at a call, so that a stream can go on as it is. It
// does not where the session is closed.
func passes(ctx context.Context, s *agent.Session, in *compose.ToolInput) bool {
	if s.Active(agent.BeforeTool) || s.Active(agent.AfterTool) {
		return false
	}
	v, err := s.BeforeTool(ctx, callOf(in))
	return err == nil && len(v.Reports) == 0
}

func callOf(in *compose.ToolInput) *agent.ToolCall {
	return &agent.ToolCall{ID: in.CallID, Name: in.Name, Input: wire.Object(in.Arguments)}
}

// form is how one of eino's four kinds of tools returns its parts.
type form[Out any] struct {
	read func(*Out) ([]schema.ToolOutputPart, error)
	make func([]schema.ToolOutputPart) *Out
}

// run runs a tool with the hooks around it. What a hook refuses, and arguments that are no
// JSON object, are a text for the model.
func run[Out any](
	ctx context.Context,
	s *agent.Session,
	opt *Options,
	in *compose.ToolInput,
	next func(context.Context, *compose.ToolInput) (*Out, error),
	f form[Out],
) (*Out, error) {
	var parts []schema.ToolOutputPart
	out, err := s.RunTool(ctx, callOf(in), func(ctx context.Context, args wire.Object) (agent.ToolResult, error) {
		changed := *in
		changed.Arguments = string(args)
		res, err := next(ctx, &changed)
		if err == nil {
			parts, err = f.read(res)
		}
		return agent.ToolResult{Text: texts(parts)}, err
	})
	opt.report(ctx, out.Messages, out.Stop, out.StopReason)
	if wrong := new(hook.InputError); err != nil && !errors.As(err, &wrong) {
		return nil, err
	}
	return f.make(withText(parts, out.TextWithStop())), nil
}

func (opt *Options) report(ctx context.Context, messages []string, stop bool, reason string) {
	for _, text := range messages {
		if opt.Message != nil {
			opt.Message(text)
		}
	}
	if stop && opt.Stop != nil {
		opt.Stop(ctx, reason)
	}
}

func texts(parts []schema.ToolOutputPart) string {
	var all []string
	for _, part := range parts {
		if part.Type == schema.ToolPartTypeText {
			all = append(all, part.Text)
		}
	}
	return strings.Join(all, "\n")
}

// withText returns the content with the text that hooks have made of it: what they add is
// one more part, and what they rewrite is the only part.
func withText(parts []schema.ToolOutputPart, text string) []schema.ToolOutputPart {
	more, kept := strings.CutPrefix(text, texts(parts))
	switch {
	case kept && more == "":
		return parts
	case !kept:
		parts, more = nil, text
	}
	return append(parts[:len(parts):len(parts)], textPart(strings.TrimLeft(more, "\n"))...)
}
