package snaphook

import (
	"context"

	"github.com/snaphook-go/snaphook/wire"
)

// The variables are the moments, with their input fields and events.
var (
	starts       = declare(moment[StartInput]{at: Start})
	prompts      = declare(moment[PromptInput]{at: Prompt, gate: true})
	beforeModels = declare(moment[BeforeModelInput]{
		at: BeforeModel, gate: true,
		args: func(in *BeforeModelInput) *wire.Object { return &in.Request },
	})
	afterModels = declare(moment[AfterModelInput]{at: AfterModel})
	toolChoices = declare(moment[ToolChoiceInput]{
		at:   ToolChoice,
		args: func(in *ToolChoiceInput) *wire.Object { return &in.Request },
	})
	beforeTools = declare(moment[ToolCall]{
		at: BeforeTool, gate: true,
		call: func(c *ToolCall) *ToolCall { return c },
		args: func(c *ToolCall) *wire.Object { return &c.Input },
	})
	afterTools = declare(moment[AfterToolInput]{
		at:   AfterTool,
		call: func(in *AfterToolInput) *ToolCall { return &in.ToolCall },
	})
	permissions = declare(moment[PermissionInput]{
		at: Permission, gate: true,
		call: func(in *PermissionInput) *ToolCall { return &in.ToolCall },
		args: func(in *PermissionInput) *wire.Object { return &in.Input },
	})
	subagentStarts = declare(moment[SubagentStartInput]{
		at:   SubagentStart,
		name: func(in *SubagentStartInput) *string { return &in.Type },
	})
	subagentStops = declare(moment[SubagentStopInput]{
		at:   SubagentStop,
		name: func(in *SubagentStopInput) *string { return &in.Type },
	})
	stops          = declare(moment[StopInput]{at: Stop})
	beforeCompacts = declare(moment[BeforeCompactInput]{
		at: BeforeCompact, gate: true,
		name: func(in *BeforeCompactInput) *string { return &in.Trigger },
	})
	afterCompacts = declare(moment[AfterCompactInput]{
		at:   AfterCompact,
		name: func(in *AfterCompactInput) *string { return &in.Trigger },
	})
	notifies = declare(moment[NotifyInput]{at: Notify, name: func(in *NotifyInput) *string { return &in.Type }})
	ends     = declare(moment[EndInput]{at: End, name: func(in *EndInput) *string { return &in.Reason }})
)

// run runs the hooks of the moment whose input is in. The methods of Session share this function, which is neither
// generic nor inlined, because the compiler cannot tell which arguments of an inlined generic function escape.
//
//go:noinline
func (s *Session) run(ctx context.Context, in any, v *Verdict) error {
	switch in := in.(type) {
	case *StartInput:
		return starts.run(ctx, s, in, v)
	case *PromptInput:
		return prompts.run(ctx, s, in, v)
	case *BeforeModelInput:
		if in != nil {
			v.Input = in.Request
		}
		return beforeModels.run(ctx, s, in, v)
	case *AfterModelInput:
		return afterModels.run(ctx, s, in, v)
	case *ToolChoiceInput:
		if in != nil {
			v.Input = in.Request
		}
		return toolChoices.run(ctx, s, in, v)
	case *AfterToolInput:
		return afterTools.run(ctx, s, in, v)
	case *PermissionInput:
		if in != nil {
			v.Input = in.Input
		}
		return permissions.run(ctx, s, in, v)
	case *SubagentStartInput:
		return subagentStarts.run(ctx, s, in, v)
	case *SubagentStopInput:
		return subagentStops.run(ctx, s, in, v)
	case *StopInput:
		return stops.run(ctx, s, in, v)
	case *BeforeCompactInput:
		return beforeCompacts.run(ctx, s, in, v)
	case *AfterCompactInput:
		return afterCompacts.run(ctx, s, in, v)
	case *NotifyInput:
		return notifies.run(ctx, s, in, v)
	case *EndInput:
		return ends.run(ctx, s, in, v)
	}
	return nil // unreachable: the methods of Session pass no other input
}

// Each method below runs the hooks of one moment and returns the instructions for the host. The verdict is never nil.
// The error is ctx's error, [hook.ErrClosed] once the session or its Hooks are closed, or a [hook.InputError] for a nil
// pointer and for arguments that are not one JSON object; with any error the verdict is a denial. Without hooks a call
// costs a few nanoseconds, and allocates nothing if the verdict does not escape from the caller.
//
// The bodies are repeated because only small methods are inlined, and only an inlined method can leave the verdict on
// the caller's stack.

