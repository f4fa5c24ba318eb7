package snaphook

import (
	"cmp"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/events/llxprt/genai"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/rename"
	"github.com/snaphook-go/snaphook/wire"
)

// LLxprtConfig configures how the hooks of LLxprt and Gemini CLI are read.
type LLxprtConfig = llxprt.Settings

// LLxprt returns the hook system of LLxprt Code and Gemini CLI. The zero config finds the settings where LLxprt keeps
// them.
//
// [Config].Dialects may list it twice, once for each profile. Then each hook follows the rules of its own system, and
// all run in the position of the first; see [llxprt.Both].
func LLxprt(cfg LLxprtConfig) *Dialect {
	word := func(w dialectNames) string { return w.llxprt }
	return &Dialect{name: llxprt.Dialect.Name, translate: spelled(word, asIs), load: cfg.Load, llxprt: &cfg, stages: table(
		fires(starts, llxprt.SessionStart, func(in *StartInput, _ *dialectAnswer) llxprt.SessionStartInput {
			source := map[string]string{"": "startup", "compact": "compress", "fork": "resume"}[in.Source]
			return llxprt.SessionStartInput{Source: cmp.Or(source, in.Source)}
		}, common),
		fires(prompts, llxprt.BeforeAgent, func(in *PromptInput, _ *dialectAnswer) llxprt.BeforeAgentInput {
			return llxprt.BeforeAgentInput{Prompt: in.Text}
		}, decide),
		fires(beforeModels, llxprt.BeforeModel, func(in *BeforeModelInput, p *dialectAnswer) llxprt.BeforeModelInput {
			p.view = rename.View{Object: object(in.Request)}
			return llxprt.BeforeModelInput{Request: p.view.Object}
		}, llxprtRequest),
		fires(afterModels, llxprt.AfterModel, func(in *AfterModelInput, p *dialectAnswer) llxprt.AfterModelInput {
			p.view = rename.View{Object: object(in.Response)}
			return llxprt.AfterModelInput{Request: object(in.Request), Response: p.view.Object}
		}, llxprtAnswer),
		fires(toolChoices, llxprt.BeforeToolSelection, func(in *ToolChoiceInput, p *dialectAnswer) llxprt.BeforeModelInput {
			p.view = rename.View{Object: object(in.Request)}
			return llxprt.BeforeModelInput{Request: p.view.Object}
		}, llxprtTools),
		fires(beforeTools, llxprt.BeforeTool, llxprtCall, llxprtGate),
		fires(afterTools, llxprt.AfterTool, func(in *AfterToolInput, p *dialectAnswer) llxprt.AfterToolInput {
			c, response := llxprtCall(&in.ToolCall, p), llxprtResponse(&in.Result)
			return llxprt.AfterToolInput{
				Name: c.Name, Input: c.Input, OriginalInput: c.OriginalInput, Extra: c.Extra, Response: response,
			}
		}, llxprtReview),
		fires(permissions, llxprt.Notification, llxprtAsked, common),
		fires(stops, llxprt.AfterAgent, func(in *StopInput, _ *dialectAnswer) llxprt.AfterAgentInput {
			return llxprt.AfterAgentInput{Prompt: in.Prompt, Response: in.Answer, StopHookActive: in.Again}
		}, func(res *hook.Result[llxprt.AfterAgentOutput], p *dialectAnswer) {
			common(res, p)
			p.Continue = llxprt.ApplyAfterAgent(res).Prompt
		}),
		fires(beforeCompacts, llxprt.PreCompress, func(in *BeforeCompactInput, _ *dialectAnswer) llxprt.PreCompressInput {
			return llxprt.PreCompressInput{Trigger: cmp.Or(in.Trigger, "auto")}
		}, common),
		fires(notifies, llxprt.Notification, func(in *NotifyInput, _ *dialectAnswer) llxprt.NotificationInput {
			return llxprt.NotificationInput{Type: in.Type, Message: in.Message, Details: wire.Object("{}")}
		}, common),
		fires(ends, llxprt.SessionEnd, func(in *EndInput, _ *dialectAnswer) llxprt.SessionEndInput {
			return llxprt.SessionEndInput{Reason: cmp.Or(in.Reason, "other")}
		}, common),
	)}
}

