package genai

import (
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/wire"
)

func TestHooksSeeTheTextOfARequest(t *testing.T) {
	runTo(t, ToHookRequest, []translation{
		{name: "a string is a message of the user",
			base: `{"model":"m","contents":"plain question"}`,
			want: `{"model":"m","messages":[{"role":"user","content":"plain question"}],"config":{}}`},
		{name: "one object is one message",
			base: `{"contents":{"role":"model","parts":{"text":"hi"}}}`,
			want: `{"messages":[{"role":"model","content":"hi"}],"config":{}}`},
		{name: "strings, objects, parts and rubbish may be mixed",
			base: `{"contents":["a",{"role":"user","parts":[{"text":"b"}]},{"text":"c"},null,5,[],{}]}`,
			want: `{"messages":[{"role":"user","content":"a"},{"role":"user","content":"b"},{"role":"user","content":"c"}],"config":{}}`},
		{name: "the texts are joined and other parts are hidden",
			base: `{"contents":[{"role":"user","parts":[{"text":"what "},{"inlineData":{"data":"xx"}},{"text":"is this"}]}]}`,
			want: `{"messages":[{"role":"user","content":"what is this"}],"config":{}}`},
		{name: "a message without text is none",
			base: `{"contents":["",{"role":"model","parts":[{"functionCall":{"name":"f"}}]},{"role":"user","parts":[{"text":""}]},{"role":"user","parts":[{"text":7}]},{"role":"user"}]}`,
			want: `{"messages":[],"config":{}}`},
		{name: "every role but model and system is the user",
			base: `{"contents":[{"role":"system","parts":[{"text":"s"}]},{"role":"function","parts":[{"text":"f"}]},{"parts":[{"text":"n"}]}]}`,
			want: `{"messages":[{"role":"system","content":"s"},{"role":"user","content":"f"},{"role":"user","content":"n"}],"config":{}}`},
		{name: "all eight settings are shown and no others",
			base: `{"config":{"temperature":0,"maxOutputTokens":1,"topP":2,"topK":null,"stopSequences":["x"],"candidateCount":3,"presencePenalty":4,"frequencyPenalty":5,"systemInstruction":"s","tools":[]}}`,
			want: `{"messages":[],"config":{"temperature":0,"maxOutputTokens":1,"topP":2,"stopSequences":["x"],"candidateCount":3,"presencePenalty":4,"frequencyPenalty":5}}`},
		{name: "toolConfig is found in config",
			base: `{"config":{"toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["f"]}}}}`,
			want: `{"messages":[],"config":{},"toolConfig":{"mode":"ANY","allowedFunctionNames":["f"]}}`},
		{name: "toolConfig is found beside config",
			base: `{"toolConfig":{"functionCallingConfig":{"mode":"NONE"}}}`,
			want: `{"messages":[],"config":{},"toolConfig":{"mode":"NONE"}}`},
		{name: "no request is an empty one", base: `null`, want: `{"messages":[],"config":{}}`},
	})
}

func TestARequestWithoutBaseIsMadeFromMessages(t *testing.T) {
	run(t, FromHookRequest, []translation{
		{name: "each message is one text part",
			hook: `{"model":"m","messages":[{"role":"user","content":"a"},{"role":"model","content":"b"},{"role":"system","content":"c"}],"config":{"topK":1}}`,
			want: `{"model":"m","contents":[{"role":"user","parts":[{"text":"a"}]},{"role":"model","parts":[{"text":"b"}]},{"role":"system","parts":[{"text":"c"}]}],"config":{"topK":1}}`},
		{name: "content may be an object, a list, or a number",
			hook: `{"messages":[{"role":"user","content":{"text":"a"}},{"role":"user","content":[{"type":"text","text":"b"},{"type":"image"},"c"]},{"content":42}]}`,
			want: `{"contents":[{"role":"user","parts":[{"text":"a"}]},{"role":"user","parts":[{"text":"bc"}]},{"role":"user","parts":[{"text":"42"}]}]}`},
		{name: "what is no message is left out",
			hook: `{"messages":[null,5,"x",{"role":"user"},{"role":"user","content":null},{"role":"user","content":""}]}`,
			want: `{"contents":[]}`},
		{name: "toolConfig goes to config",
			hook: `{"toolConfig":{"mode":"NONE"}}`,
			want: `{"config":{"toolConfig":{"functionCallingConfig":{"mode":"NONE"}}}}`},
		{name: "nothing makes nothing", want: `{}`},
	})
}

