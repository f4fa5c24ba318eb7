package snaphook

import (
	"cmp"
	"context"
	"strings"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/wire"
)

// RunTool runs a tool with its hooks: [Session.BeforeTool], a question to the user if a hook demands one
// ([Config].Ask), the tool with the arguments that the hooks have left, and [Session.AfterTool].
//
// A refused call is not an error: the tool is not called, Text is the reason for the model, and Failed is set. An error
// of the tool is a failure that hooks see; RunTool returns it unchanged, with the result. Any other error is ctx's
// error, [hook.ErrClosed], or the error for arguments that are not a JSON object; then the tool has not run unless the
// result says otherwise.
//
// The result's Text is for the model, followed by the contexts and objections of the hooks, with a blank line before
// each. SuppressOutput is set if the tool or a hook has set it.
func (s *Session) RunTool(
	ctx context.Context,
	call *ToolCall,
	tool func(context.Context, wire.Object) (ToolResult, error),
) (ToolResult, error) {
	before, err := s.BeforeTool(ctx, call)
	if err != nil {
		return refused(before, before.Reason), err
	}
	if before.Stop || before.Denied() {
		return refused(before, lines(before.Reason, stopText(before))), nil
	}
	if before.Decision == hook.Ask {
		ok, why := s.permit(ctx, call, before.Reason)
		if s.shut.Load() != 0 { // the session was closed while the user was asked
			return refused(before, hook.ErrClosed.Error()), hook.ErrClosed
		}
		if !ok {
			return refused(before, why), ctx.Err()
		}
	}
	out, failed := tool(ctx, before.Input)
	if failed != nil {
		out.Failed = true
		if out.Text == "" {
			out.Text = failed.Error()
		}
	}
	ran := *call
	beforeTools.rewrite(&ran, before.Input)
	after, err := s.AfterTool(ctx, &AfterToolInput{ToolCall: ran, Result: out})
	out = reviewed(out, before, after, err)
	if failed != nil {
		err = failed
	}
	return out, err
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

// TextWithStop returns Text. If a hook has stopped the agent, a paragraph of the text says this, for frameworks in
// which nothing else can end the turn.
func (r ToolResult) TextWithStop() string {
	if r.Stop && !strings.HasPrefix(r.Text, ended) {
		r.append(lines(ended, r.StopReason))
	}
	return r.Text
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
