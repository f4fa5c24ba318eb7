// Package llxprt is the hook system of LLxprt Code, and with it that of
// Gemini CLI, whose hooks speak the same protocol: eleven events, command
// hooks, three merge strategies (docs/spec/llxprt.md).
//
// The package is declarations: [Dialect], one variable for each event, and
// the types of their inputs and outputs. [Settings] reads the settings files,
// and the Apply functions say what a caller has to do with a result.
package llxprt

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/match"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/reducers"
	"github.com/snaphook-go/snaphook/wire"
)

// Dialect is the LLxprt system: exit status 0 is read, 2 refuses, anything
// else warns and lets the action go ahead (L29, L30); 60 seconds for each
// hook (L23); timeouts in milliseconds; matchers are compared with
// the tool's name as regular expressions (L10).
var Dialect = &pipeline.Dialect{
	Name: "llxprt",
	Unit: time.Millisecond,
	Rules: pipeline.Rules{
		Exits:   hook.Exits{0: hook.ParseAnswer, 2: hook.ParseAndDeny},
		Match:   match.Tool,
		Timeout: 60 * time.Second,
	},
	Base:      base,
	BaseNames: []string{"session_id", "transcript_path", "cwd", "hook_event_name", "timestamp"},
}

// base appends the members that every payload has (L15, L16).
func base(dst []byte, event string, now time.Time) []byte {
	dst = append(dst, `,"hook_event_name":`...)
	dst = append(dst, wire.Quote(event)...)
	dst = append(dst, `,"timestamp":"`...)
	dst = now.UTC().AppendFormat(dst, "2006-01-02T15:04:05.000Z")
	return append(dst, '"')
}

// Matchers of events other than the tool events.
var (
	everything = pipeline.Rules{Match: func(string) (hook.Matcher, string) { return nil, "" }}
)

// equal is a matcher that has to be one of the words of an event; another never
// matches, which its note says.
func equal(words ...string) pipeline.Rules {
	return pipeline.Rules{Match: func(pattern string) (hook.Matcher, string) {
		m := match.Trigger(pattern)
		word, exact := m.(match.Exact)
		if !exact || slices.Contains(words, string(word)) {
			return m, ""
		}
		return m, fmt.Sprintf(
			"%q never matches: here a matcher is one whole word, no regular expression; write one of: %s, each in a group of its own",
			word,
			strings.Join(words, ", "),
		)
	}}
}

// BeforeTool fires before a tool runs (L48). A block keeps the tool
// from running, and the model sees the reason. [ApplyBeforeTool] applies the
// result.
var BeforeTool *pipeline.Event[BeforeToolInput, BeforeToolOutput] = declare(
	candor{asks: true},
	pipeline.Spec[BeforeToolInput, BeforeToolOutput]{
		Name:        "BeforeTool",
		Doc:         "before a tool runs",
		Can:         pipeline.CanBlock | pipeline.CanRewriteInput | pipeline.CanStop,
		Subject:     func(c *BeforeToolInput) *string { return &c.Name },
		SubjectName: "tool_name",
		Check:       BeforeToolInput.check,
		Chain: func(c BeforeToolInput, o hook.Output[BeforeToolOutput]) BeforeToolInput {
			c.Input = c.Input.Merge(o.Specific.ToolInput) // and no more: the payload is LLxprt's to the letter
			return c
		},
		Rewrites: func(o *hook.Output[BeforeToolOutput]) wire.Object { return o.Specific.ToolInput },
		Rewritten: func(c BeforeToolInput, o *hook.Output[BeforeToolOutput]) (BeforeToolInput, bool) {
			ok := c.rewrite(c.Input.Merge(o.Specific.ModifiedToolInput()))
			return c, ok
		},
		Unrewritten: keepsCall,
		Blocks:      gateBlocks,
		Reduce:      mergeGates,
		Conclude:    concludeCall,
		Effects:     gateEffects,
	},
)

