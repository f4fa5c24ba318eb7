// Package adapter has the common parts of adapters for frameworks that take only text from tools
// and models.
package adapter

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/snaphook-go/snaphook"
	"github.com/snaphook-go/snaphook/events/llxprt/genai"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/wire"
)

// Hooks are the hooks of a session, with callbacks for instructions that a text cannot express.
type Hooks struct {
	Session *snaphook.Session
	Message func(text string)                        // shows the user a message of a hook; nil drops it
	Stop    func(ctx context.Context, reason string) // ends the agent's work; nil: only the text tells the model to end it
}

// New makes Hooks from functions that need no context. message and stop may be nil.
func New(s *snaphook.Session, message, stop func(text string)) *Hooks {
	h := &Hooks{Session: s, Message: message}
	if stop != nil {
		h.Stop = func(_ context.Context, reason string) { stop(reason) }
	}
	return h
}

func (h *Hooks) report(ctx context.Context, messages []string, stop bool, reason string) {
	for _, text := range messages {
		if h.Message != nil {
			h.Message(text)
		}
	}
	if stop && h.Stop != nil {
		h.Stop(ctx, reason)
	}
}

// Tool runs a tool with the arguments after hooks have changed them.
type Tool = func(context.Context, wire.Object) (snaphook.ToolResult, error)

// Run calls [snaphook.Session.RunTool], and then the host's callbacks.
func (h *Hooks) Run(ctx context.Context, call *snaphook.ToolCall, tool Tool) (snaphook.ToolResult, error) {
	out, err := h.Session.RunTool(ctx, call, tool)
	h.report(ctx, out.Messages, out.Stop, out.StopReason)
	return out, err
}

// RunTool does the same as Run, and returns the text for the model. If hooks refuse the call, or its arguments are not
// a JSON object, the text says so. The error is the tool's or the session's.
func (h *Hooks) RunTool(ctx context.Context, call *snaphook.ToolCall, tool Tool) (text string, err error) {
	out, err := h.Run(ctx, call, tool)
	if wrong := new(hook.InputError); err != nil && !errors.As(err, &wrong) {
		return "", err
	}
	return out.TextWithStop(), nil
}

// Added returns the text that hooks have appended, without the blank lines before it. If hooks have replaced the text,
// kept is false and more is the new text.
func Added(before, now string) (more string, kept bool) {
	more, kept = strings.CutPrefix(now, before)
	return strings.TrimLeft(more, "\n"), kept
}

// Parts reads and writes the parts of a framework's tool results.
type Parts[P any] struct {
	Text func(P) (text string, ok bool) // returns the text of a part
	Part func(text string) P
}

// Join joins the texts among the parts.
func (f *Parts[P]) Join(parts []P, separator string) string {
	var all []string
	for _, part := range parts {
		if text, ok := f.Text(part); ok {
			all = append(all, text)
		}
	}
	return strings.Join(all, separator)
}

// With returns the parts for the new text: an addition becomes one more part, and a rewrite replaces all parts.
func (f *Parts[P]) With(parts []P, text string) []P {
	more, kept := Added(f.Join(parts, "\n"), text)
	switch {
	case !kept:
		return []P{f.Part(text)}
	case more == "":
		return parts
	}
	return append(parts[:len(parts):len(parts)], f.Part(more))
}

// Messages converts the messages of a framework's requests to models.
type Messages[M any] struct {
	Role func(M) string // returns model, system or user
	Text func(M) string
	New  func(role, text string) M
	With func(m M, text string) M // returns the message with another text
}

