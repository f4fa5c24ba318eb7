package claude

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/wire"
)

// Common are the members that the input of any event may have, besides the
// session's id and transcript. Hosts give those they know of.
type Common struct {
	Cwd            string         `json:"cwd,omitempty"`             // where the agent works now, and the hooks run; empty is the session's directory
	PermissionMode string         `json:"permission_mode,omitempty"` // default, plan, acceptEdits, auto, dontAsk or bypassPermissions
	PromptID       string         `json:"prompt_id,omitempty"`
	Effort         *Effort        `json:"effort,omitempty"`
	AgentID        string         `json:"agent_id,omitempty"`   // inside a sub-agent
	AgentType      string         `json:"agent_type,omitempty"` // inside a sub-agent, or of a session that has one
	ScratchpadDir  string         `json:"scratchpad_dir,omitempty"`
	Extra          jsontext.Value `json:",embed"` // further members for the hooks; an object or nil
}

func (c *Common) common() *Common { return c }

// Effort is how hard the model works: low to max.
type Effort struct {
	Level string `json:"level"`
}

// Call is a tool call: the input of PreToolUse, and part of that of the other
// tool events.
type Call struct {
	Common
	Name   string      `json:"tool_name"`
	Input  wire.Object `json:"tool_input"` // its arguments; paths in it absolute
	ID     string      `json:"tool_use_id,omitempty"`
	Server *Server     `json:"mcp_server,omitempty"` // whose tool it is, of an MCP tool
}

// Server is an MCP server.
type Server struct {
	Name   string `json:"name"`
	Source string `json:"source,omitempty"`
}

func (c Call) check() error {
	if c.Name == "" {
		return fmt.Errorf("tool_name: missing; want the name of a tool")
	}
	return nil
}

// Asked is the input of PermissionRequest.
type Asked struct {
	Call
	Suggestions []wire.Object `json:"permission_suggestions,omitempty"` // the entries that the dialog would offer
}

// Denied is the input of PermissionDenied.
type Denied struct {
	Call
	Reason string `json:"reason"`
}

// Done is the input of PostToolUse.
type Done struct {
	Call
	Response jsontext.Value `json:"tool_response,omitzero"` // what the tool gave; any JSON
	Duration float64        `json:"duration_ms,omitzero"`
}

// Failed is the input of PostToolUseFailure.
type Failed struct {
	Call
	Error     string  `json:"error"`
	Interrupt bool    `json:"is_interrupt,omitzero"`
	Duration  float64 `json:"duration_ms,omitzero"`
}

// Batch is the input of PostToolBatch.
type Batch struct {
	Common
	Calls []wire.Object `json:"tool_calls"` // {tool_name, tool_input, tool_use_id, tool_response} each
}

// Start is the input of SessionStart. Source is startup, resume, clear, compact
// or fork.
type Start struct {
	Common
	Source string `json:"source"`
	Model  string `json:"model,omitempty"`
	Title  string `json:"session_title,omitempty"`

	// Of a session that goes on after a break.
	Idle          float64 `json:"seconds_since_last_response,omitzero"`
	ContextTokens int     `json:"context_tokens,omitzero"`
	CacheExpired  bool    `json:"prompt_cache_likely_expired,omitzero"`
	CacheCost     float64 `json:"estimated_cache_write_usd,omitzero"`
}

// Maintenance is the input of Setup. Trigger is init or maintenance.
type Maintenance struct {
	Common
	Trigger string `json:"trigger"`
}

// End is the input of SessionEnd. Reason is clear, logout, prompt_input_exit,
// resume or other.
type End struct {
	Common
	Reason string `json:"reason"`
}

// Prompt is the input of UserPromptSubmit.
type Prompt struct {
	Common
	Prompt string `json:"prompt"`
	Source string `json:"source,omitempty"`
	Title  string `json:"session_title,omitempty"`
}

// Expansion is the input of UserPromptExpansion. Type is slash_command or
// mcp_prompt.
type Expansion struct {
	Common
	Type    string `json:"expansion_type"`
	Command string `json:"command_name"`
	Args    string `json:"command_args"`
	Source  string `json:"command_source,omitempty"`
	Prompt  string `json:"prompt"`
}

// Stopping is the input of Stop, and part of that of SubagentStop.
type Stopping struct {
	Common
	Active  bool   `json:"stop_hook_active"` // a hook has already kept the agent going
	Message string `json:"last_assistant_message,omitempty"`

	Tasks []wire.Object `json:"background_tasks,omitempty"`
	Crons []wire.Object `json:"session_crons,omitempty"`
}

// SubagentStopping is the input of SubagentStop; the agent is in Common.
type SubagentStopping struct {
	Stopping
	Transcript string `json:"agent_transcript_path"`
}

// Subagent is the input of SubagentStart; the agent is in Common.
type Subagent struct{ Common }

// Failure is the input of StopFailure.
type Failure struct {
	Common
	Error   string `json:"error"` // rate_limit, overloaded, …
	Details string `json:"error_details,omitempty"`
	Message string `json:"last_assistant_message,omitempty"`
}

// Teammate is the input of TeammateIdle.
type Teammate struct {
	Common
	Name string `json:"teammate_name"`
	Team string `json:"team_name,omitempty"`
}

// Task is the input of TaskCreated and TaskCompleted.
type Task struct {
	Common
	ID          string `json:"task_id"`
	Subject     string `json:"task_subject"`
	Description string `json:"task_description,omitempty"`
	Teammate    string `json:"teammate_name,omitempty"`
	Team        string `json:"team_name,omitempty"`
}
