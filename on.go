package snaphook

import "context"

// Func is a hook of the program itself, for one moment; add it with [OnBeforeTool] and its like. At each moment the
// program's hooks run before the hooks of the dialects, in the order in which they were added. Each gets the rewrites
// of the earlier hooks, and the dialects' hooks get the rewrites of all. A Func gets the host's names of tools. The
// function that adds a hook returns remove, which removes the hook; fires that have begun are not affected.
//
// A hook that returns an error or panics has failed. At Prompt, BeforeModel, BeforeTool, Permission and BeforeCompact a
// failure is a denial; elsewhere it is only in the reports. Only ctx limits the time of a hook. If the
// hook sets the verdict's Input, that has to be the complete arguments or request.
type Func[In any] = func(context.Context, In) (Verdict, error)

// OnStart adds a hook of the program at [Start].
func OnStart(at Scope, name string, f Func[StartInput]) (remove func()) {
	return starts.on(at, name, f)
}

// OnPrompt adds a hook of the program at [Prompt].
func OnPrompt(at Scope, name string, f Func[PromptInput]) (remove func()) {
	return prompts.on(at, name, f)
}

// OnBeforeModel adds a hook of the program at [BeforeModel].
func OnBeforeModel(at Scope, name string, f Func[BeforeModelInput]) (remove func()) {
	return beforeModels.on(at, name, f)
}

// OnAfterModel adds a hook of the program at [AfterModel].
func OnAfterModel(at Scope, name string, f Func[AfterModelInput]) (remove func()) {
	return afterModels.on(at, name, f)
}

// OnToolChoice adds a hook of the program at [ToolChoice].
func OnToolChoice(at Scope, name string, f Func[ToolChoiceInput]) (remove func()) {
	return toolChoices.on(at, name, f)
}

// OnBeforeTool adds a hook of the program at [BeforeTool].
func OnBeforeTool(at Scope, name string, f Func[ToolCall]) (remove func()) {
	return beforeTools.on(at, name, f)
}

// OnAfterTool adds a hook of the program at [AfterTool].
func OnAfterTool(at Scope, name string, f Func[AfterToolInput]) (remove func()) {
	return afterTools.on(at, name, f)
}

// OnPermission adds a hook of the program at [Permission].
func OnPermission(at Scope, name string, f Func[PermissionInput]) (remove func()) {
	return permissions.on(at, name, f)
}

// OnSubagentStart adds a hook of the program at [SubagentStart].
func OnSubagentStart(at Scope, name string, f Func[SubagentStartInput]) (remove func()) {
	return subagentStarts.on(at, name, f)
}

// OnSubagentStop adds a hook of the program at [SubagentStop].
func OnSubagentStop(at Scope, name string, f Func[SubagentStopInput]) (remove func()) {
	return subagentStops.on(at, name, f)
}

// OnStop adds a hook of the program at [Stop].
func OnStop(at Scope, name string, f Func[StopInput]) (remove func()) {
	return stops.on(at, name, f)
}

// OnBeforeCompact adds a hook of the program at [BeforeCompact].
func OnBeforeCompact(at Scope, name string, f Func[BeforeCompactInput]) (remove func()) {
	return beforeCompacts.on(at, name, f)
}

// OnAfterCompact adds a hook of the program at [AfterCompact].
func OnAfterCompact(at Scope, name string, f Func[AfterCompactInput]) (remove func()) {
	return afterCompacts.on(at, name, f)
}

// OnNotify adds a hook of the program at [Notify].
func OnNotify(at Scope, name string, f Func[NotifyInput]) (remove func()) {
	return notifies.on(at, name, f)
}

// OnEnd adds a hook of the program at [End].
func OnEnd(at Scope, name string, f Func[EndInput]) (remove func()) {
	return ends.on(at, name, f)
}
