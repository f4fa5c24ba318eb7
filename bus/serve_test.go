package bus_test

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/bus"
	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/hooktest"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
	"github.com/snaphook-go/snaphook/wire"
)

var uuid = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)

// exchange publishes a payload and returns the next response.
func exchange(t *testing.T, b *bus.Bus, payload string) bus.Response {
	t.Helper()
	answers := make(chan bus.Message, 1)
	defer b.Subscribe(bus.HookExecutionResponse, func(m bus.Message) { answers <- m })()
	if err := b.Publish(bus.Message{Type: bus.HookExecutionRequest, Payload: jsontext.Value(payload)}); err != nil {
		t.Fatal(err)
	}
	select {
	case m := <-answers:
		var answer bus.Response
		if err := json.Unmarshal(m.Payload, &answer); err != nil {
			t.Fatalf("the response %s: %v", m.Payload, err)
		}
		return answer
	case <-t.Context().Done():
		t.Fatal("no response")
		return bus.Response{}
	}
}

// Rule L62.
func TestARequestThatCannotBeFiredGetsAnError(t *testing.T) {
	b, _ := served(t)
	for _, tt := range []struct {
		name, payload string
		id            string // empty means a UUID
		code          bus.Code
		says          string
	}{
		{"no payload", ``, "", bus.InvalidRequest, "payload"},
		{"a null payload", `null`, "", bus.InvalidRequest, "payload"},
		{"an array", `[]`, "", bus.InvalidRequest, "payload"},
		{"an empty object", `{}`, "", bus.InvalidRequest, "eventName"},
		{"no event", `{"correlationId":"c","input":{}}`, "c", bus.InvalidRequest, "eventName"},
		{"a null event", `{"correlationId":"c","eventName":null,"input":{}}`, "c", bus.InvalidRequest, "eventName"},
		{"no input", `{"correlationId":"c","eventName":"BeforeTool"}`, "c", bus.InvalidRequest, "input"},
		{"neither input nor a known event", `{"correlationId":"c","eventName":"BeforeLunch"}`, "c", bus.InvalidRequest, "input"},
		{"an input that is no object", `{"correlationId":"c","eventName":"BeforeTool","input":[1]}`, "c", bus.InvalidRequest, "an array"},
		{"a null input", `{"correlationId":"c","eventName":"BeforeTool","input":null}`, "c", bus.InvalidRequest, "null"},
		{"an unknown event", `{"correlationId":"c","eventName":"BeforeLunch","input":{}}`, "c", bus.UnsupportedEvent, `"BeforeLunch"`},
		{"an event in the wrong case", `{"correlationId":"c","eventName":"beforeTool","input":{}}`, "c", bus.UnsupportedEvent, `"beforeTool"`},
		{"an event with its dialect", `{"correlationId":"c","eventName":"llxprt.BeforeTool","input":{}}`, "c", bus.UnsupportedEvent, `"llxprt.BeforeTool"`},
		{"an empty event", `{"correlationId":"c","eventName":"","input":{}}`, "c", bus.UnsupportedEvent, `""`},
		{"an event that is no string", `{"correlationId":"c","eventName":42,"input":{}}`, "c", bus.UnsupportedEvent, `42`},
		{"an id that is no string", `{"correlationId":42,"eventName":"BeforeTool","input":{}}`, "", bus.InvalidRequest, "tool_name"},
		{"an empty id", `{"correlationId":"","eventName":"BeforeTool","input":{}}`, "", bus.InvalidRequest, "tool_name"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := exchange(t, b, tt.payload)
			if got.Success || got.Output != nil || got.Error == nil {
				t.Fatalf("got %+v; want an error and nothing else", got)
			}
			if got.Error.Code != tt.code || !strings.Contains(got.Error.Message, tt.says) {
				t.Errorf("error %+v; want the code %s and the word %s", *got.Error, tt.code, tt.says)
			}
			if got.CorrelationID != tt.id && (tt.id != "" || !uuid.MatchString(got.CorrelationID)) {
				t.Errorf("id %q; want %q, or a UUID if there was none", got.CorrelationID, tt.id)
			}
		})
	}
}

// Rule L61.
func TestEveryEventCanBeFiredOverTheBus(t *testing.T) {
	b, _ := served(t)
	if len(names) != 11 {
		t.Errorf("%d events %q; want 11", len(names), names)
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			got := ask(t, b, bus.Request{CorrelationID: "c", EventName: name, Input: wire.Object(inputs[name])})
			if !got.Success || got.Error != nil || got.CorrelationID != "c" || got.Output == nil || !got.Output.Success || got.Output.FinalOutput != nil {
				t.Errorf("got %+v; want an empty success", got)
			}
			bad := others[name]
			got = ask(t, b, bus.Request{CorrelationID: "d", EventName: name, Input: wire.Object(bad[0])})
			if got.Success || got.Error == nil || got.Error.Code != bus.InvalidRequest || !strings.Contains(got.Error.Message, bad[1]) || got.CorrelationID != "d" {
				t.Errorf("%s got %+v, %+v; want an invalid request that names %s", bad[0], got, got.Error, bad[1])
			}
		})
	}
}

