package pipeline

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/scratch"
	"github.com/snaphook-go/snaphook/state"
)

// sessionState is what a session keeps of its fires. Most never need one.
type sessionState struct {
	mu         sync.Mutex
	spent      map[string]bool // the hooks that have had their one run
	values     map[any]any
	files      int    // how many names have been given out below scratch
	scratchDir string // where hooks leave files; empty until one has
	vars       []*varsDir
	background background

	listeners []*func(Failure) // never changed in place

	asking chan struct{} // holds a token while a question is before the user
}

// state returns the session's memory.
func (s *Session) state() *sessionState {
	if m := s.more.Load(); m != nil {
		return m
	}
	s.more.CompareAndSwap(nil, &sessionState{asking: make(chan struct{}, 1)})
	return s.more.Load()
}

// Value returns what a dialect keeps in the session under a key, and makes it the
// first time, once, whatever else asks. Keys have types of the dialect's own; what
// is kept has to be safe for many goroutines. first must not use the session.
func (s *Session) Value(key any, first func() any) any {
	m := s.state()
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

// once is the key of a hook that runs once. After a Reload, another hook may
// have its ID.
func once(h *hook.Hook) string { return h.ID + "\x00" + h.Command }

// isSpent reports whether a hook has had its one run.
func (s *Session) isSpent(h *hook.Hook) bool {
	m := s.more.Load()
	if m == nil {
		return false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.spent[once(h)]
}

// spend takes the one run of each of the hooks that have no more; it takes
// none, and is false, if another fire has just taken one of them.
func (s *Session) spend(hooks []*hook.Hook) bool {
	m := s.state()
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

// scratch makes a directory or names a file below the session's, with a number
// in its name that was not there before.
func (s *Session) scratch(name string) (path string, err error) {
	m := s.state()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.background.closed {
		return "", hook.ErrClosed // nothing would remove it
	}
	if m.scratchDir == "" {
		if m.scratchDir, err = s.newScratch(); err != nil {
			return "", err
		}
		s.sys.scratches.add(m.scratchDir)
		runtime.AddCleanup(s, s.sys.scratches.drop, m.scratchDir) // of a session that is dropped without Close
	}
	m.files++
	return filepath.Join(m.scratchDir, strconv.Itoa(m.files)+"-"+name), nil
}

func (s *Session) newScratch() (string, error) {
	if s.host == nil || s.host.Scratch == "" {
		return scratch.Dir("session-")
	}
	scratch, err := filepath.Abs(s.host.Scratch) // hooks run elsewhere
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(scratch, 0o700); err != nil {
		return "", err
	}
	return os.MkdirTemp(scratch, "session-") // another session may have the same
}

// Keep writes a text that is too long to be passed on to a file of the
// session's, and returns its path. The file is there until Close.
func (s *Session) Keep(name, text string) (path string, err error) {
	if path, err = s.scratch(name); err != nil {
		return "", err
	}
	return path, os.WriteFile(path, []byte(text), 0o600)
}

// State is what the hooks of the session keep between their runs; see
// [hook.State]. It is in a directory that is made when something is kept, and
// that a session with the same id and directory takes up again. Close removes it
// if the session has no id; else it goes when it has not been used for a week.
func (s *Session) State() hook.State { return state.Dir(s.stateVar()[len(stateName):]) }
