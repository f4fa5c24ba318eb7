// Package anthropichooks puts the hooks of a session around the tools of a tool runner of
// anthropic-sdk-go:
//
//	runner := client.Beta.Messages.NewToolRunner(anthropichooks.Tools(session, tools, opt), params)
//
// Effects that the tool runner cannot express:
//
//	hook says            the model gets
//	deny                 a result with is_error, whose text is the reason
//	ask                  the same, unless [snaphook.Config].Ask answers
//	stop                 a text in the result: [Options].Stop can end the loop over runner.All
//	rewritten arguments  (the tool gets them)
//	rewritten result     one text
//	context              one more text in the result
//	message to the user  nothing: [Options].Message is called
//
// The runner does not pass the id of a call to its tool, so hooks do not get it. The runner calls
// only tools: for the other moments, call the session's methods around runner.NextMessage. Hooks do
// not run for tools that the server runs, nor for those passed to the runner's AddTools without
// [Tools].
package anthropichooks

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/anthropics/anthropic-sdk-go"

	"github.com/snaphook-go/snaphook"
	"github.com/snaphook-go/snaphook/internal/adapter"
	"github.com/snaphook-go/snaphook/wire"
)

// Options holds the callbacks of [Tools]. They are called from many goroutines: the runner runs the
// tools of a message in parallel.
type Options struct {
	// Message shows the user a message of a hook; nil drops it.
	Message func(text string)

	// Stop is called when a hook wants the agent to end its work. If Stop is nil, only the text of the tool's result
	// tells the model.
	Stop func(reason string)
}

// Tools returns the tools with the hooks of a session around each.
func Tools(s *snaphook.Session, tools []anthropic.BetaTool, opt Options) []anthropic.BetaTool {
	guarded, h := make([]anthropic.BetaTool, len(tools)), adapter.New(s, opt.Message, opt.Stop)
	for i, t := range tools {
		guarded[i] = &tool{t, h}
	}
	return guarded
}

type tool struct {
	anthropic.BetaTool
	hooks *adapter.Hooks
}

type content = anthropic.BetaToolResultBlockParamContentUnion

var parts = adapter.Parts[content]{
	Text: func(block content) (text string, ok bool) {
		if block.OfText == nil {
			return "", false
		}
		return block.OfText.Text, true
	},
	Part: func(text string) content { return content{OfText: &anthropic.BetaTextBlockParam{Text: text}} },
}

// toolError is a result that the model gets as an error.
type toolError struct {
	text string
	err  error // the error of the tool or of the session; nil if hooks refused the call
}

func (r *toolError) Error() string { return r.text }
func (r *toolError) Unwrap() error { return r.err }

// Execute implements [anthropic.BetaTool].
func (t *tool) Execute(ctx context.Context, input json.RawMessage) ([]content, error) {
	var blocks []content
	var seen snaphook.ToolResult
	call := &snaphook.ToolCall{Name: t.Name(), Input: wire.Object(input)}
	out, err := t.hooks.Run(ctx, call, func(ctx context.Context, args wire.Object) (snaphook.ToolResult, error) {
		var err error
		blocks, err = t.BetaTool.Execute(ctx, json.RawMessage(args))
		seen = toolResult(blocks)
		return seen, err
	})
	text := out.TextWithStop()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil || out.Failed:
		return nil, &toolError{text, err}
	case !bytes.Equal(out.Data, seen.Data): // hooks have replaced the images too
		return []content{parts.Part(text)}, nil
	}
	return parts.With(blocks, text), nil
}

// toolResult returns a result in the form that hooks see.
func toolResult(blocks []content) snaphook.ToolResult {
	r := snaphook.ToolResult{Text: parts.Join(blocks, "\n")}
	if len(blocks) != 1 || blocks[0].OfText == nil {
		r.Data, _ = json.Marshal(blocks) // if encoding fails, Data is empty and hooks see the text
	}
	return r
}
