package claude

import (
	"github.com/go-json-experiment/json/jsontext"
	"github.com/samber/lo"

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

func (g *PreToolUseOutput) check() error {
	if g.PermissionDecision == "" {
		return nil
	}
	return oneOf("hookSpecificOutput.permissionDecision", string(g.PermissionDecision), "allow", "deny", "ask", "defer")
}

func (g *PreToolUseOutput) decide(d *hook.Decision, reason *string) {
	decidePermission(g.PermissionDecision, g.PermissionDecisionReason, d, reason)
}

func (g *PreToolUseOutput) effects(e *Effects) {
	e.PermissionDecision = lo.EmptyableToPtr(g.PermissionDecision)
	e.UpdatedInput = jsontext.Value(g.UpdatedInput)
}

// PreModelSwitchOutput is the answer of a PreModelSwitch hook.
type PreModelSwitchOutput struct {
	CommonOutput
	PermissionDecision       hook.Decision `json:"permissionDecision,omitempty"` // allow, deny or ask
	PermissionDecisionReason string        `json:"permissionDecisionReason,omitempty"`
}

func (g *PreModelSwitchOutput) check() error {
	if g.PermissionDecision == "" {
		return nil
	}
	return oneOf("hookSpecificOutput.permissionDecision", string(g.PermissionDecision), "allow", "deny", "ask")
}

func (g *PreModelSwitchOutput) decide(d *hook.Decision, reason *string) {
	decidePermission(g.PermissionDecision, g.PermissionDecisionReason, d, reason)
}

func (g *PreModelSwitchOutput) effects(e *Effects) {
	e.PermissionDecision = lo.EmptyableToPtr(g.PermissionDecision)
}

// PermissionRequestOutput is the answer of a PermissionRequest hook (C53).
type PermissionRequestOutput struct {
	CommonOutput
	Decision *Grant `json:"decision,omitempty"`
}

func (p *PermissionRequestOutput) check() error {
	if p.Decision == nil {
		return nil
	}
	return oneOf("hookSpecificOutput.decision.behavior", p.Decision.Behavior, "allow", "deny")
}

func (p *PermissionRequestOutput) decide(d *hook.Decision, reason *string) {
	if p.Decision != nil {
		*d, *reason = hook.Decision(p.Decision.Behavior), p.Decision.Message
	}
}

func (p *PermissionRequestOutput) effects(e *Effects) {
	if d := p.Decision; d != nil {
		e.PermissionBehavior = &d.Behavior
		e.UpdatedInput, e.UpdatedPermissions = jsontext.Value(d.UpdatedInput), list(d.UpdatedPermissions)
		e.Interrupt = lo.EmptyableToPtr(d.Interrupt)
	}
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

func (r *PermissionDeniedOutput) effects(e *Effects) { e.Retry = lo.EmptyableToPtr(r.Retry) }

// PostToolUseOutput is the answer of a PostToolUse hook.
type PostToolUseOutput struct {
	CommonOutput
	UpdatedToolOutput jsontext.Value `json:"updatedToolOutput,omitzero"` // the model sees this in place of the tool's output
	// the older UpdatedToolOutput, only for tools of MCP servers
	UpdatedMCPToolOutput jsontext.Value `json:"updatedMCPToolOutput,omitzero"`
	ClassifierContext    string         `json:"classifierContext,omitempty"`
}

func (d *PostToolUseOutput) effects(e *Effects) {
	e.UpdatedToolOutput, e.ClassifierContext = d.UpdatedToolOutput, some(d.ClassifierContext)
}

// SessionStartOutput is the answer of a SessionStart hook.
type SessionStartOutput struct {
	CommonOutput
	InitialUserMessage string   `json:"initialUserMessage,omitempty"`
	SessionTitle       string   `json:"sessionTitle,omitempty"`
	WatchPaths         []string `json:"watchPaths,omitzero"`
	ReloadSkills       bool     `json:"reloadSkills,omitempty"`
}

func (o *SessionStartOutput) effects(e *Effects) {
	e.InitialUserMessage, e.SessionTitle = some(o.InitialUserMessage), some(o.SessionTitle)
	e.WatchPaths, e.ReloadSkills = list(o.WatchPaths), lo.EmptyableToPtr(o.ReloadSkills)
}

// UserPromptSubmitOutput is the answer of a hook of UserPromptSubmit or UserPromptExpansion.
type UserPromptSubmitOutput struct {
	CommonOutput
	SessionTitle           string `json:"sessionTitle,omitempty"`
	SuppressOriginalPrompt bool   `json:"suppressOriginalPrompt,omitempty"` // leave the prompt out of the message about the block
}

func (g *UserPromptSubmitOutput) effects(e *Effects) {
	e.SessionTitle, e.SuppressOriginalPrompt = some(g.SessionTitle), lo.EmptyableToPtr(g.SuppressOriginalPrompt)
}

// FileChangedOutput is the answer of a hook of CwdChanged or FileChanged.
type FileChangedOutput struct {
	CommonOutput
	WatchPaths []string `json:"watchPaths,omitzero"` // the watched paths; empty: watch none, nil: no change
}

func (w *FileChangedOutput) effects(e *Effects) { e.WatchPaths = list(w.WatchPaths) }

// WorktreeCreateOutput is the answer of a WorktreeCreate hook.
type WorktreeCreateOutput struct {
	CommonOutput
	WorktreePath string `json:"worktreePath,omitempty"`
}

func (p *WorktreeCreateOutput) effects(e *Effects) { e.WorktreePath = some(p.WorktreePath) }

// ElicitationOutput is the answer of a hook of Elicitation or ElicitationResult. Action is
// accept, decline or cancel.
type ElicitationOutput struct {
	CommonOutput
	Action  string      `json:"action,omitempty"`
	Content wire.Object `json:"content,omitzero"`
}

func (r *ElicitationOutput) check() error {
	if r.Action == "" {
		return nil
	}
	return oneOf("hookSpecificOutput.action", r.Action, "accept", "decline", "cancel")
}

func (r *ElicitationOutput) effects(e *Effects) {
	if r.Action != "" {
		e.Elicitation = &ElicitedAnswer{Action: r.Action, Content: r.Content}
	}
}

// MessageDisplayOutput is the answer of a MessageDisplay hook.
type MessageDisplayOutput struct {
	CommonOutput
	DisplayContent *string `json:"displayContent,omitempty"`
}

func (d *MessageDisplayOutput) effects(e *Effects) { e.DisplayContent = d.DisplayContent }
