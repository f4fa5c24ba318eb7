package snaphook

import (
	"cmp"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/wire"
)

// ToolResult is the result of a tool.
type ToolResult struct {
	Text   string         // for the model
	Data   jsontext.Value // replaces Text for hooks, if the result is more than a text; may be nil
	Failed bool           // the tool has failed, or has not run

	// Stop is set by [Session.RunTool] to end the agent's work.
	Stop       bool
	StopReason string

	// SuppressOutput hides the result from the user, not from the model. See [Verdict].
	SuppressOutput bool

	Context  []string // set by [Session.RunTool]: texts of hooks for the model, which Text contains too
	Messages []string // set by [Session.RunTool]: messages of hooks to the user
	Reports  []Report // set by [Session.RunTool]: one for each hook that was started, before the tool and after it
}

// json returns a result in the form that hooks see.
func (r *ToolResult) json() jsontext.Value {
	if r.Data != nil {
		return r.Data
	}
	return wire.Quote(r.Text)
}

// resultOf returns the tool result that a hook wrote as JSON.
func resultOf(value jsontext.Value) *ToolResult {
	if text, ok := wire.Text(value); ok {
		return &ToolResult{Text: text}
	}
	return &ToolResult{Text: string(value), Data: value}
}

// append adds paragraphs to the text.
func (r *ToolResult) append(texts ...string) {
	for _, text := range texts {
		switch {
		case text == "":
		case r.Text == "":
			r.Text = text
		default:
			r.Text += "\n\n" + text
		}
	}
}

// TextWithStop returns Text. If a hook has stopped the agent, a paragraph of the text says this, for frameworks in
// which nothing else can end the turn.
func (r ToolResult) TextWithStop() string {
	if r.Stop && !strings.HasPrefix(r.Text, ended) {
		r.append(lines(ended, r.StopReason))
	}
	return r.Text
}

// refused returns the result of a call that does not run.
func refused(v *Verdict, why string) ToolResult {
	r := ToolResult{
		Text:   cmp.Or(why, "A hook has refused the call, and gave no reason."),
		Failed: true, Stop: v.Stop, StopReason: v.StopReason, Context: v.Context, Messages: v.Messages,
		SuppressOutput: v.SuppressOutput, Reports: v.Reports,
	}
	r.append(v.Context...)
	return r
}

// ended is the text for the model if a hook has stopped the agent.
const ended = "A hook has ended the agent's work."

// stopText returns the text for the model if hooks have stopped the agent, and none gave a Reason.
func stopText(v *Verdict) string {
	if v.Stop && v.Reason == "" {
		return lines(ended, v.StopReason)
	}
	return ""
}

// reviewed returns the result of a tool with the hooks' changes applied.
func reviewed(out ToolResult, before, after *Verdict, err error) ToolResult {
	if r := after.Result; r != nil {
		out.Text, out.Data, out.Failed = r.Text, r.Data, r.Failed
	}
	out.Stop, out.StopReason = out.Stop || after.Stop, lines(out.StopReason, after.StopReason)
	out.SuppressOutput = out.SuppressOutput || before.SuppressOutput || after.SuppressOutput
	out.Context = joined(joined(out.Context, before.Context), after.Context)
	out.Messages = joined(joined(out.Messages, before.Messages), after.Messages)
	out.Reports = joined(joined(out.Reports, before.Reports), after.Reports)
	if after.Denied() && err == nil {
		out.append(after.Reason)
	}
	out.append(before.Context...)
	out.append(after.Context...)
	return out
}
