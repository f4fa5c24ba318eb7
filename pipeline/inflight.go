package pipeline

import (
	"sync"
)

// shards distribute the fires of a system by session. Fires of different shards do not wait for each other, nor for a
// reload of settings.
type shards [16]shard

// shard tracks the fires of some sessions.
type shard struct {
	mu      sync.Mutex
	closed  bool
	first   *inflight
	begun   int64          // number of fires begun
	done    sync.WaitGroup // counts running fires and background hooks
	running int            // same count as done
	_       [64]byte       // padding: keeps shards on separate cache lines
}

// enter registers work that Close waits for. It returns false if the system is closed.
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

// leave unregisters the work of enter.
func (l *shard) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.running--
	l.done.Done()
}

// close makes later calls of begin and enter fail, and returns the running fires.
func (l *shard) close() (fires []*lazyContext) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	for u := l.first; u != nil; u = u.next {
		fires = append(fires, u.ctx)
	}
	return fires
}

// busy reports whether any registered work is running.
func (l *shard) busy() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.running > 0
}

// shut closes all shards and returns the running fires.
func (all *shards) shut() (fires []*lazyContext) {
	for i := range all {
		fires = append(fires, all[i].close()...)
	}
	return fires
}

// busy reports whether any registered work is running.
func (all *shards) busy() bool {
	for i := range all {
		if all[i].busy() {
			return true
		}
	}
	return false
}

// wait waits for all registered work. It holds no lock that fires need.
func (all *shards) wait() {
	for i := range all {
		all[i].done.Wait()
	}
}

// inflight is a running fire in the list of its session's shard. Close ends all fires in these lists. Listing a fire
// allocates nothing; a context derived from the system's context would cost five allocations.
type inflight struct {
	ctx        *lazyContext
	prev, next *inflight
}

// begin registers a fire, unless the system is closed. Each fire of a session gets a higher number than the session's
// earlier fires.
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
