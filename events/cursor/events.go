package cursor

import (
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

// The words of "permission" (U16).
var (
	asks       = permissionWords{"allow": hook.Allow, "deny": hook.Deny, "ask": hook.Ask}
	asksNobody = permissionWords{"allow": hook.Allow, "deny": hook.Deny, "ask": hook.Undecided}
	asksIsNo   = permissionWords{"allow": hook.Allow, "deny": hook.Deny, "ask": hook.Deny}
	yesOrNo    = permissionWords{"allow": hook.Allow, "deny": hook.Deny}
)

const (
	guards  = takesUser | takesAgent
	subject = "tool_name"
)

// SessionStart fires when a conversation begins. Hooks add context, and set variables for the later
// hooks of the conversation.
var SessionStart *pipeline.Event[SessionStartInput, Output] = declare(traits{
	takes: takesContext | takesEnv,
}, pipeline.Spec[SessionStartInput, Output]{
	Name:     "sessionStart",
	Doc:      "when a conversation begins",
	Conclude: keepVariables,
})

// SessionEnd fires when a conversation ends.
var SessionEnd *pipeline.Event[SessionEndInput, Output] = declare(traits{}, pipeline.Spec[SessionEndInput, Output]{
	Name: "sessionEnd",
	Doc:  "when a conversation ends",
})

// BeforeSubmitPrompt fires when the user has sent a prompt, before the agent gets it.
var BeforeSubmitPrompt *pipeline.Event[BeforeSubmitPromptInput, Output] = declare(traits{
	takes: takesContinue | takesUser | takesContext, word: "UserPromptSubmit", told: "user",
}, pipeline.Spec[BeforeSubmitPromptInput, Output]{
	Name: "beforeSubmitPrompt",
	Doc:  "when the user has sent a prompt, before the agent gets it",
})

// PreToolUse fires before any tool runs. A hook denies the call, or replaces its whole input.
var PreToolUse *pipeline.Event[PreToolUseInput, Output] = declare(traits{
	takes: guards | takesInput | takesContext, words: asksNobody, told: "model",
}, pipeline.Spec[PreToolUseInput, Output]{
	Name:        "preToolUse",
	Doc:         "before any tool runs",
	Can:         pipeline.CanRewriteInput,
	Subject:     func(c *PreToolUseInput) *string { return &c.Tool },
	SubjectName: subject,
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
})

// PostToolUse fires when a tool has run. Hooks add context, and replace the result of a tool of an
// MCP server.
var PostToolUse *pipeline.Event[PostToolUseInput, Output] = declare(traits{
	takes: takesContext | takesOutput,
}, pipeline.Spec[PostToolUseInput, Output]{
	Name:        "postToolUse",
	Doc:         "when a tool has run",
	Can:         pipeline.CanRewriteOutput,
	Subject:     func(c *PostToolUseInput) *string { return &c.Tool },
	SubjectName: subject,
	Check:       func(c PostToolUseInput) error { return c.check() },
})

// PostToolUseFailure fires when a tool has failed.
var PostToolUseFailure *pipeline.Event[PostToolUseFailureInput, Output] = declare(traits{
	takes: takesContext,
}, pipeline.Spec[PostToolUseFailureInput, Output]{
	Name:        "postToolUseFailure",
	Doc:         "when a tool has failed, or was denied",
	Subject:     func(c *PostToolUseFailureInput) *string { return &c.Tool },
	SubjectName: subject,
	Check:       func(c PostToolUseFailureInput) error { return c.check() },
})

// BeforeShellExecution fires before a command runs, after preToolUse. Matchers test the command.
var BeforeShellExecution *pipeline.Event[BeforeShellExecutionInput, Output] = declare(traits{
	takes: guards, words: asks, told: "model",
}, pipeline.Spec[BeforeShellExecutionInput, Output]{
	Name:        "beforeShellExecution",
	Doc:         "before a command runs, after preToolUse",
	Subject:     func(c *BeforeShellExecutionInput) *string { return &c.Command },
	SubjectName: "command",
	Check:       func(c BeforeShellExecutionInput) error { return missing("command", c.Command) },
})

// AfterShellExecution fires when a command has run.
var AfterShellExecution *pipeline.Event[AfterShellExecutionInput, Output] = declare(traits{},
	pipeline.Spec[AfterShellExecutionInput, Output]{
		Name:        "afterShellExecution",
		Doc:         "when a command has run",
		Subject:     func(c *AfterShellExecutionInput) *string { return &c.Command },
		SubjectName: "command",
	})

// BeforeMCPExecution fires before a tool of an MCP server runs, after preToolUse.
var BeforeMCPExecution *pipeline.Event[BeforeMCPExecutionInput, Output] = declare(traits{
	takes: guards, words: asks, told: "model",
}, pipeline.Spec[BeforeMCPExecutionInput, Output]{
	Name:  "beforeMCPExecution",
	Doc:   "before a tool of an MCP server runs, after preToolUse",
	Check: func(c BeforeMCPExecutionInput) error { return missing("tool_name", c.Tool) },
})

// AfterMCPExecution fires when a tool of an MCP server has run.
var AfterMCPExecution *pipeline.Event[AfterMCPExecutionInput, Output] = declare(traits{},
	pipeline.Spec[AfterMCPExecutionInput, Output]{
		Name: "afterMCPExecution",
		Doc:  "when a tool of an MCP server has run",
	})

// BeforeReadFile fires before the agent gets the content of a file.
var BeforeReadFile *pipeline.Event[BeforeReadFileInput, Output] = declare(traits{
	takes: guards, words: yesOrNo, word: "Read", told: "model",
}, pipeline.Spec[BeforeReadFileInput, Output]{
	Name:  "beforeReadFile",
	Doc:   "before the agent gets the content of a file",
	Check: func(c BeforeReadFileInput) error { return missing("file_path", c.Path) },
})

// BeforeTabFileRead fires before Cursor Tab gets the content of a file.
var BeforeTabFileRead *pipeline.Event[BeforeTabFileReadInput, Output] = declare(traits{
	takes: guards, words: yesOrNo, word: "TabRead", told: "model",
}, pipeline.Spec[BeforeTabFileReadInput, Output]{
	Name:  "beforeTabFileRead",
	Doc:   "before Cursor Tab gets the content of a file",
	Check: func(c BeforeTabFileReadInput) error { return missing("file_path", c.Path) },
})

// AfterFileEdit fires when the agent has edited a file.
var AfterFileEdit *pipeline.Event[AfterFileEditInput, Output] = declare(traits{word: "Write"},
	pipeline.Spec[AfterFileEditInput, Output]{
		Name: "afterFileEdit",
		Doc:  "when the agent has edited a file",
	})

// AfterTabFileEdit fires when Cursor Tab has edited a file.
var AfterTabFileEdit *pipeline.Event[AfterTabFileEditInput, Output] = declare(traits{word: "TabWrite"},
	pipeline.Spec[AfterTabFileEditInput, Output]{
		Name: "afterTabFileEdit",
		Doc:  "when Cursor Tab has edited a file",
	})

// SubagentStart fires before a sub-agent begins. An answer that asks the user counts as a denial.
var SubagentStart *pipeline.Event[SubagentStartInput, Output] = declare(traits{
	takes: guards, words: asksIsNo, told: "model",
}, pipeline.Spec[SubagentStartInput, Output]{
	Name:        "subagentStart",
	Doc:         "before a sub-agent begins",
	Subject:     func(s *SubagentStartInput) *string { return &s.Type },
	SubjectName: "subagent_type",
})

// SubagentStop fires when a sub-agent is about to end. The text of a hook makes it continue.
var SubagentStop *pipeline.Event[SubagentStopInput, Output] = declare(traits{
	takes: takesFollowup, told: "model",
}, pipeline.Spec[SubagentStopInput, Output]{
	Name:        "subagentStop",
	Doc:         "when a sub-agent is about to end",
	Subject:     func(s *SubagentStopInput) *string { return &s.Type },
	SubjectName: "subagent_type",
})

// Stop fires when the agent is about to end its answer. The text of a hook makes it continue.
var Stop *pipeline.Event[StopInput, Output] = declare(traits{
	takes: takesFollowup, word: "Stop", told: "model",
}, pipeline.Spec[StopInput, Output]{
	Name: "stop",
	Doc:  "when the agent is about to end its answer",
})

// PreCompact fires before the conversation is compacted. Hooks can show a message to the user.
var PreCompact *pipeline.Event[PreCompactInput, Output] = declare(traits{
	takes: takesUser,
}, pipeline.Spec[PreCompactInput, Output]{
	Name: "preCompact",
	Doc:  "before the conversation is compacted",
})

// AfterAgentResponse fires when the agent has written a message.
var AfterAgentResponse *pipeline.Event[AfterAgentResponseInput, Output] = declare(traits{word: "AgentResponse"},
	pipeline.Spec[AfterAgentResponseInput, Output]{
		Name: "afterAgentResponse",
		Doc:  "when the agent has written a message",
	})

// AfterAgentThought fires when the agent has finished a thought.
var AfterAgentThought *pipeline.Event[AfterAgentThoughtInput, Output] = declare(traits{word: "AgentThought"},
	pipeline.Spec[AfterAgentThoughtInput, Output]{
		Name: "afterAgentThought",
		Doc:  "when the agent has thought",
	})

// WorkspaceOpen fires when a workspace is opened. Hooks return directories of plugins.
var WorkspaceOpen *pipeline.Event[WorkspaceOpenInput, Output] = declare(traits{
	takes: takesPlugins, bare: true,
}, pipeline.Spec[WorkspaceOpenInput, Output]{
	Name: "workspaceOpen",
	Doc:  "when a workspace is opened",
})
