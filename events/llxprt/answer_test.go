package llxprt_test

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

type gateOutput = hook.Output[llxprt.BeforeToolOutput]

func permission(word hook.Decision, reason string) llxprt.BeforeToolOutput {
	return llxprt.BeforeToolOutput{PermissionDecision: word, PermissionDecisionReason: reason}
}

func TestEffectiveReasonAndBlockingErrorOfAToolGate(t *testing.T) {
	for _, tt := range []struct {
		name    string
		out     gateOutput
		reason  string
		blocked bool
	}{
		{"nothing", gateOutput{}, "No reason provided", false},
		{"a reason", gateOutput{Decision: hook.Deny, Reason: "r"}, "r", true},
		{"a stop reason is stronger", gateOutput{Decision: hook.Block, Reason: "r", StopReason: "s"}, "s", true},
		{"a permission's reason is strongest", gateOutput{Reason: "r", StopReason: "s", Specific: permission(hook.Deny, "p")}, "p", true},
		{"a permission blocks alone", gateOutput{Specific: permission(hook.Block, "")}, "No reason provided", true},
		{"an empty reason of a permission does not count", gateOutput{Reason: "r", Specific: permission(hook.Deny, "")}, "r", true},
		{"ask does not block", gateOutput{Decision: hook.Ask, Reason: "r"}, "r", false},
		{"a permission to ask does not block", gateOutput{Specific: permission(hook.Ask, "p")}, "p", false},
		{"a permission cannot lift a denial", gateOutput{Decision: hook.Deny, Reason: "top", Specific: permission(hook.Allow, "")}, "top", true},
		{"a stop is no block", gateOutput{Stop: true, StopReason: "s"}, "s", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := llxprt.EffectiveReason(&tt.out); got != tt.reason {
				t.Errorf("EffectiveReason is %q; want %q", got, tt.reason)
			}
			blocked, reason := llxprt.BlockingError(&tt.out)
			if blocked != tt.blocked || reason != lo.Ternary(tt.blocked, tt.reason, "") {
				t.Errorf("BlockingError is %v, %q; want %v, and the reason only with a block", blocked, reason, tt.blocked)
			}
		})
	}
}

func TestEffectiveReasonOfOtherEvents(t *testing.T) {
	out := hook.Output[llxprt.BasicOutput]{Decision: hook.Deny, Reason: "r", Specific: llxprt.BasicOutput{Extra: jsontext.Value(`{"permissionDecisionReason":"p"}`)}}
	if got := llxprt.EffectiveReason(&out); got != "r" {
		t.Errorf("got %q; want r: a permission is a matter of BeforeTool", got)
	}
	if blocked, reason := llxprt.BlockingError(&out); !blocked || reason != "r" {
		t.Errorf("got %v, %q; want a block for r", blocked, reason)
	}
}

