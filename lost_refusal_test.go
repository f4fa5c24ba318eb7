package snaphook_test

import (
	"context"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
)

// anyInput has the members of the inputs of all events of Claude Code and LLxprt Code.
const anyInput = `{"tool_name":"Bash","tool_input":{},"tool_response":{},"source":"policy_settings","reason":"other",
"trigger":"manual","message":"m","prompt":"p","prompt_response":"r","stop_hook_active":false,"llm_request":{},
"llm_response":{},"file_path":"/x","event":"change","error":"x","mcp_server_name":"m","notification_type":"ToolPermission",
"details":{},"agent_type":"a","agent_id":"1","load_reason":"session_start","name":"n","worktree_path":"/w","old_cwd":"/a",
"new_cwd":"/b","task_id":"1","task_subject":"s","teammate_name":"t","directory":"/d","delta":"d","from_model":"a",
"to_model":"b","model":"m","compact_summary":"s","action":"accept"}`

// Every refusal by a hook has an effect, or a note reports that the event has none. The test gives the same answers to
// every declared event, also to future events.
func TestNoRefusalIsLostInSilence(t *testing.T) {
	answers := map[string]hook.Reply{
		"exit status 2":         {Exit: 2, Stderr: []byte("WHY")},
		"a decision to block":   {Stdout: []byte(`{"decision":"block","reason":"WHY"}`)},
		"a decision to deny":    {Stdout: []byte(`{"decision":"deny","reason":"WHY"}`)},
		"a decision to ask":     {Stdout: []byte(`{"decision":"ask","reason":"WHY"}`)},
		"a misspelt decision":   {Stdout: []byte(`{"decision":"Deny","reason":"WHY"}`)},
		"a decision of no type": {Stdout: []byte(`{"decision":["deny"]}`)},
		"a stop":                {Stdout: []byte(`{"continue":false,"stopReason":"WHY"}`)},
		"an answer that is cut": {Stdout: []byte(`{"decision":"block","reason":"WHY"`)},
	}
	for answer, reply := range answers {
		for _, e := range slices.Concat(pipeline.Events(claude.Dialect), pipeline.Events(llxprt.Dialect)) {
			info := e.Info()
			if info.FullName() == "claude.WorktreeCreate" && reply.Exit == 0 {
				continue // any output of this event is a path
			}
			t.Run(answer+"/"+info.FullName(), func(t *testing.T) {
				s, logged := opened(t)
				h := &hook.Hook{
					Identity: hook.Identity{Dialect: info.Dialect, Event: info.Name, Type: "command", Command: "guard"},
					Runner:   replies(reply),
				}
				if _, err := pipeline.Register(s, h); err != nil {
					t.Fatal(err)
				}
				fired, err := e.FireJSON(t.Context(), s, []byte(anyInput))
				if err != nil {
					t.Fatal(err)
				}
				if err := s.Wait(t.Context()); err != nil { // waits for background hooks, which log
					t.Fatal(err)
				}
				ran := fired.Hooks[0]
				said := len(ran.Notes) > 0 || ran.Error != nil
				heard := strings.Contains(text(t, fired.Effects), "WHY") // the model or the user gets the reason
				if !fired.Blocked && !fired.Stop && !said && !heard {
					t.Errorf("it is lost: %s", text(t, fired))
				}
				if said && !strings.Contains(logged.String(), "guard") {
					t.Errorf("the log does not say it: %q", ran.Notes)
				}
			})
		}
	}
}

// A refusal by a hook in Go, whose decision is not parsed from text, is not lost either.
func TestNoRefusalOfAFunctionIsLostInSilence(t *testing.T) {
	for _, word := range []hook.Decision{hook.Deny, hook.Block, hook.Ask, "DENY", "denied"} {
		for _, e := range slices.Concat(pipeline.Events(claude.Dialect), pipeline.Events(llxprt.Dialect)) {
			info := e.Info()
			t.Run(string(word)+"/"+info.FullName(), func(t *testing.T) {
				s, logged := opened(t)
				says(e, s, word)
				fired, err := e.FireJSON(t.Context(), s, []byte(anyInput))
				if err != nil {
					t.Fatal(err)
				}
				if err := s.Wait(t.Context()); err != nil {
					t.Fatal(err)
				}
				ran, guards := fired.Hooks[0], info.Can&pipeline.CanBlock != 0 && info.Name != "ConfigChange"
				if word.Blocks() && guards && !fired.Blocked {
					t.Errorf("%s can block, and does not: %s", info.Name, text(t, fired))
				}
				said := ran.Error != nil || len(ran.Notes) > 0
				if strings.HasPrefix(strings.ToLower(string(word)), "den") && !word.Blocks() && ran.Error == nil {
					t.Errorf("%q is no word, and its hook has not failed: %s", word, text(t, fired))
				}
				asked := strings.Contains(text(t, fired.Effects), `"ask"`)
				heard := strings.Contains(text(t, fired.Effects), "WHY")
				if !fired.Blocked && !said && !asked && !heard {
					t.Errorf("it is lost: %s", text(t, fired))
				}
				if said && !strings.Contains(logged.String(), "guard") {
					t.Errorf("the log does not say it: %q", ran.Notes)
				}
			})
		}
	}
}

// says adds a hook in Go that answers with a decision to an event of any type.
func says(e pipeline.Declared, s *pipeline.Session, word hook.Decision) {
	on := reflect.ValueOf(e).MethodByName("On")
	kind := on.Type().In(2)
	f := reflect.MakeFunc(kind, func([]reflect.Value) []reflect.Value {
		out := reflect.New(kind.Out(0)).Elem()
		out.FieldByName("Decision").SetString(string(word))
		out.FieldByName("Reason").SetString("WHY")
		return []reflect.Value{out, reflect.Zero(kind.Out(1))}
	})
	on.Call([]reflect.Value{reflect.ValueOf(s), reflect.ValueOf("guard"), f})
}

// replies is a hook outside the process with one answer.
type replies hook.Reply

func (r replies) Run(context.Context, hook.Call) (hook.Reply, error) { return hook.Reply(r), nil }

// opened returns a session without settings, and the log of its system.
func opened(t *testing.T) (*pipeline.Session, *strings.Builder) {
	logged := new(strings.Builder)
	sys := pipeline.NewSystem(pipeline.Config{Log: slog.New(slog.NewTextHandler(logged, nil))})
	t.Cleanup(func() { _ = sys.Close() })
	s, err := sys.NewSession(t.Context(), pipeline.SessionConfig{Dir: t.TempDir(), Interactive: true})
	if err != nil {
		t.Fatal(err)
	}
	return s, logged
}

func text(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
