package claude

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/wire"
)

// Own is what every event's own part has.
type Own struct {
	HookEventName string         `json:"hookEventName,omitempty"`
	Extra         jsontext.Value `json:",embed"` // members that nobody knows

	// TerminalSequence is for the user's terminal; on the wire it stands beside
	// hookSpecificOutput. Of several hooks, all count in their order.
	TerminalSequence string `json:"-"`

	// Kept are the files with the whole of texts that were cut.
	Kept []string `json:"-"`

	hushed bool // nobody is told the reason
}

func (o *Own) own() *Own { return o }

// Plain is the own part of events that have none.
type Plain struct{ Own }

// Gate is what a PreToolUse hook can say besides the common fields (C52).
type Gate struct {
	Own

	// PermissionDecision is allow, deny, ask or defer. Silence is no decision:
	// the normal permission flow follows.
	PermissionDecision       hook.Decision `json:"permissionDecision,omitempty"`
	PermissionDecisionReason string        `json:"permissionDecisionReason,omitempty"`
	UpdatedInput             wire.Object   `json:"updatedInput,omitzero"` // takes the place of all arguments
}

// SwitchGate is what a PreModelSwitch hook can say.
type SwitchGate struct {
	Own
	PermissionDecision       hook.Decision `json:"permissionDecision,omitempty"` // allow, deny or ask
	PermissionDecisionReason string        `json:"permissionDecisionReason,omitempty"`
}

// Permission is what a PermissionRequest hook can say (C53).
type Permission struct {
	Own
	Decision *Grant `json:"decision,omitempty"`
}

// Grant answers a permission dialog. Behavior is allow or deny.
type Grant struct {
	Behavior           string        `json:"behavior"`
	UpdatedInput       wire.Object   `json:"updatedInput,omitzero"`        // with allow
	UpdatedPermissions []wire.Object `json:"updatedPermissions,omitempty"` // with allow
	Message            string        `json:"message,omitempty"`            // with deny, for the model
	Interrupt          bool          `json:"interrupt,omitempty"`          // with deny: the agent stops
}

// Retry is what a PermissionDenied hook can say.
type Retry struct {
	Own
	Retry bool `json:"retry,omitempty"` // the model may try again
}

// Edit is what a PostToolUse hook can say.
type Edit struct {
	Own
	UpdatedToolOutput    jsontext.Value `json:"updatedToolOutput,omitzero"`    // what the model sees in place of the tool's
	UpdatedMCPToolOutput jsontext.Value `json:"updatedMCPToolOutput,omitzero"` // the same, for MCP tools alone
	ClassifierContext    string         `json:"classifierContext,omitempty"`
}

// Opening is what a SessionStart hook can say.
type Opening struct {
	Own
	InitialUserMessage string   `json:"initialUserMessage,omitempty"`
	SessionTitle       string   `json:"sessionTitle,omitempty"`
	WatchPaths         []string `json:"watchPaths,omitzero"`
	ReloadSkills       bool     `json:"reloadSkills,omitempty"`
}

// PromptGate is what a hook of UserPromptSubmit or UserPromptExpansion can say.
type PromptGate struct {
	Own
	SessionTitle           string `json:"sessionTitle,omitempty"`
	SuppressOriginalPrompt bool   `json:"suppressOriginalPrompt,omitempty"` // leave the prompt out of the message about the block
}

// Watch is what a hook of CwdChanged or FileChanged can say.
type Watch struct {
	Own
	WatchPaths []string `json:"watchPaths,omitzero"` // replaces the list; empty clears it, nil keeps it
}

// Path is what a WorktreeCreate hook says.
type Path struct {
	Own
	WorktreePath string `json:"worktreePath,omitempty"`
}

// Reply is what a hook of Elicitation or ElicitationResult can say. Action is
// accept, decline or cancel.
type Reply struct {
	Own
	Action  string      `json:"action,omitempty"`
	Content wire.Object `json:"content,omitzero"`
}

// Display is what a MessageDisplay hook can say.
type Display struct {
	Own
	DisplayContent *string `json:"displayContent,omitempty"`
}
