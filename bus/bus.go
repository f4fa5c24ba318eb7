// Package bus lets other parts of a program fire events by messages. Each request gets one response with the same
// correlation id (rule L61 of docs/spec/llxprt.md). A failure is an error object in the response.
package bus

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/sourcegraph/conc"

	"github.com/snaphook-go/snaphook/wire"
)

// The values of [Message].Type.
const (
	HookExecutionRequest  = "HOOK_EXECUTION_REQUEST"
	HookExecutionResponse = "HOOK_EXECUTION_RESPONSE"
)

// Message is one message on a bus.
type Message struct {
	Type    string         `json:"type"`
	Payload jsontext.Value `json:"payload,omitzero"` // an object, or empty
}

// ErrClosed is the error of publishing on a closed bus.
var ErrClosed = errors.New("the bus is closed")

// Bus delivers messages within a process. The zero Bus is ready for use; its methods may be called from many
// goroutines. Messages of one type are handled in parallel and in no order: correlate them by id.
type Bus struct {
	mu          sync.RWMutex
	subscribers map[*subscriber]struct{}
	closed      bool
	done        chan struct{} // closed when the bus closes; made at first use
}

type subscriber struct {
	kind    string
	handle  func(Message)
	mu      sync.Mutex
	stopped bool
	running conc.WaitGroup
}

// Subscribe calls handle for every message of a type, each on a separate goroutine. cancel returns after the last call
// has returned; handle must not call cancel.
func (b *Bus) Subscribe(kind string, handle func(Message)) (cancel func()) {
	s := &subscriber{kind: kind, handle: handle}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.subscribers == nil {
		b.subscribers = map[*subscriber]struct{}{}
	}
	b.subscribers[s] = struct{}{}
	return func() {
		b.mu.Lock()
		delete(b.subscribers, s)
		b.mu.Unlock()
		s.stop()
	}
}

// Publish passes a message to every subscriber of its type, without waiting for the handlers. A message without a
// subscriber is dropped.
func (b *Bus) Publish(m Message) error {
	b.mu.RLock()
	if b.closed {
		b.mu.RUnlock()
		return ErrClosed
	}
	var to []*subscriber
	for s := range b.subscribers {
		if s.kind == m.Type {
			to = append(to, s)
		}
	}
	b.mu.RUnlock()
	for _, s := range to {
		s.take(m)
	}
	return nil
}

// Close ends all subscriptions and returns when the last handler has returned; handlers must not call it. Waiting
// callers of [Bus.Ask] get [ErrClosed].
func (b *Bus) Close() error {
	b.mu.Lock()
	if b.done != nil && !b.closed {
		close(b.done)
	}
	b.closed = true
	subscribers := b.subscribers
	b.subscribers = nil
	b.mu.Unlock()
	for s := range subscribers {
		s.stop()
	}
	return nil
}

func (s *subscriber) take(m Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.stopped {
		s.running.Go(func() { s.handle(m) })
	}
}

func (s *subscriber) stop() {
	s.mu.Lock()
	s.stopped = true
	s.mu.Unlock()
	s.running.Wait()
}

// Ask publishes a request and waits for its response, or until ctx or the bus ends. A request without a correlation id
// gets one. If the event was not fired, the response has an [Error]; Ask itself returns an error only if there is no
// response.
func (b *Bus) Ask(ctx context.Context, r Request) (Response, error) {
	if err := ctx.Err(); err != nil {
		return Response{}, err
	}
	if r.CorrelationID == "" {
		r.CorrelationID = NewID()
	}
	request, err := wire.Of(r)
	if err != nil {
		return Response{}, fmt.Errorf("the input of %s is not JSON: %w", r.EventName, err)
	}
	done, answers := b.ended(), make(chan Response, 1)
	defer b.Subscribe(HookExecutionResponse, func(m Message) { take(answers, r.CorrelationID, m) })()
	if err := b.Publish(Message{Type: HookExecutionRequest, Payload: jsontext.Value(request)}); err != nil {
		return Response{}, err
	}
	select {
	case answer := <-answers:
		return answer, nil
	case <-ctx.Done():
		return Response{}, ctx.Err()
	case <-done:
		return Response{}, ErrClosed
	}
}

// take sends to answers the first response whose correlation id is id, and drops all others.
func take(answers chan<- Response, id string, m Message) {
	var answer Response
	if decode(m.Payload, &answer) != nil || answer.CorrelationID != id {
		return
	}
	select {
	case answers <- answer:
	default: // drop a second answer
	}
}

// ended returns the channel that is closed with the bus.
func (b *Bus) ended() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.done == nil {
		b.done = make(chan struct{})
		if b.closed {
			close(b.done)
		}
	}
	return b.done
}
