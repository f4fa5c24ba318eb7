package llxprt_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/events/llxprt/genai"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

// agent is a small agent that obeys every verdict. Its model calls the tool write_file until it
// gets a tool's result, and then answers done.
type agent struct {
	t        *testing.T
	ses      *pipeline.Session
	contents []jsontext.Value // the conversation for the model
	requests []wire.Object    // requests sent to the model
	tools    []string         // arguments of the tools that ran
	log      []string         // events, and texts shown to the user
	stopped  bool
}

func (a *agent) say(kind, text string) {
	if text != "" {
		a.log = append(a.log, kind+": "+text)
	}
}

// common applies the members that all events share, and reports whether to go on.
func (a *agent) common(c llxprt.Common) bool {
	a.say("message", c.Message)
	if c.Stop {
		a.stopped = true
		a.say("stopped", c.StopReason)
	}
	return !a.stopped
}

func (a *agent) tell(role, text string) {
	a.contents = append(a.contents, jsontext.Value(`{"role":`+string(wire.Quote(role))+`,"parts":[{"text":`+string(wire.Quote(text))+`}]}`))
}

func must[T any](a *agent, res T, err error) T {
	a.t.Helper()
	if err != nil {
		a.t.Fatal(err)
	}
	return res
}

// run runs one session with one prompt of the user.
func (a *agent) run(prompt string) {
	ctx := a.t.Context()
	start, err := llxprt.SessionStart.Fire(ctx, a.ses, &llxprt.SessionStartInput{Source: "startup"})
	c := llxprt.ApplyLifecycle(must(a, start, err))
	if c.Context != "" {
		a.tell("user", c.Context)
	}
	if a.common(c) {
		a.prompt(prompt, false)
	}
	end, err := llxprt.SessionEnd.Fire(ctx, a.ses, &llxprt.SessionEndInput{Reason: "exit"})
	a.common(llxprt.ApplyLifecycle(must(a, end, err)))
}

func (a *agent) prompt(prompt string, again bool) {
	res, err := llxprt.BeforeAgent.Fire(a.t.Context(), a.ses, &llxprt.BeforeAgentInput{Prompt: prompt})
	v := llxprt.ApplyBeforeAgent(must(a, res, err))
	if !a.common(v.Common) {
		return
	}
	if !v.Run {
		a.say("refused", v.Reason)
		return
	}
	a.tell("user", prompt)
	if v.Context != "" {
		a.tell("user", v.Context)
	}
	answer, ok := a.work()
	if ok {
		a.answered(prompt, answer, again)
	}
}

func (a *agent) answered(prompt, answer string, again bool) {
	res, err := llxprt.AfterAgent.Fire(a.t.Context(), a.ses, &llxprt.AfterAgentInput{Prompt: prompt, Response: answer, StopHookActive: again})
	v := llxprt.ApplyAfterAgent(must(a, res, err))
	if v.ClearContext {
		a.contents = nil
		a.say("cleared", "the context")
	}
	if !a.common(v.Common) {
		return
	}
	a.say("answer", answer)
	if v.Again {
		a.prompt(v.Prompt, true)
	}
}

// work calls the model and the tools until the model calls no more tools, at most three times.
func (a *agent) work() (answer string, ok bool) {
	for turn := range 3 {
		if turn == 1 {
			a.compress()
		}
		response, ok := a.ask()
		if !ok {
			return "", false
		}
		call, text := read(response)
		if call == nil {
			return text, true
		}
		if !a.tool(call) {
			return "", false
		}
	}
	a.t.Fatal("the agent does not come to an end")
	return "", false
}

func (a *agent) compress() {
	res, err := llxprt.PreCompress.Fire(a.t.Context(), a.ses, &llxprt.PreCompressInput{Trigger: "auto"})
	a.common(llxprt.ApplyLifecycle(must(a, res, err)))
}

