package pipeline

import (
	"slices"
	"sync"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/scratch"
)

// sessionState holds values that outlive a fire; it is nil until a fire needs one.
type sessionState struct {
	mu         sync.Mutex
	spent      map[string]bool // the hooks that have had their one run
	values     map[any]any
	files      int    // number of names created below scratch
	scratchDir string // directory for the files of hooks; empty until one is needed
	vars       []*varsDir
	background background

	listeners []*func(Failure) // replaced, never changed in place

	asking chan struct{} // holds a token while the user is asked
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

// once returns the key of a hook that runs once. The ID alone is not enough: after a Reload,
// another hook may have it.
func once(h *hook.Hook) string { return h.ID + "\x00" + h.Command }

// scratches holds the directories in which the hooks of a system's sessions have left files.
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

// drop removes a directory, unless it is gone already.
func (s *scratches) drop(dir string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, kept := s.dirs[dir]; kept {
		delete(s.dirs, dir)
		_ = scratch.Remove(dir)
	}
}

// remove removes all directories of the session.
func (s *scratches) remove() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for dir := range s.dirs {
		_ = scratch.Remove(dir)
	}
	s.dirs = nil
}