// chat is a conversation with parts that hooks do not see: an image, a function call and its response.
const chat = `{"model":"m","contents":[
	{"role":"user","parts":[{"text":"look "},{"inlineData":{"data":"img"}},{"text":"here"}]},
	{"role":"model","parts":[{"text":"I call","thoughtSignature":"sig"},{"functionCall":{"name":"f"}}]},
	{"role":"user","parts":[{"functionResponse":{"name":"f"}}]},
	{"role":"model","parts":[{"text":"done"}]}],"tools":[1]}`

func chatWith(contents string) string {
	return `{"model":"m","contents":[` + contents + `],"tools":[1]}`
}

const (
	user1     = `{"role":"user","parts":[{"text":"look "},{"inlineData":{"data":"img"}},{"text":"here"}]}`
	call      = `{"role":"model","parts":[{"text":"I call","thoughtSignature":"sig"},{"functionCall":{"name":"f"}}]}`
	answer    = `{"role":"user","parts":[{"functionResponse":{"name":"f"}}]}`
	done      = `{"role":"model","parts":[{"text":"done"}]}`
	user1Said = `{"role":"user","content":"look here"}`
	callSaid  = `{"role":"model","content":"I call"}`
	doneSaid  = `{"role":"model","content":"done"}`
)

func TestWhatHooksCannotSeeSurvives(t *testing.T) {
	run(t, FromHookRequest, []translation{
		{name: "an unchanged conversation stays",
			base: chat, hook: `{"messages":[` + user1Said + `,` + callSaid + `,` + doneSaid + `]}`,
			want: chat},
		{name: "a changed message keeps its other parts in place",
			base: chat, hook: `{"messages":[{"role":"user","content":"[redacted]"},{"role":"model","content":"calling"},` + doneSaid + `]}`,
			want: chatWith(`{"role":"user","parts":[{"text":"[redacted]"},{"inlineData":{"data":"img"}}]},
				{"role":"model","parts":[{"text":"calling","thoughtSignature":"sig"},{"functionCall":{"name":"f"}}]},` + answer + `,` + done)},
		{name: "a removed message leaves its call and image behind",
			base: chat, hook: `{"messages":[]}`,
			want: chatWith(`{"role":"user","parts":[{"inlineData":{"data":"img"}}]},{"role":"model","parts":[{"functionCall":{"name":"f"}}]},` + answer)},
		{name: "a message that became empty is removed",
			base: chat, hook: `{"messages":[` + user1Said + `,` + callSaid + `,{"role":"model","content":""}]}`,
			want: chatWith(user1 + `,` + call + `,` + answer)},
		{name: "a new message at the start moves nothing",
			base: chat, hook: `{"messages":[{"role":"system","content":"S"},` + user1Said + `,` + callSaid + `,` + doneSaid + `]}`,
			want: chatWith(`{"role":"system","parts":[{"text":"S"}]},` + user1 + `,` + call + `,` + answer + `,` + done)},
		{name: "a new message at the end comes last",
			base: chat, hook: `{"messages":[` + user1Said + `,` + callSaid + `,` + doneSaid + `,{"role":"user","content":"more"}]}`,
			want: chatWith(user1 + `,` + call + `,` + answer + `,` + done + `,{"role":"user","parts":[{"text":"more"}]}`)},
		{name: "a new message comes after the hidden response",
			base: chat, hook: `{"messages":[` + user1Said + `,` + callSaid + `,{"role":"user","content":"X"},` + doneSaid + `]}`,
			want: chatWith(user1 + `,` + call + `,` + answer + `,{"role":"user","parts":[{"text":"X"}]},` + done)},
		{name: "a new message does not part a call from a response with text",
			base: `{"contents":[` + call + `,{"role":"user","parts":[{"functionResponse":{}},{"text":"r"}]}]}`,
			hook: `{"messages":[` + callSaid + `,{"role":"user","content":"X"},{"role":"user","content":"r"}]}`,
			want: `{"contents":[` + call + `,{"role":"user","parts":[{"functionResponse":{}},{"text":"r"}]},{"role":"user","parts":[{"text":"X"}]}]}`},
		{name: "one removed and one inserted elsewhere leave the rest",
			base: `{"contents":["a","b","c","d"]}`,
			hook: `{"messages":[{"role":"user","content":"b"},{"role":"user","content":"c"},{"role":"model","content":"x"},{"role":"user","content":"d"}]}`,
			want: `{"contents":[{"role":"user","parts":[{"text":"b"}]},{"role":"user","parts":[{"text":"c"}]},{"role":"model","parts":[{"text":"x"}]},{"role":"user","parts":[{"text":"d"}]}]}`},
		{name: "a message in another role is a new one",
			base: chatWith(user1), hook: `{"messages":[{"role":"system","content":"look here"}]}`,
			want: chatWith(`{"role":"user","parts":[{"inlineData":{"data":"img"}}]},{"role":"system","parts":[{"text":"look here"}]}`)},
		{name: "a thought does not take the answer",
			base: `{"contents":[{"role":"model","parts":[{"text":"hm","thought":true},{"text":"yes"}]}]}`,
			hook: `{"messages":[{"role":"model","content":"no"}]}`,
			want: `{"contents":[{"role":"model","parts":[{"text":"no"}]}]}`},
		{name: "a changed string stays a string",
			base: `{"contents":"a"}`, hook: `{"messages":[{"role":"user","content":"b"}]}`,
			want: `{"contents":"b"}`},
		{name: "a changed object stays one",
			base: `{"contents":{"role":"user","parts":"a"}}`, hook: `{"messages":[{"role":"user","content":"b"}]}`,
			want: `{"contents":{"role":"user","parts":["b"]}}`},
		{name: "a string beside a new message becomes a content",
			base: `{"contents":"a"}`, hook: `{"messages":[{"role":"system","content":"s"},{"role":"user","content":"a"}]}`,
			want: `{"contents":[{"role":"system","parts":[{"text":"s"}]},{"role":"user","parts":[{"text":"a"}]}]}`},
		{name: "a part beside a new message becomes a content",
			base: `{"contents":[{"text":"a"},{"inlineData":1}]}`, hook: `{"messages":[{"role":"user","content":"a"},{"role":"user","content":"b"}]}`,
			want: `{"contents":[{"role":"user","parts":[{"text":"a"}]},{"role":"user","parts":[{"inlineData":1}]},{"role":"user","parts":[{"text":"b"}]}]}`},
	})
}

