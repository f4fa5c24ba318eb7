package cursor

import (
	"errors"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/wire"
)

// Release is the release of Cursor in payloads if the host sets none, because scripts recognise Cursor by it.
const Release = "3.20.21"

// Version is a release of Cursor. The zero Version is sent as [Release].
type Version string

// MarshalText returns the version in the form that hooks get.
func (v Version) MarshalText() ([]byte, error) { return []byte(v.orRelease()), nil }

func (v Version) orRelease() string {
	if v == "" {
		return Release
	}
	return string(v)
}

// Text is a string in payloads. A JSON value that is not a string is read as its own JSON text:
// {"q": 1} becomes the string {"q":1}.
type Text string

// UnmarshalJSON reads any value.
func (t *Text) UnmarshalJSON(value []byte) error {
	if text, ok := wire.Text(value); ok {
		*t = Text(text)
		return nil
	}
	if jsontext.Value(value).Kind() == 'n' {
		*t = ""
		return nil
	}
	v := jsontext.Value(value).Clone()
	err := v.Compact()
	*t = Text(v)
	return err
}

// Host holds the facts about the host that each payload has.
type Host struct {
	Version   Version `json:"cursor_version"`
	UserEmail *string `json:"user_email"` // nil: no user is signed in
}

func (h *Host) host() *Host { return h }

// reporter is an input that has a Host.
type reporter interface{ host() *Host }

// Turn identifies the part of the conversation in which an event fires.
type Turn struct {
	Host
	GenerationID string       `json:"generation_id"`
	Model        string       `json:"model"`
	ModelID      string       `json:"model_id,omitzero"`
	ModelParams  []ModelParam `json:"model_params,omitzero"`
}

// ModelParam is a setting of the model.
type ModelParam struct {
	ID    string         `json:"id"`
	Value jsontext.Value `json:"value"`
}

// SessionStartInput is the input of sessionStart.
type SessionStartInput struct {
	Turn
	Background bool   `json:"is_background_agent"`
	Mode       string `json:"composer_mode,omitzero"`
}

// SessionEndInput is the input of sessionEnd.
type SessionEndInput struct {
	Turn
	Reason     string  `json:"reason"` // completed, aborted, error, window_close or user_close
	DurationMS float64 `json:"duration_ms"`
	Background bool    `json:"is_background_agent"`
	Status     string  `json:"final_status"`
	Error      string  `json:"error_message,omitzero"`
}

// Attachment is a file that a prompt refers to.
type Attachment struct {
	Type string `json:"type"` // file or rule
	Path string `json:"file_path"`
}

// BeforeSubmitPromptInput is the input of beforeSubmitPrompt.
type BeforeSubmitPromptInput struct {
	Turn
	Prompt      string       `json:"prompt"`
	Attachments []Attachment `json:"attachments"`
}

// Call is a call of a tool. A tool of an MCP server is called MCP:tool.
type Call struct {
	Tool  string      `json:"tool_name"`
	Input wire.Object `json:"tool_input"`
	ID    string      `json:"tool_use_id"`
	Cwd   string      `json:"cwd"`
}

func (c *Call) call() *Call { return c }

func (c *Call) check() error { return missing("tool_name", c.Tool) }

func missing(member, value string) error {
	if value == "" {
		return errors.New(member + " is missing")
	}
	return nil
}

// PreToolUseInput is the input of preToolUse.
type PreToolUseInput struct {
	Turn
	Call
	AgentMessage string `json:"agent_message,omitzero"`
}

// PostToolUseInput is the input of postToolUse.
type PostToolUseInput struct {
	Turn
	Call
	Output   Text    `json:"tool_output"`
	Duration float64 `json:"duration"` // in milliseconds
}

// PostToolUseFailureInput is the input of postToolUseFailure.
type PostToolUseFailureInput struct {
	Turn
	Call
	Error     string  `json:"error_message"`
	Failure   string  `json:"failure_type"` // error, timeout or permission_denied
	Duration  float64 `json:"duration"`     // in milliseconds
	Interrupt bool    `json:"is_interrupt"`
}

// BeforeShellExecutionInput is the input of beforeShellExecution.
type BeforeShellExecutionInput struct {
	Turn
	Command string `json:"command"`
	Cwd     string `json:"cwd"`
	Sandbox bool   `json:"sandbox"`
}

// AfterShellExecutionInput is the input of afterShellExecution.
type AfterShellExecutionInput struct {
	Turn
	Command  string  `json:"command"`
	Output   string  `json:"output"`
	Duration float64 `json:"duration"` // in milliseconds
	Sandbox  bool    `json:"sandbox"`
}

// BeforeMCPExecutionInput is the input of beforeMCPExecution. The tool's name has no prefix.
type BeforeMCPExecutionInput struct {
	Turn
	Tool      string `json:"tool_name"`
	Input     Text   `json:"tool_input"`
	Server    string `json:"mcp_server_name"`
	URL       string `json:"url,omitzero"` // for a server with a URL; hooks get the URL in two members
	ServerURL string `json:"mcp_server_url,omitzero"`
	Command   string `json:"command,omitzero"` // for a server that is a program
}

