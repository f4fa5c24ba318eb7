package llxprt_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

// inputs holds a minimal valid input for each event.
var inputs = map[string]string{
	"BeforeTool":          `{"tool_name":"write_file","tool_input":{"path":"a"}}`,
	"AfterTool":           `{"tool_name":"write_file","tool_input":{"path":"a"},"tool_response":{"llmContent":"ok"}}`,
	"BeforeModel":         `{"llm_request":{"model":"m","messages":[]}}`,
	"AfterModel":          `{"llm_request":{"model":"m","messages":[]},"llm_response":{"text":"hi","candidates":[]}}`,
	"BeforeToolSelection": `{"llm_request":{"model":"m","messages":[],"toolConfig":{"mode":"NONE","allowedFunctionNames":["ls","rm"]}}}`,
	"BeforeAgent":         `{"prompt":"go"}`,
	"AfterAgent":          `{"prompt":"go","prompt_response":"done","stop_hook_active":false}`,
	"SessionStart":        `{"source":"startup"}`,
	"SessionEnd":          `{"reason":"exit"}`,
	"PreCompress":         `{"trigger":"auto"}`,
	"Notification":        `{"notification_type":"ToolPermission","message":"may I","details":{}}`,
}

func declared(t *testing.T, name string) pipeline.Declared {
	e, ok := lo.Find(pipeline.Events(llxprt.Dialect), func(e pipeline.Declared) bool { return e.Info().Name == name })
	if !ok {
		t.Fatalf("there is no event %s", name)
	}
	return e
}

// fire fires an event with one hook for each answer, which prints it.
func fire(t *testing.T, event, input string, answers ...string) *pipeline.JSONResult {
	ses, _ := answering(t, event, answers...)
	fired, err := declared(t, event).FireJSON(t.Context(), ses, []byte(input))
	if err != nil {
		t.Fatal(err)
	}
	return fired
}

// answering returns a session whose hooks print the answers; read collects their payloads.
func answering(t *testing.T, event string, answers ...string) (ses *pipeline.Session, read *payloads) {
	read = &payloads{}
	return asking(t, "llxprt", event, read, answers...), read
}

func asking(t *testing.T, dialect, event string, read *payloads, answers ...string) *pipeline.Session {
	sys := pipeline.NewSystem(pipeline.Config{
		Load: []pipeline.Load{func(context.Context, pipeline.Workspace) (l pipeline.Loaded, err error) {
			for _, answer := range answers {
				l.Hooks = append(l.Hooks, &hook.Hook{
					Identity: hook.Identity{ID: answer, Dialect: dialect, Event: event, Type: "command", Source: hook.Project},
					Runner:   &printer{answer: answer, read: read},
				})
			}
			return l, nil
		}},
	})
	t.Cleanup(func() { _ = sys.Close() })
	if err := os.MkdirAll(quotedDir, 0o755); err != nil {
		t.Fatal(err)
	}
	return session(t, sys, pipeline.SessionConfig{ID: "s-1", Dir: quotedDir, Transcript: "/t.json"})
}

// quotedDir is a directory whose name needs escapes in JSON.
var quotedDir = filepath.Join(os.TempDir(), lo.Ternary(runtime.GOOS == "windows", `snaphook p 'q'`, `snaphook p "q"`))

type payloads struct {
	mu  sync.Mutex
	all [][]byte
}

// printer is a runner in place of a process: it prints its answer and ends.
type printer struct {
	answer string
	read   *payloads
}

func (p *printer) Run(_ context.Context, call hook.Call) (hook.Reply, error) {
	p.read.mu.Lock()
	defer p.read.mu.Unlock()
	p.read.all = append(p.read.all, bytes.Clone(call.Payload))
	return hook.Reply{Stdout: []byte(p.answer)}, nil
}

