package xcsh_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

// opened returns the modules of a new session.
func opened(cfg xcsh.Config) (*xcsh.Modules, func()) {
	sys := pipeline.NewSystem(pipeline.Config{Log: quiet})
	ses, err := sys.NewSession(context.Background(), pipeline.SessionConfig{ID: "s-1", Dir: "/tmp"})
	if err != nil {
		panic(err)
	}
	m := xcsh.New(ses, cfg)
	return m, func() { _ = m.Close(); _ = sys.Close() }
}

func ExampleNew() {
	sys := pipeline.NewSystem(pipeline.Config{})
	defer sys.Close()
	ses, err := sys.NewSession(context.Background(), pipeline.SessionConfig{ID: "s-1"})
	if err != nil {
		fmt.Println(err)
		return
	}
	m := xcsh.New(ses, xcsh.Config{})
	defer m.Close()
	err = m.Add("greeter", func(api *xcsh.API) error {
		xcsh.SessionStart.On(api, func(context.Context, *xcsh.SessionStartEvent, *xcsh.HookContext) error {
			fmt.Println("hello from", api.Path())
			return nil
		})
		return nil
	})
	fmt.Println(err, m.Paths())
	xcsh.SessionStart.Fire(context.Background(), m, &xcsh.SessionStartEvent{})
	// Output:
	// <nil> [greeter]
	// hello from greeter
}

func ExampleEvent_Fire() {
	m, done := opened(xcsh.Config{})
	defer done()
	_ = m.Add("gate", func(api *xcsh.API) error {
		xcsh.ToolCall.On(api, func(_ context.Context, e *xcsh.ToolCallEvent, _ *xcsh.HookContext) (*xcsh.ToolCallResult, error) {
			if strings.Contains(e.Input.Text("command"), "rm -rf") {
				return &xcsh.ToolCallResult{Block: true, Reason: "blocked by policy"}, nil
			}
			return nil, nil
		})
		return nil
	})
	for _, command := range []string{"ls", "rm -rf /"} {
		r, err := xcsh.ToolCall.Fire(context.Background(), m, &xcsh.ToolCallEvent{
			ToolName: "bash", ToolCallID: "1", Input: wire.Object(nil).With("command", wire.Quote(command)),
		})
		fmt.Println(r != nil && r.Block, err)
	}
	// Output:
	// false <nil>
	// true <nil>
}

func ExampleModules_Listen() {
	m, done := opened(xcsh.Config{})
	defer done()
	remove := m.Listen(&xcsh.Listener{Failed: func(e xcsh.HookError) { fmt.Println(e.Path, e.Event, e.Message) }})
	defer remove()
	_ = m.Add("broken.ts", func(api *xcsh.API) error {
		xcsh.AgentStart.On(api, func(context.Context, *xcsh.AgentStartEvent, *xcsh.HookContext) error {
			return errors.New("no disk space")
		})
		return nil
	})
	xcsh.AgentStart.Fire(context.Background(), m, &xcsh.AgentStartEvent{})
	// Output: broken.ts agent_start no disk space
}

func ExampleWrapTool() {
	m, done := opened(xcsh.Config{})
	defer done()
	_ = m.Add("no writes", func(api *xcsh.API) error {
		xcsh.ToolCall.On(api, func(_ context.Context, e *xcsh.ToolCallEvent, _ *xcsh.HookContext) (*xcsh.ToolCallResult, error) {
			return &xcsh.ToolCallResult{Block: e.ToolName == "write"}, nil
		})
		return nil
	})
	type params struct {
		Path string `json:"path"`
	}
	write := func(context.Context, string, params, func(*xcsh.Output)) (*xcsh.Output, error) {
		return &xcsh.Output{}, nil
	}
	write = xcsh.WrapTool(m, "write", xcsh.OutputShape[params](), write)
	_, err := write(context.Background(), "call-1", params{Path: "notes.txt"}, nil)
	fmt.Println(err)
	// Output: Tool execution was blocked by a hook
}

