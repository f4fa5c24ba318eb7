package proxy

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
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
	log            *slog.Logger
	calls          sync.WaitGroup

	mu      sync.Mutex
	pending map[string]*request // requests of the client that have no reply yet, by their ids as keyOf returns them
	ended   bool                // the server has ended
}

// request is a pending request of the client: either a call of a tool, or a request that is passed on without hooks.
type request struct {
	cancel context.CancelCauseFunc // ends a call; nil if the request is passed on
	reply  chan wire.Object        // receives the reply of a call while the server runs the call; nil at other times
}

func newProxy(s *snaphook.Session, log *slog.Logger, client, server io.Writer) *proxy {
	return &proxy{
		session: s, log: log, pending: map[string]*request{},
		client: &lineWriter{client, make(chan struct{}, 1)}, server: &lineWriter{server, make(chan struct{}, 1)},
	}
}

// clientToServer passes the client's messages on; calls of tools go through the hooks.
func (p *proxy) clientToServer(ctx context.Context, in *bufio.Reader) {
	for {
		line, err := in.ReadBytes('\n')
		if text := wire.Trim(line); len(text) > 0 {
			p.fromClient(ctx, wire.Object(text))
		}
		if err != nil {
			p.calls.Wait()
			return
		}
	}
}

// serverToClient passes the server's messages to the client. It passes the result of a call to the goroutine that waits
// for it.
func (p *proxy) serverToClient(out *bufio.Reader) {
	for {
		line, err := out.ReadBytes('\n')
		if text := wire.Trim(line); len(text) > 0 {
			p.fromServer(wire.Object(text))
		}
		if err != nil {
			p.gone()
			return
		}
	}
}

// fromClient handles a message of the client. It does not pass on a message that the server could
// read in another way than the hooks, because such a message could hide a call.
func (p *proxy) fromClient(ctx context.Context, message wire.Object) {
	if why := ambiguous(message, "jsonrpc", "id", "method", "params"); why != "" {
		p.answer(message.Get("id"), "error", rpcError(why))
		return
	}
	id, method, params := message.Get("id"), message.Text("method"), wire.Object(message.Get("params"))
	call := method == "tools/call"
	if method == "notifications/cancelled" {
		p.cancel(params.Get("requestId"))
	}
	if message.Get("method") == nil || id == nil && !call { // a reply of the client, or a notification
		_ = p.server.write(message) // a server that has ended ends the proxy
		return
	}
	if kind := id.Kind(); id == nil || kind != '"' && kind != '0' {
		p.answer(nil, "error", rpcError("mcp-proxy: a request needs a string or a number as its id"))
		return
	}
	r := &request{}
	if call {
		if why := ambiguous(params, "name", "arguments"); why != "" {
			p.answer(id, "error", rpcError(why))
			return
		}
		ctx, r.cancel = context.WithCancelCause(ctx)
	}
	if err := p.begin(id, r); err != nil {
		if call {
			r.cancel(nil)
		}
		p.answer(id, "error", rpcError(err.Error()))
		return
	}
	if !call {
		_ = p.server.write(message)
		return
	}
	p.calls.Go(func() {
		defer p.end(id, r)
		p.call(ctx, r, message, params)
	})
}

// keyOf returns the canonical form of an id: a server may write an id in another way than the client.
func keyOf(id jsontext.Value) string {
	key := id.Clone()
	_ = key.Canonicalize() // the key of text that is not JSON is the text
	return string(key)
}

// begin registers a request. It returns an error if the server has ended, or if a pending request has the same id,
// because the replies could not be told apart.
func (p *proxy) begin(id jsontext.Value, r *request) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.ended:
		return errGone
	case p.pending[keyOf(id)] != nil:
		return fmt.Errorf("mcp-proxy: a pending request already has the id %s", id)
	}
	p.pending[keyOf(id)] = r
	return nil
}

// end removes a call that has ended.
func (p *proxy) end(id jsontext.Value, r *request) {
	r.cancel(nil)
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.pending, keyOf(id))
}

var errCancelled = errors.New("mcp-proxy: the client has cancelled the call")

// cancel ends a request that the client has cancelled; for a call, also its hooks. A later reply to the request is
// dropped, since no hook has reviewed it.
func (p *proxy) cancel(id jsontext.Value) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch r := p.pending[keyOf(id)]; {
	case r == nil:
	case r.cancel == nil:
		delete(p.pending, keyOf(id))
	default:
		r.cancel(errCancelled) // end removes the call
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
func (p *proxy) call(ctx context.Context, r *request, message, params wire.Object) {
	id := message.Get("id")
	call := &snaphook.ToolCall{ID: string(id), Name: params.Text("name"), Input: wire.Object(params.Get("arguments"))}
	var reply wire.Object
	out, err := p.session.RunTool(ctx, call, func(ctx context.Context, args wire.Object) (snaphook.ToolResult, error) {
		if params.Get("arguments") != nil || len(args) > 0 {
			params = params.With("arguments", jsontext.Value(args))
		}
		var err error
		reply, err = p.forward(ctx, r, message.With("params", jsontext.Value(params)))
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

// forward sends a call to the server and waits for the reply. It returns an error if the server has ended or the call
// is cancelled.
func (p *proxy) forward(ctx context.Context, r *request, message wire.Object) (wire.Object, error) {
	reply := make(chan wire.Object, 1)
	p.mu.Lock()
	if p.ended {
		p.mu.Unlock()
		return nil, errGone
	}
	r.reply = reply
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

// fromServer handles a message of the server. It drops a reply that no pending request waits for, and a message that
// the client could read in another way than the hooks: either may answer a call, and no hook has reviewed it.
func (p *proxy) fromServer(message wire.Object) {
	why := ambiguous(message, "jsonrpc", "id", "method", "params", "result", "error")
	if why == "" && message.Get("method") != nil && (message.Get("result") != nil || message.Get("error") != nil) {
		why = "mcp-proxy: the message is both a request and a reply"
	}
	if why != "" {
		p.log.Warn("a message of the server is not passed on to the client", "error", why)
		return
	}
	id := message.Get("id")
	isReply := id != nil && message.Get("method") == nil && (id.Kind() != 'n' || message.Get("result") != nil)
	if !isReply || p.replied(id, message) {
		_ = p.client.write(message)
	}
}

// replied gives a reply to the call that waits for it. It reports whether the reply answers a request that was passed
// on without hooks.
func (p *proxy) replied(id jsontext.Value, message wire.Object) (passed bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch r := p.pending[keyOf(id)]; {
	case r == nil:
	case r.cancel == nil:
		delete(p.pending, keyOf(id))
		return true
	case r.reply != nil:
		r.reply <- message
		r.reply = nil
	}
	return false
}

// gone ends the calls that wait for a server that has exited.
func (p *proxy) gone() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
	for _, r := range p.pending {
		if r.reply != nil {
			close(r.reply)
			r.reply = nil
		}
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

// lineWriter writes whole lines, from many goroutines.
type lineWriter struct {
	to    io.Writer
	token chan struct{}
}

func (w *lineWriter) write(o wire.Object) error {
	w.token <- struct{}{}
	defer func() { <-w.token }()
	_, err := w.to.Write(append(append([]byte{}, o...), '\n'))
	return err
}
