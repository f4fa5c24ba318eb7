package fantasyhooks_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"charm.land/fantasy"
	"go.uber.org/goleak"
)

// TestMain runs the tests in a separate home directory, and fails if they leave a goroutine.
func TestMain(m *testing.M) {
	home, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	os.Setenv("HOME", home)
	goleak.VerifyTestMain(m,
		goleak.IgnoreAnyFunction("github.com/dlclark/regexp2/v2.runClock"),
		goleak.Cleanup(func(code int) {
			os.RemoveAll(home)
			os.Exit(code)
		}),
	)
}

// scripted is a model that makes its calls once, and then answers done.
type scripted struct {
	calls  []fantasy.ToolCallContent
	object any   // the object that the model generates
	fails  error // error at the end of the model's streams

	mu      sync.Mutex
	prompts []fantasy.Prompt
	offers  []string // tools and tool choice of each request
	parts   int      // number of parts that the streams have sent
}

func calling(inputs ...string) *scripted {
	m := &scripted{object: map[string]any{"city": "Rome"}}
	for i, input := range inputs {
		m.calls = append(m.calls, fantasy.ToolCallContent{ToolCallID: fmt.Sprint("c-", i+1), ToolName: "echo", Input: input})
	}
	return m
}

func (m *scripted) Provider() string { return "test" }
func (m *scripted) Model() string    { return "scripted" }

