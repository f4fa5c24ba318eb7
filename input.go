package snaphook

import "github.com/snaphook-go/snaphook/wire"

// Moment is a point in an agent's work at which hooks run.
type Moment uint8

// The moments. Each has a method of [Session], and a function such as [OnBeforeTool] that adds a hook of the program.
const (
	Start         Moment = iota // a session begins, or continues after a break
	Prompt                      // the user has sent a prompt
	BeforeModel                 // a request is about to be sent to the model
	AfterModel                  // the model has responded
	ToolChoice                  // tools are about to be offered to the model
	BeforeTool                  // a tool is about to run
	AfterTool                   // a tool has finished, or has failed
	Permission                  // the user is about to be asked for a permission
	SubagentStart               // a sub-agent begins
	SubagentStop                // a sub-agent is about to finish its answer
	Stop                        // the agent is about to finish its answer
	BeforeCompact               // the conversation is about to be compacted
	AfterCompact                // the conversation has been compacted
	Notify                      // the user is notified
	End                         // a session ends
	moments                     // the number of moments
)

var momentNames = [...]string{
	"Start", "Prompt", "BeforeModel", "AfterModel", "ToolChoice", "BeforeTool", "AfterTool", "Permission",
	"SubagentStart", "SubagentStop", "Stop", "BeforeCompact", "AfterCompact", "Notify", "End",
}

func (m Moment) String() string {
	if int(m) >= len(momentNames) {
		return "Moment(?)"
	}
	return momentNames[m]
}

// Object is the text of one JSON object, such as the arguments of a call. It is a []byte; package
// wire documents its methods.
type Object = wire.Object

// ToolCall is a model's call of a tool, with the host's names. Neither hooks nor this package write to it.
type ToolCall struct {
	ID    string      `json:"tool_use_id,omitzero"`
	Name  string      `json:"tool_name"`
	Input wire.Object `json:"tool_input"` // the arguments, one JSON object; nil is {}

	// Original holds the model's arguments if hooks have rewritten them, otherwise nil. Hooks of Claude Code and LLxprt
	// receive it as snaphook_original_input, besides the arguments. [Session.RunTool] sets it.
	Original wire.Object `json:"snaphook_original_input,omitzero"`
}

// StartInput is the input of [Start]. Source is startup, resume, clear, compact or fork; empty
// means startup.
type StartInput struct {
	Source string
	Model  string
}

// PromptInput is the input of [Prompt].
type PromptInput struct {
	Text string `json:"prompt"`
}

// BeforeModelInput is the input of [BeforeModel]. The request has the form that LLxprt's hooks expect: {"model",
// "messages": [{"role": "user", "model" or "system", "content"}], "config", "toolConfig"}; package events/llxprt/genai
// converts Google GenAI requests.
type BeforeModelInput struct {
	Request wire.Object
}

// AfterModelInput is the input of [AfterModel]. Request and response have the form that LLxprt's hooks expect; the
// response is {"candidates": [{"content": {"role": "model", "parts": ["…"]}}]}.
type AfterModelInput struct {
	Request  wire.Object
	Response wire.Object
}

// ToolChoiceInput is the input of [ToolChoice]: the request that is about to offer tools. If hooks
// restrict the tools, the verdict's Input has a toolConfig {"mode", "allowedFunctionNames"} with
// the host's names.
type ToolChoiceInput struct {
	Request wire.Object
}

// AfterToolInput is the input of [AfterTool]. The call's Input has the arguments with which the tool ran.
type AfterToolInput struct {
	ToolCall
	Result ToolResult
}

// PermissionInput is the input of [Permission].
type PermissionInput struct {
	ToolCall
	Reason      string        // the reason why the user is asked
	Suggestions []wire.Object // permission rules for the dialog to offer, as Claude Code writes them
}

// SubagentStartInput is the input of [SubagentStart].
type SubagentStartInput struct {
	ID   string `json:"agent_id,omitzero"`
	Type string `json:"agent_type"` // the name of the agent type
}

// SubagentStopInput is the input of [SubagentStop].
type SubagentStopInput struct {
	ID         string `json:"agent_id,omitzero"`
	Type       string `json:"agent_type"`
	Transcript string // the sub-agent's transcript file
	Answer     string
	Again      bool // hooks have already made the sub-agent continue
}

// StopInput is the input of [Stop].
type StopInput struct {
	Answer string
	Again  bool   // hooks have already made the agent continue
	Prompt string // the prompt that the agent answers
}

// BeforeCompactInput is the input of [BeforeCompact]. Trigger is manual or auto; empty means auto.
type BeforeCompactInput struct {
	Trigger      string
	Instructions string // from the user
}

// AfterCompactInput is the input of [AfterCompact].
type AfterCompactInput struct {
	Trigger string // manual or auto; empty means auto
	Summary string
}

// NotifyInput is the input of [Notify]. Type is permission_prompt, idle_prompt or a word that the
// host chooses.
type NotifyInput struct {
	Type    string
	Title   string
	Message string
}

// EndInput is the input of [End]. Reason is clear, logout, prompt_input_exit, exit or other; empty
// means other.
type EndInput struct {
	Reason string
}
