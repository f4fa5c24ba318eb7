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

// runMoment runs the hooks of the moment whose input is in. The methods of Session share this function, which is
// neither generic nor inlined, because the compiler cannot tell which arguments of an inlined generic function escape.
//
//go:noinline
func runMoment(ctx context.Context, s *Session, in any, v *Verdict) error {
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

// runBeforeTool runs the hooks for a tool call. It checks the arguments even without hooks.
//
//go:noinline
func runBeforeTool(ctx context.Context, s *Session, call *ToolCall, v *Verdict) error {
	if call == nil {
		return beforeTools.run(ctx, s, nil, v)
	}
	v.Input = call.Input
	if s.fires(BeforeTool) != 0 || s.shut.Load() != 0 {
		return beforeTools.run(ctx, s, call, v)
	}
	if plain(call.Input) || call.Input.Check() == nil {
		return nil
	}
	err := badArguments(BeforeTool, call)
	v.refuse(err)
	return err
}

// plain reports whether arguments begin and end like an object. If there are no hooks, such arguments are not
// checked further.
func plain(args wire.Object) bool {
	n := len(args)
	return n >= 2 && args[0] == '{' && args[n-1] == '}' && (args[1] == '"' || n == 2)
}
