package pipeline

import "github.com/snaphook-go/snaphook/hook"

// underway is a fire that Close has to end, in the list of its system. The list
// costs a fire no allocation, where a context that follows the system's would
// cost five.
type underway struct {
	fire       *lazy
	prev, next *underway
}

// begin counts a fire and lists it, unless the system is closed.
func (sys *System) begin(u *underway) bool {
	sys.mu.Lock()
	defer sys.mu.Unlock()
	if sys.closed {
		return false
	}
	sys.fires.Add(1)
	if u.next = sys.underway; u.next != nil {
		u.next.prev = u
	}
	sys.underway = u
	return true
}

func (sys *System) end(u *underway) {
	sys.mu.Lock()
	defer sys.mu.Unlock()
	if u.next != nil {
		u.next.prev = u.prev
	}
	if u.prev != nil {
		u.prev.next = u.next
	} else {
		sys.underway = u.next
	}
	u.prev, u.next = nil, nil
	sys.fires.Done()
}

// endAll ends the fires that are under way. It takes no lock that they need.
func (sys *System) endAll() {
	sys.mu.Lock()
	var all []*lazy
	for u := sys.underway; u != nil; u = u.next {
		all = append(all, u.fire)
	}
	sys.mu.Unlock()
	for _, fire := range all {
		fire.end(hook.ErrClosed)
	}
}
