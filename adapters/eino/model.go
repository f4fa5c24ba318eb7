package einohooks

import (
	"cmp"
	"context"
	"fmt"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"

	"github.com/snaphook-go/snaphook"
	"github.com/snaphook-go/snaphook/internal/adapter"
)

// Model runs the hooks of a session around every request to a chat model. It adds to each request the texts that
// background hooks have produced since the previous request. WithTools returns an error if m has no method WithTools.
func Model(s *snaphook.Session, m model.BaseChatModel, opt Options) model.ToolCallingChatModel {
	return &hooked{opt.hooks(s), m}
}

type hooked struct {
	*adapter.Hooks
	m model.BaseChatModel
}

// WithTools implements [model.ToolCallingChatModel].
func (h *hooked) WithTools(tools []*schema.ToolInfo) (model.ToolCallingChatModel, error) {
	m, ok := h.m.(model.ToolCallingChatModel)
	if !ok {
		return nil, fmt.Errorf("einohooks: models of type %T do not accept tools", h.m)
	}
	with, err := m.WithTools(tools)
	if err != nil {
		return nil, err
	}
	return &hooked{h.Hooks, with}, nil
}

// Generate implements [model.BaseChatModel].
func (h *hooked) Generate(ctx context.Context, input []*schema.Message, opts ...model.Option) (*schema.Message, error) {
	return h.around(ctx, input, func(request []*schema.Message) (*schema.Message, error) {
		return h.m.Generate(ctx, request, opts...)
	})
}

// Stream implements [model.BaseChatModel].
func (h *hooked) Stream(
	ctx context.Context, input []*schema.Message, opts ...model.Option,
) (stream *schema.StreamReader[*schema.Message], err error) {
	answer, err := h.around(ctx, input, func(request []*schema.Message) (*schema.Message, error) {
		out, err := h.m.Stream(ctx, request, opts...)
		if err == nil && h.Session.Active(snaphook.AfterModel) {
			return schema.ConcatMessageStream(out)
		}
		stream = out
		return nil, err
	})
	if err != nil || stream != nil {
		return stream, err
	}
	return schema.StreamReaderFromArray([]*schema.Message{answer}), nil
}

// messages converts eino's messages. Roles other than model and system are treated as the user.
var messages = adapter.Messages[*schema.Message]{
	Role: func(m *schema.Message) string {
		return cmp.Or(map[schema.RoleType]string{schema.Assistant: "model", schema.System: "system"}[m.Role], "user")
	},
	Text: func(m *schema.Message) string { return m.Content },
	New: func(role, text string) *schema.Message {
		roles := map[string]schema.RoleType{"model": schema.Assistant, "system": schema.System}
		return &schema.Message{Role: cmp.Or(roles[role], schema.User), Content: text}
	},
	With: func(m *schema.Message, text string) *schema.Message {
		now := *m
		now.Content = text
		return &now
	},
}

// around runs the hooks around a request and its reply; the reply is nil if it is a stream.
func (h *hooked) around(
	ctx context.Context,
	input []*schema.Message,
	send func([]*schema.Message) (*schema.Message, error),
) (*schema.Message, error) {
	reply := schema.AssistantMessage("", nil)
	text, calls, err := messages.Model(ctx, h.Hooks, input, func(now []*schema.Message) (_ string, _ bool, err error) {
		if reply, err = send(now); err != nil || reply == nil {
			return "", false, err
		}
		return reply.Content, true, nil
	})
	if err != nil || reply == nil {
		return nil, err
	}
	answer := messages.With(reply, text)
	if !calls {
		answer.ToolCalls = nil
	}
	return answer, nil
}