// Several printed answers merge into one output and one effect for the caller.
func TestWhatSeveralAnswersAmountTo(t *testing.T) {
	for _, tt := range []struct {
		name, event string
		answers     []string
		final       string // hookSpecificOutput of the merged output
		effect      func(llxprt.Effects) any
		want        any
	}{
		{
			"arguments of several hooks are merged, and the last hook's are shown", "BeforeTool",
			[]string{`{"hookSpecificOutput":{"tool_input":{"a":1,"b":1}}}`, `{"hookSpecificOutput":{"tool_input":{"b":2}}}`},
			`{"tool_input":{"b":2}}`, modifiedInput, `{"a":1,"b":2}`,
		},
		{
			"arguments of the wrong type do not hide later ones", "BeforeTool",
			[]string{`{"hookSpecificOutput":{"tool_input":"rm"}}`, `{"hookSpecificOutput":{"tool_input":{"a":1}}}`},
			`{"tool_input":{"a":1}}`, modifiedInput, `{"a":1}`,
		},
		{
			"arguments of the wrong type do not hide earlier ones", "BeforeTool",
			[]string{`{"hookSpecificOutput":{"tool_input":{"a":1}}}`, `{"hookSpecificOutput":{"tool_input":null}}`},
			`{"tool_input":{"a":1}}`, modifiedInput, `{"a":1}`,
		},
		{
			"arguments of the wrong type alone change nothing", "BeforeTool",
			[]string{`{"hookSpecificOutput":{"tool_input":["rm"]}}`},
			`{"tool_input":["rm"]}`, modifiedInput, ``,
		},
		{
			"no arguments at all are arguments too", "BeforeTool",
			[]string{`{"hookSpecificOutput":{"tool_input":{}}}`},
			`{"tool_input":{}}`, modifiedInput, `{}`,
		},
		{
			"a denial by permission survives a later permission", "BeforeTool",
			[]string{`{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"no"}}`, `{"hookSpecificOutput":{"permissionDecision":"allow","permissionDecisionReason":"fine"}}`},
			`{"permissionDecision":"deny","permissionDecisionReason":"no"}`, reason, "no",
		},
		{
			"a denial by permission replaces an earlier permission and its reason", "BeforeTool",
			[]string{`{"hookSpecificOutput":{"permissionDecision":"allow","permissionDecisionReason":"fine"}}`, `{"reason":"top","hookSpecificOutput":{"permissionDecision":"deny"}}`},
			`{"permissionDecision":"deny"}`, reason, "top",
		},
		{
			"a denial without a reason keeps the reason of another denial", "BeforeTool",
			[]string{`{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"no"}}`, `{"hookSpecificOutput":{"permissionDecision":"block"}}`},
			`{"permissionDecision":"block","permissionDecisionReason":"no"}`, reason, "no",
		},
		{
			"a permission of the wrong type does not hide a denial", "BeforeTool",
			[]string{`{"hookSpecificOutput":{"permissionDecision":42}}`, `{"hookSpecificOutput":{"permissionDecision":"deny"}}`},
			`{"permissionDecision":"deny"}`, blocking, true,
		},
		{
			"a null response takes an earlier one back", "BeforeModel",
			[]string{`{"hookSpecificOutput":{"llm_response":{"candidates":[]}}}`, `{"hookSpecificOutput":{"llm_response":null}}`},
			`{"llm_response":null}`, syntheticResponse, ``,
		},
		{
			"a response after a null one counts", "BeforeModel",
			[]string{`{"hookSpecificOutput":{"llm_response":null}}`, `{"hookSpecificOutput":{"llm_response":{"candidates":[]}}}`},
			`{"llm_response":{"candidates":[]}}`, syntheticResponse, `{"candidates":[]}`,
		},
		{
			"a response of the wrong type does not hide an earlier one", "AfterModel",
			[]string{`{"hookSpecificOutput":{"llm_response":{"candidates":[{"content":{"role":"model","parts":["ok"]}}]}}}`, `{"hookSpecificOutput":{"llm_response":"s"}}`},
			`{"llm_response":{"candidates":[{"content":{"role":"model","parts":["ok"]}}]}}`, modifiedResponse,
			`{"candidates":[{"content":{"role":"model","parts":[{"text":"ok"}]}}]}`,
		},
		{
			"a stop makes a response of its reason", "AfterModel",
			[]string{`{"continue":false,"stopReason":"enough"}`},
			`{}`, modifiedResponse, `{"candidates":[{"content":{"role":"model","parts":[{"text":"enough"}]},"finishReason":"STOP"}]}`,
		},
		{
			"a stop with a response gives the response", "AfterModel",
			[]string{`{"continue":false,"hookSpecificOutput":{"llm_response":{"candidates":[{"content":{"role":"model","parts":["ok"]}}]}}}`},
			`{"llm_response":{"candidates":[{"content":{"role":"model","parts":["ok"]}}]}}`, modifiedResponse,
			`{"candidates":[{"content":{"role":"model","parts":[{"text":"ok"}]}}]}`,
		},
		{
			"a text alone is a response", "AfterModel",
			[]string{`{"hookSpecificOutput":{"llm_response":{"text":"x"}}}`},
			`{"llm_response":{"text":"x"}}`, modifiedResponse,
			`{"text":"x","candidates":[{"content":{"role":"model","parts":[{"text":"x"}]}}]}`,
		},
		{
			"a text fills a candidate without content", "AfterModel",
			[]string{`{"hookSpecificOutput":{"llm_response":{"text":"x","candidates":[{"finishReason":"MAX_TOKENS"}]}}}`},
			`{"llm_response":{"text":"x","candidates":[{"finishReason":"MAX_TOKENS"}]}}`, modifiedResponse,
			`{"text":"x","candidates":[{"content":{"role":"model","parts":[{"text":"x"}]},"finishReason":"MAX_TOKENS"}]}`,
		},
		{
			"parts of a response compose", "AfterModel",
			[]string{`{"hookSpecificOutput":{"llm_response":{"text":"x"}}}`, `{"hookSpecificOutput":{"llm_response":{"usageMetadata":{"totalTokenCount":1}}}}`},
			`{"llm_response":{"usageMetadata":{"totalTokenCount":1}}}`, modifiedResponse,
			`{"text":"x","candidates":[{"content":{"role":"model","parts":[{"text":"x"}]}}],"usageMetadata":{"totalTokenCount":1}}`,
		},
		{
			"a stop with counters alone still says its reason", "AfterModel",
			[]string{`{"continue":false,"stopReason":"enough","hookSpecificOutput":{"llm_response":{"usageMetadata":{"totalTokenCount":1}}}}`},
			`{"llm_response":{"usageMetadata":{"totalTokenCount":1}}}`, modifiedResponse,
			`{"candidates":[{"content":{"role":"model","parts":[{"text":"enough"}]},"finishReason":"STOP"}]}`,
		},
		{
			"a response that says nothing changes nothing", "AfterModel",
			[]string{`{"hookSpecificOutput":{"llm_response":{"candidates":[]}}}`},
			`{"llm_response":{"candidates":[]}}`, modifiedResponse, ``,
		},
		{
			"an ask survives a later permission", "BeforeTool",
			[]string{`{"decision":"ask","reason":"sure?"}`, `{"decision":"allow"}`, `{"hookSpecificOutput":{"permissionDecision":"allow"}}`},
			`{"permissionDecision":"allow"}`, decided, hook.Ask,
		},
		{
			"an ask by permission survives a later permission, with its reason", "BeforeTool",
			[]string{`{"hookSpecificOutput":{"permissionDecision":"ask","permissionDecisionReason":"sure?"}}`, `{"hookSpecificOutput":{"permissionDecision":"allow","permissionDecisionReason":"fine"}}`},
			`{"permissionDecision":"ask","permissionDecisionReason":"sure?"}`, decided, hook.Ask,
		},
		{
			"a denial is stronger than an ask", "BeforeTool",
			[]string{`{"decision":"deny"}`, `{"decision":"ask"}`},
			``, decided, hook.Deny,
		},
		{
			"a denial's reason stands beside a tool's result, before the context", "AfterTool",
			[]string{`{"decision":"block","reason":"tests fail"}`, `{"hookSpecificOutput":{"additionalContext":"see log"}}`},
			`{"additionalContext":"see log"}`, toolResponse, `{"llmContent":"ok\n\ntests fail\n\nsee log"}`,
		},
		{
			"without words the model sees a tool's result as it is", "AfterTool",
			[]string{`{"systemMessage":"hi"}`},
			``, toolResponse, ``,
		},
		{
			"a mode alone leaves the request's names", "BeforeToolSelection",
			[]string{`{"hookSpecificOutput":{"toolConfig":{"mode":"ANY"}}}`},
			`{"hookEventName":"BeforeToolSelection","toolConfig":{"mode":"ANY","allowedFunctionNames":[]}}`, toolSelection,
			`{"toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["ls","rm"]}}}`,
		},
		{
			"names alone leave the request's mode", "BeforeToolSelection",
			[]string{`{"hookSpecificOutput":{"toolConfig":{"allowedFunctionNames":["ls"]}}}`, `{"hookSpecificOutput":{"toolConfig":{"mode":"none"}}}`},
			`{"hookEventName":"BeforeToolSelection","toolConfig":{"mode":"AUTO","allowedFunctionNames":["ls"]}}`, toolSelection,
			`{"toolConfig":{"functionCallingConfig":{"mode":"NONE","allowedFunctionNames":["ls"]}}}`,
		},
		{
			"hooks that name one tool name it once, and no tool without a name", "BeforeToolSelection",
			[]string{`{"hookSpecificOutput":{"toolConfig":{"allowedFunctionNames":["read","ls",""]}}}`, `{"hookSpecificOutput":{"toolConfig":{"allowedFunctionNames":["glob","ls"]}}}`},
			`{"hookEventName":"BeforeToolSelection","toolConfig":{"mode":"AUTO","allowedFunctionNames":["glob","ls","read"]}}`, toolSelection,
			`{"toolConfig":{"functionCallingConfig":{"mode":"NONE","allowedFunctionNames":["glob","ls","read"]}}}`, // the request sets NONE
		},
		{
			"counters alone leave the response's text", "AfterModel",
			[]string{`{"hookSpecificOutput":{"llm_response":{"usageMetadata":{"totalTokenCount":7}}}}`},
			`{"llm_response":{"usageMetadata":{"totalTokenCount":7}}}`, modifiedResponse,
			`{"text":"hi","candidates":[{"content":{"role":"model","parts":[{"text":"hi"}]},"finishReason":"STOP"}],"usageMetadata":{"totalTokenCount":7}}`,
		},
		{
			"a request in the words of the API reference counts", "BeforeModel",
			[]string{`{"hookSpecificOutput":{"llm_request":{"model":"m2","contents":[{"role":"user","parts":["a",{"text":"b"}]}],"systemInstruction":{"role":"system","parts":["be kind"]},"generationConfig":{"temperature":0}}}}`},
			`{"llm_request":{"model":"m2","contents":[{"role":"user","parts":["a",{"text":"b"}]}],"systemInstruction":{"role":"system","parts":["be kind"]},"generationConfig":{"temperature":0}}}`, modifiedRequest,
			`{"model":"m2","contents":[{"role":"user","parts":[{"text":"ab"}]}],"config":{"systemInstruction":{"role":"system","parts":[{"text":"be kind"}]},"temperature":0}}`,
		},
		{
			"a tool choice of the wrong type is none", "BeforeToolSelection",
			[]string{`{"hookSpecificOutput":{"hookEventName":5,"toolConfig":"x"}}`},
			`{"hookEventName":"BeforeToolSelection","toolConfig":{"mode":"AUTO","allowedFunctionNames":[]}}`, blocking, false,
		},
		{
			"a tool choice of the wrong type does not hide another's", "BeforeToolSelection",
			[]string{`{"hookSpecificOutput":{"toolConfig":{"mode":"ANY","allowedFunctionNames":["b","a",5,"b"]}}}`, `{"hookSpecificOutput":{"toolConfig":[]}}`},
			`{"hookEventName":"BeforeToolSelection","toolConfig":{"mode":"ANY","allowedFunctionNames":["a","b"]}}`, blocking, false,
		},
		{
			"NONE leaves no names", "BeforeToolSelection",
			[]string{`{"hookSpecificOutput":{"toolConfig":{"mode":"NONE","allowedFunctionNames":["a"]}}}`, `{"hookSpecificOutput":{"toolConfig":{"mode":"ANY","allowedFunctionNames":["b"]}}}`},
			`{"hookEventName":"BeforeToolSelection","toolConfig":{"mode":"NONE","allowedFunctionNames":[]}}`, blocking, false,
		},
		{
			"the context is cleared if any hook wants it, and no other word does", "AfterAgent",
			[]string{`{"hookSpecificOutput":{"clearContext":true}}`, `{"hookSpecificOutput":{"clearContext":"no"}}`},
			`{"clearContext":true}`, clearContext, true,
		},
		{
			"contexts are joined, and wrong ones left out", "AfterTool",
			[]string{`{"hookSpecificOutput":{"additionalContext":"one"}}`, `{"hookSpecificOutput":{"additionalContext":2}}`, `{"hookSpecificOutput":{"additionalContext":"three"}}`},
			`{"additionalContext":"one\nthree"}`, addedContext, "one\nthree",
		},
	} {
		t.Run(tt.event+": "+tt.name, func(t *testing.T) {
			fired := fire(t, tt.event, inputs[tt.event], tt.answers...)
			if got := string(fired.Result.FinalOutput.Get("hookSpecificOutput")); got != tt.final {
				t.Errorf("hookSpecificOutput\ngot  %s\nwant %s", got, tt.final)
			}
			if got := tt.effect(fired.Effects.(llxprt.Effects)); got != tt.want {
				t.Errorf("the caller is told %v; want %v", got, tt.want)
			}
		})
	}
}

