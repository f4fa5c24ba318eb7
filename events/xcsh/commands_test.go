package xcsh_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/wire"
)

// offers loads a module with commands that record in ran that they ran.
func offers(t *testing.T, m *xcsh.Modules, path string, ran *[]string, names ...string) {
	add(t, m, path, func(api *xcsh.API) error {
		for _, name := range names {
			api.RegisterCommand(xcsh.Command{Name: name, Run: func(_ context.Context, args string, _ *xcsh.CommandContext) error {
				*ran = append(*ran, path+":"+name+":"+args)
				return nil
			}})
		}
		api.RegisterMessageRenderer("t", func(xcsh.CustomMessage, bool, xcsh.Theme) string { return path })
		return nil
	})
}

func TestConflictsOfCommandsAndRenderers(t *testing.T) {
	for extensions, want := range map[bool]struct {
		ran  string
		list []string
	}{
		false: {"a:hi:x  y ", []string{"a:hi", "a:clear", "b:hi", "b:only"}},
		true:  {"b:hi:x  y ", []string{"b:hi", "b:only"}},
	} {
		m := start(t, xcsh.Config{Extensions: extensions})
		var ran, list []string
		offers(t, m, "a", &ran, "hi", "clear")
		offers(t, m, "b", &ran, "hi", "only")
		for _, c := range m.Commands("clear") {
			list = append(list, c.Module()+":"+c.Name)
		}
		handled := m.Slash(t.Context(), "/hi x  y ")
		if !handled || !slices.Equal(ran, []string{want.ran}) || !slices.Equal(list, want.list) {
			t.Errorf("extensions %v: handled %v, ran %q, listed %q; want %q and %q", extensions, handled, ran, list, want.ran, want.list)
		}
		if r, ok := m.Renderer("t"); !ok || r(xcsh.CustomMessage{}, false, nil) != "a" {
			t.Error("the renderer is not that of the first module")
		}
	}
}

// Slash runs only commands that exist (rule X7).
func TestSlashKnowsItsCommands(t *testing.T) {
	m := start(t, xcsh.Config{})
	told := errorsOf(m)
	add(t, m, "a", func(api *xcsh.API) error {
		api.RegisterCommand(xcsh.Command{Name: "fails", Run: func(context.Context, string, *xcsh.CommandContext) error { return errors.New("e") }})
		api.RegisterCommand(xcsh.Command{Name: "panics", Run: func(context.Context, string, *xcsh.CommandContext) error { panic("p") }})
		api.RegisterCommand(xcsh.Command{Name: "empty"})
		return nil
	})
	for text, want := range map[string]bool{"/fails": true, "/panics now": true, "/empty": true, "fails": false, "/fail": false, "/": false, "": false, "/ fails": false, "//fails": false} {
		if got := m.Slash(t.Context(), text); got != want {
			t.Errorf("%q is handled: %v, want %v", text, got, want)
		}
	}
	slices.Sort(*told)
	if want := []string{"command:fails command e", "command:panics command panic: p"}; !slices.Equal(*told, want) {
		t.Errorf("told %q, want %q", *told, want)
	}
}

