package xcshcases

import (
	"context"
	"log/slog"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/events/xcsh"
)

// caseRecorder stores the facts that a case can check.
type caseRecorder struct {
	mu         sync.Mutex
	trace      []any
	at         map[string]int // index of a run in the trace, by its key
	hookErrors []any
	sent       []any
	uiCalls    []any
	ctxCalls   []any
	loadErrors []any
}

func (r *caseRecorder) add(list *[]any, item map[string]any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	*list = append(*list, copyJSON(item))
}

// called records a call without its empty arguments.
func (r *caseRecorder) called(list *[]any, call string, args ...any) {
	args = given(args)
	item := map[string]any{"call": call}
	if len(args) > 0 {
		item["args"] = args
	}
	r.add(list, item)
}

// Enabled implements [slog.Handler]: every line of the modules' log may be a trace.
func (r *caseRecorder) Enabled(context.Context, slog.Level) bool { return true }

// Handle implements [slog.Handler].
func (r *caseRecorder) Handle(_ context.Context, record slog.Record) error {
	text, is := strings.CutPrefix(record.Message, traceMark)
	if !is {
		return nil
	}
	var line traceLine
	if err := json.Unmarshal([]byte(text), &line); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if i, known := r.at[line.Key]; known {
		r.trace[i] = line.Entry
		return nil
	}
	r.at[line.Key] = len(r.trace)
	r.trace = append(r.trace, line.Entry)
	return nil
}

// WithAttrs implements [slog.Handler].
func (r *caseRecorder) WithAttrs([]slog.Attr) slog.Handler { return r }

// WithGroup implements [slog.Handler].
func (r *caseRecorder) WithGroup(string) slog.Handler { return r }

// listener returns a listener that records, and then fails if the case demands it.
func (r *caseRecorder) listener(l Listener) *xcsh.Listener {
	return &xcsh.Listener{Failed: func(e xcsh.HookError) {
		r.add(&r.hookErrors, map[string]any{"listener": l.ID, "hookPath": e.Path, "event": e.Event, "error": e.Message})
		if l.Throws != "" {
			panic(l.Throws)
		}
	}}
}

// host returns the host of a case.
func (r *caseRecorder) host(i *Initialize) xcsh.Host {
	h := xcsh.Host{HasUI: i.HasUI, Model: models(i.Model)}
	if i.IsIdle != nil {
		h.IsIdle = func() bool { return *i.IsIdle }
	}
	if i.HasQueuedMessages != nil {
		h.HasQueuedMessages = func() bool { return *i.HasQueuedMessages }
	}
	if i.Abort {
		h.Abort = func() { r.called(&r.ctxCalls, "abort") }
	}
	if i.UI != nil {
		h.UI = &scripted{r: r, left: *i.UI}
	}
	r.control(i, &h)
	h.SendMessage = func(m xcsh.CustomMessage, opt xcsh.SendOptions) error {
		item := map[string]any{"call": "sendMessage", "message": fromJSON(toJSON(m))}
		if opt != (xcsh.SendOptions{}) {
			item["options"] = fromJSON(toJSON(opt))
		}
		r.add(&r.sent, item)
		return nil
	}
	h.AppendEntry = func(customType string, data jsontext.Value) error {
		item := map[string]any{"call": "appendEntry", "customType": customType}
		if data != nil {
			item["data"] = fromJSON(data)
		}
		r.add(&r.sent, item)
		return nil
	}
	return h
}

// control sets the functions of a host that commands may call.
func (r *caseRecorder) control(i *Initialize, h *xcsh.Host) {
	if i.WaitForIdle {
		h.WaitForIdle = func(context.Context) error { r.called(&r.ctxCalls, "waitForIdle"); return nil }
	}
	if i.NewSession != nil {
		h.NewSession = func(_ context.Context, opt xcsh.NewSession) (bool, error) {
			r.called(&r.ctxCalls, "newSession", without(map[string]any{"parentSession": opt.ParentSession}))
			return i.NewSession.Cancelled, nil
		}
	}
	if i.Branch != nil {
		h.Branch = func(_ context.Context, id string) (bool, error) {
			r.called(&r.ctxCalls, "branch", id)
			return i.Branch.Cancelled, nil
		}
	}
	if i.NavigateTree != nil {
		h.NavigateTree = func(_ context.Context, id string, opt xcsh.NavigateTree) (bool, error) {
			r.called(&r.ctxCalls, "navigateTree", id, without(map[string]any{"summarize": opt.Summarize}))
			return i.NavigateTree.Cancelled, nil
		}
	}
}

// models returns a function that returns the ids one after another, and then the last one for ever.
func models(ids jsontext.Value) func() xcsh.Model {
	var list []string
	switch ids.Kind() {
	case '"':
		list = make([]string, 1)
		_ = json.Unmarshal(ids, &list[0])
	case '[':
		_ = json.Unmarshal(ids, &list)
	default:
		return nil
	}
	var mu sync.Mutex
	return func() xcsh.Model {
		mu.Lock()
		defer mu.Unlock()
		id := list[0]
		if len(list) > 1 {
			list = list[1:]
		}
		return xcsh.Model{Object: []byte(toJSON(map[string]any{"id": id}))}
	}
}

// scripted is a UI with scripted answers.
type scripted struct {
	xcsh.NoUI
	r    *caseRecorder
	mu   sync.Mutex
	left ScriptedUI
}

// Confirm implements [xcsh.UI].
func (u *scripted) Confirm(_ context.Context, title, message string) bool {
	u.r.called(&u.r.uiCalls, "confirm", title, message)
	answer, _ := pop(u, &u.left.Confirm)
	return answer
}

// Select implements [xcsh.UI].
func (u *scripted) Select(_ context.Context, title string, options []string) (string, bool) {
	u.r.called(&u.r.uiCalls, "select", title, options)
	return text(pop(u, &u.left.Select))
}

// Input implements [xcsh.UI].
func (u *scripted) Input(_ context.Context, title, placeholder string) (string, bool) {
	u.r.called(&u.r.uiCalls, "input", title, placeholder)
	return text(pop(u, &u.left.Input))
}

// Editor implements [xcsh.UI].
func (u *scripted) Editor(_ context.Context, title, prefill string) (string, bool) {
	u.r.called(&u.r.uiCalls, "editor", title, prefill)
	return text(pop(u, &u.left.Editor))
}

// Notify implements [xcsh.UI].
func (u *scripted) Notify(message, level string) { u.r.called(&u.r.uiCalls, "notify", message, level) }

// SetStatus implements [xcsh.UI].
func (u *scripted) SetStatus(key, text string) { u.r.called(&u.r.uiCalls, "setStatus", key, text) }

// ClearStatus implements [xcsh.UI].
func (u *scripted) ClearStatus(key string) { u.r.called(&u.r.uiCalls, "setStatus", key) }

// SetEditorText implements [xcsh.UI].
func (u *scripted) SetEditorText(text string) {
	u.r.called(&u.r.uiCalls, "setEditorText", text)
	u.mu.Lock()
	defer u.mu.Unlock()
	u.left.EditorText = text
}

// EditorText implements [xcsh.UI].
func (u *scripted) EditorText() string {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.left.EditorText
}

func pop[T any](u *scripted, queue *[]T) (first T, ok bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(*queue) == 0 {
		return first, false
	}
	first, *queue = (*queue)[0], (*queue)[1:]
	return first, true
}

func text(answer *string, _ bool) (string, bool) {
	if answer == nil {
		return "", false
	}
	return *answer, true
}
