package llm

import (
	"io"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/snaphook-go/snaphook/run/judge"
)

// request returns the request that a server receives, as headers and JSON.
func request(t *testing.T, model func(base string) judge.Model, r judge.ModelRequest) (http.Header, string) {
	t.Helper()
	var header http.Header
	var body []byte
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		header = r.Header
		body, _ = io.ReadAll(r.Body)
		io.WriteString(w, good)
	})
	if text, err := model(server.URL).Generate(t.Context(), r); err != nil || text != "fine" {
		t.Fatalf("got %q, %v; want fine", text, err)
	}
	header.Del("Content-Length")
	header.Del("Accept-Encoding")
	header.Del("User-Agent")
	return header, string(body)
}

func TestRequests(t *testing.T) {
	for _, tt := range []struct {
		name   string
		model  func(base string) judge.Model
		ask    judge.ModelRequest
		header http.Header
		body   string
	}{
		{"Anthropic", func(base string) judge.Model { return Anthropic{BaseURL: base, Key: key, Model: "small"} },
			judge.ModelRequest{System: "Answer in JSON.", Prompt: "Is it \xff?"},
			http.Header{"Content-Type": {"application/json"}, "X-Api-Key": {key}, "Anthropic-Version": {"2023-06-01"}},
			`{"model":"small","max_tokens":1024,"system":"Answer in JSON.","messages":[{"role":"user","content":"Is it �?"}]}`},
		{"Anthropic, all by the request", func(base string) judge.Model { return Anthropic{BaseURL: base, Model: "small", MaxTokens: 7} },
			judge.ModelRequest{Model: "large", Prompt: "?"},
			http.Header{"Content-Type": {"application/json"}, "Anthropic-Version": {"2023-06-01"}},
			`{"model":"large","max_tokens":7,"messages":[{"role":"user","content":"?"}]}`},
		{"OpenAI", func(base string) judge.Model { return OpenAI{BaseURL: base, Key: key, Model: "small"} },
			judge.ModelRequest{System: "Answer in JSON.", Prompt: "Is it?"},
			http.Header{"Content-Type": {"application/json"}, "Authorization": {"Bearer " + key}},
			`{"model":"small","messages":[{"role":"system","content":"Answer in JSON."},{"role":"user","content":"Is it?"}],"response_format":{"type":"json_object"}}`},
		{"OpenAI, all by the request", func(base string) judge.Model { return OpenAI{BaseURL: base, Model: "small", MaxTokens: 7} },
			judge.ModelRequest{Model: "large", Prompt: "?"},
			http.Header{"Content-Type": {"application/json"}},
			`{"model":"large","messages":[{"role":"user","content":"?"}],"response_format":{"type":"json_object"},"max_completion_tokens":7}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			header, body := request(t, tt.model, tt.ask)
			if diff := cmp.Diff(tt.header, header); diff != "" {
				t.Errorf("headers (-want +got):\n%s", diff)
			}
			if body != tt.body {
				t.Errorf("got  %s\nwant %s", body, tt.body)
			}
		})
	}
}

func TestAnthropicJoinsTheText(t *testing.T) {
	server := answers(t, 200, `{"content":[{"type":"thinking","thinking":"…"},{"type":"text","text":"{\"ok\""},{"type":"text","text":":true}"}],"stop_reason":"end_turn"}`)
	text, err := Anthropic{BaseURL: server.URL, Model: "m"}.Generate(t.Context(), judge.ModelRequest{})
	if text != `{"ok":true}` || err != nil {
		t.Errorf("got %q, %v; want the two parts", text, err)
	}
}

func TestOpenAISaysThatTheModelDeclines(t *testing.T) {
	server := answers(t, 200, `{"choices":[{"message":{"content":null,"refusal":"I cannot"},"finish_reason":"stop"}]}`)
	_, err := OpenAI{BaseURL: server.URL, Model: "m"}.Generate(t.Context(), judge.ModelRequest{})
	if err == nil || err.Error() != `the model declines: "I cannot"` {
		t.Errorf("err = %v, want an error that it declines", err)
	}
}