func (m *scripted) Generate(_ context.Context, call fantasy.Call) (*fantasy.Response, error) {
	var tools []string
	for _, t := range call.Tools {
		tools = append(tools, t.GetName())
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.prompts = append(m.prompts, call.Prompt)
	if call.ToolChoice != nil {
		m.offers = append(m.offers, fmt.Sprint(strings.Join(tools, "+"), " ", *call.ToolChoice))
	}
	called := slices.ContainsFunc(call.Prompt, func(m fantasy.Message) bool { return m.Role == fantasy.MessageRoleTool })
	if called || len(m.calls) == 0 {
		content := fantasy.ResponseContent{fantasy.ReasoningContent{Text: "hm"}, fantasy.TextContent{Text: "do"}, fantasy.TextContent{Text: "ne"}}
		return &fantasy.Response{Content: content, FinishReason: fantasy.FinishReasonStop}, nil
	}
	res := &fantasy.Response{FinishReason: fantasy.FinishReasonToolCalls}
	for _, c := range m.calls {
		res.Content = append(res.Content, c)
	}
	return res, nil
}

func (m *scripted) Stream(ctx context.Context, call fantasy.Call) (fantasy.StreamResponse, error) {
	res, err := m.Generate(ctx, call)
	if err != nil {
		return nil, err
	}
	var parts []fantasy.StreamPart
	for i, c := range res.Content {
		id := fmt.Sprint(i)
		switch c := c.(type) {
		case fantasy.ReasoningContent:
			parts = append(parts,
				fantasy.StreamPart{Type: fantasy.StreamPartTypeReasoningStart, ID: id},
				fantasy.StreamPart{Type: fantasy.StreamPartTypeReasoningDelta, ID: id, Delta: c.Text},
				fantasy.StreamPart{Type: fantasy.StreamPartTypeReasoningEnd, ID: id},
			)
		case fantasy.TextContent:
			parts = append(parts,
				fantasy.StreamPart{Type: fantasy.StreamPartTypeTextStart, ID: "t" + id},
				fantasy.StreamPart{Type: fantasy.StreamPartTypeTextDelta, ID: "t" + id, Delta: c.Text},
				fantasy.StreamPart{Type: fantasy.StreamPartTypeTextEnd, ID: "t" + id},
			)
		case fantasy.ToolCallContent:
			parts = append(parts,
				fantasy.StreamPart{Type: fantasy.StreamPartTypeToolInputStart, ID: c.ToolCallID, ToolCallName: c.ToolName},
				fantasy.StreamPart{Type: fantasy.StreamPartTypeToolInputDelta, ID: c.ToolCallID, Delta: c.Input},
				fantasy.StreamPart{Type: fantasy.StreamPartTypeToolInputEnd, ID: c.ToolCallID},
				fantasy.StreamPart{Type: fantasy.StreamPartTypeToolCall, ID: c.ToolCallID, ToolCallName: c.ToolName, ToolCallInput: c.Input},
			)
		}
	}
	last := fantasy.StreamPart{Type: fantasy.StreamPartTypeFinish, FinishReason: res.FinishReason}
	if m.fails != nil {
		last = fantasy.StreamPart{Type: fantasy.StreamPartTypeError, Error: m.fails}
	}
	return func(yield func(fantasy.StreamPart) bool) {
		for _, p := range append(parts, last) {
			if m.parts++; !yield(p) {
				return
			}
		}
	}, nil
}

func (m *scripted) GenerateObject(_ context.Context, call fantasy.ObjectCall) (*fantasy.ObjectResponse, error) {
	m.prompts = append(m.prompts, call.Prompt)
	return &fantasy.ObjectResponse{Object: m.object, RawText: "raw", FinishReason: fantasy.FinishReasonStop}, nil
}

func (m *scripted) StreamObject(_ context.Context, call fantasy.ObjectCall) (fantasy.ObjectStreamResponse, error) {
	m.prompts = append(m.prompts, call.Prompt)
	parts := []fantasy.ObjectStreamPart{
		{Type: fantasy.ObjectStreamPartTypeTextDelta, Delta: "raw"},
		{Type: fantasy.ObjectStreamPartTypeObject, Object: map[string]any{}},
		{Type: fantasy.ObjectStreamPartTypeObject, Object: m.object},
		{Type: fantasy.ObjectStreamPartTypeFinish, FinishReason: fantasy.FinishReasonStop},
	}
	if m.fails != nil {
		parts[3] = fantasy.ObjectStreamPart{Type: fantasy.ObjectStreamPartTypeError, Error: m.fails}
	}
	return slices.Values(parts), nil
}

// last returns the last prompt that the model got, as text.
func (m *scripted) last() string {
	if len(m.prompts) == 0 {
		return ""
	}
	return said(m.prompts[len(m.prompts)-1])
}

// said formats a prompt as "role:part+part|role:part".
func said(prompt fantasy.Prompt) string {
	var all []string
	for _, message := range prompt {
		var parts []string
		for _, part := range message.Content {
			switch part := part.(type) {
			case fantasy.TextPart:
				parts = append(parts, part.Text)
			case fantasy.ToolResultPart:
				parts = append(parts, output(part.Output))
			case fantasy.ToolCallPart, fantasy.ReasoningPart:
			default:
				parts = append(parts, string(part.GetType()))
			}
		}
		all = append(all, string(message.Role)+":"+strings.Join(parts, "+"))
	}
	return strings.Join(all, "|")
}

// output returns the result of a tool as text.
func output(out fantasy.ToolResultOutputContent) string {
	switch out := out.(type) {
	case fantasy.ToolResultOutputContentText:
		return out.Text
	case fantasy.ToolResultOutputContentError:
		return "error " + out.Error.Error()
	case fantasy.ToolResultOutputContentMedia:
		return out.MediaType + " " + out.Data + " " + out.Text
	}
	return fmt.Sprint(out)
}

type echoInput struct {
	Text string `json:"text"`
}

var errBroken = errors.New("broken")

// echo repeats its arguments.
var echo = fantasy.NewAgentTool("echo", "repeats", func(_ context.Context, in echoInput, call fantasy.ToolCall) (fantasy.ToolResponse, error) {
	switch in.Text {
	case "fail":
		return fantasy.NewTextErrorResponse("failed"), nil
	case "broken":
		return fantasy.ToolResponse{}, errBroken
	}
	return fantasy.WithResponseMetadata(fantasy.NewTextResponse("echo "+call.Input), "seen by the user"), nil
})

// image returns a picture.
var image = fantasy.NewAgentTool("echo", "draws", func(context.Context, echoInput, fantasy.ToolCall) (fantasy.ToolResponse, error) {
	return fantasy.NewImageResponse([]byte("abc"), "image/png"), nil
})
