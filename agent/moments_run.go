package agent

import "context"

// The methods of Session are inlined, so that a verdict stays on the stack of its caller.
// The functions that they call are not generic, and are not inlined: what escapes from a
// generic function is not known where it is inlined.

//go:noinline
func (s *Session) atStart(ctx context.Context, in *StartInput, v *Verdict) error {
	return starts.run(ctx, s, in, v)
}

//go:noinline
func (s *Session) atPrompt(ctx context.Context, in *PromptInput, v *Verdict) error {
	return prompts.run(ctx, s, in, v)
}

//go:noinline
func (s *Session) atBeforeModel(ctx context.Context, in *BeforeModelInput, v *Verdict) error {
	return beforeModels.run(ctx, s, in, v)
}

//go:noinline
func (s *Session) atAfterModel(ctx context.Context, in *AfterModelInput, v *Verdict) error {
	return afterModels.run(ctx, s, in, v)
}

//go:noinline
func (s *Session) atToolChoice(ctx context.Context, in *ToolChoiceInput, v *Verdict) error {
	return toolChoices.run(ctx, s, in, v)
}

//go:noinline
func (s *Session) atAfterTool(ctx context.Context, in *AfterToolInput, v *Verdict) error {
	return afterTools.run(ctx, s, in, v)
}

//go:noinline
func (s *Session) atPermission(ctx context.Context, in *PermissionInput, v *Verdict) error {
	return permissions.run(ctx, s, in, v)
}

//go:noinline
func (s *Session) atSubagentStart(ctx context.Context, in *SubagentStartInput, v *Verdict) error {
	return subagentStarts.run(ctx, s, in, v)
}

//go:noinline
func (s *Session) atSubagentStop(ctx context.Context, in *SubagentStopInput, v *Verdict) error {
	return subagentStops.run(ctx, s, in, v)
}

//go:noinline
func (s *Session) atStop(ctx context.Context, in *StopInput, v *Verdict) error {
	return stops.run(ctx, s, in, v)
}

//go:noinline
func (s *Session) atBeforeCompact(ctx context.Context, in *BeforeCompactInput, v *Verdict) error {
	return beforeCompacts.run(ctx, s, in, v)
}

//go:noinline
func (s *Session) atAfterCompact(ctx context.Context, in *AfterCompactInput, v *Verdict) error {
	return afterCompacts.run(ctx, s, in, v)
}

//go:noinline
func (s *Session) atNotify(ctx context.Context, in *NotifyInput, v *Verdict) error {
	return notifies.run(ctx, s, in, v)
}

//go:noinline
func (s *Session) atEnd(ctx context.Context, in *EndInput, v *Verdict) error {
	return ends.run(ctx, s, in, v)
}
