package genai

import (
	"testing"

	"github.com/snaphook-go/snaphook/wire"
)

func TestHooksSeeTheTextOfAResponse(t *testing.T) {
	runTo(t, ToHookResponse, []translation{
		{name: "texts, rating and counters",
			base: `{"candidates":[{"content":{"role":"model","parts":[{"text":"Hi "},{"functionCall":{"name":"f"}},{"text":"there"}]},"finishReason":"STOP","index":0,"safetyRatings":[{"category":"C","probability":"LOW","blocked":true}],"tokenCount":9}],"usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":4,"totalTokenCount":7,"cachedContentTokenCount":1},"responseId":"r"}`,
			want: `{"text":"Hi there","candidates":[{"content":{"role":"model","parts":["Hi ","there"]},"finishReason":"STOP","index":0,"safetyRatings":[{"category":"C","probability":"LOW"}]}],"usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":4,"totalTokenCount":7}}`},
		{name: "text is that of the first candidate",
			base: `{"candidates":[{"content":{"parts":[{"functionCall":1}]}},{"content":{"parts":[{"text":"b"}]}}]}`,
			want: `{"candidates":[{"content":{"role":"model","parts":[]}},{"content":{"role":"model","parts":["b"]}}]}`},
		{name: "what a rating lacks is empty",
			base: `{"candidates":[{"safetyRatings":[{},null,{"category":5}]}]}`,
			want: `{"candidates":[{"content":{"role":"model","parts":[]},"safetyRatings":[{"category":"","probability":""},{"category":"","probability":""},{"category":"5","probability":""}]}]}`},
		{name: "rubbish is an empty candidate",
			base: `{"candidates":[null,5],"usageMetadata":null}`,
			want: `{"candidates":[{"content":{"role":"model","parts":[]}},{"content":{"role":"model","parts":[]}}]}`},
		{name: "no response has no candidates", base: `{}`, want: `{"candidates":[]}`},
	})
}

func TestAResponseWithoutBaseIsMadeFromTexts(t *testing.T) {
	run(t, FromHookResponse, []translation{
		{name: "parts become objects",
			hook: `{"text":"hey","candidates":[{"content":{"role":"model","parts":["hey",{"text":"you"},5]},"finishReason":"STOP","index":0,"safetyRatings":[{"category":"C","probability":"LOW"}],"x":1}],"usageMetadata":{"totalTokenCount":1}}`,
			want: `{"text":"hey","candidates":[{"content":{"role":"model","parts":[{"text":"hey"},{"text":"you"}]},"finishReason":"STOP","index":0,"safetyRatings":[{"category":"C","probability":"LOW"}]}],"usageMetadata":{"totalTokenCount":1}}`},
		{name: "a string may stand for parts or content",
			hook: `{"candidates":[{"content":{"parts":"a"}},{"content":"b"},{"content":{"text":"c"}},null,{}]}`,
			want: `{"candidates":[{"content":{"role":"model","parts":[{"text":"a"}]}},{"content":{"role":"model","parts":[{"text":"b"}]}},{"content":{"role":"model","parts":[{"text":"c"}]}},{}]}`},
		{name: "nothing makes nothing", hook: `{}`, want: `{}`},
	})
}

const reply = `{"text":"Hi there","candidates":[{"content":{"role":"model","parts":[{"text":"Hi "},{"functionCall":{"name":"f"}},{"text":"there"}]},"index":0,"safetyRatings":[{"category":"C","probability":"LOW","blocked":true}],"tokenCount":9}],"usageMetadata":{"totalTokenCount":7,"cachedContentTokenCount":1},"responseId":"r"}`

func replyWith(text, parts, rest string) string {
	return `{"text":"` + text + `","candidates":[{"content":{"role":"model","parts":[` + parts + `]},"index":0,` + rest + `"tokenCount":9}],"usageMetadata":{"totalTokenCount":7,"cachedContentTokenCount":1},"responseId":"r"}`
}

const rated = `"safetyRatings":[{"category":"C","probability":"LOW","blocked":true}],`

