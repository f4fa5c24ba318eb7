package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/snaphook-go/snaphook"
	"github.com/snaphook-go/snaphook/events/llxprt/genai"
	"github.com/snaphook-go/snaphook/wire"
)

// Message is one message of the conversation. Role is system, user, model or tool.
type Message struct {
	Role, Text string
	Calls      []snaphook.ToolCall // calls of the model
	Call       string              // the id of the call that a tool's message answers
}

// Model answers a conversation, given the names of the tools that it may call; nil means every
// tool.
type Model interface {
	Reply(ctx context.Context, messages []Message, tools []string) (Message, error)
}

// Scripted is a model with scripted messages, one after another.
type Scripted struct {
	Replies []Message
	Seen    [][]Message // the conversations it received
}

// Reply implements [Model].
func (s *Scripted) Reply(_ context.Context, messages []Message, _ []string) (Message, error) {
	s.Seen = append(s.Seen, slices.Clone(messages))
	if len(s.Replies) == 0 {
		return Message{Role: "model", Text: "done"}, nil
	}
	reply := s.Replies[0]
	s.Replies = s.Replies[1:]
	return reply, nil
}

// tools describes the host's tools to hooks.
var tools = []snaphook.Tool{
	{Name: "execute_command", Kind: snaphook.Shell, Args: map[string]string{"command": "cmd"}},
	{Name: "read_text", Kind: snaphook.Read, Args: map[string]string{"path": "file"}},
	{Name: "put_file", Kind: snaphook.Write, Args: map[string]string{"path": "target", "content": "text"}},
	{Name: "delegate", Kind: snaphook.Task},
}

// runTool runs a tool of the host.
func runTool(ctx context.Context, dir, name string, args wire.Object) (snaphook.ToolResult, error) {
	var text []byte
	var err error
	switch name {
	case "execute_command":
		run := exec.CommandContext(ctx, "bash", "-c", args.Text("cmd"))
		run.Dir = dir
		text, err = run.CombinedOutput()
	case "read_text":
		text, err = os.ReadFile(filepath.Join(dir, args.Text("file")))
	case "put_file":
		err = os.WriteFile(filepath.Join(dir, args.Text("target")), []byte(args.Text("text")), 0o644)
	default:
		err = fmt.Errorf("there is no tool %q", name)
	}
	return snaphook.ToolResult{Text: string(text)}, err
}

// request returns the conversation in the form that hooks see.
func request(messages []Message) wire.Object {
	r := genai.Request{Messages: []genai.Message{}}
	for _, m := range messages {
		r.Messages = append(r.Messages, genai.Message{Role: m.Role, Content: genai.Text(m.Text)})
	}
	o, _ := wire.Of(r)
	return o
}

// rewritten returns the messages with the texts of the request that hooks have changed. If the request
// has another number of messages, rewritten returns the messages unchanged.
func rewritten(messages []Message, o wire.Object) []Message {
	var r genai.Request
	now := slices.Clone(messages)
	if o.Into(&r) != nil || len(r.Messages) != len(now) {
		return now
	}
	for i := range now {
		now[i].Text = string(r.Messages[i].Content)
	}
	return now
}

// allowed returns the tools that hooks allow the model to call; nil means every tool.
func allowed(o wire.Object) []string {
	var r genai.Request
	if o.Into(&r) != nil || r.ToolConfig == nil {
		return nil
	}
	return r.ToolConfig.AllowedFunctionNames
}

// response returns the model's text in the form that hooks see.
func response(text string) wire.Object {
	o, _ := wire.Of(
		genai.Response{
			Candidates: []genai.Candidate{
				{Content: genai.Content{Role: "model", Parts: []genai.Text{genai.Text(text)}}},
			},
		},
	)
	return o
}

// OpenAI is a model at an endpoint that is compatible with OpenAI's chat completions.
type OpenAI struct{ URL, Key, Name string }

type chatMessage struct {
	Role       string     `json:"role"`
	Content    string     `json:"content"`
	ToolCalls  []chatCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
}

type chatCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// Reply implements [Model].
func (m *OpenAI) Reply(ctx context.Context, messages []Message, names []string) (Message, error) {
	body, err := json.Marshal(map[string]any{"model": m.Name, "messages": chat(messages), "tools": offered(names)})
	if err != nil {
		return Message{}, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, m.URL+"/chat/completions", bytes.NewReader(body))
	if err != nil {
		return Message{}, err
	}
	req.Header.Set("Authorization", "Bearer "+m.Key)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return Message{}, err
	}
	defer res.Body.Close()
	var answer struct {
		Choices []struct{ Message chatMessage }
	}
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil || res.StatusCode != http.StatusOK ||
		len(answer.Choices) == 0 {
		return Message{}, fmt.Errorf("the model answered %s: %w", res.Status, err)
	}
	reply := Message{Role: "model", Text: answer.Choices[0].Message.Content}
	for _, c := range answer.Choices[0].Message.ToolCalls {
		reply.Calls = append(
			reply.Calls,
			snaphook.ToolCall{ID: c.ID, Name: c.Function.Name, Input: wire.Object(c.Function.Arguments)},
		)
	}
	return reply, nil
}

// chat returns the conversation in the form of the endpoint.
func chat(messages []Message) (all []chatMessage) {
	for _, m := range messages {
		c := chatMessage{Role: m.Role, Content: m.Text, ToolCallID: m.Call}
		if m.Role == "model" {
			c.Role = "assistant"
		}
		for _, call := range m.Calls {
			one := chatCall{ID: call.ID, Type: "function"}
			one.Function.Name, one.Function.Arguments = call.Name, string(call.Input)
			c.ToolCalls = append(c.ToolCalls, one)
		}
		all = append(all, c)
	}
	return all
}

// parameters lists the arguments of each tool.
var parameters = map[string][]string{
	"execute_command": {"cmd"},
	"read_text":       {"file"},
	"put_file":        {"target", "text"},
	"delegate":        {"prompt"},
}

// offered describes the tools of these names; nil means every tool.
func offered(names []string) (all []any) {
	for _, t := range tools {
		if names != nil && !slices.Contains(names, t.Name) {
			continue
		}
		properties := map[string]any{}
		for _, p := range parameters[t.Name] {
			properties[p] = map[string]string{"type": "string"}
		}
		schema := map[string]any{"type": "object", "properties": properties, "required": parameters[t.Name]}
		all = append(
			all,
			map[string]any{"type": "function", "function": map[string]any{"name": t.Name, "parameters": schema}},
		)
	}
	return all
}
