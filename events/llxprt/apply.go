package llxprt

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/wire"
)

// Common holds the instructions to the caller that the results of all events have in common.
type Common struct {
	Stop       bool   // end the agent's loop
	StopReason string // the reason for the user
	Message    string // put this system message into the conversation
	Hide       bool   // do not show the output to the user
	Context    string // tell the model this
}

// ApplyLifecycle returns the instructions of SessionStart, SessionEnd, PreCompress or
// Notification.
func ApplyLifecycle[T any](res *hook.Result[T]) Common {
	res.Restore()
	c := Common{Stop: res.Stop, Message: res.Message, Hide: res.Suppress, Context: res.Context}
	if c.Stop {
		c.StopReason = EffectiveReason(&res.Output)
	}
	return c
}

// ToolVerdict lists the instructions of BeforeTool.
type ToolVerdict struct {
	Common
	Run    bool        // run the tool
	Input  wire.Object // the arguments for the tool: the caller's, with all changes of the hooks
	Result string      // the result that the model sees if the tool must not run

	// Ask means that a hook demands to ask the user before the tool runs. LLxprt runs the tool all the same: Run is
	// true, and the caller may ask. In the profile Gemini Run is false: if the user agrees, run the tool with Input,
	// otherwise give the model Result. If the session is not interactive, the report of the hook has a note instead,
	// and in the profile Gemini the call is blocked.
	Ask bool
}

// ApplyBeforeTool returns the instructions for a tool call (L48). The context of BeforeTool hooks
// is not for the model (L54), but stays in the result.
func ApplyBeforeTool(call *BeforeToolInput, res *hook.Result[BeforeToolOutput]) ToolVerdict {
	v := ToolVerdict{Common: ApplyLifecycle(res), Input: call.Input.Merge(res.Specific.ModifiedToolInput())}
	v.Context = ""
	blocked, reason := BlockingError(&res.Output)
	v.Ask = !blocked && !v.Stop && wanted(&res.Output) == hook.Ask
	v.Run, v.Result = !blocked && !v.Stop && !res.Specific.waits, reason
	switch {
	case v.Stop && !blocked:
		v.Result = v.StopReason
	case !v.Run && !blocked:
		v.Result = EffectiveReason(&res.Output)
	}
	return v
}

// ApplyAfterTool returns the instructions for a tool's result (L49): give response to the model. A denial undoes
// nothing: its reason, and then the hooks' context, are appended to llmContent. In the profile Gemini the reason
// replaces llmContent and returnDisplay and is set as error, and there is no context. c.Context is empty, because
// response already contains it.
func ApplyAfterTool(done *AfterToolInput, res *hook.Result[BasicOutput]) (c Common, response wire.Object) {
	c = ApplyLifecycle(res)
	response = done.Response
	blocked, reason := BlockingError(&res.Output)
	if blocked && res.Specific.replaces {
		c.Context = ""
		return c, replaced(response, reason)
	}
	for _, text := range [...]string{lo.Ternary(blocked, reason, ""), c.Context} {
		if text != "" {
			response = response.With("llmContent", appendContent(response.Get("llmContent"), text))
		}
	}
	c.Context = ""
	return c, response
}

// replaced returns a tool's response after a denial in the profile Gemini.
func replaced(response wire.Object, reason string) wire.Object {
	text := wire.Quote("Tool result blocked: " + reason)
	failure := wire.Object(nil).With("type", wire.Quote("EXECUTION_FAILED")).With("message", wire.Quote(reason))
	return response.With("llmContent", text).With("returnDisplay", text).With("error", jsontext.Value(failure))
}

// appendContent adds text to the content of a tool for the model: a string, a part, or a list of
// both.
func appendContent(content jsontext.Value, text string) jsontext.Value {
	switch content.Kind() {
	case '"':
		if s, _ := wire.Text(content); s != "" {
			return wire.Quote(s + "\n\n" + text)
		}
	case '[':
		var parts []jsontext.Value
		if json.Unmarshal(content, &parts) == nil {
			return list(append(parts, part(text)))
		}
	case '{':
		return list([]jsontext.Value{content, part(text)})
	}
	return wire.Quote(text)
}

