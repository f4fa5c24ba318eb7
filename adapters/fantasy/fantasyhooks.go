// Package fantasyhooks puts the hooks of a session around the tools and the language model of an agent of fantasy:
//
//	agent := fantasy.NewAgent(
//		fantasyhooks.Model(session, opt, model),
//		fantasy.WithTools(fantasyhooks.Tools(session, opt, tools...)...),
//		fantasy.WithProviderDefinedTools(fantasyhooks.ProviderTools(session, opt, providerTools...)...),
//	)
//
// Effects that fantasy cannot express:
//
//	hook says            an agent gets
//	deny                 an error result, whose text is the reason; from the model: an answer that is the reason
//	ask                  the same, unless [snaphook.Config].Ask answers
//	stop                 StopTurn, after the other calls of the message; from the model: an answer that is the reason
//	rewritten arguments  (the tool gets them; the call in the conversation stays as it is)
//	rewritten request    texts and results of tools; the model's name and its settings stay as they are
//	restricted tools     the others are not offered; a model that calls one all the same runs it, if hooks allow the call
//	rewritten result     one text in place of text and media; Metadata, which the model does not get, stays
//	context              after the result; of a request: a message of the user at its end; of a response: nothing
//	message to the user  nothing: [Options].Message is called
//	suppressOutput       nothing
//
// In fantasy a system message has an effect only at the beginning: providers drop later ones. A system message that
// hooks add at the beginning joins the host's, and elsewhere it becomes a message of the user.
//
// Hooks do not see reasoning, files, sources or the results of tools that the provider runs. Where hooks look at
// responses, a stream is delivered after its end, and a stream of an object in one part; a stream that fails is an
// error and no part of it is delivered. If hooks answer a request for an object with a text that is no such object, as
// a denial does, the result is a [fantasy.NoObjectGeneratedError]. Hooks do not review a tool that panics. Tools and
// models that PrepareStep or ModelProvider return need [Tools] and [Model] too.
package fantasyhooks

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"

	"charm.land/fantasy"

	"github.com/snaphook-go/snaphook"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/adapter"
	"github.com/snaphook-go/snaphook/wire"
)

// Options holds the callbacks of [Tools], [ProviderTools] and [Model]. They are called from several
// goroutines: a streaming agent runs parallel tools at the same time.
type Options struct {
	// Message shows the user a message of a hook; nil drops it.
	Message func(text string)

	// Stop is called when a hook ends the agent's work, with the reason for the user; nil drops the reason. The agent
	// ends even if Stop is nil.
	Stop func(reason string)
}

func (opt Options) hooks(s *snaphook.Session) *adapter.Hooks {
	return adapter.New(s, opt.Message, opt.Stop)
}

// Tools returns the tools with the hooks of a session around each. A tool that may run in parallel may still do so.
//
// A refusal, and arguments that are not a JSON object, become an error result for the model. An error of a tool stays
// an error. The agent gets an error that wraps the tool's error, and whose text hooks may change. Any other error is
// the context's or [hook.ErrClosed], and ends the agent. In v0.42 of fantasy the agent returns this error. In v0.46 the
// agent ends as after StopTurn, and the error is the result of the call.
func Tools(s *snaphook.Session, opt Options, tools ...fantasy.AgentTool) []fantasy.AgentTool {
	guarded, h := make([]fantasy.AgentTool, len(tools)), opt.hooks(s)
	for i, t := range tools {
		guarded[i] = &tool{t, h}
	}
	return guarded
}

type tool struct {
	fantasy.AgentTool
	hooks *adapter.Hooks
}

// Run implements [fantasy.AgentTool].
func (t *tool) Run(ctx context.Context, call fantasy.ToolCall) (fantasy.ToolResponse, error) {
	if call.Name == "" { // the caller is not an agent, which would set the name
		call.Name = t.Info().Name
	}
	return run(ctx, t.hooks, call, t.AgentTool.Run)
}

// ProviderTools returns tools that a provider defines. It adds hooks to tools that the agent runs itself; tools that
// the provider runs stay as they are.
func ProviderTools(s *snaphook.Session, opt Options, tools ...fantasy.ProviderTool) []fantasy.ProviderTool {
	guarded, h := make([]fantasy.ProviderTool, len(tools)), opt.hooks(s)
	for i, t := range tools {
		guarded[i] = t
		if own, ok := t.(fantasy.ExecutableProviderTool); ok {
			guarded[i] = fantasy.NewExecutableProviderTool(
				own.Definition(),
				func(ctx context.Context, call fantasy.ToolCall) (fantasy.ToolResponse, error) {
					if call.Name == "" {
						call.Name = own.GetName()
					}
					return run(ctx, h, call, own.Run)
				},
			)
		}
	}
	return guarded
}

// failure is a tool's error, with a text that hooks may have changed.
type failure struct {
	text string
	err  error
}

func (f *failure) Error() string { return f.text }
func (f *failure) Unwrap() error { return f.err }

// run runs a tool with the hooks around it.
func run(
	ctx context.Context, h *adapter.Hooks, call fantasy.ToolCall,
	next func(context.Context, fantasy.ToolCall) (fantasy.ToolResponse, error),
) (fantasy.ToolResponse, error) {
	var res fantasy.ToolResponse
	var seen snaphook.ToolResult
	var failed error
	input := &snaphook.ToolCall{ID: call.ID, Name: call.Name, Input: wire.Object(call.Input)}
	out, err := h.Run(ctx, input, func(ctx context.Context, args wire.Object) (snaphook.ToolResult, error) {
		call.Input = string(args)
		if res, failed = next(ctx, call); failed != nil {
			seen = snaphook.ToolResult{} // fantasy ignores the response if there is an error
		} else {
			seen = toolResult(&res)
		}
		return seen, failed
	})
	wrong := new(hook.InputError)
	switch {
	case failed != nil:
		return fantasy.ToolResponse{StopTurn: res.StopTurn || out.Stop, Metadata: res.Metadata}, &failure{out.Text, failed}
	case err != nil && !errors.As(err, &wrong):
		return fantasy.ToolResponse{StopTurn: true}, err // an error alone does not end the agent in v0.46
	}
	if !bytes.Equal(out.Data, seen.Data) { // hooks have replaced the media too
		res.Type, res.Data, res.MediaType = "text", nil, ""
	}
	res.Type, res.Content = cmp.Or(res.Type, "text"), out.Text
	res.IsError, res.StopTurn = out.Failed, res.StopTurn || out.Stop
	return res, nil
}

// toolResult returns a response in the form that hooks see: with media as JSON. If the tool has failed, hooks see only
// the text, because the agent does not send the media.
func toolResult(res *fantasy.ToolResponse) snaphook.ToolResult {
	r := snaphook.ToolResult{Text: res.Content, Failed: res.IsError}
	if !res.IsError && (res.Type == "image" || res.Type == "media") {
		// Encoding a struct of strings and bytes cannot fail.
		r.Data, _ = json.Marshal(struct {
			Type      string `json:"type"`
			Text      string `json:"text,omitempty"`
			MediaType string `json:"media_type"`
			Data      []byte `json:"data"`
		}{res.Type, res.Content, res.MediaType, res.Data})
	}
	return r
}
