package xcsh

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/reducers"
	"github.com/snaphook-go/snaphook/wire"
)

// The events of the agent (X25).
var (
	// Context fires before every request to the model, with the messages of that request. Each handler gets the
	// messages as changed by the previous handler; a nil result keeps them, and an empty list removes them.
	// [ApplyContext] applies the result. The session's own messages do not change.
	Context *Event[ContextEvent, ContextResult] = declare(pipeline.Spec[ContextEvent, ContextResult]{
		Name:  "context",
		Doc:   "before every request to the model",
		Can:   pipeline.CanRewriteInput,
		Check: ContextEvent.check,
		Chain: func(e ContextEvent, o hook.Output[ContextResult]) ContextEvent {
			if o.Specific.Messages != nil {
				e.Messages = o.Specific.Messages
			}
			return e
		},
		Reduce: reducers.LastWhole(func(o *hook.Output[ContextResult]) bool { return o.Specific.Messages != nil }),
	}, nil).counting(func(r, changed *ContextResult) *ContextResult {
		if r == nil || r.Messages == nil {
			return changed
		}
		return r
	}, "messages")

	// BeforeAgentStart fires when the user has sent a prompt. The first result with a message is used; the remaining
	// handlers run nevertheless. In the extension runtime every message is used.
	BeforeAgentStart *Event[BeforeAgentStartEvent, BeforeAgentStartResult] = declare(
		pipeline.Spec[BeforeAgentStartEvent, BeforeAgentStartResult]{
			Name: "before_agent_start",
			Doc:  "when the user has sent a prompt, before the agent works on it",
			Can:  pipeline.CanAddContext,
			Refine: func(_ *pipeline.Session, _ *BeforeAgentStartEvent, r *hook.Report[BeforeAgentStartResult]) {
				if r.Output.Specific.SystemPrompt != nil {
					r.Notes = append(r.Notes, `"systemPrompt" of its result has no effect in the hook runtime; `+
						`return a message, or run the module in the extension runtime`)
				}
			},
			Reduce: reducers.FirstWhole(
				func(o *hook.Output[BeforeAgentStartResult]) bool { return o.Specific.Message != nil },
			),
		}, nil, collectMessages)

	AgentStart *Notice[AgentStartEvent] = notice[AgentStartEvent](
		"agent_start", "when the agent begins to work on a prompt")
	AgentEnd *Notice[AgentEndEvent] = notice[AgentEndEvent](
		"agent_end", "when the agent is done with a prompt")
	TurnStart           *Notice[TurnStartEvent]           = notice[TurnStartEvent]("turn_start", "when a turn begins")
	TurnEnd             *Notice[TurnEndEvent]             = notice[TurnEndEvent]("turn_end", "when a turn is done")
	AutoCompactionStart *Notice[AutoCompactionStartEvent] = notice[AutoCompactionStartEvent](
		"auto_compaction_start", "when the host begins to compact on its own")
	AutoCompactionEnd *Notice[AutoCompactionEndEvent] = notice[AutoCompactionEndEvent](
		"auto_compaction_end", "when the host has compacted on its own")
	AutoRetryStart *Notice[AutoRetryStartEvent] = notice[AutoRetryStartEvent](
		"auto_retry_start", "before the host asks a model again after a failure")
	AutoRetryEnd *Notice[AutoRetryEndEvent] = notice[AutoRetryEndEvent](
		"auto_retry_end", "when the host's retries have ended, by success or by giving up")
	TTSRTriggered *Notice[TTSRTriggeredEvent] = notice[TTSRTriggeredEvent](
		"ttsr_triggered", "when a rule has interrupted the model")
	TodoReminder *Notice[TodoReminderEvent] = notice[TodoReminderEvent](
		"todo_reminder", "when the agent is reminded of its remaining tasks")
)

// collectMessages sets the rules of the extension runtime: every message is used, and each handler gets the system
// prompt as changed by the previous handler.
func collectMessages(ev *pipeline.Spec[BeforeAgentStartEvent, BeforeAgentStartResult]) {
	ev.Chain = func(e BeforeAgentStartEvent, o hook.Output[BeforeAgentStartResult]) BeforeAgentStartEvent {
		if o.Specific.SystemPrompt != nil {
			e.SystemPrompt = *o.Specific.SystemPrompt
		}
		return e
	}
	ev.Refine = unless[BeforeAgentStartEvent](
		func(r *BeforeAgentStartResult) bool { return r.Message == nil && r.SystemPrompt == nil },
	)
	ev.Reduce = reducers.Gather(func(all *BeforeAgentStartResult, one BeforeAgentStartResult) {
		if one.Message != nil {
			all.Messages = append(all.Messages, *one.Message)
		}
		if one.SystemPrompt != nil {
			all.SystemPrompt = one.SystemPrompt
		}
	})
}

// ContextEvent holds the messages of one request.
type ContextEvent struct {
	Messages []Message `json:"messages"`
}