func ExampleExec() {
	r, err := xcsh.Exec(context.Background(), "sh", []string{"-c", "echo out; exit 3"}, xcsh.ExecOptions{})
	fmt.Printf("%q %d %v %v\n", r.Stdout, r.Code, r.Killed, err)
	// Output: "out\n" 3 false <nil>
}

func ExampleModules_Slash() {
	m, done := opened(xcsh.Config{})
	defer done()
	_ = m.Add("greeter", func(api *xcsh.API) error {
		api.RegisterCommand(xcsh.Command{Name: "greet", Run: func(_ context.Context, args string, cc *xcsh.CommandContext) error {
			fmt.Println("hello,", args, cc.HasUI)
			return nil
		}})
		return nil
	})
	fmt.Println(m.Slash(context.Background(), "/greet you two"), m.Slash(context.Background(), "/leave"))
	// Output:
	// hello, you two false
	// true false
}

func ExampleApplyContext() {
	messages := []xcsh.Message{{Object: wire.Object(`{"role":"user"}`)}}
	fmt.Println(len(xcsh.ApplyContext(messages, nil)), len(xcsh.ApplyContext(messages, &xcsh.ContextResult{Messages: []xcsh.Message{}})))
	// Output: 1 0
}

// shouts loads .shout files: each file registers a command of its name.
type shouts struct{}

func (shouts) Match(path string) bool { return filepath.Ext(path) == ".shout" }

func (shouts) Load(_ context.Context, path, _ string) (xcsh.Factory, io.Closer, error) {
	name := strings.TrimSuffix(filepath.Base(path), ".shout")
	return func(api *xcsh.API) error {
		api.RegisterCommand(xcsh.Command{Name: name})
		return nil
	}, nil, nil
}

func ExampleModules_Load() {
	m, done := opened(xcsh.Config{Loaders: []xcsh.ModuleLoader{shouts{}}, Home: "/home/me"})
	defer done()
	for _, err := range m.Load(context.Background(), []string{"~/hey.shout", "gate.sh"}, "") {
		fmt.Println(err)
	}
	fmt.Println(m.Infos()[0].Resolved, m.Infos()[0].Commands)
	// Output:
	// gate.sh: Hook must export a default function: nothing here can load ".sh" files
	// /home/me/hey.shout [hey]
}

func ExampleOnDynamic() {
	m, done := opened(xcsh.Config{})
	defer done()
	_ = m.Add("dynamic", func(api *xcsh.API) error {
		xcsh.OnDynamic(api, "tool_call", func(_ context.Context, event wire.Object, _ *xcsh.HookContext) (xcsh.DynamicResult, error) {
			fmt.Println(string(event))
			return xcsh.DynamicResult{Value: jsontext.Value(`{"block":"yes","reason":"truthy"}`)}, nil
		})
		return nil
	})
	event, _ := xcsh.Lookup("tool_call")
	result, err := event.FireJSON(context.Background(), m, jsontext.Value(`{"toolName":"bash","toolCallId":"1","input":{}}`))
	fmt.Println(string(result), err)
	// Output:
	// {"type":"tool_call","toolName":"bash","toolCallId":"1","input":{}}
	// {"block":true,"reason":"truthy"} <nil>
}

func ExampleModules_Announce() {
	m, done := opened(xcsh.Config{})
	defer done()
	_ = m.Add("notifier", func(api *xcsh.API) error {
		xcsh.OnDynamic(api, "deployed", func(_ context.Context, event wire.Object, _ *xcsh.HookContext) (xcsh.DynamicResult, error) {
			fmt.Println("now in", event.Text("to"))
			return xcsh.DynamicResult{}, nil
		})
		return nil
	})
	fmt.Println(m.Announce(context.Background(), "deployed", wire.Object(`{"to":"production"}`)))
	fmt.Println(m.Announce(context.Background(), "tool_call", nil))
	// Output:
	// now in production
	// <nil>
	// tool_call is an event of the system: fire it with its own Fire
}
