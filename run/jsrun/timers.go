package jsrun

import (
	"math"
	"time"
)

// timer is a timeout or an interval of the module's.
type timer struct {
	*time.Timer
	every time.Duration // of an interval; 0 is a timeout
}

// setTimer runs the callback with the number id after so many milliseconds: at
// least one, as elsewhere, and one as well if there are too many.
func (m *Module) setTimer(id int64, ms any, repeat bool) {
	wait := time.Millisecond
	switch ms := ms.(type) {
	case int:
		wait = max(wait, time.Duration(ms)*time.Millisecond)
	case float64:
		if ms > 1 && ms <= math.MaxInt32 {
			wait = time.Duration(ms * float64(time.Millisecond))
		}
	}
	t := &timer{}
	if repeat {
		t.every = wait
	}
	m.timers[id] = t
	t.Timer = time.AfterFunc(wait, func() { m.queue.add(func() { m.fire(id) }) })
}

func (m *Module) clearTimer(id int64) {
	if t := m.timers[id]; t != nil {
		t.Stop()
		delete(m.timers, id)
	}
}

// fire runs a callback. An interval starts anew afterwards, so that it never
// waits for itself.
func (m *Module) fire(id int64) {
	t := m.timers[id]
	if t == nil {
		return // cleared after it went off
	}
	if t.every == 0 {
		delete(m.timers, id)
	}
	m.enter(nil, "fire", id)
	if t.every > 0 && m.timers[id] == t {
		t.Reset(t.every)
	}
}
