package fleet

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/snaphook-go/snaphook/bus"
	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/events/codex"
	"github.com/snaphook-go/snaphook/events/copilot"
	"github.com/snaphook-go/snaphook/events/cursor"
	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/policy"
	"github.com/snaphook-go/snaphook/wire"
)

const bash = `{"tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"t"}`

func preToolUse(t testing.TB) pipeline.Declared { return event(t, claude.Dialect, "PreToolUse") }

func event(t testing.TB, d *pipeline.Dialect, name string) pipeline.Declared {
	t.Helper()
	for _, e := range pipeline.Events(d) {
		if e.Info().Name == name {
			return e
		}
	}
	t.Fatalf("there is no event %s", name)
	return nil
}

func fire(t testing.TB, e pipeline.Declared, s *pipeline.Session, input string) *pipeline.JSONResult {
	t.Helper()
	res, err := e.FireJSON(t.Context(), s, []byte(input))
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// The answer of a worker's hook counts as if the hook ran on the agent's machine, in every hook system.
func TestARemoteAnswerCountsLikeOneOfTheMachine(t *testing.T) {
	nc := connect(t, startServer(t))
	for _, tt := range []struct {
		dialect       *pipeline.Dialect
		event, input  string
		answer, names string
	}{
		{claude.Dialect, "PreToolUse", bash, `{"decision":"block","reason":"no"}`, "deny"},
		{claude.Dialect, "PreToolUse", bash, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}`, "specific deny"},
		{claude.Dialect, "PreToolUse", bash, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"sure?"}}`, "ask"},
		{claude.Dialect, "PreToolUse", bash, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"command":"ls -l"}}}`, "rewrite"},
		{claude.Dialect, "PreToolUse", bash, `{"continue":false,"stopReason":"enough"}`, "stop"},
		{claude.Dialect, "PreToolUse", bash, `{"systemMessage":"hello"}`, "message"},
		{claude.Dialect, "PreToolUse", bash, ``, "silence"},
		{claude.Dialect, "UserPromptSubmit", `{"prompt":"go"}`, `{"decision":"block","reason":"no"}`, "deny"},
		{claude.Dialect, "UserPromptSubmit", `{"prompt":"go"}`, `{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"note"}}`, "context"},
		{claude.Dialect, "Stop", `{"stop_hook_active":false}`, `{"decision":"block","reason":"go on"}`, "go on"},
		{claude.Dialect, "PostToolUse", `{"tool_name":"Bash","tool_input":{},"tool_response":{},"tool_use_id":"t"}`, `{"decision":"block","reason":"no"}`, "deny"},
		{claude.Dialect, "PermissionRequest", bash, `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"no"}}}`, "deny"},
		{llxprt.Dialect, "BeforeTool", `{"tool_name":"ls","tool_input":{"a":1}}`, `{"decision":"deny","reason":"no"}`, "deny"},
		{llxprt.Dialect, "BeforeTool", `{"tool_name":"ls","tool_input":{"a":1}}`, `{"hookSpecificOutput":{"tool_input":{"a":2}}}`, "rewrite"},
		{llxprt.Dialect, "BeforeModel", `{"llm_request":{"model":"m"}}`, `{"decision":"block","reason":"no"}`, "deny"},
		{llxprt.Dialect, "BeforeModel", `{"llm_request":{"model":"m"}}`, `{"hookSpecificOutput":{"llm_request":{"model":"n"}}}`, "rewrite"},
		{llxprt.Dialect, "AfterAgent", `{"prompt":"go","prompt_response":"done","stop_hook_active":false}`, `{"decision":"block","reason":"go on"}`, "go on"},
		{codex.Dialect, "PreToolUse", bash, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}`, "deny"},
		{codex.Dialect, "UserPromptSubmit", `{"prompt":"go"}`, `{"decision":"block","reason":"no"}`, "deny"},
		{cursor.Dialect, "beforeShellExecution", `{"command":"ls","cwd":"/x"}`, `{"permission":"deny","user_message":"no","agent_message":"no"}`, "deny"},
		{cursor.Dialect, "beforeShellExecution", `{"command":"ls","cwd":"/x"}`, `{"permission":"ask","user_message":"sure?"}`, "ask"},
		{cursor.Dialect, "preToolUse", `{"tool_name":"Shell","tool_input":{"command":"ls"},"tool_use_id":"t"}`, `{"permission":"deny","user_message":"no"}`, "deny"},
		{copilot.Dialect, "preToolUse", `{"toolName":"bash","toolArgs":{"command":"ls"}}`, `{"permissionDecision":"deny","permissionDecisionReason":"no"}`, "deny"},
	} {
		t.Run(tt.dialect.Name+" "+tt.event+" "+tt.names, func(t *testing.T) {
			e, answer := event(t, tt.dialect, tt.event), says(tt.answer)
			local := session(t, system(t, pipeline.Config{Load: []pipeline.Load{hooked(tt.dialect.Name, tt.event, answer)}}))
			worker := system(t, pipeline.Config{Load: []pipeline.Load{hooked(tt.dialect.Name, tt.event, answer)}})
			serve(t, nc, sessionsOf(t, worker), ServeOptions{Events: []pipeline.Declared{e}})
			remote := session(t, system(t, pipeline.Config{Load: []pipeline.Load{only(e, Hooks(nc, HookOptions{}))}}))
			want, got := fire(t, e, local, tt.input), fire(t, e, remote, tt.input)
			for _, h := range got.Hooks {
				if h.Error != nil {
					t.Fatalf("the hook has failed: %s", *h.Error)
				}
			}
			if w, g := outcome(want), outcome(got); w != g {
				t.Errorf("from afar:\n%s\nat home:\n%s", g, w)
			}
		})
	}
}