func TestACallSurvivesTheRewriteOfItsText(t *testing.T) {
	run(t, FromHookResponse, []translation{
		{name: "as many texts go one by one", base: reply,
			hook: `{"candidates":[{"content":{"parts":["Hi ","you"]}}]}`,
			want: replyWith("Hi you", `{"text":"Hi "},{"functionCall":{"name":"f"}},{"text":"you"}`, rated)},
		{name: "fewer texts take the first places", base: reply,
			hook: `{"candidates":[{"content":{"parts":["[redacted]"]},"safetyRatings":[{"category":"C","probability":"HIGH"}]}]}`,
			want: replyWith("[redacted]", `{"text":"[redacted]"},{"functionCall":{"name":"f"}}`, `"safetyRatings":[{"category":"C","probability":"HIGH","blocked":true}],`)},
		{name: "more texts follow the last", base: reply,
			hook: `{"candidates":[{"content":{"parts":["a","b","c"]}}]}`,
			want: replyWith("abc", `{"text":"a"},{"functionCall":{"name":"f"}},{"text":"b"},{"text":"c"}`, rated)},
		{name: "no texts leave the call", base: reply,
			hook: `{"candidates":[{"content":{"parts":[]}}]}`,
			want: replyWith("", `{"functionCall":{"name":"f"}}`, rated)},
		{name: "a removed candidate leaves its call", base: reply, hook: `{"candidates":[]}`,
			want: replyWith("", `{"functionCall":{"name":"f"}}`, rated)},
		{name: "text alone is that of the first candidate", base: reply, hook: `{"text":"other"}`,
			want: replyWith("other", `{"text":"other"},{"functionCall":{"name":"f"}}`, rated)},
		{name: "a text that was changed beside candidates that were not counts", base: reply,
			hook: `{"text":"[redacted]","candidates":[{"content":{"role":"model","parts":["Hi ","there"]},"index":0}]}`,
			want: replyWith("[redacted]", `{"text":"[redacted]"},{"functionCall":{"name":"f"}}`, rated)},
		{name: "a text that was not changed says nothing", base: reply,
			hook: `{"text":"Hi there","candidates":[{"content":{"role":"model","parts":["Hi ","you"]}}]}`,
			want: replyWith("Hi you", `{"text":"Hi "},{"functionCall":{"name":"f"}},{"text":"you"}`, rated)},
		{name: "own texts of a candidate come before text", base: reply,
			hook: `{"text":"b","candidates":[{"content":{"parts":["a"]}}]}`,
			want: replyWith("a", `{"text":"a"},{"functionCall":{"name":"f"}}`, rated)},
		{name: "text of a response that had none", base: `{"candidates":[]}`, hook: `{"text":"a"}`,
			want: `{"candidates":[{"content":{"role":"model","parts":[{"text":"a"}]}}]}`},
		{name: "text comes before a call that had none",
			base: `{"candidates":[{"content":{"parts":[{"functionCall":1}]}}]}`,
			hook: `{"candidates":[{"content":{"parts":["a"]},"finishReason":"STOP"}]}`,
			want: `{"candidates":[{"content":{"parts":[{"text":"a"},{"functionCall":1}]},"finishReason":"STOP"}]}`},
		{name: "a thought does not take the answer",
			base: `{"candidates":[{"content":{"parts":[{"text":"hm","thought":true},{"text":"yes"}]}}]}`,
			hook: `{"candidates":[{"content":{"parts":["no"]}}]}`,
			want: `{"candidates":[{"content":{"parts":[{"text":"no"}]}}]}`},
		{name: "counters are merged", base: `{"usageMetadata":{"totalTokenCount":7,"x":1}}`,
			hook: `{"usageMetadata":{"totalTokenCount":8}}`, want: `{"usageMetadata":{"totalTokenCount":8,"x":1}}`},
		{name: "a candidate more is added", base: `{"candidates":[5]}`,
			hook: `{"candidates":[{"content":"x"},{"content":"y"}]}`,
			want: `{"candidates":[5,{"content":{"role":"model","parts":[{"text":"y"}]}}]}`},
		{name: "ratings that the hook dropped go", base: `{"candidates":[{"safetyRatings":[{"category":"A"},{"category":"B","blocked":true}]}]}`,
			hook: `{"candidates":[{"safetyRatings":[{"category":"B"},{"category":"N"}]}]}`,
			want: `{"candidates":[{"safetyRatings":[{"category":"B","blocked":true},{"category":"N"}]}]}`},
	})
}

func TestBadJSONOfAHookNeverLosesTheResponse(t *testing.T) {
	for _, hook := range []string{``, `null`, `5`, `[]`, `{"candidates":null}`, `{"candidates":{}}`, `{"candidates":[null]}`,
		`{"candidates":["x"]}`, `{"candidates":[{}]}`, `{"candidates":[{"content":null}]}`, `{"candidates":[{"content":5}]}`,
		`{"candidates":[{"content":{"parts":5}}]}`, `{"candidates":[{"content":{"parts":[{"functionCall":1}]}}]}`,
		`{"candidates":[{"content":{},"finishReason":null,"index":null,"safetyRatings":{}}]}`, `{"usageMetadata":[]}`} {
		wantJSON(t, FromHookResponse(wire.Object(hook), wire.Object(reply)), reply)
	}
}
