package claude

import (
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

// UserPromptSubmit fires when the user has sent a prompt, before the agent works on it (C61). A
// block erases the prompt, and only the user gets the reason. Output of hooks goes to the model.
var UserPromptSubmit *pipeline.Event[UserPromptSubmitInput, UserPromptSubmitOutput] = declare(traits{
	kinds: all, reason: user, decides: true, stopBlocks: true, erases: true, verdict: block, timeout: 30 * time.Second,
}, addPromptGate, pipeline.Spec[UserPromptSubmitInput, UserPromptSubmitOutput]{
	Name:  "UserPromptSubmit",
	Doc:   "when the user has sent a prompt, before anything is done with it",
	Can:   pipeline.CanBlock | pipeline.CanStop | pipeline.CanAddContext,
	Rules: pipeline.Rules{Text: hook.TextContext, LateFuncBlocks: true},
	ConditionInput: func(p *UserPromptSubmitInput) hook.ConditionInput { // in some profiles matchers test the prompt
		return hook.ConditionInput{Input: wire.Object(nil).With("prompt", wire.Quote(p.Prompt))}
	},
})

// UserPromptExpansion fires when a typed command expands to a prompt (release
// 2.1.239). A block keeps it from expanding.
var UserPromptExpansion *pipeline.Event[UserPromptExpansionInput, UserPromptExpansionOutput] = declare(traits{
	kinds: all, reason: user, decides: true, stopBlocks: true, verdict: block,
}, addPromptGate, pipeline.Spec[UserPromptExpansionInput, UserPromptSubmitOutput]{
	Name:        "UserPromptExpansion",
	Doc:         "when a typed command expands to a prompt",
	Can:         pipeline.CanBlock | pipeline.CanStop | pipeline.CanAddContext,
	Rules:       pipeline.Rules{Text: hook.TextContext, LateFuncBlocks: true},
	Subject:     func(e *UserPromptExpansionInput) *string { return &e.Command },
	SubjectName: "command_name",
})

// Stop fires when the agent is about to end its answer (C63). A block keeps the agent going; at the level [Docs],
// context keeps it going too. Hooks can keep the agent going at most [StopCap] times in a row.
var Stop *pipeline.Event[StopInput, StopOutput] = declare(traits{
	kinds: all, reason: model, decides: true, stopFrees: true, contextHold: true, inAgent: "SubagentStop", verdict: block,
}, nil, pipeline.Spec[StopInput, BasicOutput]{
	Name:     "Stop",
	Doc:      "when the agent is about to end its answer",
	Can:      pipeline.CanBlock | pipeline.CanStop | pipeline.CanAddContext,
	Conclude: concludeStop,
})

// SubagentStop is Stop for a sub-agent (C65).
var SubagentStop *pipeline.Event[SubagentStopInput, SubagentStopOutput] = declare(traits{
	kinds: all, reason: model, decides: true, stopFrees: true, contextHold: true, verdict: block,
}, nil, pipeline.Spec[SubagentStopInput, BasicOutput]{
	Name:        "SubagentStop",
	Doc:         "when a sub-agent is about to end its answer",
	Can:         pipeline.CanBlock | pipeline.CanStop | pipeline.CanAddContext,
	Subject:     func(s *SubagentStopInput) *string { return &s.AgentType },
	SubjectName: "agent_type",
	Conclude:    concludeSubagentStop,
})

// SubagentStart fires when a sub-agent begins (C65).
var SubagentStart *pipeline.Event[SubagentStartInput, SubagentStartOutput] = declare(traits{
	kinds: outside, reason: user,
}, nil, pipeline.Spec[SubagentStartInput, BasicOutput]{
	Name:        "SubagentStart",
	Doc:         "when a sub-agent begins",
	Can:         pipeline.CanStop | pipeline.CanAddContext,
	Subject:     func(s *SubagentStartInput) *string { return &s.AgentType },
	SubjectName: "agent_type",
})

// StopFailure fires when an error of the API has ended a turn (C66). Answers of its hooks have no
// effect.
var StopFailure *pipeline.Event[StopFailureInput, StopFailureOutput] = declare(traits{
	kinds: outside, silent: true, quiet: true, narrow: true, neverWaits: true,
}, nil, pipeline.Spec[StopFailureInput, BasicOutput]{
	Name:        "StopFailure",
	Doc:         "when a turn has ended by an error of the API",
	Rules:       pipeline.Rules{Exits: ignoresAll},
	Subject:     func(f *StopFailureInput) *string { return &f.Error },
	SubjectName: "error",
})

// TeammateIdle fires when a teammate is about to become idle (C67). Exit status 2 keeps it working.
var TeammateIdle *pipeline.Event[TeammateIdleInput, TeammateIdleOutput] = declare(traits{
	kinds: all, reason: model, stopFrees: true, verdict: endTurn,
}, nil, pipeline.Spec[TeammateIdleInput, BasicOutput]{
	Name: "TeammateIdle",
	Doc:  "when a teammate is about to become idle",
	Can:  pipeline.CanBlock | pipeline.CanStop,
})

// TaskCreated fires when a task is being created (C67). A block
// removes it again.
var TaskCreated *pipeline.Event[TaskCreatedInput, TaskCreatedOutput] = declare(traits{
	kinds: all, reason: model, decides: true, noContinue: true, verdict: block,
}, nil, pipeline.Spec[TaskCreatedInput, BasicOutput]{
	Name: "TaskCreated",
	Doc:  "when a task is being created",
	Can:  pipeline.CanBlock,
})

// TaskCompleted fires when a task is being completed (C67). A block
// leaves it open.
var TaskCompleted *pipeline.Event[TaskCompletedInput, TaskCompletedOutput] = declare(traits{
	kinds: all, reason: model, decides: true, stopFrees: true, verdict: block,
}, nil, pipeline.Spec[TaskCreatedInput, BasicOutput]{
	Name: "TaskCompleted",
	Doc:  "when a task is being completed",
	Can:  pipeline.CanBlock | pipeline.CanStop,
})

// Notification fires when the user is notified (release 2.1.239).
var Notification *pipeline.Event[NotificationInput, NotificationOutput] = declare(traits{
	kinds: outside, noContinue: true, noMessage: true,
}, nil, pipeline.Spec[NotificationInput, BasicOutput]{
	Name:        "Notification",
	Doc:         "when the user is notified",
	Rules:       pipeline.Rules{Exits: ignoresTwo},
	Subject:     func(n *NotificationInput) *string { return &n.Type },
	SubjectName: "notification_type",
})

// MessageDisplay fires when text of the assistant is about to be shown (release 2.1.239). A hook can change the
// displayed text, but not the message.
var MessageDisplay *pipeline.Event[MessageDisplayInput, MessageDisplayOutput] = declare(traits{
	kinds: outside, noContinue: true, noMessage: true, quiet: true,
}, addDisplay, pipeline.Spec[MessageDisplayInput, MessageDisplayOutput]{
	Name:   "MessageDisplay",
	Doc:    "when text of the assistant is about to be shown",
	Can:    pipeline.CanRewriteOutput,
	Rules:  pipeline.Rules{Timeout: 10 * time.Second},
	Refine: refineDisplay,
})
