package fleet

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nuid"

	"github.com/snaphook-go/snaphook/bus"
	"github.com/snaphook-go/snaphook/wire"
)

// Transport carries the requests for the events of one dialect over NATS. Its methods may be called from many
// goroutines. It does not own the connection, which the caller has to close.
type Transport struct {
	nc      *nats.Conn
	dialect string
	opts    ServeOptions
}

var _ bus.Transport = (*Transport)(nil)

// NewTransport returns a Transport. opts configure Answer.
func NewTransport(nc *nats.Conn, dialect string, opts ServeOptions) (*Transport, error) {
	if _, err := Subject(dialect, "Event"); err != nil {
		return nil, err
	}
	return &Transport{nc: nc, dialect: dialect, opts: opts}, nil
}

// Ask implements [bus.Transport]. Without a worker the error is [nats.ErrNoResponders], at once. A request
// that is larger than the server accepts is a [PayloadError].
func (t *Transport) Ask(ctx context.Context, r bus.Request) (bus.Response, error) {
	if err := ctx.Err(); err != nil {
		return bus.Response{}, err
	}
	subject, err := Subject(t.dialect, r.EventName)
	if err != nil {
		return bus.Response{}, err
	}
	if r.CorrelationID == "" {
		r.CorrelationID = bus.NewID()
	}
	text, err := wire.Of(r)
	if err != nil {
		return bus.Response{}, fmt.Errorf("the input of %s is not JSON: %w", r.EventName, err)
	}
	ask := question{subject: subject, id: r.CorrelationID, text: text}
	if due, ok := ctx.Deadline(); ok {
		ask.timeout = time.Until(due)
	}
	response, _, err := ask.send(ctx, t.nc)
	return response, err
}

// Answer implements [bus.Transport].
func (t *Transport) Answer(f bus.Answerer) (stop func(), err error) {
	a, err := newAnswerer(t.nc, t.opts, func(ctx context.Context, r *request) bus.Response { return f(ctx, r.payload) })
	if err != nil {
		return nil, err
	}
	if _, err := a.serve(Service, FirePrefix+t.dialect+".*", 0); err != nil {
		a.nc.Close()
		return nil, err
	}
	return sync.OnceFunc(func() {
		a.cancel(nil)
		a.drain()
	}), nil
}

// PayloadError reports a request that is larger than the server's limit for messages. It was not sent.
type PayloadError struct{ Size, Limit int64 }

func (e *PayloadError) Error() string {
	return fmt.Sprintf("the request has %d bytes, and the server takes %d; raise its max_payload, or send less", e.Size, e.Limit)
}

// question is one request.
type question struct {
	subject, id string
	text        []byte
	header      nats.Header
	timeout     time.Duration // limit of the wait for the response; 0: no limit
}

// send sends the question, and waits for its answer. merged is the answer merged by the worker's engine; nil
// if the response has none.
func (q *question) send(ctx context.Context, nc *nats.Conn) (r bus.Response, merged wire.Object, err error) {
	if limit := nc.MaxPayload(); limit > 0 && int64(len(q.text)) > limit-maxHeaders {
		return r, nil, &PayloadError{Size: int64(len(q.text)), Limit: limit - maxHeaders}
	}
	if !nc.IsConnected() {
		return r, nil, nats.ErrConnectionReconnecting
	}
	msg := &nats.Msg{Subject: q.subject, Data: q.text, Header: q.header}
	if q.timeout > 0 {
		if msg.Header == nil {
			msg.Header = nats.Header{}
		}
		msg.Header[TimeoutHeader] = []string{fmt.Sprint(max(1, q.timeout.Milliseconds()))}
	}
	waiting, cancel := context.WithCancelCause(ctx)
	watch := time.AfterFunc(refusalAfter, func() {
		if err := q.refusal(nc); err != nil {
			cancel(err)
		}
	})
	answer, err := nc.RequestMsgWithContext(waiting, msg)
	watch.Stop()
	cancel(nil)
	switch refused := (*grantError)(nil); {
	case errors.Is(err, nats.ErrMaxPayload):
		return r, nil, &PayloadError{Size: int64(len(q.text)), Limit: nc.MaxPayload() - maxHeaders}
	case err != nil && errors.As(context.Cause(waiting), &refused):
		return r, nil, refused
	case err != nil:
		return r, nil, err
	}
	if err := readAnswer(answer.Data, q.id, &r); err != nil {
		return r, nil, err
	}
	if value := wire.Object(answer.Data).Get(mergedMember); value.Kind() == '{' {
		merged = wire.Object(value)
	}
	return r, merged, nil
}

// refusalAfter is the time after which send checks whether the server has refused a request without an answer. If the
// client may not send a request, the server reports this within milliseconds, in a separate message.
const refusalAfter = time.Second

// refusal returns a grantError if the server's last error on the connection is about this request, else nil.
func (q *question) refusal(nc *nats.Conn) error {
	err := nc.LastError()
	if errors.Is(err, nats.ErrPermissionViolation) && strings.Contains(strings.ToLower(err.Error()), strings.ToLower(`"`+q.subject+`"`)) {
		return &grantError{Subject: q.subject}
	}
	return nil
}

// grantError reports a request that the credentials of the connection may not send. Nothing has run.
type grantError struct{ Subject string }

func (e *grantError) Error() string {
	return fmt.Sprintf("the server refuses %s with these credentials; use the credentials of an agent", e.Subject)
}

// readAnswer decodes a response from a worker in any language. A response that does not have the form of
// package bus is an error.
func readAnswer(text []byte, id string, to *bus.Response) error {
	if err := json.Unmarshal(text, to, jsontext.AllowInvalidUTF8(true)); err != nil {
		return fmt.Errorf("the answer is broken: %w", err)
	}
	switch {
	case to.CorrelationID != id && to.Error == nil:
		return fmt.Errorf("the answer is broken: it answers the request %.50q, and not %q", to.CorrelationID, id)
	case to.Error != nil && to.Error.Code == "":
		return errors.New("the answer is broken: its error has no code")
	case to.Error == nil && to.Output == nil:
		return errors.New("the answer is broken: it has neither an output nor an error")
	}
	return nil
}

func newID() string { return nuid.Next() }
