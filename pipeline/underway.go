package pipeline

import (
	"sync"
)

// underway is a fire that Close has to end, in the list of its session's lane.
// The list costs a fire no allocation, where a context that follows the
// system's would cost five.
type underway struct {
	fire       *lazy
	prev, next *underway
}

// lanes are what the fires of a system are spread over, by session, so that
// they do not wait for each other, nor for settings that are read again.
type lanes [16]lane

// lane has the fires of some sessions.
type lane struct {
	mu      sync.Mutex
	closed  bool
	first   *underway
	begun   int64          // fires, ever
	done    sync.WaitGroup // fires, and hooks in the background
	running int            // how many done waits for
	_       [64]byte       // two lanes share no line of a processor's cache
}

// enter counts what Close waits for, unless the system is closed.
func (l *lane) enter() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return false
	}
	l.done.Add(1)
	l.running++
	return true
}

// begin counts a fire and lists it, unless the system is closed. The number is
// higher than that of every fire which the session began before.
func (l *lane) begin(u *underway) (number int64, ok bool) {
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

func (l *lane) end(u *underway) {
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

// leave undoes enter.
func (l *lane) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.running--
	l.done.Done()
}

// close lets nothing begin any more, and gives what is under way.
func (l *lane) close() (fires []*lazy) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	for u := l.first; u != nil; u = u.next {
		fires = append(fires, u.fire)
	}
	return fires
}

// busy reports whether anything that was begun goes on.
func (l *lane) busy() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.running > 0
}

// lane gives the lane of the next session.
func (sys *System) lane() *lane { return &sys.lanes[sys.sessions.Add(1)%uint64(len(sys.lanes))] }

// shut lets nothing begin any more, and returns what is in flight.
func (all *lanes) shut() (fires []*lazy) {
	for i := range all {
		fires = append(fires, all[i].close()...)
	}
	return fires
}

// busy reports whether anything that was begun goes on.
func (all *lanes) busy() bool {
	for i := range all {
		if all[i].busy() {
			return true
		}
	}
	return false
}

// wait waits for all that was begun. It holds no lock that they need.
func (all *lanes) wait() {
	for i := range all {
		all[i].done.Wait()
	}
}