func TestBadJSONOfAHookNeverLosesTheRequest(t *testing.T) {
	for _, hook := range []string{``, `null`, `5`, `[]`, `{"messages":null}`, `{"messages":"x"}`, `{"messages":{}}`,
		`{"model":null}`, `{"model":5}`, `{"model":""}`, `{"config":null}`, `{"config":[]}`, `{"config":{}}`,
		`{"toolConfig":null}`, `{"toolConfig":{"mode":5,"allowedFunctionNames":"f"}}`,
		`{"messages":[null,{"role":"model"},{"content":{}}]}`} {
		wantJSON(t, FromHookRequest(wire.Object(hook), wire.Object(chat)), chat)
	}
}

func TestAGarbledMessageAmongOthersLeavesItsOwnAlone(t *testing.T) {
	run(t, FromHookRequest, []translation{{name: "beside a new one",
		base: chatWith(user1 + `,` + done),
		hook: `{"messages":[{"role":"user","content":null},` + doneSaid + `,{"role":"user","content":"x"}]}`,
		want: chatWith(user1 + `,` + done + `,{"role":"user","parts":[{"text":"x"}]}`)}})
}

func TestSettingsGoOverTheBase(t *testing.T) {
	run(t, ApplyRequest, []translation{
		{name: "one setting leaves the others and the contents",
			base: `{"model":"m","contents":[` + call + `],"config":{"temperature":0.7,"topP":0.9,"systemInstruction":"be kind"}}`,
			hook: `{"config":{"temperature":0}}`,
			want: `{"model":"m","contents":[` + call + `],"config":{"temperature":0,"topP":0.9,"systemInstruction":"be kind"}}`},
		{name: "config is made if there is none",
			base: `{"tools":[]}`, hook: `{"config":{"topK":5}}`, want: `{"tools":[],"config":{"topK":5}}`},
		{name: "the model is replaced",
			base: `{"model":"m"}`, hook: `{"model":"s"}`, want: `{"model":"s"}`},
		{name: "toolConfig in config is merged there",
			base: `{"config":{"toolConfig":{"retrievalConfig":1,"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["a"]}}}}`,
			hook: `{"toolConfig":{"allowedFunctionNames":["b"]}}`,
			want: `{"config":{"toolConfig":{"retrievalConfig":1,"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["b"]}}}}`},
		{name: "toolConfig beside config is merged there",
			base: `{"toolConfig":{}}`, hook: `{"toolConfig":{"mode":"AUTO"}}`,
			want: `{"toolConfig":{"functionCallingConfig":{"mode":"AUTO"}}}`},
		{name: "no patch changes nothing", base: chat, hook: ``, want: chat},
		{name: "a patch without a target is the request", hook: `{"config":{"topK":5}}`, want: `{"config":{"topK":5}}`},
	})
}

