package main

import (
	"context"
	"fmt"
	"io"

	"github.com/snaphook-go/snaphook"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/wire"
)

// Host is an agent: a model, a few tools, and its user's hooks at every moment.
type Host struct {
	Session  *snaphook.Session
	Model    Model
	Out      io.Writer
	Messages []Message
	ended    bool  // ended by a hook, or by an error
	err      error // the first error
}

// at applies the verdict of a moment, and keeps the first error.
func (h *Host) at(v *snaphook.Verdict, err error) *snaphook.Verdict {
	if h.err == nil {
		h.err = err
	}
	for _, text := range v.Messages {
		fmt.Fprintln(h.Out, "hook:", text)
	}
	h.tell("system", v.Context...)
	if v.Stop {
		fmt.Fprintln(h.Out, "stopped:", v.StopReason)
	}
	h.ended = h.ended || v.Stop || err != nil
	return v
}

func (h *Host) tell(role string, texts ...string) {
	for _, text := range texts {
		h.Messages = append(h.Messages, Message{Role: role, Text: text})
	}
}

// Run runs a session with one prompt of the user.
func (h *Host) Run(ctx context.Context, prompt string) error {
	if h.at(h.Session.Start(ctx, &snaphook.StartInput{})); !h.ended {
		h.prompt(ctx, prompt)
	}
	h.at(h.Session.End(ctx, &snaphook.EndInput{Reason: "exit"}))
	return h.err
}

func (h *Host) prompt(ctx context.Context, text string) {
	if v := h.at(h.Session.Prompt(ctx, &snaphook.PromptInput{Text: text})); v.Denied() || h.ended {
		fmt.Fprintln(h.Out, "refused:", v.Reason)
		return
	}
	h.tell("user", text)
	for again := false; ; again = true {
		answer := h.work(ctx)
		if h.ended {
			return
		}
		fmt.Fprintln(h.Out, "answer:", answer)
		v := h.at(h.Session.Stop(ctx, &snaphook.StopInput{Prompt: text, Answer: answer, Again: again}))
		if h.ended || v.Continue == "" {
			return
		}
		h.tell("user", v.Continue)
	}
}

// work calls the model and its tools until the model calls no more tools.
func (h *Host) work(ctx context.Context) string {
	for !h.ended {
		reply := h.ask(ctx)
		if h.Messages = append(h.Messages, reply); len(reply.Calls) == 0 {
			return reply.Text
		}
		for _, call := range reply.Calls {
			out, _ := h.Session.RunTool(ctx, &call, func(ctx context.Context, args wire.Object) (snaphook.ToolResult, error) {
				return h.run(ctx, snaphook.ToolCall{ID: call.ID, Name: call.Name, Input: args})
			})
			h.Messages = append(h.Messages, Message{Role: "tool", Text: out.Text, Call: call.ID})
			h.at(&snaphook.Verdict{Stop: out.Stop, StopReason: out.StopReason, Messages: out.Messages}, ctx.Err())
		}
		h.tell("system", h.Session.NextTurn()...) // answers of hooks in the background
		h.compact(ctx)
	}
	return ""
}

// ask sends the conversation to the model, with the changes of hooks.
func (h *Host) ask(ctx context.Context) (reply Message) {
	offer := h.at(h.Session.ToolChoice(ctx, &snaphook.ToolChoiceInput{Request: request(h.Messages)}))
	v := h.at(h.Session.BeforeModel(ctx, &snaphook.BeforeModelInput{Request: request(h.Messages)}))
	switch {
	case v.Result != nil:
		return Message{Role: "model", Text: v.Result.Text}
	case v.Denied() || h.ended:
		return Message{Role: "model", Text: v.Reason}
	}
	reply, err := h.Model.Reply(ctx, rewritten(h.Messages, v.Input), allowed(offer.Input))
	after := h.at(h.Session.AfterModel(ctx, &snaphook.AfterModelInput{Request: v.Input, Response: response(reply.Text)}))
	if after.Result != nil {
		reply.Text = after.Result.Text
	}
	h.at(&snaphook.Verdict{}, err)
	return reply
}

// run runs a tool that hooks have allowed, unless the hooks of the permission moment deny it.
func (h *Host) run(ctx context.Context, call snaphook.ToolCall) (snaphook.ToolResult, error) {
	v := h.at(h.Session.Permission(ctx, &snaphook.PermissionInput{ToolCall: call}))
	if v.Denied() {
		return snaphook.ToolResult{Text: v.Reason, Failed: true}, nil
	}
	if v.Decision != hook.Allow { // here a real host asks its user
		h.at(h.Session.Notify(ctx, &snaphook.NotifyInput{Type: "permission_prompt", Message: call.Name + " runs"}))
	}
	if call.Name == "delegate" {
		return h.delegate(ctx, v.Input.Text("prompt")), nil
	}
	return runTool(ctx, h.Session.Dir(), call.Name, v.Input)
}

// delegate gives a task to another agent with the same model.
func (h *Host) delegate(ctx context.Context, task string) snaphook.ToolResult {
	sub := Host{Session: h.Session, Model: h.Model, Out: h.Out}
	sub.at(h.Session.SubagentStart(ctx, &snaphook.SubagentStartInput{ID: "a-1", Type: "worker"}))
	sub.tell("user", task)
	answer := sub.work(ctx)
	if v := sub.at(h.Session.SubagentStop(ctx, &snaphook.SubagentStopInput{ID: "a-1", Type: "worker", Answer: answer})); v.Continue != "" {
		sub.tell("user", v.Continue)
		answer = sub.work(ctx)
	}
	return snaphook.ToolResult{Text: answer, Stop: sub.ended}
}

// compact shortens a long conversation, unless hooks prevent it.
func (h *Host) compact(ctx context.Context) {
	if len(h.Messages) <= 40 || h.at(h.Session.BeforeCompact(ctx, &snaphook.BeforeCompactInput{})).Denied() {
		return
	}
	summary := fmt.Sprintf("%d messages were left out.", len(h.Messages)-20)
	h.Messages = append([]Message{{Role: "system", Text: summary}}, h.Messages[len(h.Messages)-20:]...)
	h.at(h.Session.AfterCompact(ctx, &snaphook.AfterCompactInput{Summary: summary}))
}