// common applies the instructions that every result has.
func common[R any](res *hook.Result[R], p *dialectAnswer) {
	c := llxprt.ApplyLifecycle(res)
	p.Stop, p.StopReason, p.SuppressOutput = c.Stop, c.StopReason, c.Hide
	p.Context = textsByHook(res, c.Context, func(o *hook.Output[R]) string { return o.Context })
	p.Messages = textsByHook(res, c.Message, func(o *hook.Output[R]) string { return o.Message })
	p.Context = append(p.Context, systemMessages(res, p)...)
}

// systemMessages returns the messages of successful hooks, which both the model and the user read; warnings of failed
// hooks are left out.
func systemMessages[R any](res *hook.Result[R], p *dialectAnswer) []string {
	var warnings []string
	for i := range res.Reports {
		if r := &res.Reports[i]; r.Err != nil {
			warnings = append(warnings, r.Output.Message)
		}
	}
	return lo.Without(p.Messages, warnings...)
}

// textsByHook returns the texts of the hooks if merged consists of these texts; otherwise it returns merged alone.
func textsByHook[R any](res *hook.Result[R], merged string, text func(*hook.Output[R]) string) (texts []string) {
	if merged == "" {
		return nil
	}
	for i := range res.Reports {
		texts = append(texts, text(&res.Reports[i].Output))
	}
	if lines(texts...) != merged {
		return []string{merged}
	}
	return lo.Compact(texts)
}

// llxprtCall returns a call in the form of LLxprt's hooks.
func llxprtCall(in *ToolCall, p *dialectAnswer) (c llxprt.BeforeToolInput) {
	c.Name, c.Input, c.OriginalInput = p.name, p.view.Object, p.original(in)
	if server := p.tool.Server; server != "" {
		context := wire.Object(nil).With("server_name", wire.Quote(server)).With("tool_name", wire.Quote(in.Name))
		c.Extra = jsontext.Value(wire.Object(nil).With("mcp_context", jsontext.Value(context)))
	}
	return c
}

// llxprtAsked returns the notification that a permission prompt is shown.
func llxprtAsked(in *PermissionInput, p *dialectAnswer) llxprt.NotificationInput {
	c := llxprtCall(&in.ToolCall, p)
	details := wire.Object(nil).With("tool_name", wire.Quote(c.Name)).With("tool_input", jsontext.Value(c.Input))
	if c.OriginalInput != nil {
		details = details.With("snaphook_original_input", jsontext.Value(c.OriginalInput))
	}
	message := cmp.Or(in.Reason, "May "+c.Name+" run?")
	return llxprt.NotificationInput{Type: "ToolPermission", Message: message, Details: details}
}

func llxprtGate(res *hook.Result[llxprt.BeforeToolOutput], p *dialectAnswer) {
	decide(res, p)
	p.Context = nil  // here additionalContext is not for the model
	if !p.Denied() { // after a denial the model reads only the reason
		p.Context = systemMessages(res, p)
	}
	p.changes = p.view.Patch(res.Specific.ModifiedToolInput())
	claims(p, res, func(g *llxprt.BeforeToolOutput) []rename.Change { return p.view.Patch(g.ToolInput) })
}

// decide copies the decision of a result. LLxprt's merged answer allows even if no hook decides; decide therefore
// copies an allow only if a hook wrote it.
func decide[LOut any](res *hook.Result[LOut], p *dialectAnswer) {
	common(res, p)
	if blocked, reason := llxprt.BlockingError(&res.Output); blocked {
		p.Decision, p.Reason = hook.Deny, reason
		return
	}
	for i := range res.Reports {
		o := &res.Reports[i].Output
		d := word(o.Decision)
		if g, ok := any(&o.Specific).(*llxprt.BeforeToolOutput); ok && stricter(word(g.PermissionDecision), d) {
			d = word(g.PermissionDecision)
		}
		switch {
		case o.Synthetic || d == hook.Undecided:
		case stricter(d, p.Decision):
			p.Decision, p.Reason = d, o.Reason
		case d == p.Decision:
			p.Reason = lines(p.Reason, o.Reason)
		}
	}
}