// ToolChoice runs the hooks that select the tools of a request to a model. It returns their choice, or nil if the host
// chooses. The verdict has the hooks' contexts, and reports whether the agent has to stop.
func (f *Messages[M]) ToolChoice(
	ctx context.Context, h *Hooks, messages []M,
) (*genai.ToolConfig, *snaphook.Verdict, error) {
	v, err := h.Session.ToolChoice(ctx, &snaphook.ToolChoiceInput{Request: f.request(messages)})
	h.report(ctx, v.Messages, v.Stop, v.StopReason)
	var r genai.Request
	if err == nil && len(v.Input) > 0 {
		if err = v.Input.Into(&r); err != nil {
			err = fmt.Errorf("hooks have restricted the tools of a request to the model, and the result cannot be read: %w", err)
		}
	}
	return r.ToolConfig, v, err
}

// Model runs the hooks around a request to a model, and returns the response's text after hooks have changed
// it. If calls is false, the caller must ignore the response's tool calls.
//
// call sends the messages after hooks have changed them, with the hooks' contexts and the texts of background hooks
// since the last request. It is not called if a hook denies the request, stops the agent or answers in place of the
// model. If whole is false, the response streams to the caller, and hooks do not see it.
func (f *Messages[M]) Model(
	ctx context.Context, h *Hooks, messages []M, call func(now []M) (text string, whole bool, err error),
) (text string, calls bool, err error) {
	v, err := h.Session.BeforeModel(ctx, &snaphook.BeforeModelInput{Request: f.request(messages)})
	h.report(ctx, v.Messages, v.Stop, v.StopReason)
	switch {
	case err != nil:
		return "", false, err
	case v.Denied(), v.Stop:
		return strings.TrimSpace(v.Reason + "\n" + v.StopReason), false, nil
	case v.Result != nil:
		return v.Result.Text, false, nil
	}
	now, err := f.rewritten(messages, v.Input)
	if err != nil {
		return "", false, err
	}
	for _, text := range append(h.Session.NextTurn(), v.Context...) {
		now = append(now, f.New("system", text))
	}
	text, whole, err := call(now)
	if err != nil || !whole {
		return text, true, err
	}
	content := genai.Content{Role: "model", Parts: []genai.Text{genai.Text(text)}}
	response, _ := wire.Of(genai.Response{Candidates: []genai.Candidate{{Content: content}}}) // strings alone
	v, err = h.Session.AfterModel(ctx, &snaphook.AfterModelInput{Request: f.request(now), Response: response})
	h.report(ctx, v.Messages, v.Stop, v.StopReason)
	switch {
	case v.Stop:
		return strings.TrimSpace(text + "\n" + v.StopReason), false, err
	case v.Result != nil:
		return v.Result.Text, !v.Result.Failed, err
	}
	return text, true, err
}

func (f *Messages[M]) request(messages []M) wire.Object {
	r := genai.Request{Messages: make([]genai.Message, len(messages))}
	for i, m := range messages {
		r.Messages[i] = genai.Message{Role: f.Role(m), Content: genai.Text(f.Text(m))}
	}
	o, _ := wire.Of(r) // the value has only strings: this cannot fail
	return o
}

// rewritten returns the messages after hooks have changed them. If their number has changed, a message with
// another text counts as new, and missing messages are left out. For a rewrite that cannot be read, rewritten returns
// an error, and never the original messages, which hooks have replaced.
func (f *Messages[M]) rewritten(messages []M, o wire.Object) (now []M, err error) {
	var r genai.Request
	if err := o.Into(&r); err != nil {
		return nil, fmt.Errorf("hooks have rewritten the request to the model, and the result cannot be read: %w", err)
	}
	if r.Messages == nil {
		return nil, errors.New("hooks have rewritten the request to the model, and it has no messages left; write a list")
	}
	inPlace := len(r.Messages) == len(messages)
	for _, m := range r.Messages {
		text := string(m.Content)
		i := slices.IndexFunc(messages, func(old M) bool {
			return inPlace || f.Role(old) == m.Role && f.Text(old) == text
		})
		if i < 0 {
			now = append(now, f.New(m.Role, text))
			continue
		}
		now, messages = append(now, f.With(messages[i], text)), messages[i+1:]
	}
	return now, nil
}