// only keeps the hooks of one event.
func only(e pipeline.Declared, load pipeline.Load) pipeline.Load {
	return func(ctx context.Context, at pipeline.Workspace) (pipeline.Loaded, error) {
		loaded, err := load(ctx, at)
		var kept []*hook.Hook
		for _, h := range loaded.Hooks {
			if h.Dialect == e.Info().Dialect && h.Event == e.Info().Name {
				kept = append(kept, h)
			}
		}
		loaded.Hooks = kept
		return loaded, err
	}
}

func outcome(r *pipeline.JSONResult) string {
	reason := ""
	if r.Reason != nil {
		reason = *r.Reason
	}
	effects, _ := wire.Of(r.Effects)
	if r.Blocked { // some hosts check only the error, others only the result
		effects = effects.Without("decision", "permissionDecision")
	}
	processed, _ := wire.Of(r.Processed)
	return fmt.Sprintf("blocked %v, stop %v, reason %q, processed %s, %s", r.Blocked, r.Stop, reason, processed, effects)
}

// A worker in any language, here a fake one, sees the headers and the dialect's own payload.
func TestARequestHasTheSessionAndThePayload(t *testing.T) {
	nc := connect(t, startServer(t))
	seen := make(chan *nats.Msg, 1)
	sub, err := nc.QueueSubscribe("snaphook.v1.fire.claude.PreToolUse", "snaphook", func(m *nats.Msg) {
		seen <- m
		id := wire.Object(m.Data).Text("correlationId")
		_ = m.Respond([]byte(`{"correlationId":"` + id + `","success":true,"output":{"success":true,"finalOutput":{"decision":"deny","reason":"no"},"allOutputs":[],"errors":[],"totalDuration":1}}`))
	})
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Unsubscribe()
	s := session(t, system(t, pipeline.Config{Load: []pipeline.Load{Hooks(nc, HookOptions{Host: "h-1"})}}))
	res := fire(t, preToolUse(t), s, bash)
	if !res.Blocked || res.Reason == nil || *res.Reason != "no" {
		t.Errorf("got %+v; want the denial", res)
	}
	m := <-seen
	if m.Header.Get("Snaphook-Session") != "s-1" || m.Header.Get(HostHeader) != "h-1" || m.Header.Get(TimeoutHeader) == "" {
		t.Errorf("the headers are %v", m.Header)
	}
	o := wire.Object(m.Data)
	input := wire.Object(o.Get("input"))
	if o.Text("eventName") != "PreToolUse" || input.Text("tool_name") != "Bash" || input.Text("session_id") != "s-1" ||
		input.Text("hook_event_name") != "PreToolUse" || input.Text("cwd") == "" {
		t.Errorf("the request is %s", m.Data)
	}
}

