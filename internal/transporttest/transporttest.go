// Package transporttest has the tests that every [bus.Transport] passes.
package transporttest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/bus"
	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

// patience limits the wait for an answer on a slow machine.
const patience = 20 * time.Second

var uuid = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)

// Test runs all tests on transports from open. Their requests are for events of llxprt.
func Test(t *testing.T, open func(t *testing.T) bus.Transport) {
	for name, test := range map[string]func(*testing.T, bus.Transport){
		"an answer carries what the hooks said":         answers,
		"every request that cannot be fired has error":  refusals,
		"a request without an id gets one":              ids,
		"answers find their questions":                  correlates,
		"a hook that fails is in the output":            failures,
		"an answer that is not JSON is an error object": notJSON,
		"the end of ctx ends the wait":                  gaveUp,
		"stopping cancels the fires and answers them":   stops,
		"a large answer arrives whole":                  large,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

type (
	input  = llxprt.BeforeToolInput
	output = hook.Output[llxprt.BeforeToolOutput]
)

// serve answers the requests on a transport by fires in a new session.
func serve(t *testing.T, b bus.Transport) *pipeline.Session {
	t.Helper()
	sys := pipeline.NewSystem(pipeline.Config{Log: slog.New(slog.DiscardHandler)})
	ses, err := sys.NewSession(t.Context(), pipeline.SessionConfig{ID: "s-1", Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = sys.Close() })
	answer(t, b, bus.EventsByName(pipeline.Events(llxprt.Dialect)).Answerer(ses))
	return ses
}

func answer(t *testing.T, b bus.Transport, f bus.Answerer) (stop func()) {
	t.Helper()
	stop, err := b.Answer(f)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	return stop
}

func ask(t *testing.T, b bus.Transport, r bus.Request) bus.Response {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	got, err := b.Ask(ctx, r)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func toolCall(id, tool string) bus.Request {
	text := fmt.Sprintf(`{"tool_name":%q,"tool_input":{"a":1}}`, tool)
	return bus.Request{CorrelationID: id, EventName: "BeforeTool", Input: wire.Object(text)}
}

func answers(t *testing.T, b bus.Transport) {
	ses := serve(t, b)
	llxprt.BeforeTool.On(ses, "guard", func(_ context.Context, in input) (output, error) {
		return output{Decision: hook.Deny, Reason: "no " + in.Name + string(in.Input)}, nil
	})
	got := ask(t, b, toolCall("c-77", "ls"))
	if got.CorrelationID != "c-77" || !got.Success || got.Error != nil || got.Output == nil {
		t.Fatalf("got %+v; want a success with that id", got)
	}
	final := got.Output.FinalOutput
	if final == nil || final.Text("decision") != "deny" || final.Text("reason") != `no ls{"a":1}` {
		t.Errorf("finalOutput %s; want the denial", final)
	}
}

func refusals(t *testing.T, b bus.Transport) {
	serve(t, b)
	for _, tt := range []struct {
		name string
		r    bus.Request
		code bus.Code
		says string
	}{
		{"an unknown event", bus.Request{CorrelationID: "c", EventName: "BeforeLunch", Input: wire.Object(`{}`)},
			bus.UnsupportedEvent, `"BeforeLunch"`},
		{"an input that does not fit", bus.Request{CorrelationID: "c", EventName: "BeforeTool", Input: wire.Object(`{}`)},
			bus.InvalidRequest, "tool_name"},
		{"another session", bus.Request{CorrelationID: "c", EventName: "BeforeTool",
			Input: wire.Object(`{"tool_name":"ls","tool_input":{},"session_id":"other"}`)}, bus.InvalidRequest, "session_id"},
	} {
		got := ask(t, b, tt.r)
		if got.Success || got.Output != nil || got.Error == nil || got.CorrelationID != "c" {
			t.Fatalf("%s: got %+v; want an error and nothing else", tt.name, got)
		}
		if got.Error.Code != tt.code || !strings.Contains(got.Error.Message, tt.says) {
			t.Errorf("%s: error %+v; want the code %s and the word %s", tt.name, *got.Error, tt.code, tt.says)
		}
	}
}

func ids(t *testing.T, b bus.Transport) {
	serve(t, b)
	if got := ask(t, b, toolCall("", "ls")); !uuid.MatchString(got.CorrelationID) || got.Error != nil {
		t.Errorf("got %+v; want a success with a UUID", got)
	}
}

func correlates(t *testing.T, b bus.Transport) {
	ses := serve(t, b)
	llxprt.BeforeTool.On(ses, "echo", func(_ context.Context, in input) (output, error) {
		return output{Decision: hook.Deny, Reason: in.Name}, nil
	})
	var all sync.WaitGroup
	for i := range 64 {
		all.Go(func() {
			id := fmt.Sprint("c-", i)
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			got, err := b.Ask(ctx, toolCall(id, "tool-"+id))
			if err != nil || got.CorrelationID != id || got.Output == nil ||
				got.Output.FinalOutput.Text("reason") != "tool-"+id {
				t.Errorf("%s got %+v, %v", id, got, err)
			}
		})
	}
	all.Wait()
}

func failures(t *testing.T, b bus.Transport) {
	ses := serve(t, b)
	llxprt.BeforeTool.On(ses, "gate", func(context.Context, input) (output, error) { panic("oops") })
	got := ask(t, b, toolCall("c", "ls"))
	if got.Success || got.Error != nil || got.Output == nil || len(got.Output.Errors) != 1 ||
		!strings.Contains(got.Output.Errors[0], "oops") {
		t.Errorf("got %+v; want the failure inside the output", got)
	}
}

func notJSON(t *testing.T, b bus.Transport) {
	ses := serve(t, b)
	llxprt.BeforeTool.On(ses, "raw", func(context.Context, input) (output, error) {
		return output{Set: hook.SetAnswer, Raw: []byte("{oops")}, nil
	})
	got := ask(t, b, toolCall("c", "ls"))
	if got.Success || got.Error == nil || got.Error.Code != bus.InternalError || got.CorrelationID != "c" {
		t.Errorf("got %+v, %+v; want an internal error", got, got.Error)
	}
}

func gaveUp(t *testing.T, b bus.Transport) {
	begun := make(chan struct{}, 1)
	answer(t, b, func(ctx context.Context, _ jsontext.Value) bus.Response {
		begun <- struct{}{}
		<-ctx.Done()
		return bus.Response{CorrelationID: "c"}
	})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		<-begun
		cancel()
	}()
	if _, err := b.Ask(ctx, toolCall("c", "ls")); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v; want %v", err, context.Canceled)
	}
}

func stops(t *testing.T, b bus.Transport) {
	begun := make(chan struct{})
	stop := answer(t, b, func(ctx context.Context, _ jsontext.Value) bus.Response {
		close(begun)
		<-ctx.Done()
		return bus.Response{CorrelationID: "c", Error: &bus.Error{Code: bus.InternalError, Message: "stopped"}}
	})
	done := make(chan bus.Response, 1)
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		got, _ := b.Ask(ctx, toolCall("c", "ls")) // without an answer, got is the zero Response
		done <- got
	}()
	<-begun
	stop()
	if got := <-done; got.Error == nil || got.Error.Message != "stopped" {
		t.Errorf("got %+v; want the answer of a fire that was cancelled", got)
	}
}

func large(t *testing.T, b bus.Transport) {
	text := strings.Repeat("x", 512<<10)
	answer(t, b, func(context.Context, jsontext.Value) bus.Response {
		return bus.Response{CorrelationID: "c", Error: &bus.Error{Code: bus.InternalError, Message: text}}
	})
	if got := ask(t, b, toolCall("c", "ls")); got.Error == nil || got.Error.Message != text {
		t.Errorf("the answer is not whole")
	}
}
