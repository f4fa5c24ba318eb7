package request_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/run/request"
	"github.com/snaphook-go/snaphook/wire"
)

func ExampleHTTP() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		payload, _ := io.ReadAll(r.Body)
		fmt.Println(r.Header.Get("Authorization"), string(payload))
		io.WriteString(w, `{"decision": "block", "reason": "not on a Friday"}`)
	}))
	defer server.Close()

	h := &request.HTTP{
		URL:     server.URL + "/pre-tool-use",
		Headers: map[string]string{"Authorization": "Bearer $HOOK_TOKEN", "X-Home": "$HOME"},
		Vars:    []string{"HOOK_TOKEN"}, // HOME is not in the list
		Getenv:  func(string) (string, bool) { return "t0ken", true },
	}
	reply, err := h.Run(context.Background(), hook.Call{Payload: []byte(`{"tool_name":"Bash"}`)})
	fmt.Println(string(reply.Stdout), err)
	// Output:
	// Bearer t0ken {"tool_name":"Bash"}
	// {"decision": "block", "reason": "not on a Friday"} <nil>
}

func ExampleHTTP_Check() {
	h := &request.HTTP{URL: "hooks.example.com", Headers: map[string]string{"Content-Length": "1", "X-A": "kept"}}
	notes, err := h.Check()
	fmt.Println(err)
	for _, note := range notes {
		fmt.Println(note)
	}
	// Output:
	// the URL of the hook cannot be used; write http://host/path or https://host/path
	// header "Content-Length" is left out: the engine sets it
}

func ExampleAllowedURL() {
	allowed := []string{"https://hooks.example.com/*", "http://127.0.0.1:*"}
	for _, url := range []string{
		"https://HOOKS.example.com/x", "http://127.0.0.1:8080/x", "https://hooks.example.com.evil.com/", "https://hooks.example.com@evil.com/",
	} {
		fmt.Println(request.AllowedURL(allowed, url), url)
	}
	// Output:
	// true https://HOOKS.example.com/x
	// true http://127.0.0.1:8080/x
	// false https://hooks.example.com.evil.com/
	// false https://hooks.example.com@evil.com/
}

// servers are the MCP servers that a host is connected to.
type servers struct{}

func (servers) CallTool(_ context.Context, r request.ToolRequest) (request.ToolAnswer, error) {
	if r.Server != "security" {
		return request.ToolAnswer{}, fmt.Errorf("not connected")
	}
	fmt.Println(r.Tool, string(r.Input))
	return request.ToolAnswer{Text: `{"decision": "block", "reason": "a password is in it"}`}, nil
}

func ExampleTool() {
	call := hook.Call{Payload: []byte(`{"tool_input":{"file_path":"/etc/app.conf"}}`)}
	for _, server := range []string{"security", "other"} {
		t := &request.Tool{Caller: servers{}, Server: server, Name: "scan", Input: wire.Object(`{"path":"${tool_input.file_path}"}`)}
		reply, err := t.Run(context.Background(), call)
		fmt.Println(string(reply.Stdout), err)
	}
	// Output:
	// scan {"path":"/etc/app.conf"}
	// {"decision": "block", "reason": "a password is in it"} <nil>
	//  tool scan of server other: not connected
}