// After every kind of failure, an event that can block blocks, and gives the reason.
func TestAnAnswerThatIsLostIsADenial(t *testing.T) {
	for name, tt := range map[string]struct {
		worker func(m *nats.Msg) // nil: no worker is connected
		input  string
		class  hook.Class
		says   string
	}{
		"no worker":         {nil, bash, hook.ClassRemote, "no worker answers"},
		"no answer":         {func(*nats.Msg) {}, bash, hook.ClassRemote, "within"},
		"no JSON":           {func(m *nats.Msg) { _ = m.Respond([]byte("oops")) }, bash, hook.ClassRemote, "broken"},
		"nothing":           {func(m *nats.Msg) { _ = m.Respond(nil) }, bash, hook.ClassRemote, ""},
		"an empty object":   {func(m *nats.Msg) { _ = m.Respond([]byte("{}")) }, bash, hook.ClassRemote, "broken"},
		"another's answer":  {answers(`{"correlationId":"x","success":true,"output":{"success":true,"finalOutput":null}}`), bash, hook.ClassRemote, "broken"},
		"an error":          {answers(`{"correlationId":"ID","success":false,"error":{"code":"internal_error","message":"cut short"}}`), bash, hook.ClassRemote, "cut short"},
		"a failed hook":     {answers(`{"correlationId":"ID","success":false,"output":{"success":false,"finalOutput":null,"errors":["it crashed"]}}`), bash, hook.ClassRemote, "it crashed"},
		"success is a lie":  {answers(`{"correlationId":"ID","success":true,"output":{"success":false,"finalOutput":null,"errors":[]}}`), bash, hook.ClassRemote, "failed"},
		"another revision":  {answers(`{"correlationId":"ID","success":false,"error":{"code":"other_revision","message":"7, and not 8"}}`), bash, hook.ClassRemote, "other_revision"},
		"at its limit":      {answers(`{"correlationId":"ID","success":false,"error":{"code":"overloaded","message":"full"}}`), bash, hook.ClassRemote, "overloaded"},
		"an answer unread":  {answers(`{"correlationId":"ID","success":true,"output":{"success":true,"finalOutput":{"decisixon":"block"}}}`), bash, hook.ClassOutput, ""},
		"a question":        {answers(`{"correlationId":"ID","success":true,"output":{"success":true,"finalOutput":{"decision":"ask","reason":"sure?"}}}`), bash, hook.ClassRemote, "cannot be read"},
		"no decision":       {answers(`{"correlationId":"ID","success":true,"output":{"success":true,"finalOutput":{"decision":"perhaps"}}}`), bash, hook.ClassRemote, "cannot be read"},
		"a large payload":   {answers(`{}`), `{"tool_name":"Bash","tool_use_id":"t","tool_input":{"command":"` + strings.Repeat("x", 1<<20) + `"}}`, hook.ClassOversize, "max_payload"},
		"a cut-off payload": {answers(`{"correlationId":"ID","success":true,"output":`), bash, hook.ClassRemote, "broken"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			nc := connect(t, startServer(t))
			if tt.worker != nil {
				if _, err := nc.QueueSubscribe("snaphook.v1.fire.claude.*", Service, tt.worker); err != nil {
					t.Fatal(err)
				}
			}
			load := short(Hooks(nc, HookOptions{Patience: 50 * time.Millisecond}))
			s := session(t, system(t, pipeline.Config{Load: []pipeline.Load{load}}))
			var failed pipeline.Failure
			defer s.OnFailure(func(f pipeline.Failure) { failed = f })()
			res := fire(t, preToolUse(t), s, tt.input)
			if !res.Blocked {
				t.Error("the call goes ahead")
			}
			if class := hook.ClassOf(failed.Err); class != tt.class || !failed.Blocked || !strings.Contains(failed.Err.Error(), tt.says) {
				t.Errorf("the failure is %q of class %s, blocked %v; want %s and %q", failed.Err, class, failed.Blocked, tt.class, tt.says)
			}
		})
	}
}

