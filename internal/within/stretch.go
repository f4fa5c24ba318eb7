package within

import (
	"context"
	"sync"
	"time"

	"github.com/snaphook-go/snaphook/hook"
)

// stretch cancels a context at a time limit that can grow.
type stretch struct {
	limit  time.Duration
	most   float64 // the limit grows at most to most times itself
	short  bool    // the limit grows to shortest
	load   func() float64
	cancel context.CancelCauseFunc

	mu      sync.Mutex
	timer   *time.Timer // nil after end
	granted time.Duration
	idle    bool // due found no other thread ready at its last look; true where the load is unknown
}

// leastGrant is the smallest growth of a limit that is worth another wait.
const leastGrant = time.Millisecond / 4

// shortest is the time to which a shorter limit grows while any other thread of the machine is ready to run: threads
// take turns on a processor for milliseconds.
const shortest = 10 * time.Millisecond

// grants is the number of equal parts of a limit. Before each part the load is read again.
const grants = 8

func (s *stretch) start() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.timer = time.AfterFunc(s.limit, s.due)
}

// due grants more time if more threads of the machine are ready to run than it has processors: each thread then gets
// only a part of a processor. A limit below shortest grows until due finds no other thread twice in a row. Otherwise
// due cancels the context.
func (s *stretch) due() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.timer == nil {
		return
	}
	load := s.load()
	growth := time.Duration(float64(s.limit) * (min(load, s.most) - 1))
	if s.short && (load > 0 || !s.idle) {
		growth = max(growth, shortest-s.limit)
	}
	s.idle = load == 0
	more := min(growth-s.granted, max(s.limit/grants, leastGrant))
	if more < leastGrant {
		s.cancel(&hook.TimeoutError{After: s.limit, Granted: s.granted})
		return
	}
	s.granted += more
	s.timer.Reset(more)
}

// end stops the timer and returns the growth of the limit.
func (s *stretch) end() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.timer.Stop()
	s.timer = nil
	s.cancel(context.Canceled)
	return s.granted
}
