package xcsh

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/environ"
	"github.com/snaphook-go/snaphook/pipeline"
)

// HookError describes a handler that failed, for listeners (X17).
type HookError struct {
	Path    string `json:"hookPath"` // the module's path, as configured
	Event   string `json:"event"`
	Message string `json:"error"`
	Stack   string `json:"stack,omitzero"` // of a panic, or of an error with StackTrace(); only in the extension runtime
}

// Listener receives the failures of handlers. Listeners are compared by their pointers.
type Listener struct{ Failed func(HookError) }

// Listen makes l receive the failure of every handler, except an error that Fire returns (X29). l is called on the
// goroutine that ran the handler, before the fire goes on. Listeners are called in the order in which they were added;
// a listener that was added twice is called once. l cannot change the fire: a panic in it is logged. remove ends the
// reports.
func (m *Modules) Listen(l *Listener) (remove func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !slices.Contains(m.listeners, l) {
		m.listeners = append(slices.Clip(m.listeners), l)
	}
	return sync.OnceFunc(func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.listeners = slices.DeleteFunc(slices.Clone(m.listeners), func(other *Listener) bool { return other == l })
	})
}

// Report passes an error of the host's own to the listeners.
func (m *Modules) Report(e HookError) {
	m.mu.Lock()
	listeners := m.listeners
	m.mu.Unlock()
	for _, l := range listeners {
		m.tell(l, e)
	}
}

func (m *Modules) tell(l *Listener, e HookError) {
	defer func() {
		if v := recover(); v != nil {
			m.cfg.Log.Error(
				"a listener to hook errors panicked",
				slog.String("event", e.Event),
				slog.String("panic", environ.Scrub(fmt.Sprint(v))),
			)
		}
	}()
	l.Failed(e)
}

// failed passes the engine's reports of failed hooks to the listeners.
func (m *Modules) failed(f pipeline.Failure) {
	if f.Hook.Dialect == Dialect.Name || f.Hook.Dialect == Extensions.Name {
		err := cause(f.Err)
		m.Report(HookError{Path: f.Hook.Label(), Event: f.Hook.Event, Message: err.Error(), Stack: m.stack(err)})
	}
}

// stack returns where a handler panicked, or the StackTrace of an error that has one. In the hook runtime it is empty.
func (m *Modules) stack(err error) string {
	panicked, traced := new(hook.PanicError), interface{ StackTrace() string }(nil)
	switch {
	case !m.cfg.Extensions:
	case errors.As(err, &panicked):
		return string(panicked.Stack)
	case errors.As(err, &traced):
		return traced.StackTrace()
	}
	return ""
}

// Thrown is the error of a handler that threw a value that is not an error, as JavaScript allows. [WrapTool] returns an
// error that wraps it, with the text "Hook failed, blocking execution: " before Value.
type Thrown struct{ Value string }

func (t *Thrown) Error() string { return t.Value }
