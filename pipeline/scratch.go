package pipeline

import (
	"sync"

	"github.com/snaphook-go/snaphook/internal/scratch"
)

// scratches are the directories in which the hooks of a system's sessions have
// left files.
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

// remove removes all of them.
func (s *scratches) remove() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for dir := range s.dirs {
		_ = scratch.Remove(dir)
	}
	s.dirs = nil
}