func modifiedInput(e llxprt.Effects) any     { return string(lo.FromPtr(e.ModifiedToolInput)) }
func syntheticResponse(e llxprt.Effects) any { return string(lo.FromPtr(e.SyntheticResponse)) }
func modifiedResponse(e llxprt.Effects) any  { return string(lo.FromPtr(e.ModifiedResponse)) }
func modifiedRequest(e llxprt.Effects) any   { return string(lo.FromPtr(e.ModifiedRequest)) }
func reason(e llxprt.Effects) any            { return *e.EffectiveReason }
func addedContext(e llxprt.Effects) any      { return *e.AdditionalContext }
func blocking(e llxprt.Effects) any          { return e.IsBlocking }
func decided(e llxprt.Effects) any           { return *e.Decision }
func toolResponse(e llxprt.Effects) any      { return string(lo.FromPtr(e.ToolResponse)) }
func toolSelection(e llxprt.Effects) any     { return string(lo.FromPtr(e.ToolSelection)) }
func clearContext(e llxprt.Effects) any      { return e.ClearContext }

func TestSyntheticResponseIsAnObjectOrNil(t *testing.T) {
	for response, want := range map[string]string{
		``:             ``,
		`[]`:           ``,
		`"text"`:       ``,
		`{}`:           `{}`,
		`{"a":1}`:      `{}`,
		`{"text":"a"}`: `{"text":"a","candidates":[{"content":{"role":"model","parts":[{"text":"a"}]},"finishReason":"STOP"}]}`,
	} {
		gate := llxprt.BeforeModelOutput{Response: lo.Ternary(response == "", nil, wire.Object(response))}
		if got := string(gate.SyntheticResponse()); got != want {
			t.Errorf("of %q: got %q; want %q", response, got, want)
		}
	}
}

