package pipeline

import (
	"sync"
)

// shards spread the fires of a system, by session: they do not wait for each other, nor for
// settings that are read again.
type shards [16]shard

// shard has the fires of some sessions.
type shard struct {
	mu      sync.Mutex
	closed  bool
	first   *inflight
	begun   int64          // fires, ever
	done    sync.WaitGroup // fires, and hooks in the background
	running int            // how many done waits for
	_       [64]byte       // two lanes share no line of a processor's cache
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

// close lets nothing begin any more, and returns the fires in flight.
func (l *shard) close() (fires []*lazyContext) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	for u := l.first; u != nil; u = u.next {
		fires = append(fires, u.ctx)
	}
	return fires
}

// busy reports whether anything that was begun goes on.
func (l *shard) busy() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.running > 0
}

// shut lets nothing begin any more, and returns the fires in flight.
func (all *shards) shut() (fires []*lazyContext) {
	for i := range all {
		fires = append(fires, all[i].close()...)
	}
	return fires
}

// busy reports whether anything that was begun goes on.
func (all *shards) busy() bool {
	for i := range all {
		if all[i].busy() {
			return true
		}
	}
	return false
}

// wait waits for all that was begun. It holds no lock that they need.
func (all *shards) wait() {
	for i := range all {
		all[i].done.Wait()
	}
}

// inflight is a fire that Close has to end, in the list of its session's shard.
// The list costs a fire no allocation, where a context that follows the
// system's would cost five.
type inflight struct {
	ctx        *lazyContext
	prev, next *inflight
}

// begin counts a fire and lists it, unless the system is closed. The number is higher than the
// number of every earlier fire of the session.
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
