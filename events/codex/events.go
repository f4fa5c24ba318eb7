package codex

import (
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

// Each variable lists members of answers that several events have (CX23 to CX32).
var (
	universal  = []string{"continue", "stopReason", "suppressOutput", "systemMessage"}
	decided    = append([]string{"decision", "reason"}, universal...)
	contextual = []string{"additionalContext"}
)

// envFile is the variable that names the file to which a hook exports variables (CX40); envFileToo
// is its other name.
const (
	envFile    = "CODEX_ENV_FILE"
	envFileToo = "CLAUDE_ENV_FILE"
)

// SessionStart fires when a session begins, or continues after a break. Hooks add context, and can
// end the turn.
var SessionStart *pipeline.Event[SessionStartInput, Output] = declare(traits{
	answerForm: answerForm{top: universal, own: contextual},
}, pipeline.Spec[SessionStartInput, Output]{
	Name:        "SessionStart",
	Doc:         "when a session begins, or goes on after a break",
	Can:         pipeline.CanStop | pipeline.CanAddContext,
	Rules:       pipeline.Rules{Text: hook.TextContext, EnvFile: envFile},
	Subject:     func(s *SessionStartInput) *string { return &s.Source },
	SubjectName: "source",
	Forget:      func(s *SessionStartInput) bool { return s.Source == "clear" || s.Source == "resume" },
})

// SessionEnd fires when a session ends. Output of its hooks is not read.
var SessionEnd *pipeline.Event[SessionEndInput, Output] = declare(traits{
	answerForm: answerForm{unread: true}, brief: true, waits: true, deaf: true,
}, pipeline.Spec[SessionEndInput, Output]{
	Name:        "SessionEnd",
	Doc:         "when a session ends",
	Subject:     func(e *SessionEndInput) *string { return &e.Reason },
	SubjectName: "reason",
})

// UserPromptSubmit fires when the user has sent a prompt, before the agent works on it. A block keeps the prompt from
// the model; contexts of hooks are kept even then.
var UserPromptSubmit *pipeline.Event[UserPromptSubmitInput, Output] = declare(traits{
	answerForm: answerForm{top: decided, own: contextual, read: readBlock}, verdict: refusePrompt, told: "user",
}, pipeline.Spec[UserPromptSubmitInput, Output]{
	Name:  "UserPromptSubmit",
	Doc:   "when the user has sent a prompt, before the agent works on it",
	Can:   pipeline.CanBlock | pipeline.CanStop | pipeline.CanAddContext,
	Rules: pipeline.Rules{Exits: denies, Text: hook.TextContext},
})

// PreToolUse fires before a tool runs. A hook denies the call, or replaces its whole input; a replacement does not
// approve the call.
var PreToolUse *pipeline.Event[PreToolUseInput, Output] = declare(traits{
	answerForm: answerForm{
		top: decided, own: []string{"additionalContext", "permissionDecision", "permissionDecisionReason", "updatedInput"},
		words: []string{"approve", "block"}, read: readGate,
	}, verdict: denyCall, told: "model",
}, pipeline.Spec[PreToolUseInput, Output]{
	Name:        "PreToolUse",
	Doc:         "before a tool runs, and before permission is asked for",
	Can:         pipeline.CanBlock | pipeline.CanRewriteInput | pipeline.CanAddContext,
	Rules:       pipeline.Rules{Exits: denies},
	Subject:     func(c *PreToolUseInput) *string { return &c.Tool },
	SubjectName: toolSubject,
	Check:       func(c PreToolUseInput) error { return c.check() },
	Rewrites: func(o *hook.Output[Output]) wire.Object {
		if o.Specific.UpdatedInput == nil {
			return nil
		}
		return wire.Object(nil).With("tool_input", []byte(o.Specific.UpdatedInput))
	},
	Rewritten: func(c PreToolUseInput, o *hook.Output[Output]) (PreToolUseInput, bool) {
		if o.Specific.UpdatedInput == nil {
			return c, false
		}
		c.Input = o.Specific.UpdatedInput
		return c, true
	},
	Unrewritten: func(o *hook.Output[Output]) (rewrote bool) {
		rewrote = o.Specific.UpdatedInput != nil
		o.Specific.UpdatedInput = nil
		return rewrote
	},
	Conclude: concludeCall,
})

// PermissionRequest fires before the user is asked for a permission; a hook answers in the user's
// place.
var PermissionRequest *pipeline.Event[PermissionRequestInput, Output] = declare(traits{
	answerForm: answerForm{top: universal, own: []string{"decision"}, read: readPermission}, verdict: answerPermission, told: "model", deaf: true,
}, pipeline.Spec[PermissionRequestInput, Output]{
	Name:        "PermissionRequest",
	Doc:         "before the user is asked for a permission",
	Can:         pipeline.CanBlock,
	Rules:       pipeline.Rules{Exits: denies},
	Subject:     func(c *PermissionRequestInput) *string { return &c.Tool },
	SubjectName: toolSubject,
	Check:       func(c PermissionRequestInput) error { return c.check() },
})

// PostToolUse fires when a tool has run. A block undoes nothing: its reason is feedback that the
// model sees in place of the result.
var PostToolUse *pipeline.Event[PostToolUseInput, Output] = declare(traits{
	answerForm: answerForm{
		top: decided, own: []string{"additionalContext", "updatedMCPToolOutput"}, read: readFeedback,
	}, joins: true, verdict: replaceResult, told: "model",
}, pipeline.Spec[PostToolUseInput, Output]{
	Name:        "PostToolUse",
	Doc:         "when a tool has run",
	Can:         pipeline.CanBlock | pipeline.CanStop | pipeline.CanRewriteOutput | pipeline.CanAddContext,
	Rules:       pipeline.Rules{Exits: denies},
	Subject:     func(c *PostToolUseInput) *string { return &c.Tool },
	SubjectName: toolSubject,
	Check:       func(c PostToolUseInput) error { return c.check() },
})

// PreCompact fires before the conversation is compacted. Hooks can stop it.
var PreCompact *pipeline.Event[PreCompactInput, Output] = declare(traits{
	answerForm: answerForm{top: universal}, deaf: true,
}, pipeline.Spec[PreCompactInput, Output]{
	Name:        "PreCompact",
	Doc:         "before the conversation is compacted",
	Can:         pipeline.CanStop,
	Subject:     func(c *PreCompactInput) *string { return &c.Trigger },
	SubjectName: "trigger",
})

// PostCompact fires when the conversation has been compacted. Hooks can stop the turn.
var PostCompact *pipeline.Event[PostCompactInput, Output] = declare(traits{
	answerForm: answerForm{top: universal}, deaf: true,
}, pipeline.Spec[PostCompactInput, Output]{
	Name:        "PostCompact",
	Doc:         "when the conversation has been compacted",
	Can:         pipeline.CanStop,
	Subject:     func(c *PostCompactInput) *string { return &c.Trigger },
	SubjectName: "trigger",
})

// SubagentStart fires when a sub-agent begins. Hooks add context.
var SubagentStart *pipeline.Event[SubagentStartInput, Output] = declare(traits{
	answerForm: answerForm{top: universal, own: contextual},
}, pipeline.Spec[SubagentStartInput, Output]{
	Name:        "SubagentStart",
	Doc:         "when a sub-agent begins",
	Can:         pipeline.CanAddContext,
	Rules:       pipeline.Rules{Text: hook.TextContext},
	Subject:     func(s *SubagentStartInput) *string { return &s.AgentType },
	SubjectName: "agent_type",
})

// SubagentStop is Stop for a sub-agent.
var SubagentStop *pipeline.Event[SubagentStopInput, Output] = declare(traits{
	answerForm: answerForm{top: decided, noText: true, read: readBlock},
	joins:      true, frees: true, silent: true, deaf: true, verdict: goOn, told: "model",
}, pipeline.Spec[SubagentStopInput, Output]{
	Name:        "SubagentStop",
	Doc:         "when a sub-agent is about to end its answer",
	Can:         pipeline.CanBlock | pipeline.CanStop,
	Rules:       pipeline.Rules{Exits: denies},
	Subject:     func(s *SubagentStopInput) *string { return &s.AgentType },
	SubjectName: "agent_type",
})

// Stop fires when the agent is about to end its answer. A block sends it back to work with the
// reasons of all hooks, any number of times. A stop overrides a block.
var Stop *pipeline.Event[StopInput, Output] = declare(traits{
	answerForm: answerForm{top: decided, noText: true, read: readBlock},
	joins:      true, frees: true, silent: true, deaf: true, verdict: goOn, told: "model",
}, pipeline.Spec[StopInput, Output]{
	Name:  "Stop",
	Doc:   "when the agent is about to end its answer",
	Can:   pipeline.CanBlock | pipeline.CanStop,
	Rules: pipeline.Rules{Exits: denies},
})

// Interrupt fires when the user has interrupted a turn. Hooks can only show a message to the user.
var Interrupt *pipeline.Event[InterruptInput, Output] = declare(traits{
	answerForm: answerForm{top: []string{"systemMessage"}, noText: true}, brief: true, deaf: true,
}, pipeline.Spec[InterruptInput, Output]{
	Name: "Interrupt",
	Doc:  "when the user has interrupted a turn",
})
