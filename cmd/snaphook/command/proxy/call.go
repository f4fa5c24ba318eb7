package proxy

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook"
	"github.com/snaphook-go/snaphook/wire"
)

// proxy passes messages between an MCP client and a server.
type proxy struct {
	session        *snaphook.Session
	client, server *lineWriter
	calls          sync.WaitGroup

	mu      sync.Mutex
	waiting map[string]chan wire.Object        // calls that the server is running, by the id of the message
	cancels map[string]context.CancelCauseFunc // calls in progress, by the id of the message
	ended   bool                               // the server has ended
}

func newProxy(s *snaphook.Session, client, server io.Writer) *proxy {
	return &proxy{
		session: s, waiting: map[string]chan wire.Object{}, cancels: map[string]context.CancelCauseFunc{},
		client: &lineWriter{client, make(chan struct{}, 1)}, server: &lineWriter{server, make(chan struct{}, 1)},
	}
}

// fromClient handles a message of the client. It does not pass on a message that the server could
// read in another way than the hooks, because such a message could hide a call.
func (p *proxy) fromClient(ctx context.Context, message wire.Object) {
	if why := ambiguous(message, "jsonrpc", "id", "method", "params"); why != "" {
		p.answer(message.Get("id"), "error", rpcError(why))
		return
	}
	if message.Text("method") == "notifications/cancelled" {
		p.cancel(wire.Object(message.Get("params")).Get("requestId"))
	}
	if message.Text("method") != "tools/call" {
		_ = p.server.write(message) // a server that has ended ends the proxy
		return
	}
	params := wire.Object(message.Get("params"))
	if why := ambiguous(params, "name", "arguments"); why != "" {
		p.answer(message.Get("id"), "error", rpcError(why))
		return
	}
	id := string(message.Get("id"))
	ctx, cancel := context.WithCancelCause(ctx)
	p.mu.Lock()
	p.cancels[id] = cancel
	p.mu.Unlock()
	p.calls.Go(func() {
		defer cancel(nil)
		p.call(ctx, message, params)
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.cancels, id)
	})
}

var errCancelled = errors.New("mcp-proxy: the client has cancelled the call")

// cancel ends a call that the client has cancelled: its hooks, and the wait for its reply. A reply
// that comes all the same is dropped, since no hook has reviewed it.
func (p *proxy) cancel(id jsontext.Value) {
	p.mu.Lock()
	cancel := p.cancels[string(id)]
	p.mu.Unlock()
	if cancel != nil {
		cancel(errCancelled)
	}
}

// ambiguous returns why a message could be read in two ways; empty if it could not. Readers
// disagree about repeated names, and about upper and lower case.
func ambiguous(o wire.Object, names ...string) string {
	if !jsontext.Value(o).IsValid() || len(o) == 0 || !o.IsObject() {
		return "mcp-proxy takes one JSON object in each line, without duplicate names; batches are not supported"
	}
	for name := range o.Members() {
		for _, known := range names {
			if name != known && strings.EqualFold(name, known) {
				return "mcp-proxy: the member " + name + " could be taken for " + known
			}
		}
	}
	return ""
}

func rpcError(message string) wire.Object {
	return wire.Object(`{"code":-32600}`).With("message", wire.Quote(message))
}

// answer answers a message in place of the server. A message without an id gets no result; an error about such a
// message has the id null.
func (p *proxy) answer(id jsontext.Value, member string, value wire.Object) {
	if id == nil {
		if member != "error" {
			return
		}
		id = jsontext.Value("null")
	}
	o := wire.Object(`{"jsonrpc":"2.0"}`).With("id", id).With(member, jsontext.Value(value))
	_ = p.client.write(o)
}

// call runs a tool call with the hooks around it.
func (p *proxy) call(ctx context.Context, message, params wire.Object) {
	id := message.Get("id")
	call := &snaphook.ToolCall{ID: string(id), Name: params.Text("name"), Input: wire.Object(params.Get("arguments"))}
	var reply wire.Object
	out, err := p.session.RunTool(ctx, call, func(ctx context.Context, args wire.Object) (snaphook.ToolResult, error) {
		if params.Get("arguments") != nil || len(args) > 0 {
			params = params.With("arguments", jsontext.Value(args))
		}
		var err error
		reply, err = p.forward(ctx, id, message.With("params", jsontext.Value(params)))
		return resultOf(reply), err
	})
	switch {
	case errors.Is(context.Cause(ctx), errCancelled): // the client expects no answer
	case reply == nil && err != nil && !errors.Is(err, errGone):
		p.answer(id, "result", textResult(out.Text))
	case reply == nil && err != nil:
		p.answer(id, "error", rpcError(err.Error()))
	case reply == nil:
		p.answer(id, "result", textResult(ended(out)))
	case reply.Get("result") == nil:
		_ = p.client.write(reply) // a protocol error has no member for the hooks' messages
	default:
		p.answer(id, "result", reviewed(wire.Object(reply.Get("result")), out))
	}
}

