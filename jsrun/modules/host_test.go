package modules_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/jsrun/modules"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

// host is a program with hooks, and a user whose answers are known.
type host struct {
	xcsh.NoUI
	*xcsh.Modules
	dir    string
	yes    bool        // the user's answer
	choice string      // the user's choice; empty: no choice
	log    testkit.Log // events, as texts
}

// opened returns a host with a UI and without modules.
func opened(t testing.TB, cfg xcsh.Config, loader *modules.Loader) *host {
	t.Helper()
	h := &host{dir: t.TempDir()}
	sys := pipeline.NewSystem(pipeline.Config{Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(func() { sys.Close() })
	ses, err := sys.NewSession(context.Background(), pipeline.SessionConfig{ID: "s", Dir: h.dir})
	if err != nil {
		t.Fatal(err)
	}
	cfg.Loaders, cfg.Log = []xcsh.ModuleLoader{loader}, slog.New(logged{h})
	h.Modules = xcsh.New(ses, cfg)
	t.Cleanup(func() {
		if err := h.Modules.Close(); err != nil {
			t.Error(err)
		}
	})
	h.Listen(&xcsh.Listener{Failed: func(e xcsh.HookError) { h.say("failed: %s, %s: %s", e.Path, e.Event, e.Message) }})
	h.Initialize(xcsh.Host{UI: h, HasUI: true, SendMessage: func(m xcsh.CustomMessage, opt xcsh.SendOptions) error {
		h.say("message: %s %s %v", m.CustomType, m.Content, opt)
		return nil
	}})
	return h
}

// written loads a module with the given text and name, and fails the test if the module cannot be loaded.
func (h *host) written(t testing.TB, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(h.dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	h.load(t, name)
}

func (h *host) load(t testing.TB, paths ...string) {
	t.Helper()
	for _, err := range h.Load(context.Background(), paths, h.dir) {
		t.Fatal(err)
	}
}

// call fires tool_call.
func (h *host) call(ctx context.Context, tool, input string) (*xcsh.ToolCallResult, error) {
	return xcsh.ToolCall.Fire(ctx, h.Modules, &xcsh.ToolCallEvent{ToolName: tool, ToolCallID: "1", Input: wire.Object(input)})
}

// run runs a tool that only records that it ran.
func (h *host) run(ctx context.Context, tool, input string) error {
	execute := func(context.Context, string, wire.Object, func(*xcsh.Output)) (*xcsh.Output, error) {
		h.say("ran: %s %s", tool, input)
		return &xcsh.Output{}, nil
	}
	_, err := xcsh.WrapTool(h.Modules, tool, xcsh.OutputShape[wire.Object](), execute)(ctx, "1", wire.Object(input), nil)
	return err
}

func (h *host) say(format string, args ...any) { h.log.Add(fmt.Sprintf(format, args...)) }

// heard compares the events since its last call with want.
func (h *host) heard(t testing.TB, want ...string) {
	t.Helper()
	if got := h.log.Take(); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func (h *host) Confirm(ctx context.Context, title, message string) bool {
	h.say("confirm: %s, %s", title, message)
	return h.yes && ctx.Err() == nil
}

func (h *host) Select(_ context.Context, title string, options []string) (string, bool) {
	h.say("select: %s %v", title, options)
	return h.choice, h.choice != ""
}

func (h *host) Input(_ context.Context, title, placeholder string) (string, bool) {
	h.say("input: %s, %s", title, placeholder)
	return h.choice, h.choice != ""
}

func (h *host) Editor(_ context.Context, title, prefill string) (string, bool) {
	h.say("editor: %s, %s", title, prefill)
	return h.choice, h.choice != ""
}

func (h *host) Notify(message, level string)  { h.say("notify: %s %s", level, message) }
func (h *host) SetStatus(key, text string)    { h.say("status: %s=%s", key, text) }
func (h *host) ClearStatus(key string)        { h.say("status: %s", key) }
func (h *host) SetEditorText(text string)     { h.say("editor text: %s", text) }
func (h *host) EditorText() string            { return "draft" }
func (h *host) Theme() xcsh.Theme             { return h }
func (h *host) Fg(colour, text string) string { return "<" + colour + ">" + text }
func (h *host) Bg(colour, text string) string { return "[" + colour + "]" + text }

// logged records the log messages of modules.
type logged struct{ h *host }

func (l logged) Enabled(context.Context, slog.Level) bool { return true }
func (l logged) WithAttrs([]slog.Attr) slog.Handler       { return l }
func (l logged) WithGroup(string) slog.Handler            { return l }

func (l logged) Handle(_ context.Context, r slog.Record) error {
	text := r.Level.String() + ": " + r.Message
	r.Attrs(func(a slog.Attr) bool {
		text += " " + a.String()
		return true
	})
	l.h.say("%s", text)
	return nil
}
