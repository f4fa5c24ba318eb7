package pipeline

import (
	"slices"
	"sync"

	"github.com/snaphook-go/snaphook/hook"
)

// sessionState holds values that outlive a fire; a session has none until one is needed.
type sessionState struct {
	background background
	files      hookFiles
	asking     chan struct{} // has a token while a question is put to the user

	mu        sync.Mutex      // guards the fields below
	spent     map[string]bool // run-once hooks that have run, by the key of once
	values    map[any]any
	listeners []*func(Failure) // the slice is replaced, never changed in place
}

// once returns the key of a run-once hook. The ID alone is not enough: after a Reload, another hook may have the same
// ID.
func once(h *hook.Hook) string { return h.ID + "\x00" + h.Command }

// isSpent reports whether a run-once hook has run. m may be nil.
func (m *sessionState) isSpent(h *hook.Hook) bool {
	if m == nil {
		return false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.spent[once(h)]
}

// spend marks the once-only hooks in hooks as used. If another fire has used any of them, spend marks no hook and
// returns false.
func (m *sessionState) spend(hooks []*hook.Hook) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, h := range hooks {
		if h.Once && m.spent[once(h)] {
			return false
		}
	}
	for _, h := range hooks {
		if h.Once {
			if m.spent == nil {
				m.spent = map[string]bool{}
			}
			m.spent[once(h)] = true
		}
	}
	return true
}

// unspend undoes spend for hooks that did not run.
func (m *sessionState) unspend(hooks []*hook.Hook) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, h := range hooks {
		delete(m.spent, once(h))
	}
}

// value returns the value of a key. The first call for the key makes the value with first.
func (m *sessionState) value(key any, first func() any) any {
	m.mu.Lock()
	defer m.mu.Unlock()
	v, kept := m.values[key]
	if !kept {
		if m.values == nil {
			m.values = map[any]any{}
		}
		v = first()
		m.values[key] = v
	}
	return v
}

// listen adds a listener to failures; remove removes it.
func (m *sessionState) listen(listen func(Failure)) (remove func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	l := &listen
	m.listeners = append(slices.Clip(m.listeners), l)
	return sync.OnceFunc(func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.listeners = slices.DeleteFunc(
			slices.Clone(m.listeners),
			func(other *func(Failure)) bool { return other == l },
		)
	})
}

// listening returns the listeners to failures, in the order in which they were added. m may be nil.
func (m *sessionState) listening() []*func(Failure) {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.listeners
}
