// Package genkithooks puts the hooks of a session around the tools and the model of a generation with Genkit:
//
//	genkit.Generate(ctx, g,
//		ai.WithTools(genkithooks.Tools(session, opt, tools...)...),
//		ai.WithMiddleware(genkithooks.Model(session, opt)),
//		…)
//
// Effects that Genkit cannot express:
//
//	hook says            a generation gets
//	deny                 the reason as the tool's output; from the model: an answer that is the reason
//	ask                  the same, unless [snaphook.Config].Ask answers
//	stop                 a text in the output: [Options].Stop can cancel the generation's context
//	rewritten arguments  (the tool gets them; the request in the conversation stays as it is)
//	rewritten request    the messages; the configuration and the tools stay as they are
//	rewritten result     one text
//	context              after a text, or one more part; of a request: one more system message; of a response: nothing
//	message to the user  nothing: [Options].Message is called
//
// Genkit does not pass the id of a call to its tool, so hooks do not get it. For hooks, a tool that interrupts
// the generation has failed. Where hooks look at responses, a stream is delivered in one chunk. Tools that are
// not made by [Tools] run without hooks.
package genkithooks

import (
	"context"
	"encoding/json"

	"github.com/firebase/genkit/go/ai"

	"github.com/snaphook-go/snaphook"
	"github.com/snaphook-go/snaphook/internal/adapter"
	"github.com/snaphook-go/snaphook/wire"
)

// Options holds the callbacks of [Tools] and [Model]. They are called from several goroutines:
// Genkit runs the tools of a message in parallel.
type Options struct {
	// Message shows the user a message of a hook; nil drops it.
	Message func(text string)

	// Stop is called when a hook wants the agent to end its work. If Stop is nil, only the text of the output asks this
	// of the model.
	Stop func(reason string)
}

// Tools returns tools of the same names with the hooks of a session around each. The tools
// must not be registered in the instance of Genkit under these names too: make them with
// [ai.NewTool].
func Tools(s *snaphook.Session, opt Options, tools ...ai.Tool) []ai.ToolRef {
	guarded, h := make([]ai.ToolRef, len(tools)), adapter.New(s, opt.Message, opt.Stop)
	for i, t := range tools {
		d := t.Definition()
		run := func(ctx *ai.ToolContext, input any) (*ai.MultipartToolResponse, error) { return run(ctx, h, t, input) }
		guarded[i] = ai.NewMultipartTool(d.Name, d.Description, run, ai.WithInputSchema(d.InputSchema))
	}
	return guarded
}

// run runs a tool with the hooks around it. A refusal, and arguments that are not a JSON object,
// become an output for the model.
func run(ctx context.Context, h *adapter.Hooks, t ai.Tool, input any) (*ai.MultipartToolResponse, error) {
	call := &snaphook.ToolCall{Name: t.Name()}
	if input != nil {
		args, err := json.Marshal(input)
		if err != nil {
			return nil, err
		}
		call.Input = wire.Object(args)
	}
	var res *ai.MultipartToolResponse
	text, err := h.RunTool(ctx, call, func(ctx context.Context, args wire.Object) (seen snaphook.ToolResult, err error) {
		now := map[string]any{}
		if len(args) > 0 {
			if err := json.Unmarshal(args, &now); err != nil {
				return seen, err
			}
		}
		if res, err = t.RunRawMultipart(ctx, now); err != nil {
			return seen, err
		}
		return toolResult(res), nil
	})
	if err != nil {
		return nil, err
	}
	return withText(res, text), nil
}

// toolResult returns an output in the form that hooks see: a text as it is, anything else as
// JSON.
func toolResult(res *ai.MultipartToolResponse) snaphook.ToolResult {
	if text, ok := res.Output.(string); ok {
		return snaphook.ToolResult{Text: text}
	}
	data, _ := json.Marshal(res.Output) // cannot fail: the value came from JSON
	return snaphook.ToolResult{Text: string(data), Data: data}
}

// withText returns an output with the changed text. If the output is a text, text that hooks added is appended to it;
// for any other output the added text becomes one more part. A rewritten text becomes the whole output.
func withText(res *ai.MultipartToolResponse, text string) *ai.MultipartToolResponse {
	if res == nil {
		return &ai.MultipartToolResponse{Output: text}
	}
	before := toolResult(res)
	more, kept := adapter.Added(before.Text, text)
	switch {
	case kept && more == "":
		return res
	case !kept:
		return &ai.MultipartToolResponse{Output: text}
	case before.Data == nil:
		return &ai.MultipartToolResponse{Output: text, Content: res.Content}
	}
	parts := append(res.Content[:len(res.Content):len(res.Content)], ai.NewTextPart(more))
	return &ai.MultipartToolResponse{Output: res.Output, Content: parts}
}