var errGone = errors.New("mcp-proxy: the server has ended")

// forward sends a call to the server and waits for the reply. It returns an error if the server has ended, if the call
// is cancelled, and if another call with the same id waits for its reply.
func (p *proxy) forward(ctx context.Context, id jsontext.Value, message wire.Object) (wire.Object, error) {
	key := string(id)
	reply := make(chan wire.Object, 1)
	p.mu.Lock()
	_, twice := p.waiting[key]
	if p.ended || twice {
		p.mu.Unlock()
		return nil, errors.Join(errGone)
	}
	p.waiting[key] = reply
	p.mu.Unlock()
	if err := p.server.write(message); err != nil {
		return nil, errGone
	}
	select {
	case o, ok := <-reply:
		if !ok {
			return nil, errGone
		}
		return o, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// fromServer handles a message of the server.
func (p *proxy) fromServer(message wire.Object) {
	id := message.Get("id")
	if id != nil && message.Get("method") == nil {
		p.mu.Lock()
		reply := p.waiting[string(id)]
		delete(p.waiting, string(id))
		p.mu.Unlock()
		if reply != nil {
			reply <- message
			return
		}
	}
	_ = p.client.write(message)
}

// gone ends the calls that wait for a server that has exited.
func (p *proxy) gone() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
	for key, reply := range p.waiting {
		close(reply)
		delete(p.waiting, key)
	}
}

// resultOf converts the server's reply to the result that hooks see.
func resultOf(reply wire.Object) snaphook.ToolResult {
	if failure := reply.Get("error"); failure != nil {
		return snaphook.ToolResult{Text: wire.Object(failure).Text("message"), Failed: true}
	}
	result := wire.Object(reply.Get("result"))
	return snaphook.ToolResult{
		Text:   textsOf(result),
		Data:   jsontext.Value(result),
		Failed: result.Get("isError").Kind() == 't',
	}
}

// textsOf returns the texts of a result's content.
func textsOf(result wire.Object) string {
	var content []wire.Object
	if json.Unmarshal(result.Get("content"), &content) != nil {
		return ""
	}
	var texts []string
	for _, part := range content {
		if part.Text("type") == "text" {
			texts = append(texts, part.Text("text"))
		}
	}
	return strings.Join(texts, "\n")
}

// reviewed applies the changes of hooks to the server's result: texts that hooks add are appended; a text that replaces
// the result becomes its only content.
func reviewed(result wire.Object, out snaphook.ToolResult) wire.Object {
	text, before := ended(out), textsOf(result)
	if text == before {
		return result
	}
	more, kept := strings.CutPrefix(text, before)
	if !kept {
		return textResult(
			text,
		).With("isError", jsontext.Value(map[bool]string{true: "true", false: "false"}[out.Failed]))
	}
	var content []jsontext.Value
	_ = json.Unmarshal(result.Get("content"), &content) // parsed before
	content = append(content, textPart(strings.TrimLeft(more, "\n")))
	list, err := json.Marshal(content)
	if err != nil {
		return result
	}
	return result.With("content", list)
}

// ended returns the text of a result. If hooks end the agent's work, the text says so, with the reason.
func ended(out snaphook.ToolResult) string {
	if !out.Stop {
		return out.Text
	}
	text := "A hook wants the agent to end its work."
	if out.StopReason != "" {
		text += " " + out.StopReason
	}
	return strings.TrimLeft(out.Text+"\n\n"+text, "\n")
}

func textPart(text string) jsontext.Value {
	return jsontext.Value(wire.Object(`{"type":"text"}`).With("text", wire.Quote(text)))
}

// textResult returns a failed result with a text for the model.
func textResult(text string) wire.Object {
	return wire.Object(`{"isError":true}`).With("content", append(append([]byte{'['}, textPart(text)...), ']'))
}
