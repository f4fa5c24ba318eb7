package einohooks

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"

	"github.com/snaphook-go/snaphook/agent"
	"github.com/snaphook-go/snaphook/events/llxprt/genai"
	"github.com/snaphook-go/snaphook/wire"
)

// Model runs the hooks of a session around every request to a chat model. Requests also
// have what hooks in the background have said since the last one. WithTools is an error if
// m has no such method.
func Model(s *agent.Session, m model.BaseChatModel, opt Options) model.ToolCallingChatModel {
	return &hooked{s, m, opt}
}

type hooked struct {
	s   *agent.Session
	m   model.BaseChatModel
	opt Options
}

// WithTools implements [model.ToolCallingChatModel].
func (h *hooked) WithTools(tools []*schema.ToolInfo) (model.ToolCallingChatModel, error) {
	m, ok := h.m.(model.ToolCallingChatModel)
	if !ok {
		return nil, fmt.Errorf("einohooks: a model of type %T cannot be given tools", h.m)
	}
	with, err := m.WithTools(tools)
	if err != nil {
		return nil, err
	}
	return &hooked{h.s, with, h.opt}, nil
}

// Generate implements [model.BaseChatModel].
func (h *hooked) Generate(ctx context.Context, input []*schema.Message, opts ...model.Option) (*schema.Message, error) {
	request, answer, err := h.before(ctx, input)
	if answer != nil || err != nil {
		return answer, err
	}
	reply, err := h.m.Generate(ctx, request, opts...)
	if err != nil {
		return nil, err
	}
	return h.after(ctx, request, reply)
}

// Stream implements [model.BaseChatModel].
func (h *hooked) Stream(
	ctx context.Context,
	input []*schema.Message,
	opts ...model.Option,
) (*schema.StreamReader[*schema.Message], error) {
	request, answer, err := h.before(ctx, input)
	if err != nil {
		return nil, err
	}
	if answer == nil {
		out, err := h.m.Stream(ctx, request, opts...)
		if err != nil || !h.s.Active(agent.AfterModel) {
			return out, err
		}
		if answer, err = schema.ConcatMessageStream(out); err != nil {
			return nil, err
		}
		if answer, err = h.after(ctx, request, answer); err != nil {
			return nil, err
		}
	}
	return schema.StreamReaderFromArray([]*schema.Message{answer}), nil
}

// before asks the hooks about a request. An answer takes the place of the model's.
func (h *hooked) before(
	ctx context.Context,
	input []*schema.Message,
) (request []*schema.Message, answer *schema.Message, err error) {
	v, err := h.s.BeforeModel(ctx, &agent.BeforeModelInput{Request: toolResult(input)})
	h.opt.report(ctx, v.Messages, v.Stop, v.StopReason)
	switch {
	case err != nil:
		return nil, nil, err
	case v.Denied(), v.Stop:
		return nil, schema.AssistantMessage(strings.TrimSpace(v.Reason+"\n"+v.StopReason), nil), nil
	case v.Result != nil:
		return nil, schema.AssistantMessage(v.Result.Text, nil), nil
	}
	request = rewritten(input, v.Input)
	for _, text := range append(h.s.NextTurn(), v.Context...) {
		request = append(request[:len(request):len(request)], schema.SystemMessage(text))
	}
	return request, nil, nil
}

// after asks the hooks about a response. One that they replace has lost the calls of tools
// too, if it has failed.
func (h *hooked) after(ctx context.Context, request []*schema.Message, reply *schema.Message) (*schema.Message, error) {
	v, err := h.s.AfterModel(ctx, &agent.AfterModelInput{Request: toolResult(request), Response: response(reply.Content)})
	h.opt.report(ctx, v.Messages, v.Stop, v.StopReason)
	switch {
	case err != nil:
		return nil, err
	case v.Stop:
		return schema.AssistantMessage(strings.TrimSpace(reply.Content+"\n"+v.StopReason), nil), nil
	case v.Result == nil:
		return reply, nil
	}
	now := *reply
	now.Content = v.Result.Text
	if v.Result.Failed {
		now.ToolCalls = nil
	}
	return &now, nil
}

// The roles of messages as hooks know them: what is neither of the model nor of the system
// is the user's.
var (
	toHooks   = map[schema.RoleType]string{schema.Assistant: "model", schema.System: "system"}
	fromHooks = map[string]schema.RoleType{"model": schema.Assistant, "system": schema.System}
)

func role(m *schema.Message) string { return cmp.Or(toHooks[m.Role], "user") }

// shown is a conversation as hooks know it.
func toolResult(messages []*schema.Message) wire.Object {
	r := genai.Request{Messages: []genai.Message{}}
	for _, m := range messages {
		r.Messages = append(r.Messages, genai.Message{Role: role(m), Content: genai.Text(m.Content)})
	}
	o, _ := wire.Of(r) // strings alone: it cannot fail
	return o
}

// rewritten are the messages as hooks have left them. Where their number has changed, one
// with another text is a new one, and those that are not there any more are left out.
func rewritten(messages []*schema.Message, o wire.Object) (now []*schema.Message) {
	var r genai.Request
	if o.Into(&r) != nil || r.Messages == nil {
		return messages
	}
	next := 0
	for _, m := range r.Messages {
		i := next
		for i < len(messages) && (role(messages[i]) != m.Role || messages[i].Content != string(m.Content)) {
			i++
		}
		if len(r.Messages) == len(messages) {
			i = next
		}
		changed := schema.Message{Role: cmp.Or(fromHooks[m.Role], schema.User)}
		if i < len(messages) {
			next, changed = i+1, *messages[i]
		}
		changed.Content = string(m.Content)
		now = append(now, &changed)
	}
	return now
}

func response(text string) wire.Object {
	content := genai.Content{Role: "model", Parts: []genai.Text{genai.Text(text)}}
	o, _ := wire.Of(genai.Response{Candidates: []genai.Candidate{{Content: content}}})
	return o
}