func TestAnAnswerCarriesWhatTheHooksSaid(t *testing.T) {
	b, ses := served(t)
	var saw llxprt.BeforeToolInput
	llxprt.BeforeTool.On(ses, "guard", func(_ context.Context, c llxprt.BeforeToolInput) (hook.Output[llxprt.BeforeToolOutput], error) {
		saw = c
		return hook.Output[llxprt.BeforeToolOutput]{Decision: hook.Deny, Reason: "over the bus"}, nil
	})
	got := exchange(t, b, `{"correlationId":"c-77","eventName":"BeforeTool","input":{"tool_name":"ls","tool_input":{"a":1}}}`)
	if got.CorrelationID != "c-77" || !got.Success || got.Error != nil || got.Output == nil {
		t.Fatalf("got %+v; want a success with that id", got)
	}
	if final := got.Output.FinalOutput; final == nil || final.Text("decision") != "deny" || final.Text("reason") != "over the bus" {
		t.Errorf("finalOutput %s; want the denial", got.Output.FinalOutput)
	}
	if saw.Name != "ls" || string(saw.Input) != `{"a":1}` || len(saw.Extra) > 2 {
		t.Errorf("the hook saw %+v; want the event's own members", saw)
	}
}

func TestAHookThatFailsIsInTheOutput(t *testing.T) {
	b, ses := served(t)
	gate(ses, func(context.Context) error { panic("oops") })
	got := ask(t, b, toolCall("c"))
	if got.Success || got.Error != nil || got.Output == nil || got.Output.Success || len(got.Output.Errors) != 1 || !strings.Contains(got.Output.Errors[0], "oops") {
		t.Errorf("got %+v; want the failure inside the output", got)
	}
}

func TestAnAnswerThatIsNotJSONIsAnInternalError(t *testing.T) {
	b, ses := served(t)
	llxprt.BeforeTool.On(ses, "raw", func(context.Context, llxprt.BeforeToolInput) (hook.Output[llxprt.BeforeToolOutput], error) {
		return hook.Output[llxprt.BeforeToolOutput]{Set: hook.SetAnswer, Raw: []byte("{oops")}, nil
	})
	got := ask(t, b, toolCall("c"))
	if got.Success || got.Error == nil || got.Error.Code != bus.InternalError || got.CorrelationID != "c" {
		t.Errorf("got %+v, %+v; want an internal error", got, got.Error)
	}
}

func TestStoppingCancelsTheFiresUnderWayAndAnswersThem(t *testing.T) {
	b, ses := new(bus.Bus), hooktest.Session(t)
	stop := bus.Serve(b, ses, pipeline.Events(llxprt.Dialect))
	running := make(chan struct{})
	gate(ses, func(ctx context.Context) error {
		close(running)
		<-ctx.Done()
		return ctx.Err()
	})
	answers := make(chan bus.Response, 1)
	go func() {
		answer, _ := b.Ask(context.Background(), toolCall("c"))
		answers <- answer
	}()
	<-running
	stop()
	if got := <-answers; got.Success || got.Error == nil || got.Error.Code != bus.InternalError || got.CorrelationID != "c" {
		t.Errorf("got %+v, %+v; want an internal error", got, got.Error)
	}
	stop() // a second call does nothing
}

// The engine either uses the payload members of a request or refuses the request: it never passes
// other values to hooks without an error.
func TestWhatARequestSaysOfItsSessionIsUsedOrRefused(t *testing.T) {
	b, ses := served(t)
	for _, tt := range []struct{ member, value, says string }{
		{"session_id", ses.ID(), ""},
		{"session_id", "another", "session_id"},
		{"transcript_path", "", ""},
		{"transcript_path", "/elsewhere.jsonl", "transcript_path"},
		{"cwd", ses.Dir(), ""},
		{"cwd", "/elsewhere", "cwd"},
		{"hook_event_name", "BeforeTool", ""},
		{"hook_event_name", "AfterTool", "hook_event_name"},
		{"timestamp", "2025-02-18T16:30:00.000Z", ""},
		{"timestamp", "yesterday", "2026-01-31T12:00:00.000Z"},
	} {
		t.Run(tt.member+" "+tt.value, func(t *testing.T) {
			input := wire.Object(`{"tool_name":"ls","tool_input":{}}`).With(tt.member, wire.Quote(tt.value))
			got := ask(t, b, bus.Request{CorrelationID: "c", EventName: "BeforeTool", Input: input})
			if refused := got.Error != nil && got.Error.Code == bus.InvalidRequest && strings.Contains(got.Error.Message, tt.says); refused != (tt.says != "") {
				t.Errorf("got %+v, error %+v; refused: %v", got, got.Error, tt.says != "")
			}
		})
	}
}

func TestHooksAreGivenTheTimeOfTheRequest(t *testing.T) {
	b := new(bus.Bus)
	defer b.Close()
	settings := llxprt.Settings{Layers: []settings.Layer{{Name: "project", Source: hook.Project, File: "s.json", Data: []byte(`{"tools":{"enableHooks":true},
		"hooks":{"BeforeTool":[{"hooks":[{"type":"command","command":"grep -o '2025-02-18T16:30:00.000Z' >&2; exit 2"}]}]}}`)}}}
	ses := hooktest.Session(t, hooktest.Configure(func(c *pipeline.Config, _ *pipeline.SessionConfig) {
		c.Load = []pipeline.Load{settings.Load}
	}))
	defer bus.Serve(b, ses, pipeline.Events(llxprt.Dialect))()
	got := ask(t, b, bus.Request{CorrelationID: "c", EventName: "BeforeTool", Input: wire.Object(`{"tool_name":"ls","tool_input":{},"timestamp":"2025-02-18T17:30:00+01:00"}`)})
	if got.Output == nil || got.Output.FinalOutput.Text("reason") != "2025-02-18T16:30:00.000Z" || got.Output.AllOutputs[0].Text("reason") == "" {
		t.Errorf("got %+v; want the block of exit status 2 with its reason, which is the time", got.Output)
	}
}
