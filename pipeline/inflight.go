package pipeline

import "sync"

// shards are what the fires of a system are spread over, by session, so that
// they do not wait for each other, nor for settings that are read again.
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

// enter counts what Close waits for, unless the system is closed.
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

// close lets nothing begin any more, and returns what is under way.
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

// nextShard returns the shard of the next session.
func (sys *System) nextShard() *shard {
	return &sys.shards[sys.sessions.Add(1)%uint64(len(sys.shards))]
}

// shut lets nothing begin any more, and returns what is in flight.
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
