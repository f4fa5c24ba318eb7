package bus

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/wire"
)

// Transport carries requests to fire events, and their responses: a [Bus] within a process, package fleet over NATS.
// The methods may be called from many goroutines.
type Transport interface {
	// Ask sends a request and waits for its response, or until ctx ends. A request without a correlation id gets one.
	// If the event was not fired, the response has an [Error]; Ask itself returns an error only if there is no
	// response.
	Ask(ctx context.Context, r Request) (Response, error)

	// Answer calls answer for every request, each on a separate goroutine, and sends the response.
	// stop cancels the contexts of the running calls, and returns after the last response has been
	// sent.
	Answer(answer Answerer) (stop func(), err error)
}

// Answerer returns the response to the payload of a request. The payload may be any text, even invalid JSON.
type Answerer func(ctx context.Context, request jsontext.Value) Response

var _ Transport = (*Bus)(nil)

// Answer implements [Transport]. Its error is nil. A response that is sent on a closed bus is lost.
func (b *Bus) Answer(answer Answerer) (stop func(), err error) {
	ctx, cancel := context.WithCancel(context.Background())
	unsubscribe := b.Subscribe(HookExecutionRequest, func(m Message) {
		_ = b.Publish(Message{Type: HookExecutionResponse, Payload: Encode(answer(ctx, m.Payload))})
	})
	return func() {
		cancel()
		unsubscribe()
	}, nil
}

// Encode returns the JSON of a response. If encoding fails, for example because a Go hook has set Raw to invalid JSON,
// the response becomes an [InternalError].
func Encode(r Response) jsontext.Value {
	text, err := wire.Of(r)
	if err != nil {
		text, _ = wire.Of(Response{
			CorrelationID: r.CorrelationID,
			Error:         &Error{Code: InternalError, Message: err.Error()},
		})
	}
	return jsontext.Value(text)
}