func TestModelGateAppliesToAnSDKRequest(t *testing.T) {
	const target = `{"model":"m","contents":[{"role":"user","parts":[{"text":"hi"}]}],"config":{"temperature":1,"tools":[1]}}`
	for _, tt := range []struct{ name, request, want string }{
		{"nothing", ``, target},
		{"no object", `"x"`, target},
		{"nothing in it", `{}`, target},
		{"another model", `{"model":"z"}`, `{"model":"z","contents":[{"role":"user","parts":[{"text":"hi"}]}],"config":{"temperature":1,"tools":[1]}}`},
		{"part of the config", `{"config":{"temperature":0}}`, `{"model":"m","contents":[{"role":"user","parts":[{"text":"hi"}]}],"config":{"temperature":0,"tools":[1]}}`},
		{"other messages", `{"messages":[{"role":"user","content":"ho"}]}`, `{"model":"m","contents":[{"role":"user","parts":[{"text":"ho"}]}],"config":{"temperature":1,"tools":[1]}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			gate := llxprt.BeforeModelOutput{Request: lo.Ternary(tt.request == "", nil, wire.Object(tt.request))}
			if got := string(gate.ApplyTo(wire.Object(target))); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestToolChoiceAppliesToAnSDKRequest(t *testing.T) {
	const target = `{"tools":[{"functionDeclarations":[{"name":"ls"}]}],"toolConfig":{"x":1}}`
	for _, tt := range []struct{ name, answer, want string }{
		{"nobody chose", `{}`, target},
		{"a null choice", `{"hookSpecificOutput":{"toolConfig":null}}`, target},
		{"names", `{"hookSpecificOutput":{"toolConfig":{"allowedFunctionNames":["ls"]}}}`,
			`{"tools":[{"functionDeclarations":[{"name":"ls"}]}],"toolConfig":{"x":1,"functionCallingConfig":{"mode":"AUTO","allowedFunctionNames":["ls"]}}}`},
		{"an unknown mode", `{"hookSpecificOutput":{"toolConfig":{"mode":"some"}}}`, target},
		{"none", `{"hookSpecificOutput":{"toolConfig":{"mode":"NONE"}}}`,
			`{"tools":[{"functionDeclarations":[{"name":"ls"}]}],"toolConfig":{"x":1,"functionCallingConfig":{"mode":"NONE","allowedFunctionNames":[]}}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ses, _ := answering(t, "BeforeToolSelection", tt.answer)
			res, err := llxprt.BeforeToolSelection.Fire(t.Context(), ses, &llxprt.BeforeModelInput{})
			if err != nil {
				t.Fatal(err)
			}
			if got := string(res.Specific.ApplyTo(wire.Object(target))); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestAResultWithoutHooksAsksForNothing(t *testing.T) {
	ses := session(t, system(t, llxprt.Settings{}), pipeline.SessionConfig{Dir: t.TempDir()})
	call := llxprt.BeforeToolInput{Name: "ls", Input: wire.Object(`{"a":1}`)}
	res, err := llxprt.BeforeTool.Fire(t.Context(), ses, &call)
	if v := llxprt.ApplyBeforeTool(&call, res); err != nil || !v.Run || string(v.Input) != `{"a":1}` || v.Common != (llxprt.Common{}) || v.Result != "" {
		t.Errorf("got %+v, %v; want the tool to run as it is", v, err)
	}
	if e := llxprt.BeforeTool.Describe(call, res).Effects.(llxprt.Effects); e.EffectiveReason != nil || e.BlockingError != nil || e.IsBlocking {
		t.Errorf("effects %+v; want none", e)
	}
}
