package claude

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/wire"
)

// CommonInput holds the members that the input of any event may have, in addition to the session's
// id and transcript. Hosts set those that they know.
type CommonInput struct {
	Cwd            string         `json:"cwd,omitempty"`             // the agent's current directory, in which hooks run; empty is the session's directory
	PermissionMode string         `json:"permission_mode,omitempty"` // default, plan, acceptEdits, auto, dontAsk or bypassPermissions
	PromptID       string         `json:"prompt_id,omitempty"`
	Effort         *Effort        `json:"effort,omitempty"`
	AgentID        string         `json:"agent_id,omitempty"`   // set inside a sub-agent
	AgentType      string         `json:"agent_type,omitempty"` // set inside a sub-agent, or in a session that has an agent type
	ScratchpadDir  string         `json:"scratchpad_dir,omitempty"`
	Extra          jsontext.Value `json:",embed"` // further members for the hooks; an object or nil
}

func (c *CommonInput) common() *CommonInput { return c }

// Effort holds the effort level of the model, low to max.
type Effort struct {
	Level string `json:"level"`
}

// PreToolUseInput is a tool call: the input of PreToolUse, and a part of the inputs of the other
// tool events.
type PreToolUseInput struct {
	CommonInput
	Name   string      `json:"tool_name"`
	Input  wire.Object `json:"tool_input"` // the tool's arguments, with absolute paths
	ID     string      `json:"tool_use_id,omitempty"`
	Server *Server     `json:"mcp_server,omitempty"` // the server of an MCP tool

	// OriginalInput holds the model's arguments after a hook has rewritten them; nil if none did.
	// Later hooks see both OriginalInput and Input.
	OriginalInput wire.Object `json:"snaphook_original_input,omitzero"`
}

// Server is an MCP server.
type Server struct {
	Name   string `json:"name"`
	Source string `json:"source,omitempty"`
}

func (c PreToolUseInput) check() error {
	if c.Name == "" {
		return fmt.Errorf("tool_name: missing; want the name of a tool")
	}
	return nil
}

func (c *PreToolUseInput) conditionInput() hook.ConditionInput {
	return hook.ConditionInput{Tool: c.Name, Input: c.Input}
}

// rewrite replaces the arguments of a call, and keeps the model's arguments in OriginalInput. It reports whether the
// arguments have changed. If to is nil, it changes nothing.
func (c *PreToolUseInput) rewrite(to wire.Object) bool {
	if to == nil || wire.Equal(jsontext.Value(to), jsontext.Value(c.Input)) {
		return false
	}
	if c.OriginalInput == nil {
		c.OriginalInput = original(c.Input)
	}
	c.Input = to
	return true
}

// PermissionRequestInput is the input of PermissionRequest.
type PermissionRequestInput struct {
	PreToolUseInput
	Suggestions []wire.Object `json:"permission_suggestions,omitempty"` // the permission rules that the dialog would offer
}

// PermissionDeniedInput is the input of PermissionDenied.
type PermissionDeniedInput struct {
	PreToolUseInput
	Reason string `json:"reason"`
}

// PostToolUseInput is the input of PostToolUse.
type PostToolUseInput struct {
	PreToolUseInput
	Response jsontext.Value `json:"tool_response,omitzero"` // the tool's result; any JSON
	Duration float64        `json:"duration_ms,omitzero"`
}

// PostToolUseFailureInput is the input of PostToolUseFailure.
type PostToolUseFailureInput struct {
	PreToolUseInput
	Error     string  `json:"error"`
	Interrupt bool    `json:"is_interrupt,omitzero"`
	Duration  float64 `json:"duration_ms,omitzero"`
}

// PostToolBatchInput is the input of PostToolBatch.
type PostToolBatchInput struct {
	CommonInput
	Calls []wire.Object `json:"tool_calls"` // {tool_name, tool_input, tool_use_id, tool_response} each
}

// SessionStartInput is the input of SessionStart. Source is startup, resume, clear, compact
// or fork.
type SessionStartInput struct {
	CommonInput
	Source string `json:"source"`
	Model  string `json:"model,omitempty"`
	Title  string `json:"session_title,omitempty"`

	// The next fields are set when a session continues after a break.
	Idle          float64 `json:"seconds_since_last_response,omitzero"`
	ContextTokens int     `json:"context_tokens,omitzero"`
	CacheExpired  bool    `json:"prompt_cache_likely_expired,omitzero"`
	CacheCost     float64 `json:"estimated_cache_write_usd,omitzero"`
}

// SetupInput is the input of Setup. Trigger is init or maintenance.
type SetupInput struct {
	CommonInput
	Trigger string `json:"trigger"`
}

// SessionEndInput is the input of SessionEnd. Reason is clear, logout, prompt_input_exit,
// resume or other.
type SessionEndInput struct {
	CommonInput
	Reason string `json:"reason"`
}

// UserPromptSubmitInput is the input of UserPromptSubmit.
type UserPromptSubmitInput struct {
	CommonInput
	Prompt string `json:"prompt"`
	Source string `json:"source,omitempty"`
	Title  string `json:"session_title,omitempty"`
}

// UserPromptExpansionInput is the input of UserPromptExpansion. Type is slash_command or
// mcp_prompt.
type UserPromptExpansionInput struct {
	CommonInput
	Type    string `json:"expansion_type"`
	Command string `json:"command_name"`
	Args    string `json:"command_args"`
	Source  string `json:"command_source,omitempty"`
	Prompt  string `json:"prompt"`
}

// StopInput is the input of Stop, and a part of the input of SubagentStop.
type StopInput struct {
	CommonInput
	Active  bool   `json:"stop_hook_active"` // a hook has already kept the agent going
	Message string `json:"last_assistant_message,omitempty"`

	Tasks []wire.Object `json:"background_tasks,omitempty"`
	Crons []wire.Object `json:"session_crons,omitempty"`
}

// SubagentStopInput is the input of SubagentStop; CommonInput identifies the agent.
type SubagentStopInput struct {
	StopInput
	Transcript string `json:"agent_transcript_path"`
}

// SubagentStartInput is the input of SubagentStart; CommonInput identifies the agent.
type SubagentStartInput struct{ CommonInput }

// StopFailureInput is the input of StopFailure.
type StopFailureInput struct {
	CommonInput
	Error   string `json:"error"` // rate_limit, overloaded, …
	Details string `json:"error_details,omitempty"`
	Message string `json:"last_assistant_message,omitempty"`
}

// TeammateIdleInput is the input of TeammateIdle.
type TeammateIdleInput struct {
	CommonInput
	Name string `json:"teammate_name"`
	Team string `json:"team_name,omitempty"`
}

// TaskCreatedInput is the input of TaskCreated and TaskCompleted.
type TaskCreatedInput struct {
	CommonInput
	ID          string `json:"task_id"`
	Subject     string `json:"task_subject"`
	Description string `json:"task_description,omitempty"`
	Teammate    string `json:"teammate_name,omitempty"`
	Team        string `json:"team_name,omitempty"`
}
