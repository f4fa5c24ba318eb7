package genkithooks

import (
	"cmp"
	"context"

	"github.com/firebase/genkit/go/ai"

	"github.com/snaphook-go/snaphook"
	"github.com/snaphook-go/snaphook/internal/adapter"
)

// Model runs the hooks of a session around every request to a model. It adds to each request the texts that background
// hooks have produced since the previous request.
func Model(s *snaphook.Session, opt Options) ai.ModelMiddleware {
	h := adapter.New(s, opt.Message, opt.Stop)
	return func(next ai.ModelFunc) ai.ModelFunc {
		return func(ctx context.Context, req *ai.ModelRequest, cb ai.ModelStreamCallback) (*ai.ModelResponse, error) {
			var res *ai.ModelResponse
			whole := s.Active(snaphook.AfterModel)
			text, calls, err := messages.Model(ctx, h, req.Messages, func(now []*ai.Message) (_ string, _ bool, err error) {
				sent, stream := *req, cb
				if sent.Messages = now; whole {
					stream = nil
				}
				if res, err = next(ctx, &sent, stream); err != nil {
					return "", false, err
				}
				return res.Text(), whole, nil
			})
			if err != nil {
				return nil, err
			}
			if res != nil && !whole {
				return res, nil // no hook looks at the response; a stream has delivered it already
			}
			if res = response(req, res, text, calls); cb == nil {
				return res, nil
			}
			return res, cb(ctx, &ai.ModelResponseChunk{Content: res.Message.Content, Role: ai.RoleModel})
		}
	}
}

// response returns the model's response with text in place of its text. If calls is false, it drops everything but
// text.
func response(req *ai.ModelRequest, res *ai.ModelResponse, text string, calls bool) *ai.ModelResponse {
	if calls && res.Text() == text {
		return res
	}
	now := &ai.ModelResponse{Request: req, Message: ai.NewModelTextMessage(text), FinishReason: ai.FinishReasonStop}
	if calls {
		now.FinishReason, now.Message.Content = res.FinishReason, replaced(res.Message.Content, text)
	}
	return now
}

// messages converts Genkit's messages. Roles other than model and system are treated as the user.
var messages = adapter.Messages[*ai.Message]{
	Role: func(m *ai.Message) string {
		return cmp.Or(map[ai.Role]string{ai.RoleModel: "model", ai.RoleSystem: "system"}[m.Role], "user")
	},
	Text: (*ai.Message).Text,
	New: func(role, text string) *ai.Message {
		roles := map[string]ai.Role{"model": ai.RoleModel, "system": ai.RoleSystem}
		return ai.NewTextMessage(cmp.Or(roles[role], ai.RoleUser), text)
	},
	With: func(m *ai.Message, text string) *ai.Message {
		if m.Text() == text {
			return m
		}
		return &ai.Message{Role: m.Role, Metadata: m.Metadata, Content: replaced(m.Content, text)}
	},
}

// replaced returns the parts of a message with another text.
func replaced(parts []*ai.Part, text string) []*ai.Part {
	now := []*ai.Part{ai.NewTextPart(text)}
	for _, part := range parts {
		if !part.IsText() {
			now = append(now, part)
		}
	}
	return now
}