// AfterMCPExecutionInput is the input of afterMCPExecution.
type AfterMCPExecutionInput struct {
	Turn
	Tool      string  `json:"tool_name"`
	Input     Text    `json:"tool_input"`
	Server    string  `json:"mcp_server_name"`
	ServerURL string  `json:"mcp_server_url,omitzero"`
	Result    Text    `json:"result_json"`
	Duration  float64 `json:"duration"` // in milliseconds
}

// BeforeReadFileInput is the input of beforeReadFile.
type BeforeReadFileInput struct {
	Turn
	Path        string       `json:"file_path"`
	Content     string       `json:"content"`
	Attachments []Attachment `json:"attachments"`
}

// BeforeTabFileReadInput is the input of beforeTabFileRead.
type BeforeTabFileReadInput struct {
	Turn
	Path    string `json:"file_path"`
	Content string `json:"content"`
}

// Edit is a replacement in a file.
type Edit struct {
	Old string `json:"old_string"`
	New string `json:"new_string"`
}

// AfterFileEditInput is the input of afterFileEdit.
type AfterFileEditInput struct {
	Turn
	Path  string `json:"file_path"`
	Edits []Edit `json:"edits"`
}

// TabEdit is an edit of Cursor Tab.
type TabEdit struct {
	Edit
	Range   Range  `json:"range"`
	OldLine string `json:"old_line"`
	NewLine string `json:"new_line"`
}

// Range is a part of a file.
type Range struct {
	StartLine   int `json:"start_line_number"`
	StartColumn int `json:"start_column"`
	EndLine     int `json:"end_line_number"`
	EndColumn   int `json:"end_column"`
}

// AfterTabFileEditInput is the input of afterTabFileEdit.
type AfterTabFileEditInput struct {
	Turn
	Path  string    `json:"file_path"`
	Edits []TabEdit `json:"edits"`
}

// SubagentStartInput is the input of subagentStart.
type SubagentStartInput struct {
	Turn
	ID       string `json:"subagent_id"`
	Type     string `json:"subagent_type"` // generalPurpose, explore, shell …
	Task     string `json:"task"`
	Parent   string `json:"parent_conversation_id"`
	CallID   string `json:"tool_call_id"`
	SubModel string `json:"subagent_model"`
	Parallel bool   `json:"is_parallel_worker"`
	Branch   string `json:"git_branch,omitzero"`
}

// Ending describes how an agent is about to end. A follow-up has an effect only if Status is
// completed.
type Ending struct {
	Status string `json:"status"`     // completed, aborted or error
	Loops  int    `json:"loop_count"` // the number of follow-ups of hooks since the user's prompt

	// Uncounted is set by a host that only knows whether there was a follow-up, and sets Loops to 0 or 1. The session
	// then counts the follow-ups, and ignores a hook's follow-up once the hook's limit is reached.
	Uncounted bool `json:"-"`
}

func (e *Ending) end() *Ending { return e }

func (e *Ending) completed() bool { return e.Status == "completed" }

// loops returns the number of follow-ups as the input of the loop limit's condition.
func (e *Ending) loops() hook.ConditionInput {
	loops := e.Loops
	if e.Uncounted {
		loops = 0 // settle checks the limit instead
	}
	return hook.ConditionInput{Input: strconv.AppendInt(nil, int64(loops), 10)}
}

// ending is the input of stop and subagentStop.
type ending interface {
	end() *Ending
	completed() bool
	loops() hook.ConditionInput
}

// StopInput is the input of stop.
type StopInput struct {
	Turn
	Ending
}

// SubagentStopInput is the input of subagentStop.
type SubagentStopInput struct {
	Turn
	Ending
	Type        string   `json:"subagent_type"`
	Task        string   `json:"task"`
	Description string   `json:"description"`
	Summary     string   `json:"summary"`
	DurationMS  float64  `json:"duration_ms"`
	Messages    int      `json:"message_count"`
	ToolCalls   int      `json:"tool_call_count"`
	Modified    []string `json:"modified_files"`
	Transcript  *string  `json:"agent_transcript_path"`
}

// PreCompactInput is the input of preCompact.
type PreCompactInput struct {
	Turn
	Trigger    string  `json:"trigger"` // auto or manual
	Percent    float64 `json:"context_usage_percent"`
	Tokens     int     `json:"context_tokens"`
	WindowSize int     `json:"context_window_size"`
	Messages   int     `json:"message_count"`
	ToCompact  int     `json:"messages_to_compact"`
	First      bool    `json:"is_first_compaction"`
}

// AfterAgentResponseInput is the input of afterAgentResponse.
type AfterAgentResponseInput struct {
	Turn
	Text string `json:"text"`
}

// AfterAgentThoughtInput is the input of afterAgentThought.
type AfterAgentThoughtInput struct {
	Turn
	Text       string  `json:"text"`
	DurationMS float64 `json:"duration_ms,omitzero"`
}

// WorkspaceOpenInput is the input of workspaceOpen, which belongs to no conversation.
type WorkspaceOpenInput struct{ Host }
