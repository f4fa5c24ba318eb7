package llxprt_test

import (
	"testing"

	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/events/llxprt/genai"
	"github.com/snaphook-go/snaphook/wire"
)

// A partial response of a hook replaces only its members in the response with which the agent
// continues.
func TestAPartOfAResponseChangesThatPart(t *testing.T) {
	const original = `{"candidates":[{"content":{"role":"model","parts":[{"text":"the secret"}]},"finishReason":"STOP"}],"usageMetadata":{"totalTokenCount":9}}`
	in := llxprt.AfterModelInput{Request: wire.Object(`{"model":"m","messages":[]}`), Response: genai.ToHookResponse(wire.Object(original))}
	for name, test := range map[string]struct{ says, want string }{
		"a text": {
			`{"text":"redacted"}`,
			`{"candidates":[{"content":{"role":"model","parts":[{"text":"redacted"}]},"finishReason":"STOP"}],"usageMetadata":{"totalTokenCount":9}}`,
		},
		"counters": {
			`{"usageMetadata":{"totalTokenCount":1}}`,
			`{"candidates":[{"content":{"role":"model","parts":[{"text":"the secret"}]},"finishReason":"STOP"}],"usageMetadata":{"totalTokenCount":1}}`,
		},
		"a finish reason alone": {
			`{"candidates":[{"finishReason":"MAX_TOKENS"}]}`,
			`{"candidates":[{"content":{"role":"model","parts":[{"text":"the secret"}]},"finishReason":"MAX_TOKENS"}],"usageMetadata":{"totalTokenCount":9}}`,
		},
		"a candidate": {
			`{"candidates":[{"content":{"role":"model","parts":["redacted"]}}]}`,
			`{"candidates":[{"content":{"role":"model","parts":[{"text":"redacted"}]},"finishReason":"STOP"}],"usageMetadata":{"totalTokenCount":9}}`,
		},
		"nothing": {`{}`, original},
	} {
		ses, _ := answering(t, "AfterModel", `{"hookSpecificOutput":{"llm_response":`+test.says+`}}`)
		res, err := llxprt.AfterModel.Fire(t.Context(), ses, &in)
		if err != nil {
			t.Fatal(err)
		}
		if _, got := llxprt.ApplyAfterModel(wire.Object(original), res); string(got) != test.want {
			t.Errorf("%s\ngot  %s\nwant %s", name, got, test.want)
		}
	}
}

// A tool choice keeps the request's value for each member that hooks do not set (L58).
func TestAToolChoiceKeepsWhatHooksDidNotSay(t *testing.T) {
	config := func(mode, names string) string {
		return `{"model":"m","config":{"toolConfig":{"functionCallingConfig":{"mode":"` + mode + `","allowedFunctionNames":` + names + `}}}}`
	}
	for name, test := range map[string]struct{ request, says, want string }{
		"a mode alone":                 {config("AUTO", `["ls","rm"]`), `{"mode":"ANY"}`, `{"mode":"ANY","allowedFunctionNames":["ls","rm"]}`},
		"names alone of AUTO":          {config("AUTO", `["ls","rm"]`), `{"allowedFunctionNames":["ls"]}`, `{"mode":"AUTO","allowedFunctionNames":["ls"]}`},
		"names alone of ANY":           {config("ANY", `["ls","rm"]`), `{"allowedFunctionNames":["ls"]}`, `{"mode":"ANY","allowedFunctionNames":["ls"]}`},
		"names alone of the host NONE": {config("NONE", `[]`), `{"allowedFunctionNames":["ls"]}`, `{"mode":"NONE","allowedFunctionNames":["ls"]}`},
		"nothing":                      {config("NONE", `["ls"]`), `{}`, `{"mode":"NONE","allowedFunctionNames":["ls"]}`},
	} {
		ses, _ := answering(t, "BeforeToolSelection", `{"hookSpecificOutput":{"toolConfig":`+test.says+`}}`)
		in := llxprt.BeforeToolSelectionInput{Request: genai.ToHookRequest(wire.Object(test.request))}
		res, err := llxprt.BeforeToolSelection.Fire(t.Context(), ses, &in)
		if err != nil {
			t.Fatal(err)
		}
		_, applied := llxprt.ApplyBeforeToolSelection(wire.Object(wire.Object(test.request).Get("config")), res)
		if got := string(wire.Object(applied.Get("toolConfig")).Get("functionCallingConfig")); got != test.want {
			t.Errorf("%s: %s, want %s; all: %s", name, got, test.want, applied)
		}
	}
}

// If a hook answers in place of the model with only a text, ApplyBeforeModel makes a complete response of the text
// (rule L50).
func TestATextTakesThePlaceOfTheModelsResponse(t *testing.T) {
	ses, _ := answering(t, "BeforeModel", `{"decision":"deny","hookSpecificOutput":{"llm_response":{"text":"cached"}}}`)
	in := llxprt.BeforeModelInput{Request: wire.Object(`{"model":"m","messages":[]}`)}
	res, err := llxprt.BeforeModel.Fire(t.Context(), ses, &in)
	if err != nil {
		t.Fatal(err)
	}
	v := llxprt.ApplyBeforeModel(wire.Object(`{"model":"m","contents":[]}`), res)
	const want = `{"text":"cached","candidates":[{"content":{"role":"model","parts":[{"text":"cached"}]},"finishReason":"STOP"}]}`
	if v.Call || string(v.Response) != want {
		t.Errorf("call %v, response %s; want %s", v.Call, v.Response, want)
	}
}
