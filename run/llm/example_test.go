package llm_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/run/judge"
	"github.com/snaphook-go/snaphook/run/llm"
)

// script is a server that returns the same answer to every request.
func script(status int, answer string) *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Println(r.Method, r.URL.Path)
		w.WriteHeader(status)
		io.WriteString(w, answer)
	}))
}

func ExampleAnthropic() {
	server := script(200, `{"content":[{"type":"text","text":"{\"ok\": false, \"reason\": \"it is Friday\"}"}],"stop_reason":"end_turn"}`)
	defer server.Close()

	j := &judge.Judge{
		Model:  llm.Anthropic{BaseURL: server.URL, Key: "the API key", Model: "a small, fast model"},
		Prompt: "May this be deployed? $ARGUMENTS",
		Answer: func(v judge.Verdict) hook.Reply {
			return hook.Reply{Stdout: fmt.Appendf(nil, "%v, %s", v.OK, v.Reason)}
		},
	}
	reply, err := j.Run(context.Background(), hook.Call{Payload: []byte(`{"tool_name":"deploy"}`)})
	fmt.Println(string(reply.Stdout), err)
	// Output:
	// POST /v1/messages
	// false, it is Friday <nil>
}

func ExampleOpenAI() {
	server := script(200, `{"choices":[{"message":{"role":"assistant","content":"{\"ok\": true}"},"finish_reason":"stop"}]}`)
	defer server.Close()

	m := llm.OpenAI{BaseURL: server.URL, Key: "the API key", Model: "a small, fast model"}
	text, err := m.Generate(context.Background(), judge.ModelRequest{System: "Answer in JSON.", Prompt: "May this be deployed?"})
	fmt.Println(text, err)
	// Output:
	// POST /v1/chat/completions
	// {"ok": true} <nil>
}

func ExampleError() {
	server := script(429, `{"type":"error","error":{"type":"rate_limit_error","message":"Too many requests"}}`)
	defer server.Close()

	_, err := llm.Anthropic{BaseURL: server.URL, Model: "a small, fast model"}.Generate(context.Background(), judge.ModelRequest{Prompt: "?"})
	var refused *llm.Error
	if errors.As(err, &refused) {
		fmt.Println(refused.Status, refused.Type)
	}
	fmt.Println(err)
	// Output:
	// POST /v1/messages
	// 429 rate_limit_error
	// the API answered 429 rate_limit_error: Too many requests
}
