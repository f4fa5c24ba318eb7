package xcsh_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/events/xcsh"
	examples "github.com/snaphook-go/snaphook/examples/xcsh"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

// user answers every question in the same way.
type user struct {
	xcsh.NoUI
	answer bool
}

func (u user) Confirm(context.Context, string, string) bool { return u.answer }

// open returns the modules of a session, with all of the examples.
func open() (*xcsh.Modules, func()) {
	sys := pipeline.NewSystem(pipeline.Config{})
	ses, err := sys.NewSession(context.Background(), pipeline.SessionConfig{ID: "s-1"})
	if err != nil {
		panic(err)
	}
	m := xcsh.New(ses, xcsh.Config{})
	for path, f := range map[string]xcsh.Factory{"gate": examples.PermissionGate, "redact": examples.Redactor, "filter": examples.ContextFilter, "handoff": examples.Handoff} {
		if err := m.Add(path, f); err != nil {
			panic(err)
		}
	}
	return m, func() { _ = m.Close(); _ = sys.Close() }
}

// tool returns a tool that ignores its input and returns text.
func tool(text string) xcsh.Execute[map[string]string, *xcsh.Output] {
	return func(context.Context, string, map[string]string, func(*xcsh.Output)) (*xcsh.Output, error) {
		return &xcsh.Output{Content: []xcsh.Part{xcsh.TextPart(text)}}, nil
	}
}

func Example_permissionGate() {
	m, done := open()
	defer done()
	bash := xcsh.WrapTool(m, "bash", xcsh.OutputShape[map[string]string](), tool("done"))
	run := func(command string) {
		_, err := bash(context.Background(), "1", map[string]string{"command": command}, nil)
		fmt.Println(command, "→", err)
	}
	run("ls")
	run("rm -rf /")
	m.Initialize(xcsh.Host{UI: user{answer: false}, HasUI: true})
	run("rm -rf /")
	m.Initialize(xcsh.Host{UI: user{answer: true}, HasUI: true})
	run("rm -rf /tmp/x")
	// Output:
	// ls → <nil>
	// rm -rf / → rm -rf blocked (no UI)
	// rm -rf / → user denied command
	// rm -rf /tmp/x → <nil>
}

func Example_redactor() {
	m, done := open()
	defer done()
	read := xcsh.WrapTool(m, "read", xcsh.OutputShape[map[string]string](), tool("API_KEY=abc PORT=80"))
	o, err := read(context.Background(), "1", map[string]string{"path": ".env"}, nil)
	fmt.Println(o.Content[0].Text("text"), err)
	// Output: API_KEY=[REDACTED] PORT=80 <nil>
}

func Example_contextFilter() {
	m, done := open()
	defer done()
	messages := []xcsh.Message{
		{Object: wire.Object(`{"role":"user","content":"hi"}`)},
		{Object: wire.Object(`{"role":"custom","customType":"debug-only","content":"x"}`)},
	}
	r, err := xcsh.Context.Fire(context.Background(), m, &xcsh.ContextEvent{Messages: messages})
	for _, message := range xcsh.ApplyContext(messages, r) {
		fmt.Println(message.Role(), message.Text("content"), err)
	}
	// Output: user hi <nil>
}

func Example_slashCommand() {
	m, done := open()
	defer done()
	m.Initialize(xcsh.Host{
		NewSession: func(context.Context, xcsh.NewSession) (bool, error) { fmt.Println("a new session"); return false, nil },
		SendMessage: func(message xcsh.CustomMessage, _ xcsh.SendOptions) error {
			fmt.Println(message.CustomType, string(message.Content))
			return nil
		},
		AppendEntry: func(string, jsontext.Value) error { return nil },
	})
	fmt.Println(m.Slash(context.Background(), "/handoff the tests"), m.Slash(context.Background(), "/unknown"))
	// Output:
	// a new session
	// handoff "Continue: the tests"
	// true false
}

func TestTheExamplesGetAlong(t *testing.T) {
	m, done := open()
	defer done()
	if n := len(m.Infos()); n != 4 {
		t.Errorf("%d modules, want 4", n)
	}
}
