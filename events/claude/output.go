package claude

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/wire"
)

// CommonOutput is the part of an answer that all events share.
type CommonOutput struct {
	HookEventName string         `json:"hookEventName,omitempty"`
	Extra         jsontext.Value `json:",embed"` // unknown members

	// TerminalSequence is for the user's terminal; on the wire it is a top-level member, outside of
	// hookSpecificOutput. The sequences of several hooks are joined in plan order.
	TerminalSequence string `json:"-"`

	// Kept lists the files that hold the full text of each text that was cut.
	Kept []string `json:"-"`

	hideReason bool // only the log gets the reason
}

func (o *CommonOutput) own() *CommonOutput { return o }

// BasicOutput is the own part of an answer at events that define no members of their own.
type BasicOutput struct{ CommonOutput }

// PreToolUseOutput is the answer of a PreToolUse hook in addition to the common fields (C52).
type PreToolUseOutput struct {
	CommonOutput

	// PermissionDecision is allow, deny, ask or defer. If empty, the normal permission flow follows.
	PermissionDecision       hook.Decision `json:"permissionDecision,omitempty"`
	PermissionDecisionReason string        `json:"permissionDecisionReason,omitempty"`
	UpdatedInput             wire.Object   `json:"updatedInput,omitzero"` // replaces all arguments
}

// PreModelSwitchOutput is the answer of a PreModelSwitch hook.
type PreModelSwitchOutput struct {
	CommonOutput
	PermissionDecision       hook.Decision `json:"permissionDecision,omitempty"` // allow, deny or ask
	PermissionDecisionReason string        `json:"permissionDecisionReason,omitempty"`
}

// PermissionRequestOutput is the answer of a PermissionRequest hook (C53).
type PermissionRequestOutput struct {
	CommonOutput
	Decision *Grant `json:"decision,omitempty"`
}

// Grant answers a permission dialog. Behavior is allow or deny.
type Grant struct {
	Behavior           string        `json:"behavior"`
	UpdatedInput       wire.Object   `json:"updatedInput,omitzero"`        // with allow
	UpdatedPermissions []wire.Object `json:"updatedPermissions,omitempty"` // with allow
	Message            string        `json:"message,omitempty"`            // the reason of a denial, for the model
	Interrupt          bool          `json:"interrupt,omitempty"`          // after a denial, the agent stops
}

// PermissionDeniedOutput is the answer of a PermissionDenied hook.
type PermissionDeniedOutput struct {
	CommonOutput
	Retry bool `json:"retry,omitempty"` // the model may try again
}

// PostToolUseOutput is the answer of a PostToolUse hook.
type PostToolUseOutput struct {
	CommonOutput
	UpdatedToolOutput jsontext.Value `json:"updatedToolOutput,omitzero"` // the model sees this in place of the tool's output
	// the older UpdatedToolOutput, only for tools of MCP servers
	UpdatedMCPToolOutput jsontext.Value `json:"updatedMCPToolOutput,omitzero"`
	ClassifierContext    string         `json:"classifierContext,omitempty"`
}

// SessionStartOutput is the answer of a SessionStart hook.
type SessionStartOutput struct {
	CommonOutput
	InitialUserMessage string   `json:"initialUserMessage,omitempty"`
	SessionTitle       string   `json:"sessionTitle,omitempty"`
	WatchPaths         []string `json:"watchPaths,omitzero"`
	ReloadSkills       bool     `json:"reloadSkills,omitempty"`
}

// UserPromptSubmitOutput is the answer of a hook of UserPromptSubmit or UserPromptExpansion.
type UserPromptSubmitOutput struct {
	CommonOutput
	SessionTitle           string `json:"sessionTitle,omitempty"`
	SuppressOriginalPrompt bool   `json:"suppressOriginalPrompt,omitempty"` // leave the prompt out of the message about the block
}

// FileChangedOutput is the answer of a hook of CwdChanged or FileChanged.
type FileChangedOutput struct {
	CommonOutput
	WatchPaths []string `json:"watchPaths,omitzero"` // the watched paths; empty: watch none, nil: no change
}

// WorktreeCreateOutput is the answer of a WorktreeCreate hook.
type WorktreeCreateOutput struct {
	CommonOutput
	WorktreePath string `json:"worktreePath,omitempty"`
}

// ElicitationOutput is the answer of a hook of Elicitation or ElicitationResult. Action is
// accept, decline or cancel.
type ElicitationOutput struct {
	CommonOutput
	Action  string      `json:"action,omitempty"`
	Content wire.Object `json:"content,omitzero"`
}

// MessageDisplayOutput is the answer of a MessageDisplay hook.
type MessageDisplayOutput struct {
	CommonOutput
	DisplayContent *string `json:"displayContent,omitempty"`
}
