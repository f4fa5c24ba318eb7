package pipeline

import (
	"context"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"sync"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/scratch"
)

// sessionState holds values that outlive a fire; a session has none until one is needed. All methods except forget lock
// the mutex.
type sessionState struct {
	mu         sync.Mutex
	spent      map[string]bool // run-once hooks that have run, by the key of once
	values     map[any]any
	files      int    // number of names created below scratch
	scratchDir string // directory for the files of hooks; empty until one is needed
	vars       []*varsDir
	background background

	listeners []*func(Failure) // the slice is replaced, never changed in place

	asking chan struct{} // has a token while a question is put to the user
}

// forget removes the variables of an event, or of all events if event is empty.
func (m *sessionState) forget(event string) {
	m.vars = slices.DeleteFunc(m.vars, func(d *varsDir) bool {
		gone := event == "" || d.event == event
		if gone {
			d.stale = true
			d.clean()
		}
		return gone
	})
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

// hold registers a background hook as a user of d, to which it may export variables; d may be nil.
func (m *sessionState) hold(d *varsDir) { m.use(d, 1) }

// release ends a use of d, by a background hook or by the fire.
func (m *sessionState) release(d *varsDir) { m.use(d, -1) }

func (m *sessionState) use(d *varsDir, more int) {
	if d == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	d.users += more
	d.clean()
}

// newFile returns a new path below the directory for the files of s, with a number in its name that
// was not used before.
func (m *sessionState) newFile(s *Session, name string) (path string, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.background.closed {
		return "", hook.ErrClosed // too late for Close to remove the file
	}
	if m.scratchDir == "" {
		if m.scratchDir, err = s.host.newScratch(); err != nil {
			return "", err
		}
		s.sys.scratches.add(m.scratchDir)
		runtime.AddCleanup(s, s.sys.scratches.drop, m.scratchDir) // for a session that is collected without Close
	}
	m.files++
	return filepath.Join(m.scratchDir, strconv.Itoa(m.files)+"-"+name), nil
}

// beginBackground registers a background hook. ok is false if the session or its system is closed. ctx ends when the
// session or the system stops its background hooks.
func (m *sessionState) beginBackground(s *Session) (ctx context.Context, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	b := &m.background
	if b.closed || !s.shard.enter() {
		return nil, false
	}
	if b.running++; b.running == 1 {
		b.ctx, b.cancel = context.WithCancelCause(s.sys.ctx)
		b.idle = make(chan struct{})
	}
	return b.ctx, true
}

// endBackground unregisters a background hook.
func (m *sessionState) endBackground(s *Session) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.background.running--; m.background.running == 0 {
		m.background.cancel(nil)
		close(m.background.idle)
	}
	s.shard.leave()
}

// idle returns the channel that is closed when the last background hook is done; nil if none runs. m
// may be nil.
func (m *sessionState) idle() chan struct{} {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.background.running == 0 {
		return nil
	}
	return m.background.idle
}

// keepContext keeps texts of a background hook for the model's next turn.
func (m *sessionState) keepContext(texts backgroundContext) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.background.pending = append(m.background.pending, texts)
}

// takeContexts returns and removes the texts of keepContext. m may be nil.
func (m *sessionState) takeContexts() []backgroundContext {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	kept := m.background.pending
	m.background.pending = nil
	return kept
}

// scratches holds the directories in which the sessions of a system have left files.
type scratches struct {
	mu   sync.Mutex
	dirs map[string]struct{}
}

func (s *scratches) add(dir string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dirs == nil {
		s.dirs = map[string]struct{}{}
	}
	s.dirs[dir] = struct{}{}
}

// drop removes a directory if it is still listed.
func (s *scratches) drop(dir string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, kept := s.dirs[dir]; kept {
		delete(s.dirs, dir)
		_ = scratch.Remove(dir)
	}
}

// remove removes all listed directories.
func (s *scratches) remove() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for dir := range s.dirs {
		_ = scratch.Remove(dir)
	}
	s.dirs = nil
}