func part(text string) jsontext.Value {
	return jsontext.Value(wire.Object(nil).With("text", wire.Quote(text)))
}

func list(values []jsontext.Value) jsontext.Value {
	b, err := json.Marshal(values, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	if err != nil { // cannot fail: every value was parsed from JSON
		return values[0]
	}
	return b
}

// ModelVerdict lists the instructions of BeforeModel.
type ModelVerdict struct {
	Common
	Call     bool        // call the model
	Request  wire.Object // the SDK request for the model: the caller's, with all changes of the hooks
	Response wire.Object // the SDK response to use if the model must not be called
}

// ApplyBeforeModel returns the instructions for a request to the model, in the SDK's shape (L50, L60). If Call is
// false, Response has a list of candidates, which is empty after a block or a stop without a response.
func ApplyBeforeModel(request wire.Object, res *hook.Result[BeforeModelOutput]) ModelVerdict {
	v := ModelVerdict{
		Common:   ApplyLifecycle(res),
		Request:  res.Specific.ApplyTo(request),
		Response: res.Specific.SyntheticResponse(),
	}
	v.Call = !res.Blocked() && !v.Stop && v.Response == nil
	if !v.Call && v.Response.Get("candidates").Kind() != '[' {
		v.Response = v.Response.With("candidates", jsontext.Value("[]"))
	}
	return v
}

// noCandidates is a response without an answer.
var noCandidates = wire.Object(`{"candidates":[]}`)

// ApplyAfterModel returns the instructions for the model's response, in the SDK's shape (L51): the agent continues with
// response. A denial has no effect, and the hook's report has a note. In the profile Gemini a denial replaces the
// response by one without candidates.
func ApplyAfterModel(original wire.Object, res *hook.Result[AfterModelOutput]) (c Common, response wire.Object) {
	if res.Restore().Specific.replaces {
		return ApplyLifecycle(res), noCandidates
	}
	response = ModifiedResponse(&res.Output, original)
	if response == nil {
		response = original
	}
	return ApplyLifecycle(res), response
}

// ApplyBeforeToolSelection returns the tools and toolConfig of an SDK request with the restrictions
// of the hooks (L52).
func ApplyBeforeToolSelection(target wire.Object, res *hook.Result[BeforeToolSelectionOutput]) (Common, wire.Object) {
	return ApplyLifecycle(res), res.Specific.ApplyTo(target)
}

// PromptVerdict lists the instructions of BeforeAgent.
type PromptVerdict struct {
	Common
	Run    bool   // let the agent work on the prompt, with Context for the model
	Reason string // the reason for the user, if Run is false
}

// ApplyBeforeAgent returns the instructions for a prompt.
func ApplyBeforeAgent(res *hook.Result[BasicOutput]) PromptVerdict {
	c := ApplyLifecycle(res)
	blocked, reason := BlockingError(&res.Output)
	return PromptVerdict{Common: c, Run: !blocked && !c.Stop, Reason: reason}
}

// AgentVerdict lists the instructions of AfterAgent.
type AgentVerdict struct {
	Common
	Again        bool   // make the agent continue
	Prompt       string // with this prompt
	ClearContext bool   // forget the conversation so far
}

// ApplyAfterAgent returns the instructions for an agent that has answered. A stop overrides a
// block.
func ApplyAfterAgent(res *hook.Result[AfterAgentOutput]) AgentVerdict {
	common := ApplyLifecycle(res)
	blocked, reason := BlockingError(&res.Output)
	v := AgentVerdict{Common: common, ClearContext: res.Specific.ClearContext}
	if v.Again = blocked && !v.Stop; v.Again {
		v.Prompt = reason
	}
	return v
}