// AfterTool fires when a tool has finished, before the model sees what it
// gave (L49). A denial, by decision or by exit status 2, undoes nothing:
// the model sees its reason beside the result. [ApplyAfterTool] applies the
// result.
var AfterTool *pipeline.Event[AfterToolInput, AfterToolOutput] = declare(
	candor{},
	pipeline.Spec[AfterToolInput, BasicOutput]{
		Name:        "AfterTool",
		Doc:         "when a tool has finished, before the model sees its result",
		Can:         pipeline.CanStop | pipeline.CanAddContext,
		Subject:     func(d *AfterToolInput) *string { return &d.Name },
		SubjectName: "tool_name",
		Check:       AfterToolInput.check,
		Reduce:      reducers.BlockWins(addPlain),
		Conclude:    concludeDone,
		Effects:     toolDoneEffects,
	},
)

// BeforeModel fires before a request goes to the model (L50). A
// block keeps the model from being called; a response given with it, or
// without, takes the place of the model's. [ApplyBeforeModel] applies the
// result.
var BeforeModel *pipeline.Event[BeforeModelInput, BeforeModelOutput] = declare(
	candor{},
	pipeline.Spec[BeforeModelInput, BeforeModelOutput]{
		Name:      "BeforeModel",
		Doc:       "before a request goes to the model",
		Can:       pipeline.CanBlock | pipeline.CanRewriteInput | pipeline.CanStop | pipeline.CanAddContext,
		Rules:     everything,
		Check:     BeforeModelInput.check,
		Chain:     chainModel,
		Rewrites:  func(o *hook.Output[BeforeModelOutput]) wire.Object { return o.Specific.Request },
		Rewritten: rewrittenRequest, Unrewritten: keepsRequest,
		Reduce:  reducers.Replace(addModelGate),
		Effects: modelGateEffects,
	},
)

// AfterModel fires once the model has responded in full (L51).
// [ApplyAfterModel] applies the result.
var AfterModel *pipeline.Event[AfterModelInput, AfterModelOutput] = declare(
	candor{denied: "the response goes on; \"continue\": false stops the agent", gemini: true},
	pipeline.Spec[AfterModelInput, AfterModelOutput]{
		Name:     "AfterModel",
		Doc:      "when the model has responded, before the agent reads the response",
		Can:      pipeline.CanRewriteOutput | pipeline.CanStop,
		Rules:    everything,
		Check:    AfterModelInput.check,
		Rewrites: func(o *hook.Output[AfterModelOutput]) wire.Object { return o.Specific.Response },
		Reduce:   reducers.Replace(addModelEdit),
		Conclude: concludeEdit,
		Effects:  modelEditEffects,
	},
)

// BeforeToolSelection fires before the request that tells the model its tools
// (L52). Hooks restrict the tools; they cannot block.
// [ApplyBeforeToolSelection] applies the result.
var BeforeToolSelection *pipeline.Event[BeforeToolSelectionInput, BeforeToolSelectionOutput] = declare(
	candor{denied: "the model is told its tools; the mode NONE takes them away"},
	pipeline.Spec[BeforeModelInput, BeforeToolSelectionOutput]{
		Name:    "BeforeToolSelection",
		Doc:     "before the model is told its tools",
		Can:     pipeline.CanSelectTools | pipeline.CanStop,
		Rules:   everything,
		Check:   BeforeModelInput.check,
		Blocks:  func(*hook.Output[BeforeToolSelectionOutput]) bool { return false },
		Reduce:  uniteTools,
		Effects: toolChoiceEffects,
	},
)

// BeforeAgent fires when the user has sent a prompt, before the agent works on
// it. [ApplyBeforeAgent] applies the result.
var BeforeAgent *pipeline.Event[BeforeAgentInput, BeforeAgentOutput] = declare(
	candor{},
	pipeline.Spec[BeforeAgentInput, BasicOutput]{
		Name:    "BeforeAgent",
		Doc:     "when the user has sent a prompt, before the agent works on it",
		Can:     pipeline.CanBlock | pipeline.CanStop | pipeline.CanAddContext,
		Rules:   everything,
		Chain:   chainPrompt,
		Reduce:  reducers.BlockWins(addPlain),
		Effects: plainEffects[BeforeAgentInput],
	},
)

// AfterAgent fires when the agent has answered. A block sends the reason back
// to it, as a prompt. [ApplyAfterAgent] applies the result.
var AfterAgent *pipeline.Event[AfterAgentInput, AfterAgentOutput] = declare(
	candor{},
	pipeline.Spec[AfterAgentInput, AfterAgentOutput]{
		Name:    "AfterAgent",
		Doc:     "when the agent has answered",
		Can:     pipeline.CanBlock | pipeline.CanStop | pipeline.CanAddContext,
		Rules:   everything,
		Reduce:  reducers.BlockWins(addAgentEnd),
		Effects: agentEndEffects,
	},
)