func (a *agent) ask() (response wire.Object, ok bool) {
	ctx := a.t.Context()
	request := wire.Object(`{"model":"m","contents":[` + join(a.contents) + `],"config":{"topP":0.5,"temperature":1},"tools":[{"name":"write_file"}]}`)

	chosen, err := llxprt.BeforeToolSelection.Fire(ctx, a.ses, &llxprt.BeforeModelInput{Request: genai.ToHookRequest(request)})
	c, request := llxprt.ApplyBeforeToolSelection(request, must(a, chosen, err))
	if !a.common(c) {
		return nil, false
	}
	res, err := llxprt.BeforeModel.Fire(ctx, a.ses, &llxprt.BeforeModelInput{Request: genai.ToHookRequest(request)})
	v := llxprt.ApplyBeforeModel(request, must(a, res, err))
	if !a.common(v.Common) {
		return nil, false
	}
	if !v.Call {
		return v.Response, true
	}
	a.requests = append(a.requests, v.Request)
	response = model(v.Request)

	after, err := llxprt.AfterModel.Fire(ctx, a.ses, &llxprt.AfterModelInput{Request: genai.ToHookRequest(v.Request), Response: genai.ToHookResponse(response)})
	c, response = llxprt.ApplyAfterModel(response, must(a, after, err))
	if !a.common(c) {
		_, text := read(response)
		a.say("last words", text)
		return nil, false
	}
	return response, true
}

func (a *agent) tool(call wire.Object) (ok bool) {
	ctx := a.t.Context()
	notice, err := llxprt.Notification.Fire(ctx, a.ses, &llxprt.NotificationInput{Type: "ToolPermission", Message: "may I", Details: wire.Object(`{}`)})
	a.common(llxprt.ApplyLifecycle(must(a, notice, err)))

	in := &llxprt.BeforeToolInput{Name: call.Text("name"), Input: wire.Object(call.Get("args"))}
	res, err := llxprt.BeforeTool.Fire(ctx, a.ses, in)
	v := llxprt.ApplyBeforeTool(in, must(a, res, err))
	if !v.Run {
		a.tell("tool", v.Result)
		return a.common(v.Common)
	}
	a.tools = append(a.tools, string(v.Input))
	done := &llxprt.AfterToolInput{Name: in.Name, Input: v.Input, Response: wire.Object(`{"llmContent":"written","returnDisplay":"1 line"}`)}
	after, err := llxprt.AfterTool.Fire(ctx, a.ses, done)
	c, response := llxprt.ApplyAfterTool(done, must(a, after, err))
	a.tell("tool", response.Text("llmContent"))
	if !c.Hide {
		a.say("output", response.Text("returnDisplay"))
	}
	return a.common(c)
}

// model answers a request with a tool call or, once the request has a tool's result, with "done".
func model(request wire.Object) wire.Object {
	if strings.Contains(string(request), `"role":"tool"`) {
		return wire.Object(`{"candidates":[{"content":{"role":"model","parts":[{"text":"done"}]},"finishReason":"STOP"}]}`)
	}
	return wire.Object(`{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"write_file","args":{"path":"a","content":"hi"}}}]}}]}`)
}

// read returns the call or the text of a response.
func read(response wire.Object) (call wire.Object, text string) {
	var r struct {
		Candidates []struct {
			Content struct {
				Parts []struct {
					Text         string      `json:"text"`
					FunctionCall wire.Object `json:"functionCall"`
				} `json:"parts"`
			} `json:"content"`
		} `json:"candidates"`
	}
	if response.Into(&r) != nil || len(r.Candidates) == 0 || len(r.Candidates[0].Content.Parts) == 0 {
		return nil, ""
	}
	part := r.Candidates[0].Content.Parts[0]
	return part.FunctionCall, part.Text
}

func join(values []jsontext.Value) string {
	var b strings.Builder
	for i, v := range values {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(v)
	}
	return b.String()
}

// transcript returns the conversation, one line for each role and text.
func (a *agent) transcript() (lines []string) {
	for _, v := range a.contents {
		var c struct {
			Role  string `json:"role"`
			Parts []struct {
				Text string `json:"text"`
			} `json:"parts"`
		}
		if err := wire.Object(v).Into(&c); err != nil {
			a.t.Fatal(err)
		}
		lines = append(lines, c.Role+": "+c.Parts[0].Text)
	}
	return lines
}
