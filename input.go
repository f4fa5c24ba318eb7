package snaphook

import "github.com/snaphook-go/snaphook/wire"

// Moment is a point in an agent's work at which hooks run.
type Moment uint8

// The moments. Each is a method of [Session], and has a function that adds hooks of
// the program, such as [OnBeforeTool].
const (
	Start         Moment = iota // a session begins, or goes on after a break
	Prompt                      // the user has sent a prompt
	BeforeModel                 // a request is about to go to the model
	AfterModel                  // the model has responded
	ToolChoice                  // the model is about to be given its tools
	BeforeTool                  // a tool is about to run
	AfterTool                   // a tool has finished, or has failed
	Permission                  // the user is about to be asked for a permission
	SubagentStart               // a sub-agent begins
	SubagentStop                // a sub-agent is about to end its answer
	Stop                        // the agent is about to end its answer
	BeforeCompact               // the conversation is about to be compacted
	AfterCompact                // the conversation has been compacted
	Notify                      // the user is notified
	End                         // a session ends
	moments                     // how many there are
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

// Object is the text of one JSON object, such as the arguments of a call. It is a
// []byte; package wire has its methods' details.
type Object = wire.Object

// ToolCall is a call that the model makes of a tool, in the host's words. It is
// never written to.
type ToolCall struct {
	ID    string
	Name  string
	Input wire.Object // the arguments, one JSON object; nil is {}

	// Original are the arguments that the model gave, where hooks have rewritten them;
	// nil if none did. Hooks of Claude Code and LLxprt see it beside the arguments, as
	// snaphook_original_input. [Session.RunTool] fills it in.
	Original wire.Object
}

// StartInput is the input of [Start]. Source is startup, which it is if empty,
// resume, clear, compact or fork.
type StartInput struct {
	Source string
	Model  string
}

// PromptInput is the input of [Prompt].
type PromptInput struct {
	Text string
}

// BeforeModelInput is the input of [BeforeModel]. The request has the form that
// LLxprt's hooks know: {"model", "messages": [{"role": "user", "model" or "system",
// "content"}], "config", "toolConfig"}; package events/llxprt/genai makes it of Google
// GenAI's.
type BeforeModelInput struct {
	Request wire.Object
}

// AfterModelInput is the input of [AfterModel], in the forms of LLxprt's hooks. The
// response is {"candidates": [{"content": {"role": "model", "parts": ["…"]}}]}.
type AfterModelInput struct {
	Request  wire.Object
	Response wire.Object
}

// ToolChoiceInput is the input of [ToolChoice]: the request that is about to offer
// tools. The verdict's Input has a toolConfig {"mode", "allowedFunctionNames"} if
// hooks restrict them, with the host's names.
type ToolChoiceInput struct {
	Request wire.Object
}

// AfterToolInput is the input of [AfterTool]. The arguments are those that the tool
// ran with.
type AfterToolInput struct {
	ToolCall
	Result ToolResult
}

// PermissionInput is the input of [Permission].
type PermissionInput struct {
	ToolCall
	Reason      string        // why the user is asked
	Suggestions []wire.Object // permission rules that the dialog would offer, as Claude Code writes them
}

// SubagentStartInput is the input of [SubagentStart].
type SubagentStartInput struct {
	ID   string
	Type string // the name of the kind of agent
}

// SubagentStopInput is the input of [SubagentStop].
type SubagentStopInput struct {
	ID         string
	Type       string
	Transcript string // of the sub-agent
	Answer     string
	Again      bool // hooks have already sent it back to work
}

// StopInput is the input of [Stop].
type StopInput struct {
	Answer string
	Again  bool   // hooks have already sent the agent back to work
	Prompt string // the question that the answer is to
}

// BeforeCompactInput is the input of [BeforeCompact]. Trigger is manual or auto, which
// it is if empty.
type BeforeCompactInput struct {
	Trigger      string
	Instructions string // the user's
}

// AfterCompactInput is the input of [AfterCompact].
type AfterCompactInput struct {
	Trigger string // manual or auto, which it is if empty
	Summary string
}

// NotifyInput is the input of [Notify]. Type is permission_prompt, idle_prompt or a
// word of the host's.
type NotifyInput struct {
	Type    string
	Title   string
	Message string
}

// EndInput is the input of [End]. Reason is clear, logout, prompt_input_exit, exit or
// other, which it is if empty.
type EndInput struct {
	Reason string
}
