package pipeline

import (
	"sync"
)

// shards distribute the fires of a system by session: fires of different shards wait neither for
// each other nor for a reload of settings.
type shards [16]shard

// shard tracks the fires of some sessions.
type shard struct {
	mu      sync.Mutex
	closed  bool
	first   *inflight
	begun   int64          // fires, ever
	done    sync.WaitGroup // counts fires, and hooks in the background
	running int            // the count of done
	_       [64]byte       // padding: no two shards share a cache line
}

// enter counts work that Close waits for, unless the system is closed.
func (l *shard) enter() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return false
	}
	l.done.Add(1)
	l.running++
	return true
}

// leave undoes enter.
func (l *shard) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.running--
	l.done.Done()
}

// close refuses every later begin and enter, and returns the fires in flight.
func (l *shard) close() (fires []*lazyContext) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	for u := l.first; u != nil; u = u.next {
		fires = append(fires, u.ctx)
	}
	return fires
}

// busy reports whether anything that was begun is still running.
func (l *shard) busy() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.running > 0
}

// shut closes all shards, and returns the fires in flight.
func (all *shards) shut() (fires []*lazyContext) {
	for i := range all {
		fires = append(fires, all[i].close()...)
	}
	return fires
}

// busy reports whether anything that was begun is still running.
func (all *shards) busy() bool {
	for i := range all {
		if all[i].busy() {
			return true
		}
	}
	return false
}

// wait waits for everything that was begun. It holds no lock that the fires need.
func (all *shards) wait() {
	for i := range all {
		all[i].done.Wait()
	}
}

// inflight is a fire in the list of its session's shard, for Close to end. The list costs a fire no
// allocation; a context derived from the system's would cost five.
type inflight struct {
	ctx        *lazyContext
	prev, next *inflight
}

// begin counts a fire and lists it, unless the system is closed. number is higher than that of
// every earlier fire of the session.
func (l *shard) begin(u *inflight) (number int64, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return 0, false
	}
	l.done.Add(1)
	l.running++
	if u.next = l.first; u.next != nil {
		u.next.prev = u
	}
	l.first = u
	l.begun++
	return l.begun, true
}

func (l *shard) end(u *inflight) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if u.next != nil {
		u.next.prev = u.prev
	}
	if u.prev != nil {
		u.prev.next = u.next
	} else {
		l.first = u.next
	}
	u.prev, u.next = nil, nil
	l.running--
	l.done.Done()
}
