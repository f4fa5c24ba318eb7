package copilot

import (
	"errors"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/wire"
)

// SessionStartInput is the input of SessionStart. Source is startup, resume or new.
type SessionStartInput struct {
	Source        string `json:"source"`
	InitialPrompt string `json:"initialPrompt,omitempty"`
}

// SessionEndInput is the input of SessionEnd. Reason is complete, error, abort, timeout or user_exit.
type SessionEndInput struct {
	Reason string `json:"reason"`
}

// UserPromptSubmittedInput is the input of UserPromptSubmitted.
type UserPromptSubmittedInput struct {
	Prompt string `json:"prompt"`
}

// UserPromptTransformedInput is the input of UserPromptTransformed.
type UserPromptTransformedInput struct {
	Prompt      string `json:"prompt"`
	Transformed string `json:"transformedPrompt"`
}

// PreToolUseInput is a tool call: the input of PreToolUse.
type PreToolUseInput struct {
	Name string         `json:"toolName"`
	Args jsontext.Value `json:"toolArgs,omitzero"`   // an object, its JSON text, or a text in the tool's own format
	ID   string         `json:"toolUseId,omitempty"` // only hooks of VS Code get it
	More []Call         `json:"toolCalls,omitempty"` // the calls of a turn, instead of a single call: see [Batch]
}

// Call is one of several calls that a host decides about at once.
type Call struct {
	ID   string         `json:"id,omitempty"`
	Name string         `json:"name"`
	Args jsontext.Value `json:"args,omitzero"` // JSON text as a string, or the arguments themselves
}

// between separates the names of several calls in the subject of matchers.
const between = "\x00"

// Batch returns the input for all calls of one turn. Each hook runs once for each call that its matcher accepts. One
// denied call denies all. Without a call no hook runs.
func Batch(calls ...Call) PreToolUseInput {
	if len(calls) == 1 {
		return PreToolUseInput{Name: calls[0].Name, Args: calls[0].Args, ID: calls[0].ID}
	}
	in := PreToolUseInput{Name: between, More: calls}
	for _, c := range calls {
		in.Name += c.Name + between
	}
	return in
}

// UnmarshalJSONFrom reads an input that has one call, or the member toolCalls.
func (in *PreToolUseInput) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	type plain PreToolUseInput
	var read struct {
		plain
		More *[]Call `json:"toolCalls"`
	}
	if err := json.UnmarshalDecode(d, &read); err != nil {
		return err
	}
	*in = PreToolUseInput(read.plain)
	if read.More != nil {
		*in = Batch(*read.More...)
	}
	return nil
}

func (in PreToolUseInput) check() error {
	for _, c := range in.More {
		if c.Name == "" {
			return errors.New("toolCalls: a call has no name")
		}
	}
	if in.Name == "" {
		return errors.New("toolName: missing; want the name of a tool")
	}
	return nil
}

// subjects splits a subject into the names of its calls.
func subjects(subject string) []string {
	if inner, many := strings.CutPrefix(subject, between); many {
		return strings.FieldsFunc(inner, func(c rune) bool { return c == 0 })
	}
	return []string{subject}
}

// PostToolUseInput is the input of PostToolUse.
type PostToolUseInput struct {
	Name   string         `json:"toolName"`
	Args   jsontext.Value `json:"toolArgs,omitzero"`
	ID     string         `json:"toolUseId,omitempty"`
	Result wire.Object    `json:"toolResult,omitzero"` // {resultType, textResultForLlm}
}

// PostToolUseFailureInput is the input of PostToolUseFailure.
type PostToolUseFailureInput struct {
	Name  string         `json:"toolName"`
	Args  jsontext.Value `json:"toolArgs,omitzero"`
	ID    string         `json:"toolUseId,omitempty"`
	Error string         `json:"error"`
}

// PermissionRequestInput is the input of PermissionRequest. No hook can approve an Input with
// requestSandboxBypass.
type PermissionRequestInput struct {
	Name        string        `json:"toolName"`
	Input       wire.Object   `json:"toolInput,omitzero"`
	Suggestions []wire.Object `json:"permissionSuggestions,omitzero"`
}

// AgentStopInput is the input of AgentStop.
type AgentStopInput struct {
	Transcript string `json:"transcriptPath,omitempty"`
	StopReason string `json:"stopReason,omitempty"`
	Active     bool   `json:"stop_hook_active"` // a hook has sent the agent back to work before
}

// SubagentStartInput is the input of SubagentStart.
type SubagentStartInput struct {
	Transcript  string `json:"transcriptPath,omitempty"`
	Name        string `json:"agentName"`
	DisplayName string `json:"agentDisplayName,omitempty"`
	Description string `json:"agentDescription,omitempty"`
}

// SubagentStopInput is the input of SubagentStop.
type SubagentStopInput struct {
	Transcript  string `json:"transcriptPath,omitempty"`
	ID          string `json:"agentId,omitempty"`
	Type        string `json:"agentType,omitempty"`
	Name        string `json:"agentName"`
	DisplayName string `json:"agentDisplayName,omitempty"`
	Response    string `json:"response"`
	StopReason  string `json:"stopReason,omitempty"`
}

// PreCompactInput is the input of PreCompact. Trigger is manual or auto.
type PreCompactInput struct {
	Transcript   string `json:"transcriptPath,omitempty"`
	Trigger      string `json:"trigger"`
	Instructions string `json:"customInstructions"`
}

// ErrorOccurredInput is the input of ErrorOccurred. Context is model_call, tool_execution, system or
// user_input.
type ErrorOccurredInput struct {
	Error       wire.Object `json:"error,omitzero"` // {message, name, stack}
	Context     string      `json:"errorContext,omitempty"`
	Recoverable bool        `json:"recoverable"`
}

// NotificationInput is the input of Notification. Type is shell_completed, agent_idle and the like.
type NotificationInput struct {
	Message string `json:"message"`
	Title   string `json:"title,omitempty"`
	Type    string `json:"notification_type"`
}