// answers returns a worker that gives each request the same answer, in which it replaces ID by the id of the request.
func answers(text string) func(*nats.Msg) {
	return func(m *nats.Msg) {
		id := wire.Object(m.Data).Text("correlationId")
		_ = m.Respond([]byte(strings.ReplaceAll(text, "ID", id)))
	}
}

// short gives the hooks half a second.
func short(load pipeline.Load) pipeline.Load {
	return func(ctx context.Context, at pipeline.Workspace) (pipeline.Loaded, error) {
		loaded, err := load(ctx, at)
		for _, h := range loaded.Hooks {
			h.Timeout = 500 * time.Millisecond
		}
		return loaded, err
	}
}

// The operator of the machine may let the calls pass; the result, the log and the listeners say so.
func TestTheMachinesOverlayMayOpenAGate(t *testing.T) {
	nc := connect(t, startServer(t))
	open := policy.Overlay{Rules: []policy.Rule{{
		Match: policy.Match{Source: "managed"}, OnFailure: policy.OnFailure{hook.ClassRemote: hook.FailOpen},
	}}}
	sys := system(t, pipeline.Config{
		Load:   []pipeline.Load{Hooks(nc, HookOptions{Patience: -1})},
		Policy: policy.Source{Overlays: []policy.Overlay{open}},
	})
	if res := fire(t, preToolUse(t), session(t, sys), bash); res.Blocked || sys.FailedOpenBy()[hook.ClassRemote] != 1 {
		t.Errorf("blocked %v, failed open %v; want one failure that is counted", res.Blocked, sys.FailedOpenBy())
	}
	lax := policy.Overlay{Level: policy.User, Rules: open.Rules}
	sys = system(t, pipeline.Config{
		Load:   []pipeline.Load{Hooks(nc, HookOptions{Patience: -1})},
		Policy: policy.Source{Overlays: []policy.Overlay{lax}},
	})
	if res := fire(t, preToolUse(t), session(t, sys), bash); !res.Blocked {
		t.Error("a user's overlay has opened the gate")
	}
}

