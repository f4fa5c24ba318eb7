package einohooks_test

import (
	"context"
	"strings"
	"sync"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/schema"
)

// scripted is a model that calls a tool once, and then answers done.
type scripted struct {
	call schema.ToolCall

	mu       sync.Mutex
	requests []string // texts of the messages in each request
}

func calling(args string) *scripted {
	return &scripted{call: schema.ToolCall{ID: "c-1", Function: schema.FunctionCall{Name: "echo", Arguments: args}}}
}

func (m *scripted) Generate(_ context.Context, in []*schema.Message, _ ...model.Option) (*schema.Message, error) {
	var texts []string
	called := false
	for _, message := range in {
		texts = append(texts, string(message.Role)+":"+message.Content)
		called = called || message.Role == schema.Tool
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.requests = append(m.requests, strings.Join(texts, "|"))
	if called {
		return schema.AssistantMessage("done", nil), nil
	}
	return schema.AssistantMessage("", []schema.ToolCall{m.call}), nil
}

func (m *scripted) Stream(ctx context.Context, in []*schema.Message, opts ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	out, err := m.Generate(ctx, in, opts...)
	return schema.StreamReaderFromArray([]*schema.Message{out}), err
}

func (m *scripted) WithTools([]*schema.ToolInfo) (model.ToolCallingChatModel, error) { return m, nil }

func (m *scripted) last() string { return m.requests[len(m.requests)-1] }

// info describes the tool echo, which repeats its arguments. The types below implement it in four ways.
type info struct{}

func (info) Info(context.Context) (*schema.ToolInfo, error) {
	return &schema.ToolInfo{Name: "echo", Desc: "repeats"}, nil
}

type (
	plain          struct{ info }
	stream         struct{ info }
	enhanced       struct{ info }
	enhancedStream struct{ info }
)

func (plain) InvokableRun(_ context.Context, args string, _ ...tool.Option) (string, error) {
	return "echo " + args, nil
}

func (stream) StreamableRun(_ context.Context, args string, _ ...tool.Option) (*schema.StreamReader[string], error) {
	return schema.StreamReaderFromArray([]string{"echo ", args}), nil
}

func parts(texts ...string) *schema.ToolResult {
	r := &schema.ToolResult{}
	for _, text := range texts {
		r.Parts = append(r.Parts, schema.ToolOutputPart{Type: schema.ToolPartTypeText, Text: text})
	}
	return r
}

func (enhanced) InvokableRun(_ context.Context, args *schema.ToolArgument, _ ...tool.Option) (*schema.ToolResult, error) {
	return parts("echo " + args.Text), nil
}

func (enhancedStream) StreamableRun(_ context.Context, args *schema.ToolArgument, _ ...tool.Option) (*schema.StreamReader[*schema.ToolResult], error) {
	return schema.StreamReaderFromArray([]*schema.ToolResult{parts("echo " + args.Text)}), nil
}