func (e ContextEvent) check() error {
	if e.Messages == nil {
		return missing("messages")
	}
	return nil
}

func (e *ContextEvent) own() {
	e.Messages = ownObjects(e.Messages, func(m *Message) *wire.Object { return &m.Object })
}

func (e *ContextEvent) changed(from *ContextEvent) []string {
	return differing("messages", slices.EqualFunc(e.Messages, from.Messages,
		func(a, b Message) bool { return bytes.Equal(a.Object, b.Object) }))
}

// ContextResult holds the messages to send in place of the event's; nil keeps the event's messages.
type ContextResult struct {
	Messages []Message `json:"messages,omitzero"`
}

// ApplyContext returns the messages to send: the messages of the result or, if it has none, the messages of the fired
// event. It changes neither list.
func ApplyContext(messages []Message, r *ContextResult) []Message {
	if r == nil || r.Messages == nil {
		return messages
	}
	return slices.Clone(r.Messages)
}

// BeforeAgentStartEvent holds the user's prompt.
type BeforeAgentStartEvent struct {
	Prompt       string `json:"prompt"` // with references expanded
	Images       []Part `json:"images,omitzero"`
	SystemPrompt string `json:"systemPrompt,omitzero"` // in the extension runtime alone
}

func (e *BeforeAgentStartEvent) changed(from *BeforeAgentStartEvent) []string {
	return differing("prompt", e.Prompt == from.Prompt, "systemPrompt", e.SystemPrompt == from.SystemPrompt)
}

// BeforeAgentStartResult adds a message to the prompt. In the extension runtime a handler can also replace the system
// prompt, and the result of a fire has Messages in place of Message.
type BeforeAgentStartResult struct {
	Message      *CustomMessage  `json:"message,omitzero"`
	SystemPrompt *string         `json:"systemPrompt,omitzero"`
	Messages     []CustomMessage `json:"messages,omitzero"`
}

// AgentStartEvent has no members.
type AgentStartEvent struct{}

// AgentEndEvent holds the messages that the agent has produced.
type AgentEndEvent struct {
	Messages []Message `json:"messages"`
}

// TurnStartEvent counts the turns of a prompt from 0.
type TurnStartEvent struct {
	TurnIndex int   `json:"turnIndex"`
	Timestamp int64 `json:"timestamp"` // milliseconds since 1970
}

// TurnEndEvent holds the assistant's message, and the results of its tools.
type TurnEndEvent struct {
	TurnIndex   int       `json:"turnIndex"`
	Message     Message   `json:"message"`
	ToolResults []Message `json:"toolResults"`
}

// AutoCompactionStartEvent holds the reason of a compaction, and the action.
type AutoCompactionStartEvent struct {
	Reason string `json:"reason"` // "threshold", "overflow", "idle"
	Action string `json:"action"` // "context-full", "handoff"
}

// AutoCompactionEndEvent holds the result of a compaction.
type AutoCompactionEndEvent struct {
	Action       string         `json:"action"`
	Result       jsontext.Value `json:"result,omitzero"`
	Aborted      bool           `json:"aborted"`
	WillRetry    bool           `json:"willRetry"`
	ErrorMessage string         `json:"errorMessage,omitzero"`
	Skipped      bool           `json:"skipped,omitzero"`
}

// AutoRetryStartEvent counts attempts from 1.
type AutoRetryStartEvent struct {
	Attempt      int    `json:"attempt"`
	MaxAttempts  int    `json:"maxAttempts"`
	DelayMS      int64  `json:"delayMs"`
	ErrorMessage string `json:"errorMessage"`
}

// AutoRetryEndEvent holds the result of a retry.
type AutoRetryEndEvent struct {
	Success    bool   `json:"success"`
	Attempt    int    `json:"attempt"`
	FinalError string `json:"finalError,omitzero"`
}

// TTSRTriggeredEvent lists the rules that interrupted the model.
type TTSRTriggeredEvent struct {
	Rules []Rule `json:"rules"`
}

// Rule is a rule of the host.
type Rule struct {
	Name          string         `json:"name"`
	Path          string         `json:"path"`
	Content       string         `json:"content"`
	Globs         []string       `json:"globs,omitzero"`
	AlwaysApply   bool           `json:"alwaysApply,omitzero"`
	Description   string         `json:"description,omitzero"`
	Condition     jsontext.Value `json:"condition,omitzero"`
	Scope         jsontext.Value `json:"scope,omitzero"`
	InterruptMode string         `json:"interruptMode,omitzero"`
}

// TodoReminderEvent lists the open items.
type TodoReminderEvent struct {
	Todos       []Todo `json:"todos"`
	Attempt     int    `json:"attempt"`
	MaxAttempts int    `json:"maxAttempts"`
}

// Todo is one item of the list.
type Todo struct {
	ID      string         `json:"id"`
	Content string         `json:"content"`
	Status  string         `json:"status"`
	Notes   jsontext.Value `json:"notes,omitzero"`
	Details jsontext.Value `json:"details,omitzero"`
}