func TestPartialRequestsMergeKeyByKey(t *testing.T) {
	const req = `{"model":"m","messages":[1],"config":{"topK":1,"topP":2},"toolConfig":{"mode":"ANY"},"x":1}`
	run(t, func(patch, req wire.Object) wire.Object { return MergeRequest(req, patch) }, []translation{
		{name: "given members replace", base: req, hook: `{"model":"s","messages":[],"x":null,"y":2}`,
			want: `{"model":"s","messages":[],"config":{"topK":1,"topP":2},"toolConfig":{"mode":"ANY"},"x":null,"y":2}`},
		{name: "config and toolConfig are merged", base: req, hook: `{"config":{"topK":3},"toolConfig":{"allowedFunctionNames":["f"]}}`,
			want: `{"model":"m","messages":[1],"config":{"topK":3,"topP":2},"toolConfig":{"mode":"ANY","allowedFunctionNames":["f"]},"x":1}`},
		{name: "the wrong type counts as not given", base: req, hook: `{"model":null,"messages":{},"config":5,"toolConfig":null}`, want: req},
		{name: "config is made if there is none", base: `{}`, hook: `{"config":{}}`, want: `{"config":{}}`},
		{name: "a patch that is no object changes nothing", base: req, hook: `[1]`, want: req},
		{name: "no request takes the patch", hook: `{"model":"s"}`, want: `{"model":"s"}`},
	})
}

func TestALongHistoryIsStillTranslated(t *testing.T) {
	turn := strings.Repeat(`"a",{"role":"model","parts":[{"text":"b"},{"functionCall":1}]},`, 2500)
	base := wire.Object(`{"contents":[` + turn + `"end"]}`)
	got := FromHookRequest(wire.Object(`{"messages":[{"role":"user","content":"summary"}]}`), base)
	if calls := strings.Count(string(got), `"functionCall":1`); calls != 2500 || strings.Contains(string(got), `"b"`) {
		t.Errorf("%d calls remain, want 2500 and no other text", calls)
	}
}
