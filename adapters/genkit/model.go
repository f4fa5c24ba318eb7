package genkithooks

import (
	"cmp"
	"context"
	"strings"

	"github.com/firebase/genkit/go/ai"

	"github.com/snaphook-go/snaphook/agent"
	"github.com/snaphook-go/snaphook/events/llxprt/genai"
	"github.com/snaphook-go/snaphook/wire"
)

// Model runs the hooks of a session around every request to a model. It adds what
// background hooks have answered since the last request.
func Model(s *agent.Session, opt Options) ai.ModelMiddleware {
	return func(next ai.ModelFunc) ai.ModelFunc {
		return func(ctx context.Context, req *ai.ModelRequest, cb ai.ModelStreamCallback) (*ai.ModelResponse, error) {
			now, answer, err := opt.before(ctx, s, req)
			if err != nil {
				return nil, err
			}
			if answer != nil {
				return streamed(ctx, answer, cb)
			}
			if !s.Active(agent.AfterModel) {
				return next(ctx, now, cb)
			}
			res, err := next(ctx, now, nil)
			if err == nil {
				res, err = opt.after(ctx, s, now, res)
			}
			if err != nil {
				return nil, err
			}
			return streamed(ctx, res, cb)
		}
	}
}

// streamed returns a response, and passes it to a stream in one chunk, if there is one.
func streamed(ctx context.Context, res *ai.ModelResponse, cb ai.ModelStreamCallback) (*ai.ModelResponse, error) {
	if cb == nil {
		return res, nil
	}
	return res, cb(ctx, &ai.ModelResponseChunk{Content: res.Message.Content, Role: ai.RoleModel})
}

// before asks the hooks about a request. An answer replaces the model's.
func (opt *Options) before(
	ctx context.Context,
	s *agent.Session,
	req *ai.ModelRequest,
) (now *ai.ModelRequest, answer *ai.ModelResponse, err error) {
	v, err := s.BeforeModel(ctx, &agent.BeforeModelInput{Request: requestObject(req)})
	opt.report(v.Messages, v.Stop, v.StopReason)
	switch {
	case err != nil:
		return nil, nil, err
	case v.Denied(), v.Stop:
		return nil, textResponse(req, strings.TrimSpace(v.Reason+"\n"+v.StopReason)), nil
	case v.Result != nil:
		return nil, textResponse(req, v.Result.Text), nil
	}
	copied := *req
	copied.Messages = rewritten(req.Messages, v.Input)
	for _, text := range append(s.NextTurn(), v.Context...) {
		copied.Messages = append(copied.Messages, ai.NewSystemTextMessage(text))
	}
	return &copied, nil, nil
}

// after asks the hooks about a response. One that they replace keeps its calls of tools,
// unless they have stopped the agent or refused it.
func (opt *Options) after(
	ctx context.Context,
	s *agent.Session,
	req *ai.ModelRequest,
	res *ai.ModelResponse,
) (*ai.ModelResponse, error) {
	content := genai.Content{Role: "model", Parts: []genai.Text{genai.Text(res.Text())}}
	response, _ := wire.Of(genai.Response{Candidates: []genai.Candidate{{Content: content}}}) // strings alone
	v, err := s.AfterModel(ctx, &agent.AfterModelInput{Request: requestObject(req), Response: response})
	opt.report(v.Messages, v.Stop, v.StopReason)
	switch {
	case err != nil:
		return nil, err
	case v.Stop:
		return textResponse(req, strings.TrimSpace(res.Text()+"\n"+v.StopReason)), nil
	case v.Result == nil:
		return res, nil
	}
	now := textResponse(req, v.Result.Text)
	if !v.Result.Failed {
		now.FinishReason = res.FinishReason
		for _, part := range res.Message.Content {
			if !part.IsText() {
				now.Message.Content = append(now.Message.Content, part)
			}
		}
	}
	return now, nil
}

// textResponse returns a response of one text.
func textResponse(req *ai.ModelRequest, text string) *ai.ModelResponse {
	return &ai.ModelResponse{
		Request: req, Message: ai.NewModelTextMessage(text), FinishReason: ai.FinishReasonStop,
	}
}

// requestObject returns a request as hooks know it: the texts of its messages. The role of
// a message that is neither the model's nor the system's is user.
func requestObject(req *ai.ModelRequest) wire.Object {
	r := genai.Request{Messages: []genai.Message{}}
	for _, m := range req.Messages {
		role := map[ai.Role]string{ai.RoleModel: "model", ai.RoleSystem: "system"}[m.Role]
		r.Messages = append(r.Messages, genai.Message{Role: cmp.Or(role, "user"), Content: genai.Text(m.Text())})
	}
	o, _ := wire.Of(r) // strings alone: it cannot fail
	return o
}

// rewritten returns the messages with the texts of the request that hooks returned. The new
// text of a message replaces all of its parts of text.
func rewritten(messages []*ai.Message, o wire.Object) []*ai.Message {
	var r genai.Request
	now := append([]*ai.Message(nil), messages...)
	if o.Into(&r) != nil || len(r.Messages) != len(now) {
		return now
	}
	for i, m := range messages {
		if text := string(r.Messages[i].Content); text != m.Text() {
			parts := []*ai.Part{ai.NewTextPart(text)}
			for _, part := range m.Content {
				if !part.IsText() {
					parts = append(parts, part)
				}
			}
			now[i] = &ai.Message{Role: m.Role, Metadata: m.Metadata, Content: parts}
		}
	}
	return now
}