// Initialize keeps the functions that control sessions (rule X11).
func TestInitializeKeepsTheControlOfSessions(t *testing.T) {
	m := start(t, xcsh.Config{})
	var got []string
	var api *xcsh.API
	add(t, m, "a", func(a *xcsh.API) error { api = a; return nil })
	if err := api.SendMessage(xcsh.CustomMessage{}, xcsh.SendOptions{}); err == nil || err.Error() != "sendMessage handler not initialized" {
		t.Errorf("the error is %v", err)
	}
	if err := api.AppendEntry("t", nil); err == nil || err.Error() != "appendEntry handler not initialized" {
		t.Errorf("the error is %v", err)
	}
	cancelled := func(context.Context, string) (bool, error) { return true, nil }
	m.Initialize(xcsh.Host{
		UI: xcsh.NoUI{}, HasUI: true, Branch: cancelled,
		IsIdle:            func() bool { return false },
		HasQueuedMessages: func() bool { return true },
		Abort:             func() { got = append(got, "abort") },
		WaitForIdle:       func(context.Context) error { return errors.New("busy") },
		NewSession:        func(context.Context, xcsh.NewSession) (bool, error) { return true, nil },
		NavigateTree:      func(context.Context, string, xcsh.NavigateTree) (bool, error) { return true, nil },
		SendMessage:       func(m xcsh.CustomMessage, _ xcsh.SendOptions) error { got = append(got, string(m.Content)); return nil },
		AppendEntry:       func(_ string, data jsontext.Value) error { got = append(got, string(data)); return nil },
		Model:             func() xcsh.Model { return xcsh.Model{Object: wire.Object(`{"id":"m1"}`)} },
	})
	cc := m.CommandContext()
	cc.Abort()
	if cc.IsIdle() || !cc.HasQueuedMessages() || !cc.HasUI || cc.Model().ID() != "m1" || cc.WaitForIdle(t.Context()) == nil {
		t.Errorf("the context is %+v", cc)
	}
	m.Initialize(xcsh.Host{})
	cc = m.CommandContext()
	cc.Abort()
	branched, _ := cc.Branch(t.Context(), "e")
	begun, _ := cc.NewSession(t.Context(), xcsh.NewSession{})
	moved, _ := cc.NavigateTree(t.Context(), "e", xcsh.NavigateTree{})
	if !cc.IsIdle() || cc.HasQueuedMessages() || cc.HasUI || cc.WaitForIdle(t.Context()) != nil || cc.Model().ID() != "m1" || !branched || !begun || !moved {
		t.Errorf("after another Initialize the context is %+v; cancelled %v, %v, %v", cc, branched, begun, moved)
	}
	err := errors.Join(api.SendMessage(xcsh.CustomMessage{Content: xcsh.Parts(xcsh.TextPart("a"), xcsh.TextPart("b"))}, xcsh.SendOptions{}), api.AppendEntry("t", map[string]int{"n": 1}))
	want := []string{"abort", `[{"type":"text","text":"a"},{"type":"text","text":"b"}]`, `{"n":1}`}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, the host got %q, want %q", err, got, want)
	}
}

func TestTheModelIsThatOfTheFireOrOfNow(t *testing.T) {
	for extensions, want := range map[bool]string{false: "1 1 1", true: "1 2 3"} {
		m := start(t, xcsh.Config{Extensions: extensions})
		asked := 0
		m.Initialize(xcsh.Host{Model: func() xcsh.Model {
			asked++
			return xcsh.Model{Object: wire.Object(`{}`).With("id", wire.Quote(string(rune('0'+asked))))}
		}})
		var saw []string
		var contexts []*xcsh.HookContext
		add(t, m, "a", func(api *xcsh.API) error {
			for range 3 {
				xcsh.TurnStart.On(api, func(_ context.Context, _ *xcsh.TurnStartEvent, hc *xcsh.HookContext) error {
					saw, contexts = append(saw, hc.Model().ID()), append(contexts, hc)
					return nil
				})
			}
			return nil
		})
		turn(t, m)
		if got := strings.Join(saw, " "); got != want || contexts[0] != contexts[2] {
			t.Errorf("extensions %v: the models are %s, want %s; one context %v", extensions, got, want, contexts[0] == contexts[2])
		}
	}
}

func TestModulesLogWithTheirPath(t *testing.T) {
	var text strings.Builder
	m := start(t, xcsh.Config{Log: slog.New(slog.NewTextHandler(&text, nil))})
	add(t, m, "a.ts", func(api *xcsh.API) error { api.Logger().Info("hello"); return nil })
	if !strings.Contains(text.String(), "msg=hello module=a.ts") {
		t.Errorf("logged %q", text.String())
	}
}

func TestNobodyAnswersWithoutAUI(t *testing.T) {
	var ui xcsh.UI = xcsh.NoUI{}
	ctx := t.Context()
	ui.Notify("m", "info")
	ui.SetStatus("k", "t")
	ui.ClearStatus("k")
	ui.SetEditorText("t")
	_, selected := ui.Select(ctx, "t", []string{"a"})
	_, entered := ui.Input(ctx, "t", "")
	_, edited := ui.Editor(ctx, "t", "x")
	_, custom := ui.Custom(ctx, func() { t.Error("the factory is called") })
	if selected || entered || edited || custom || ui.Confirm(ctx, "t", "m") || ui.EditorText() != "" || ui.Theme().Fg("red", "x")+ui.Theme().Bg("red", "y") != "xy" {
		t.Error("somebody answers")
	}
}