// SessionStart fires when a session begins or is taken up again. Its contexts
// go to the model.
var SessionStart *pipeline.Event[SessionStartInput, SessionStartOutput] = declare(
	candor{denied: "the session starts; \"continue\": false stops it"},
	pipeline.Spec[SessionStartInput, BasicOutput]{
		Name:        "SessionStart",
		Doc:         "when a session begins or is taken up again",
		Can:         pipeline.CanStop | pipeline.CanAddContext,
		Rules:       equal("startup", "resume", "clear", "compress"),
		Subject:     func(s *SessionStartInput) *string { return &s.Source },
		SubjectName: "source",
		Check:       func(s SessionStartInput) error { return required("source", s.Source) },
		Reduce:      reducers.BlockWins(addPlain),
		Effects:     plainEffects[SessionStartInput],
	},
)

// SessionEnd fires when a session ends.
var SessionEnd *pipeline.Event[SessionEndInput, SessionEndOutput] = declare(
	candor{denied: "the session ends"},
	pipeline.Spec[SessionEndInput, BasicOutput]{
		Name:        "SessionEnd",
		Doc:         "when a session ends",
		Rules:       equal("exit", "clear", "logout", "prompt_input_exit", "other"),
		Subject:     func(e *SessionEndInput) *string { return &e.Reason },
		SubjectName: "reason",
		Check:       func(e SessionEndInput) error { return required("reason", e.Reason) },
		Reduce:      reducers.Last[BasicOutput],
		Effects:     plainEffects[SessionEndInput],
	},
)

// PreCompress fires before the conversation is compressed.
var PreCompress *pipeline.Event[PreCompressInput, PreCompressOutput] = declare(
	candor{denied: "the conversation is compressed"},
	pipeline.Spec[PreCompressInput, BasicOutput]{
		Name:        "PreCompress",
		Doc:         "before the conversation is compressed",
		Rules:       equal("manual", "auto"),
		Subject:     func(c *PreCompressInput) *string { return &c.Trigger },
		SubjectName: "trigger",
		Check:       func(c PreCompressInput) error { return required("trigger", c.Trigger) },
		Reduce:      reducers.Last[BasicOutput],
		Effects:     plainEffects[PreCompressInput],
	},
)

// Notification fires when the agent wants the user's attention.
var Notification *pipeline.Event[NotificationInput, NotificationOutput] = declare(
	candor{denied: "the user is notified"},
	pipeline.Spec[NotificationInput, BasicOutput]{
		Name:    "Notification",
		Doc:     "when the agent wants the user's attention",
		Rules:   everything,
		Check:   NotificationInput.check,
		Reduce:  reducers.Last[BasicOutput],
		Effects: plainEffects[NotificationInput],
	},
)

func required(name, value string) error {
	if value == "" {
		return fmt.Errorf("%s: missing; want a string that is not empty", name)
	}
	return nil
}

func object(name string, o wire.Object) error {
	if o == nil {
		return fmt.Errorf("%s: missing; want an object", name)
	}
	return nil
}

// server looks at where a tool of an MCP server comes from, if it does.
func server(extra jsontext.Value) error {
	context := wire.Object(extra).Get("mcp_context")
	switch context.Kind() {
	case 0, 'n':
		return nil
	case '{':
		return required("mcp_context.server_name", wire.Object(context).Text("server_name"))
	}
	return fmt.Errorf("mcp_context: got %s, want an object", wire.KindName(context.Kind()))
}

func (c BeforeToolInput) check() error {
	return errors.Join(required("tool_name", c.Name), object("tool_input", c.Input), server(c.Extra))
}

func (d AfterToolInput) check() error {
	return errors.Join(
		required("tool_name", d.Name),
		object("tool_input", d.Input),
		object("tool_response", d.Response),
		server(d.Extra),
	)
}

func (c BeforeModelInput) check() error { return object("llm_request", c.Request) }

func (d AfterModelInput) check() error {
	return errors.Join(object("llm_request", d.Request), object("llm_response", d.Response))
}

func (n NotificationInput) check() error {
	return errors.Join(
		required("notification_type", n.Type),
		required("message", n.Message),
		object("details", n.Details),
	)
}