// llxprtReview copies objections to a finished tool call. In the profile of Gemini CLI the reason replaces the tool's
// result.
func llxprtReview(res *hook.Result[llxprt.BasicOutput], p *dialectAnswer) {
	common(res, p)
	blocked, reason := llxprt.BlockingError(&res.Output)
	switch {
	case !blocked:
	case res.Specific.Replaces():
		p.Result = &ToolResult{Text: "Tool result blocked: " + reason, Failed: true}
		p.Context = systemMessages(res, p)
	default:
		p.Decision, p.Reason = hook.Deny, reason
	}
}

// llxprtResponse returns a tool's result in the form of LLxprt's hooks.
func llxprtResponse(r *ToolResult) wire.Object {
	if o := wire.Object(r.Data); len(o) > 0 && o.IsObject() && o.Get("llmContent") != nil {
		return o
	}
	o := wire.Object(nil).With("llmContent", wire.Quote(r.Text)).With("returnDisplay", wire.Quote(r.Text))
	if r.Failed {
		o = o.With("error", jsontext.Value(wire.Object(nil).With("message", wire.Quote(r.Text))))
	}
	return o
}

// llxprtRequest copies the changed model request, or the response that replaces the request.
func llxprtRequest(res *hook.Result[llxprt.BeforeModelOutput], p *dialectAnswer) {
	common(res, p)
	if res.Blocked() {
		p.Decision, p.Reason = hook.Deny, llxprt.EffectiveReason(&res.Output)
	}
	if o := res.Specific.Response; o != nil {
		p.Result = response(genai.ToHookResponse(genai.FromHookResponse(o, nil)))
	}
	if res.Specific.Request == nil {
		return
	}
	now := p.view.Object
	claims(p, res, func(g *llxprt.BeforeModelOutput) []rename.Change {
		now = genai.MergeRequest(now, g.Request)
		return p.view.Patch(g.Request)
	})
	p.changes = p.view.Whole(now)
}

// llxprtAnswer copies the changes that all hooks make to a response; each hook may change a different part.
func llxprtAnswer(res *hook.Result[llxprt.AfterModelOutput], p *dialectAnswer) {
	common(res, p)
	switch {
	case res.Specific.Replaces():
		p.Result = &ToolResult{Data: jsontext.Value(`{"candidates":[]}`), Failed: true}
	case res.Specific.Response != nil:
		was := genai.FromHookResponse(p.view.Object, nil)
		if now := llxprt.ModifiedResponse(&res.Output, was); now != nil {
			p.Result = response(genai.ToHookResponse(now))
		}
	}
}

// llxprtTools copies the tools that hooks choose, in the host's names. Members that no hook sets keep the request's
// values.
func llxprtTools(res *hook.Result[llxprt.BeforeToolSelectionOutput], p *dialectAnswer) {
	common(res, p)
	was := genai.FromHookToolConfig(wire.Object(p.view.Object.Get("toolConfig")))
	sdk := wire.Object(nil).With("toolConfig", jsontext.Value(was))
	now := genai.RequestToolConfig(res.Specific.ApplyTo(sdk))
	var config genai.ToolConfig
	if wire.Equal(jsontext.Value(now), jsontext.Value(genai.RequestToolConfig(sdk))) || now.Into(&config) != nil {
		return
	}
	for i, name := range config.AllowedFunctionNames {
		config.AllowedFunctionNames[i] = p.s.hooks.named(p.dialect, name)
	}
	if chosen, err := wire.Of(config); err == nil {
		p.changes = []rename.Change{{Name: "toolConfig", Value: jsontext.Value(chosen)}}
	}
}

// response returns the model response written by hooks, or nil.
func response(o wire.Object) *ToolResult {
	if o == nil || !o.IsObject() {
		return nil
	}
	return &ToolResult{Text: responseText(o), Data: jsontext.Value(o)}
}

// responseText returns the text of the first candidate.
func responseText(o wire.Object) string {
	var r genai.Response
	if o.Into(&r) != nil || len(r.Candidates) == 0 {
		return o.Text("text")
	}
	var b strings.Builder
	for _, part := range r.Candidates[0].Content.Parts {
		b.WriteString(string(part))
	}
	return b.String()
}
