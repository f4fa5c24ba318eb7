package genai

import (
	"testing"

	"github.com/snaphook-go/snaphook/wire"
)

func TestToolConfigOfTheSDK(t *testing.T) {
	runTo(t, ToHookToolConfig, []translation{
		{name: "mode and names", base: `{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["f"],"x":1}}`, want: `{"mode":"ANY","allowedFunctionNames":["f"]}`},
		{name: "nothing set", base: `{"functionCallingConfig":{"mode":null}}`, want: `{}`},
		{name: "nothing at all", base: ``, want: `{}`},
	})
}

func TestToolConfigOfAHook(t *testing.T) {
	runTo(t, FromHookToolConfig, []translation{
		{name: "an empty list is given", base: `{"mode":"NONE","allowedFunctionNames":[]}`, want: `{"functionCallingConfig":{"mode":"NONE","allowedFunctionNames":[]}}`},
		{name: "one member alone", base: `{"allowedFunctionNames":["f"]}`, want: `{"functionCallingConfig":{"allowedFunctionNames":["f"]}}`},
		{name: "null and wrong types are not given", base: `{"mode":5,"allowedFunctionNames":null}`, want: `{}`},
		{name: "no object", base: `[]`, want: `{}`},
	})
}

func TestAToolSelectionLeavesTheTools(t *testing.T) {
	run(t, ApplyToolConfig, []translation{
		{name: "no toolConfig yet", base: `{"tools":[1]}`, hook: `{"mode":"ANY","allowedFunctionNames":["ls"]}`,
			want: `{"tools":[1],"toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["ls"]}}}`},
		{name: "key by key over what there is", base: `{"toolConfig":{"retrievalConfig":1,"functionCallingConfig":{"mode":"ANY"}}}`, hook: `{"allowedFunctionNames":["ls"]}`,
			want: `{"toolConfig":{"retrievalConfig":1,"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["ls"]}}}`},
		{name: "nothing given", base: `{"tools":[1]}`, hook: `{}`, want: `{"tools":[1]}`},
		{name: "no target", hook: `{"mode":"NONE"}`, want: `{"toolConfig":{"functionCallingConfig":{"mode":"NONE"}}}`},
		{name: "a target that is no object", base: `[1]`, hook: `{"mode":"NONE"}`, want: `[1]`},
	})
}

func TestGoHooksKeepWhatTheyDoNotKnow(t *testing.T) {
	const req = `{"model":"m","messages":[{"role":"user","content":"a","x":1}],"config":{"topK":1,"seed":7},"toolConfig":{"mode":"ANY","allowedFunctionNames":[],"x":2},"y":3}`
	var r Request
	if err := wire.Object(req).Into(&r); err != nil {
		t.Fatal(err)
	}
	wantEncoded(t, r, req)

	const resp = `{"text":"a","candidates":[{"content":{"role":"model","parts":["a"],"x":1},"index":0,"safetyRatings":[{"category":"C","probability":"LOW","x":2}],"x":3}],"usageMetadata":{"totalTokenCount":1,"x":4},"x":5}`
	var s Response
	if err := wire.Object(resp).Into(&s); err != nil {
		t.Fatal(err)
	}
	wantEncoded(t, s, resp)
}

func TestGoHooksWritePatches(t *testing.T) {
	wantEncoded(t, Request{Config: &Config{Temperature: new(0.0)}}, `{"config":{"temperature":0}}`)
	wantEncoded(t, Request{Messages: []Message{{Role: "user", Content: "a"}}}, `{"messages":[{"role":"user","content":"a"}]}`)
	wantEncoded(t, Request{Messages: []Message{}}, `{"messages":[]}`)
	wantEncoded(t, Response{Candidates: []Candidate{{FinishReason: "STOP"}}}, `{"candidates":[{"content":{},"finishReason":"STOP"}]}`)
}

func TestGoHooksReadEveryFormOfText(t *testing.T) {
	var c Content
	err := wire.Object(`{"parts":["a",{"text":"b"},["c","d"]]}`).Into(&c)
	if got := c.Parts; err != nil || len(got) != 3 || got[0] != "a" || got[1] != "b" || got[2] != "cd" {
		t.Errorf("got %q, err %v; want a, b and cd", got, err)
	}
	if err := wire.Object(`{"parts":[{"functionCall":1}]}`).Into(&c); err == nil {
		t.Error("a part without text was read; want an error")
	}
}

func wantEncoded(t *testing.T, v any, want string) {
	t.Helper()
	got, err := wire.Of(v)
	if err != nil {
		t.Fatal(err)
	}
	wantJSON(t, got, want)
}
