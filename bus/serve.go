package bus

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/jsonform"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

// Request is the payload of a request (L61). Input has the event's own fields. It may also have a timestamp, which is
// passed to hooks. It may have session_id, transcript_path, cwd and hook_event_name if they agree with the session and
// the event; otherwise the request is rejected.
type Request struct {
	CorrelationID string      `json:"correlationId"`
	EventName     string      `json:"eventName"`
	Input         wire.Object `json:"input"`
}

// Response is the payload of a response (L61). If it has an Output, the event was fired; Success reports whether every
// hook worked, not whether the action may go ahead. Otherwise Error says why the event was not fired.
type Response struct {
	CorrelationID string               `json:"correlationId"`
	Success       bool                 `json:"success"`
	Output        *jsonform.Aggregated `json:"output,omitzero"`
	Error         *Error               `json:"error,omitzero"`
}

// Error describes why an event was not fired.
type Error struct {
	Code    Code   `json:"code"`
	Message string `json:"message"`
}

// Code is the kind of an [Error].
type Code string

// The values of [Code].
const (
	InvalidRequest   Code = "invalid_request"   // the request lacks a required part, or has invalid input
	UnsupportedEvent Code = "unsupported_event" // there is no event with the requested name
	InternalError    Code = "internal_error"    // the fire did not complete
)

// Serve fires the events named by requests on b, in s, and publishes the responses. The payload of a published request
// must not be changed; see FireJSON of [pipeline.Declared]. stop cancels the running fires and returns after the last
// response has been published.
func Serve(b *Bus, s *pipeline.Session, events []pipeline.Declared) (stop func()) {
	stop, _ = b.Answer(EventsByName(events).Answerer(s)) // a bus within the process never fails
	return stop
}

// Events holds the events that requests may fire, by name.
type Events map[string]pipeline.Declared

// EventsByName indexes events by name.
func EventsByName(events []pipeline.Declared) Events {
	return lo.KeyBy(events, func(e pipeline.Declared) string { return e.Info().Name })
}

// Answerer returns an Answerer that fires the requested events in one session.
func (events Events) Answerer(s *pipeline.Session) Answerer {
	return func(ctx context.Context, request jsontext.Value) Response { return events.Respond(ctx, s, request) }
}

// Respond fires the event that a request names, in a session, and returns the response. If the event was not fired, the
// response has an [Error]. The bytes of the request must not be changed afterwards; see FireJSON of
// [pipeline.Declared]. It may be called from many goroutines.
func (events Events) Respond(ctx context.Context, s *pipeline.Session, request jsontext.Value) Response {
	o := wire.Object(request)
	id := o.Text("correlationId")
	if id == "" {
		id = NewID()
	}
	fail := func(code Code, format string, args ...any) Response {
		return Response{CorrelationID: id, Error: &Error{Code: code, Message: fmt.Sprintf(format, args...)}}
	}
	if !o.IsObject() || len(o) == 0 {
		return fail(InvalidRequest, "the request has no payload; want {\"correlationId\", \"eventName\", \"input\"}")
	}
	name, input := o.Get("eventName"), o.Get("input")
	if name == nil || name.Kind() == 'n' {
		return fail(InvalidRequest, "the request has no eventName")
	}
	if input == nil {
		return fail(InvalidRequest, "the request has no input; want an object")
	}
	event := events[o.Text("eventName")]
	if event == nil {
		return fail(UnsupportedEvent, "there is no event %s", name)
	}
	if input.Kind() != '{' {
		return fail(InvalidRequest, "the input is %s; want an object", wire.KindName(input.Kind()))
	}
	ctx, err := agree(ctx, s, event.Info(), wire.Object(input))
	if err != nil {
		return fail(InvalidRequest, "%v", err)
	}
	fired, err := event.FireJSON(ctx, s, input)
	var invalid *pipeline.InputError
	switch {
	case errors.As(err, &invalid):
		return fail(InvalidRequest, "%v", err)
	case err != nil:
		return fail(InternalError, "%v", err)
	}
	return Response{CorrelationID: id, Success: fired.Result.Success, Output: &fired.Result}
}

// agree returns an error if members of the input that the engine sets differ from the engine's values; null and an
// empty string match every value. It returns ctx with the input's timestamp.
func agree(ctx context.Context, s *pipeline.Session, event pipeline.Info, input wire.Object) (context.Context, error) {
	ours := map[string]string{
		"session_id":      s.ID(),
		"transcript_path": s.Transcript(),
		"cwd":             s.AgentDir(),
		"hook_event_name": event.Name,
	}
	for _, name := range event.Base {
		value := input.Get(name)
		if value == nil || value.Kind() == 'n' || string(value) == `""` {
			continue
		}
		own, known := ours[name]
		if !known && name != "timestamp" {
			continue
		}
		text, ok := wire.Text(value)
		if !ok {
			return ctx, fmt.Errorf("%s: got %s, want a string", name, wire.KindName(value.Kind()))
		}
		if name == "timestamp" {
			at, err := time.Parse(time.RFC3339, text)
			if err != nil {
				return ctx, fmt.Errorf(
					"timestamp: %q is not a time; write it as in 2026-01-31T12:00:00.000Z, or leave it out",
					text,
				)
			}
			ctx = pipeline.WithTime(ctx, at)
			continue
		}
		if text != own {
			return ctx, fmt.Errorf(
				"%s is %q, but this bus belongs to %q: leave the member out, or publish on the bus of that session",
				name,
				text,
				own,
			)
		}
	}
	return ctx, nil
}

func decode(payload jsontext.Value, to any) error {
	return json.Unmarshal(payload, to, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
}

// NewID returns a random UUID, the correlation id of a request that has none.
func NewID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