// Every answer is an error object, even if the message is not a request.
func TestEveryRequestThatCannotBeFiredGetsAnErrorObject(t *testing.T) {
	nc := connect(t, startServer(t))
	serve(t, nc, sessionsOf(t, system(t, pipeline.Config{})), ServeOptions{})
	for _, tt := range []struct {
		subject, payload string
		code             bus.Code
	}{
		{"snaphook.v1.fire.claude.PreToolUse", ``, bus.InvalidRequest},
		{"snaphook.v1.fire.claude.PreToolUse", `{`, bus.InvalidRequest},
		{"snaphook.v1.fire.claude.PreToolUse", `[]`, bus.InvalidRequest},
		{"snaphook.v1.fire.claude.PreToolUse", `{}`, bus.InvalidRequest},
		{"snaphook.v1.fire.claude.PreToolUse", `{"input":[]}`, bus.InvalidRequest},
		{"snaphook.v1.fire.claude.PreToolUse", `{"input":{}}`, bus.InvalidRequest},
		{"snaphook.v1.fire.claude.PreToolUse", `{"eventName":"Stop","input":{}}`, bus.InvalidRequest},
		{"snaphook.v1.fire.claude.PreToolUse", `{"eventName":"Pre*","input":{}}`, bus.InvalidRequest},
		{"snaphook.v1.fire.claude.BeforeLunch", `{"input":{}}`, bus.UnsupportedEvent},
		{"snaphook.v1.fire.acme.Deploy", `{"input":{}}`, bus.UnsupportedEvent},
		{"snaphook.v1.fire.claude.PreToolUse", `{"input":` + strings.Repeat("[", 1e5) + `}`, bus.InvalidRequest},
	} {
		m, err := nc.Request(tt.subject, []byte(tt.payload), patience)
		if err != nil {
			t.Fatalf("%s %.40s: %v", tt.subject, tt.payload, err)
		}
		var got bus.Response
		err = readAnswer(m.Data, wire.Object(m.Data).Text("correlationId"), &got)
		if err != nil || got.Error == nil || got.Error.Code != tt.code || got.Output != nil || got.Error.Message == "" {
			t.Errorf("%s %.40s: %s, %v; want the code %s", tt.subject, tt.payload, m.Data, err, tt.code)
		}
		if m.Header.Get("Nats-Service-Error-Code") != string(tt.code) {
			t.Errorf("%s %.40s: the headers %v do not say it", tt.subject, tt.payload, m.Header)
		}
	}
	m, err := nc.Request("snaphook.v1.fire.claude.PreToolUse", []byte(`{"correlationId":"c","input":`+bash+`}`), patience)
	if err != nil || !strings.Contains(string(m.Data), `"correlationId":"c","success":true`) {
		t.Errorf("a good request got %s, %v", m.Data, err)
	}
}

func TestAWorkerIsFoundByItsPing(t *testing.T) {
	nc := connect(t, startServer(t))
	serve(t, nc, sessionsOf(t, system(t, pipeline.Config{})), ServeOptions{Host: "w-1"})
	for _, verb := range []string{"PING", "INFO", "STATS"} {
		m, err := nc.Request("$SRV."+verb+".snaphook", nil, patience)
		if err != nil || !strings.Contains(string(m.Data), `"host":"w-1"`) {
			t.Errorf("%s: %v, %v", verb, m, err)
		}
	}
}

// A server that ends still answers the requests that it has accepted.
func TestADrainLosesNothing(t *testing.T) {
	nc := connect(t, startServer(t))
	begun, release := make(chan struct{}, 8), make(chan struct{})
	worker := system(t, pipeline.Config{Load: []pipeline.Load{hooked("claude", "PreToolUse", runner(
		func(ctx context.Context, _ hook.Call) (hook.Reply, error) {
			begun <- struct{}{}
			select {
			case <-release:
			case <-ctx.Done():
				return hook.Reply{}, ctx.Err()
			}
			return hook.Reply{Stdout: []byte(`{"decision":"block","reason":"late"}`)}, nil
		}))}})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	server, err := Serve(ctx, nc, sessionsOf(t, worker), ServeOptions{Concurrency: 2, Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	s := session(t, system(t, pipeline.Config{Load: []pipeline.Load{Hooks(nc, HookOptions{})}}))
	results := make(chan string, 6)
	for range cap(results) {
		go func() {
			res, err := preToolUse(t).FireJSON(context.Background(), s, []byte(bash))
			if err != nil || res.Reason == nil {
				results <- fmt.Sprint(err)
				return
			}
			results <- *res.Reason
		}()
	}
	<-begun
	<-begun
	testkit.Eventually(t, "the others wait", func() bool { _, waiting := server.Load(); return waiting == 4 })
	cancel()
	ended := make(chan struct{})
	go func() {
		server.Wait()
		close(ended)
	}()
	testkit.Eventually(t, "no request is taken any more", func() bool {
		_, err := nc.Request("snaphook.v1.fire.claude.Stop", []byte(`{}`), time.Second)
		return errors.Is(err, nats.ErrNoResponders)
	})
	select {
	case <-ended:
		t.Fatal("the server has ended while hooks run")
	default:
	}
	close(release)
	for range cap(results) {
		if got := <-results; got != "late" {
			t.Errorf("an agent got %q", got)
		}
	}
	<-ended
}
