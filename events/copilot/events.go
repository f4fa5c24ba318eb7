package copilot

import (
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

const contextMember = "additionalContext"

// SessionStart fires when a session begins or is resumed. Hooks add context.
var SessionStart = declare(traits{
	pascal: "SessionStart", members: []string{contextMember, "initialPrompt"}, local: true,
}, pipeline.Spec[SessionStartInput, Output]{
	Name: "sessionStart",
	Doc:  "when a session begins, or is taken up again",
	Can:  pipeline.CanAddContext,
})

// SessionEnd fires when a session ends. Hooks only observe.
var SessionEnd = declare(traits{pascal: "SessionEnd"}, pipeline.Spec[SessionEndInput, Output]{
	Name: "sessionEnd",
	Doc:  "when a session ends",
})

// UserPromptSubmitted fires when the user has sent a prompt. Answers of its hooks have no effect.
var UserPromptSubmitted = declare(traits{
	pascal: "UserPromptSubmit", local: true,
}, pipeline.Spec[UserPromptSubmittedInput, Output]{
	Name: "userPromptSubmitted",
	Doc:  "when the user has sent a prompt",
})

// UserPromptTransformed fires when the agent has added to a prompt. Hooks can replace the result.
var UserPromptTransformed = declare(traits{
	pascal: "UserPromptTransformed", members: []string{"modifiedTransformedPrompt"},
}, pipeline.Spec[UserPromptTransformedInput, Output]{
	Name: "userPromptTransformed",
	Doc:  "when the agent has added to a prompt",
	Can:  pipeline.CanRewriteInput,
})

// PreToolUse fires before a tool runs. A hook denies the call, approves it, asks the user, or replaces its arguments; a
// command that fails denies, unless it failed by a timeout.
var PreToolUse = declare(traits{
	pascal: "PreToolUse", tool: true, native: true, closed: true, denies: true, local: true,
	members: []string{"permissionDecision", "permissionDecisionReason", "modifiedArgs", contextMember},
}, pipeline.Spec[PreToolUseInput, Output]{
	Name:        "preToolUse",
	Doc:         "before a tool runs",
	Can:         pipeline.CanBlock | pipeline.CanRewriteInput | pipeline.CanAddContext,
	Rules:       pipeline.Rules{Exits: denying, Asks: true},
	Subject:     func(c *PreToolUseInput) *string { return &c.Name },
	SubjectName: "toolName",
	Check:       PreToolUseInput.check,
	Rewrites: func(o *hook.Output[Output]) wire.Object {
		if o.Specific.ModifiedArgs == nil {
			return nil
		}
		return wire.Object(nil).With("toolArgs", o.Specific.ModifiedArgs)
	},
	Rewritten: func(c PreToolUseInput, o *hook.Output[Output]) (PreToolUseInput, bool) {
		if o.Specific.ModifiedArgs == nil || len(c.More) > 0 {
			return c, false
		}
		c.Args = o.Specific.ModifiedArgs
		return c, true
	},
	Unrewritten: func(o *hook.Output[Output]) (rewrote bool) {
		rewrote = o.Specific.ModifiedArgs != nil
		o.Specific.ModifiedArgs = nil
		return rewrote
	},
	Conclude: concludeCall,
})

// PostToolUse fires when a tool has succeeded. Hooks replace its result, or add context to it.
var PostToolUse = declare(traits{
	pascal: "PostToolUse", tool: true, native: true, joined: 10 << 10, local: true,
	members: []string{"modifiedResult", contextMember},
}, pipeline.Spec[PostToolUseInput, Output]{
	Name:        "postToolUse",
	Doc:         "when a tool has succeeded",
	Can:         pipeline.CanRewriteOutput | pipeline.CanAddContext,
	Subject:     func(c *PostToolUseInput) *string { return &c.Name },
	SubjectName: "toolName",
})

// PostToolUseFailure fires when a tool has failed. Hooks add context to the error.
var PostToolUseFailure = declare(traits{
	pascal: "PostToolUseFailure", tool: true, guides: true, members: []string{contextMember},
}, pipeline.Spec[PostToolUseFailureInput, Output]{
	Name:  "postToolUseFailure",
	Doc:   "when a tool has failed",
	Can:   pipeline.CanAddContext,
	Rules: pipeline.Rules{Exits: hook.Exits{0: hook.ParseAnswer, 2: hook.ParseAnswer, hook.OtherStatus: hook.Fail}},
})

// PermissionRequest fires before rules decide about a permission, and before the user is asked. A hook can decide in
// place of the rules and the user.
var PermissionRequest = declare(traits{
	pascal: "PermissionRequest", tool: true, native: true, denies: true, spread: true, console: true,
	named: "hookName", shown: "permissionRequest", members: []string{"behavior", "message", "interrupt"},
}, pipeline.Spec[PermissionRequestInput, Output]{
	Name:        "permissionRequest",
	Doc:         "before rules decide about a permission, and before the user is asked",
	Can:         pipeline.CanBlock | pipeline.CanStop,
	Rules:       pipeline.Rules{Exits: hook.Exits{0: hook.ParseAnswer, 2: hook.ParseAnswer, hook.OtherStatus: hook.Fail}},
	Subject:     func(c *PermissionRequestInput) *string { return &c.Name },
	SubjectName: "toolName",
	Conclude:    concludePermission,
})

// AgentStop fires when the agent is about to end its turn. A block sends it back to work, 8 times in
// a row at most.
var AgentStop = declare(traits{
	pascal: "Stop", resumes: true, members: []string{"decision", "reason"}, local: true,
}, pipeline.Spec[AgentStopInput, Output]{
	Name: "agentStop",
	Doc:  "when the agent is about to end its turn",
	Can:  pipeline.CanBlock,
	Conclude: func(s *pipeline.Session, in *AgentStopInput, res *hook.Result[Output]) {
		capStops(s, "agentStop", in.Active, res)
	},
})

// SubagentStart fires when a sub-agent begins. Hooks add context to its prompt.
var SubagentStart = declare(traits{
	pascal: "SubagentStart", native: true, members: []string{contextMember}, local: true,
}, pipeline.Spec[SubagentStartInput, Output]{
	Name:        "subagentStart",
	Doc:         "when a sub-agent begins",
	Can:         pipeline.CanAddContext,
	Subject:     func(s *SubagentStartInput) *string { return &s.Name },
	SubjectName: "agentName",
})

// SubagentStop fires when a sub-agent is about to end. Hooks send it back to work, or replace its response.
var SubagentStop = declare(traits{
	pascal: "SubagentStop", resumes: true, members: []string{"decision", "reason", "modifiedResponse"}, local: true,
}, pipeline.Spec[SubagentStopInput, Output]{
	Name: "subagentStop",
	Doc:  "when a sub-agent is about to end",
	Can:  pipeline.CanBlock | pipeline.CanRewriteOutput,
	Conclude: func(s *pipeline.Session, in *SubagentStopInput, res *hook.Result[Output]) {
		capStops(s, "subagentStop."+in.ID, true, res)
	},
})

// PreCompact fires before the conversation is compacted. Hooks only observe.
var PreCompact = declare(traits{
	pascal: "PreCompact", native: true, local: true,
}, pipeline.Spec[PreCompactInput, Output]{
	Name:        "preCompact",
	Doc:         "before the conversation is compacted",
	Subject:     func(c *PreCompactInput) *string { return &c.Trigger },
	SubjectName: "trigger",
})

// ErrorOccurred fires when something has failed. Hooks only observe.
var ErrorOccurred = declare(traits{pascal: "ErrorOccurred"}, pipeline.Spec[ErrorOccurredInput, Output]{
	Name: "errorOccurred",
	Doc:  "when something has failed",
})

// Notification fires when the user is notified. Hooks add context.
var Notification = declare(traits{
	pascal: "Notification", native: true, members: []string{contextMember}, console: true,
	named: "hook_event_name", shown: "Notification",
}, pipeline.Spec[NotificationInput, Output]{
	Name:        "notification",
	Doc:         "when the user is notified",
	Can:         pipeline.CanAddContext,
	Subject:     func(n *NotificationInput) *string { return &n.Type },
	SubjectName: "notification_type",
})

// denying maps the exit statuses of a command before a tool to their effects.
var denying = hook.Exits{0: hook.ParseAnswer, 2: hook.ParseAndDeny, hook.OtherStatus: hook.Fail}