// Start runs the hooks when a session begins, or continues after a break. The verdict has Context, Messages and Env.
func (s *Session) Start(ctx context.Context, in *StartInput) (*Verdict, error) {
	v := new(Verdict)
	return v, s.run(ctx, in, v)
}

// Prompt runs the hooks for the user's prompt. A denial drops the prompt and gives a Reason for the user; Context is
// for the model.
func (s *Session) Prompt(ctx context.Context, in *PromptInput) (*Verdict, error) {
	v := new(Verdict)
	return v, s.run(ctx, in, v)
}

// BeforeModel runs the hooks for a request to the model. The verdict's Input is the request to send. After a denial, or
// if there is a Result, the host sends no request. If there is a Result, its Data is the response.
func (s *Session) BeforeModel(ctx context.Context, in *BeforeModelInput) (*Verdict, error) {
	v := new(Verdict)
	return v, s.run(ctx, in, v)
}

// AfterModel runs the hooks for the response of the model. If there is a Result, its Data replaces
// the response.
func (s *Session) AfterModel(ctx context.Context, in *AfterModelInput) (*Verdict, error) {
	v := new(Verdict)
	return v, s.run(ctx, in, v)
}

// ToolChoice runs the hooks for the tools that are about to be offered to the model. The verdict's
// Input is the request, with a toolConfig if hooks restrict the tools.
func (s *Session) ToolChoice(ctx context.Context, in *ToolChoiceInput) (*Verdict, error) {
	v := new(Verdict)
	return v, s.run(ctx, in, v)
}

// BeforeTool runs the hooks for a tool call that is about to run. The verdict's Input has the arguments to run it with.
// After a denial, give Reason to the model in place of a result. Arguments that are not a JSON object are an input
// error, and a denial.
//
// Without hooks, arguments that begin and end like an object are not checked further.
func (s *Session) BeforeTool(ctx context.Context, call *ToolCall) (*Verdict, error) {
	v := new(Verdict)
	return v, s.beforeTool(ctx, call, v)
}

// AfterTool runs the hooks for a tool call that has finished or failed. A denial undoes nothing: its Reason is for the
// model, besides the result.
func (s *Session) AfterTool(ctx context.Context, in *AfterToolInput) (*Verdict, error) {
	v := new(Verdict)
	return v, s.run(ctx, in, v)
}

// Permission runs the hooks when the user is about to be asked for a permission: an Allow or a denial replaces the
// user's answer. The verdict's Input has the arguments.
func (s *Session) Permission(ctx context.Context, in *PermissionInput) (*Verdict, error) {
	v := new(Verdict)
	return v, s.run(ctx, in, v)
}

// SubagentStart runs the hooks when a sub-agent begins. Context is for the sub-agent.
func (s *Session) SubagentStart(ctx context.Context, in *SubagentStartInput) (*Verdict, error) {
	v := new(Verdict)
	return v, s.run(ctx, in, v)
}

// SubagentStop runs the hooks when a sub-agent is about to finish its answer. Continue makes it go on.
func (s *Session) SubagentStop(ctx context.Context, in *SubagentStopInput) (*Verdict, error) {
	v := new(Verdict)
	return v, s.run(ctx, in, v)
}

// Stop runs the hooks when the agent is about to finish its answer. Continue makes it go on.
func (s *Session) Stop(ctx context.Context, in *StopInput) (*Verdict, error) {
	v := new(Verdict)
	return v, s.run(ctx, in, v)
}

// BeforeCompact runs the hooks when the conversation is about to be compacted. A denial prevents the compaction.
// Result.Text replaces the summary. Context is for the model that writes the summary.
func (s *Session) BeforeCompact(ctx context.Context, in *BeforeCompactInput) (*Verdict, error) {
	v := new(Verdict)
	return v, s.run(ctx, in, v)
}

// AfterCompact runs the hooks when the conversation has been compacted.
func (s *Session) AfterCompact(ctx context.Context, in *AfterCompactInput) (*Verdict, error) {
	v := new(Verdict)
	return v, s.run(ctx, in, v)
}

// Notify runs the hooks for a notification to the user.
func (s *Session) Notify(ctx context.Context, in *NotifyInput) (*Verdict, error) {
	v := new(Verdict)
	return v, s.run(ctx, in, v)
}

// End runs the hooks at the end of the session; [Session.Close] releases its resources.
func (s *Session) End(ctx context.Context, in *EndInput) (*Verdict, error) {
	v := new(Verdict)
	return v, s.run(ctx, in, v)
}
