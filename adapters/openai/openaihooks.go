// Package openaihooks puts the hooks of a session around the tool calls that a model of openai-go
// requests, in Chat Completions and in Responses:
//
//	for {
//		answer, err := client.Chat.Completions.New(ctx, params)
//		message := answer.Choices[0].Message
//		params.Messages = append(params.Messages, message.ToParam())
//		results, did, err := openaihooks.Chat(ctx, session, &message, tools)
//		if err != nil || did.Stop || len(results) == 0 {
//			break
//		}
//		params.Messages = append(params.Messages, results...)
//	}
//
// Effects that openai-go cannot express:
//
//	hook says            the model gets
//	deny                 the reason, as the tool's result (openai-go cannot mark a result as an error)
//	ask                  the same, unless [snaphook.Config].Ask answers
//	stop                 nothing: [Did].Stop is for the loop, and calls after it do not run
//	rewritten arguments  (the tool gets them; the model's message stays as it is)
//	rewritten result     the text
//	context              paragraphs after the result
//	message to the user  nothing: it is in [Did].Messages
//
// openai-go has no loop of its own, and no place for hooks around a request except HTTP middleware:
// for the other moments, call the session's methods around New. Hooks do not run for tools that the
// server runs.
package openaihooks

import (
	"context"
	"errors"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"

	"github.com/snaphook-go/snaphook"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/wire"
)

// Tools runs a tool by its name. args is one JSON object, or the text for a custom tool, and may have been rewritten by
// hooks. The model reads an error as the failure of the tool.
type Tools func(ctx context.Context, name, args string) (string, error)

// Did holds the instructions of hooks that are not part of the results.
type Did struct {
	Stop       bool // a hook ends the agent's work
	StopReason string
	Messages   []string // for the user
}

// Chat runs the calls of a message one after another, and returns a message for each. It returns the error of ctx, or
// an error if the session is closed; after an error no further call runs.
func Chat(
	ctx context.Context,
	s *snaphook.Session,
	m *openai.ChatCompletionMessage,
	tools Tools,
) (results []openai.ChatCompletionMessageParamUnion, did Did, err error) {
	for i := range m.ToolCalls {
		c := &m.ToolCalls[i]
		one := openaiCall{id: c.ID, name: c.Function.Name, args: c.Function.Arguments}
		if c.Type == "custom" {
			one = openaiCall{id: c.ID, name: c.Custom.Name, args: c.Custom.Input, custom: true}
		}
		text, err := did.run(ctx, s, one, tools)
		if err != nil {
			return nil, did, err
		}
		results = append(results, openai.ToolMessage(text, c.ID))
	}
	return results, did, nil
}

// Responses does the same as [Chat] for the calls in the output of a response.
func Responses(
	ctx context.Context,
	s *snaphook.Session,
	r *responses.Response,
	tools Tools,
) (results []responses.ResponseInputItemUnionParam, did Did, err error) {
	for i := range r.Output {
		var item responses.ResponseInputItemUnionParam
		var text string
		switch c := r.Output[i].AsAny().(type) {
		case responses.ResponseFunctionToolCall:
			text, err = did.run(ctx, s, openaiCall{id: c.CallID, name: c.Name, args: c.Arguments}, tools)
			item = responses.ResponseInputItemParamOfFunctionCallOutput(text)
			item.OfFunctionCallOutput.CallID = param.NewOpt(c.CallID)
		case responses.ResponseCustomToolCall:
			text, err = did.run(ctx, s, openaiCall{id: c.CallID, name: c.Name, args: c.Input, custom: true}, tools)
			item = responses.ResponseInputItemParamOfCustomToolCallOutput(c.CallID, text)
		default:
			continue
		}
		if err != nil {
			return nil, did, err
		}
		results = append(results, item)
	}
	return results, did, nil
}

// openaiCall is a tool call of Chat Completions or of Responses. The arguments of a custom tool are a text: hooks see
// the text as an argument with the name input.
type openaiCall struct {
	id, name, args string
	custom         bool
}

// run runs a call with the hooks around it. A refusal, a failed tool, and arguments that are not
// a JSON object become a text for the model.
func (d *Did) run(ctx context.Context, s *snaphook.Session, c openaiCall, tools Tools) (string, error) {
	if d.Stop {
		return "A hook has ended the agent's work.", nil
	}
	input, failed := wire.Object(c.args), error(nil)
	if c.custom {
		input = wire.Object(nil).With("input", wire.Quote(c.args))
	}
	out, err := s.RunTool(
		ctx,
		&snaphook.ToolCall{ID: c.id, Name: c.name, Input: input},
		func(ctx context.Context, args wire.Object) (r snaphook.ToolResult, _ error) {
			text := string(args)
			if c.custom {
				text = args.Text("input")
			}
			r.Text, failed = tools(ctx, c.name, text)
			return r, failed
		},
	)
	d.Stop, d.StopReason, d.Messages = out.Stop, out.StopReason, append(d.Messages, out.Messages...)
	wrong := new(hook.InputError)
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil && failed == nil && !errors.As(err, &wrong):
		return "", err
	}
	return out.Text, nil
}