func TestEveryPayloadHasTheBaseMembersAndTheEventsOwn(t *testing.T) {
	for event, input := range inputs {
		t.Run(event, func(t *testing.T) {
			ses, read := answering(t, event, `{}`)
			before := time.Now().Truncate(time.Millisecond)
			if _, err := declared(t, event).FireJSON(t.Context(), ses, []byte(input)); err != nil {
				t.Fatal(err)
			}
			payload := wire.Object(read.all[0])
			at, err := time.Parse("2006-01-02T15:04:05.000Z", payload.Text("timestamp"))
			if err != nil || at.Before(before) || at.After(time.Now()) {
				t.Errorf("timestamp %q, %v; want the time of the fire in UTC with milliseconds", payload.Text("timestamp"), err)
			}
			want := `{"session_id":"s-1","transcript_path":"/t.json","cwd":` + string(wire.Quote(quotedDir)) + `,"hook_event_name":"` + event + `",` + input[1:]
			if got := string(payload.Without("timestamp")); got != want {
				t.Errorf("the hook reads\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func TestAPayloadIsOneLineWhateverTheHostsJSONLooksLike(t *testing.T) {
	ses, read := answering(t, "AfterTool", `{}`)
	done := &llxprt.AfterToolInput{
		Name:     "read<&>\n",
		Input:    wire.Object("{\n  \"path\": \"a\\nb\",\n\t\"n\": 1e400\n}\n"),
		Response: wire.Object("{ \"llmContent\" : [ 1,\r\n 2 ] }"),
		Extra:    jsontext.Value("{\n\"mcp_context\": {\n\"server_name\": \"s\"},\n\"more\": true\n}"),
	}
	if _, err := llxprt.AfterTool.Fire(t.Context(), ses, done); err != nil {
		t.Fatal(err)
	}
	own := `"tool_name":"read<&>\n","tool_input":{"path":"a\nb","n":1e400},"tool_response":{"llmContent":[1,2]},"mcp_context":{"server_name":"s"},"more":true}`
	if got := string(read.all[0]); !strings.HasSuffix(got, own) || strings.Contains(got, "\n") {
		t.Errorf("the hook reads %q; want one line that ends in %s", got, own)
	}
}

func TestTheHostCannotChangeTheBaseMembers(t *testing.T) {
	ses, read := answering(t, "SessionStart", `{}`)
	input := `{"source":"startup","session_id":"other","cwd":"/etc","hook_event_name":"X","timestamp":"never","transcript_path":"x","more":1}`
	if _, err := declared(t, "SessionStart").FireJSON(t.Context(), ses, []byte(input)); err != nil {
		t.Fatal(err)
	}
	got := string(wire.Object(read.all[0]).Without("timestamp"))
	want := `{"session_id":"s-1","transcript_path":"/t.json","cwd":` + string(wire.Quote(quotedDir)) + `,"hook_event_name":"SessionStart","source":"startup","more":1}`
	if got != want {
		t.Errorf("the hook reads\n%s\nwant\n%s", got, want)
	}
}

func TestAnInputThatDoesNotFitNamesItsMembers(t *testing.T) {
	for _, tt := range []struct{ event, input, want string }{
		{"BeforeTool", `{}`, "tool_name"},
		{"BeforeTool", `{}`, "tool_input"},
		{"BeforeTool", `{"tool_name":"","tool_input":{}}`, "tool_name"},
		{"BeforeTool", `{"tool_name":null,"tool_input":{}}`, "tool_name"},
		{"BeforeTool", `{"tool_name":7,"tool_input":{}}`, "tool_name: got a number, want a string"},
		{"BeforeTool", `{"tool_name":"t","tool_input":[]}`, "tool_input: got an array, want an object"},
		{"BeforeTool", `{"tool_name":"t","tool_input":null}`, "tool_input"},
		{"BeforeTool", `{"tool_name":"t","tool_input":{},"mcp_context":{}}`, "mcp_context.server_name"},
		{"BeforeTool", `{"tool_name":"t","tool_input":{},"mcp_context":[]}`, "mcp_context"},
		{"AfterTool", `{"tool_name":"t","tool_input":{}}`, "tool_response"},
		{"AfterTool", `{"tool_name":"t","tool_input":{},"tool_response":"ok"}`, "tool_response"},
		{"AfterTool", `{"tool_name":"t","tool_input":{},"tool_response":{},"mcp_context":{"server_name":""}}`, "mcp_context.server_name"},
		{"BeforeModel", `{}`, "llm_request"},
		{"BeforeModel", `{"llm_request":"hi"}`, "llm_request"},
		{"AfterModel", `{"llm_request":{}}`, "llm_response"},
		{"AfterModel", `{"llm_response":{}}`, "llm_request"},
		{"BeforeToolSelection", `{"llm_request":null}`, "llm_request"},
		{"BeforeAgent", `{}`, "prompt: missing"},
		{"BeforeAgent", `{"prompt":null}`, "prompt: missing"},
		{"BeforeAgent", `{"prompt":1}`, "prompt: got a number, want a string"},
		{"AfterAgent", `{"prompt":"a","stop_hook_active":true}`, "prompt_response: missing"},
		{"AfterAgent", `{"prompt":"a","prompt_response":"b"}`, "stop_hook_active: missing"},
		{"AfterAgent", `{"prompt":"a","prompt_response":"b","stop_hook_active":null}`, "stop_hook_active: missing"},
		{"AfterAgent", `{"prompt":"a","prompt_response":"b","stop_hook_active":"false"}`, "stop_hook_active: got a string, want true or false"},
		{"SessionStart", `{}`, "source"},
		{"SessionEnd", `{"reason":""}`, "reason"},
		{"PreCompress", `{"trigger":{}}`, "trigger"},
		{"Notification", `{"message":"m","details":{}}`, "notification_type"},
		{"Notification", `{"notification_type":"ToolPermission","details":{}}`, "message"},
		{"Notification", `{"notification_type":"ToolPermission","message":"m","details":[]}`, "details"},
		{"Notification", `[]`, "got an array, want an object with the event's fields"},
		{"Notification", `{"message":`, "line 1, column"},
	} {
		t.Run(tt.event+" "+tt.input, func(t *testing.T) {
			ses, read := answering(t, tt.event, `{"decision":"deny"}`)
			_, err := declared(t, tt.event).FireJSON(t.Context(), ses, []byte(tt.input))
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "llxprt."+tt.event) {
				t.Errorf("got %v; want an error of the event with %q", err, tt.want)
			}
			if len(read.all) > 0 {
				t.Errorf("a hook has run for %s", read.all[0])
			}
		})
	}
}

func TestAnEmptyPromptIsAPrompt(t *testing.T) {
	fired := fire(t, "AfterAgent", `{"prompt":"","prompt_response":"","stop_hook_active":true}`, `{}`)
	if !fired.Result.Success {
		t.Errorf("got %+v; want success", fired.Result)
	}
}
