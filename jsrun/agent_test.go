package jsrun

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/snaphook-go/snaphook/internal/testkit"
)

// agent is a small host. Modules see the members of pi, below.
type agent struct {
	hasUI   bool
	confirm func(ctx context.Context, title, text string) (any, error)
	module  *Module
	log     testkit.Log // the module's actions

	mu       sync.Mutex
	handlers map[string][]Handle
	commands map[string]command
}

type command struct {
	Description string `json:"description"`
	Handler     Handle `json:"handler"`
}

func (a *agent) say(format string, values ...string) (any, error) {
	for _, v := range values {
		format += " " + v
	}
	a.log.Add(format)
	return nil, nil
}

func on(_ context.Context, a *agent, args Args) (any, error) {
	h, err := args.Handle(1)
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.handlers[args.String(0)] = append(a.handlers[args.String(0)], h)
	return nil, nil
}

func registerCommand(_ context.Context, a *agent, args Args) (any, error) {
	var c command
	if err := args.Decode(1, &c); err != nil {
		return nil, err
	}
	a.commands[args.String(0)] = c
	return nil, nil
}

func newSession(ctx context.Context, a *agent, args Args) (any, error) {
	var options struct {
		ParentSession string `json:"parentSession"`
		Setup         Handle `json:"setup"`
	}
	if err := args.Decode(0, &options); err != nil {
		return nil, err
	}
	a.say("new session after", options.ParentSession)
	writable := &Object{Sync: map[string]Func{"appendMessage": saying("append", 1)}}
	_, err := a.module.Call(ctx, options.Setup, writable.Bind(a, nil))
	return map[string]bool{"cancelled": false}, err
}

func saying(what string, n int) Func {
	return On(func(_ context.Context, a *agent, args Args) (any, error) {
		var said []string
		for i := range n {
			said = append(said, args.String(i))
		}
		return a.say(what, said...)
	})
}

var (
	pi = &Object{
		Sync: map[string]Func{
			"on":              On(on),
			"registerCommand": On(registerCommand),
			"appendEntry":     saying("entry", 2),
			"sendMessage":     saying("message", 1),
			"fail":            On(func(context.Context, *agent, Args) (any, error) { return nil, os.ErrPermission }),
			"panic":           On(func(context.Context, *agent, Args) (any, error) { panic("host is broken") }),
			"echo":            On(func(_ context.Context, _ *agent, args Args) (any, error) { return args.Value(0), nil }),
		},
		Async: map[string]Func{
			"exec":   On(func(ctx context.Context, _ *agent, args Args) (any, error) { return sleep(ctx, args) }),
			"reject": On(func(context.Context, *agent, Args) (any, error) { return nil, os.ErrPermission }),
			"crash":  On(func(context.Context, *agent, Args) (any, error) { panic("host is broken") }),
		},
		Objects: map[string]*Object{"logger": {Sync: map[string]Func{"warn": saying("warn", 1)}}},
	}
	ui = &Object{
		Async: map[string]Func{"confirm": On(func(ctx context.Context, a *agent, args Args) (any, error) {
			return a.confirm(ctx, args.String(0), args.String(1))
		})},
		Sync:    map[string]Func{"notify": saying("notify", 2)},
		Getters: map[string]Func{"theme": On(func(context.Context, *agent, Args) (any, error) { return "dark", nil })},
	}
	view = &Object{
		Objects: map[string]*Object{"ui": ui, "sessionManager": {Sync: map[string]Func{
			"getSessionFile": On(func(context.Context, *agent, Args) (any, error) { return "/s/1.jsonl", nil }),
		}}},
		Sync: map[string]Func{"isIdle": On(func(context.Context, *agent, Args) (any, error) { return true, nil })},
		Async: map[string]Func{
			"waitForIdle": On(func(context.Context, *agent, Args) (any, error) { return nil, nil }),
			"newSession":  On(newSession),
		},
	}
)

// sleep stands for exec: it waits for the given number of milliseconds, or until its context ends.
func sleep(ctx context.Context, args Args) (any, error) {
	var ms int
	if err := args.Decode(0, &ms); err != nil {
		return nil, err
	}
	select {
	case <-time.After(time.Duration(ms) * time.Millisecond):
		return map[string]any{"killed": false}, nil
	case <-ctx.Done():
		return map[string]any{"killed": true}, nil
	}
}

// loaded opens and starts a module of testdata.
func loaded(t testing.TB, path string, opt Options) *agent {
	t.Helper()
	m, err := Open(t.Context(), path, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return started(t, m)
}

// opened returns a module with the given text. The caller closes the module.
func opened(t testing.TB, text string, opt Options) *Module {
	t.Helper()
	m, err := Open(t.Context(), file(t, "hook.ts", text), opt)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func started(t testing.TB, m *Module) *agent {
	t.Helper()
	a := &agent{module: m, handlers: map[string][]Handle{}, commands: map[string]command{}}
	if err := m.Start(t.Context(), pi.Bind(a, nil)); err != nil {
		t.Fatal(err)
	}
	return a
}

// written does the same as loaded, with the module's text.
func written(t testing.TB, text string, opt Options) *agent {
	t.Helper()
	return loaded(t, file(t, "hook.ts", text), opt)
}

// handling does the same as written, with a module whose only handler is text.
func handling(t testing.TB, text string, opt Options) *agent {
	t.Helper()
	return written(t, "export default (pi) => { pi.on('call', "+text+"); }", opt)
}

func file(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// fire calls the last handler of an event.
func (a *agent) fire(ctx context.Context, name, event string) (Value, error) {
	a.mu.Lock()
	all := a.handlers[name]
	a.mu.Unlock()
	return a.module.Call(ctx, all[len(all)-1], Value(event), view.Bind(a, map[string]any{"hasUI": a.hasUI, "cwd": "/work"}))
}

func (a *agent) call(t testing.TB, event string) (Value, error) {
	t.Helper()
	return a.fire(t.Context(), "call", event)
}

// sameJSON fails the test if the values of two JSON texts differ; their spelling may differ.
func sameJSON(t testing.TB, got Value, want string) {
	t.Helper()
	if want == "" {
		if got != nil {
			t.Errorf("got %s, want undefined", got)
		}
		return
	}
	if !slices.Equal(canonical(got), canonical(Value(want))) {
		t.Errorf("got %s, want %s", got, want)
	}
}

func canonical(v Value) Value {
	var x any
	if err := json.Unmarshal(v, &x, asJavaScript); err != nil {
		return v
	}
	text, _ := json.Marshal(x, json.Deterministic(true), asJavaScript)
	return text
}
