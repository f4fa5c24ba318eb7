package cursor

import (
	"sync"

	"github.com/snaphook-go/snaphook/pipeline"
)

// loops counts consecutive follow-ups of hooks for a host that does not count them. It is safe for concurrent use.
type loops struct {
	mu sync.Mutex
	n  int
}

type loopsKey struct{ event string }

func loopsOf(s *pipeline.Session, event string) *loops {
	return s.Value(loopsKey{event}, func() any { return &loops{} }).(*loops)
}

// count returns the number of follow-ups before the agent's end e.
func (l *loops) count(e *Ending) int {
	if e.Loops == 0 {
		return 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.n
}

// countLoops adds a follow-up to the count, or resets it if there was none.
func countLoops(s *pipeline.Session, event string, e *Ending, again bool) {
	if !e.Uncounted {
		return
	}
	l := loopsOf(s, event)
	n := l.count(e)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.n = 0; again {
		l.n = n + 1
	}
}
