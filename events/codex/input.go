package codex

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/wire"
)

// Mode is the permission mode: default, acceptEdits, plan, dontAsk or bypassPermissions. The zero
// Mode is sent as default.
type Mode string

// MarshalText returns the mode in the form that hooks get.
func (m Mode) MarshalText() ([]byte, error) {
	if m == "" {
		return []byte("default"), nil
	}
	return []byte(m), nil
}

// Agent identifies the sub-agent in which an event fires. It is empty outside of one.
type Agent struct {
	ID   string `json:"agent_id,omitzero"`
	Type string `json:"agent_type,omitzero"`
}

// Turn is the turn in which an event fires.
type Turn struct {
	TurnID string `json:"turn_id"`
	Model  string `json:"model"`
}

// SessionStartInput is the input of SessionStart.
type SessionStartInput struct {
	Model  string `json:"model"`
	Mode   Mode   `json:"permission_mode"`
	Source string `json:"source"` // startup, resume, clear, compact or fork
}

// SessionEndInput is the input of SessionEnd.
type SessionEndInput struct {
	Reason string `json:"reason"` // other
}

// UserPromptSubmitInput is the input of UserPromptSubmit.
type UserPromptSubmitInput struct {
	Turn
	Mode Mode `json:"permission_mode"`
	Agent
	Prompt string `json:"prompt"`
}

// Call is a call of a tool. The Input of Bash and apply_patch is {"command": "…"}; a tool of an MCP
// server is called mcp__server__tool.
type Call struct {
	Tool  string      `json:"tool_name"`
	Input wire.Object `json:"tool_input"`
}

func (c *Call) call() *Call { return c }

// check returns the mistake in the call, or nil.
func (c *Call) check() error {
	if c.Tool == "" {
		return fmt.Errorf("tool_name is missing")
	}
	return nil
}

// PreToolUseInput is the input of PreToolUse.
type PreToolUseInput struct {
	Turn
	Mode Mode `json:"permission_mode"`
	Agent
	Call
	ID string `json:"tool_use_id"`

	// Made means that the host made the call's Input from other arguments, and cannot convert a rewritten Input back: a
	// rewrite denies the call.
	Made bool `json:"-"`
}

// PermissionRequestInput is the input of PermissionRequest. The call's Input may have a description.
type PermissionRequestInput struct {
	Turn
	Mode Mode `json:"permission_mode"`
	Agent
	Call
}

// PostToolUseInput is the input of PostToolUse.
type PostToolUseInput struct {
	PreToolUseInput
	Response jsontext.Value `json:"tool_response"` // any JSON; nil is null
}

// PreCompactInput is the input of PreCompact, and of PostCompact.
type PreCompactInput struct {
	Turn
	Agent
	Trigger string `json:"trigger"` // manual or auto
}

// PostCompactInput is the input of PostCompact.
type PostCompactInput = PreCompactInput

// SubagentStartInput is the input of SubagentStart.
type SubagentStartInput struct {
	Turn
	Mode      Mode   `json:"permission_mode"`
	AgentID   string `json:"agent_id"`
	AgentType string `json:"agent_type"`
}

// SubagentStopInput is the input of SubagentStop. The transcript of the session is the parent's.
type SubagentStopInput struct {
	SubagentStartInput
	Transcript *string `json:"agent_transcript_path"`
	Active     bool    `json:"stop_hook_active"` // a hook has sent the agent back to work before
	Message    *string `json:"last_assistant_message"`
}

// StopInput is the input of Stop.
type StopInput struct {
	Turn
	Mode    Mode    `json:"permission_mode"`
	Active  bool    `json:"stop_hook_active"` // a hook has sent the agent back to work before
	Message *string `json:"last_assistant_message"`
}

// InterruptInput is the input of Interrupt.
type InterruptInput struct {
	Turn
	Mode Mode `json:"permission_mode"`
}
