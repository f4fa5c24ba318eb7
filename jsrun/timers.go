package jsrun

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// timer is a timeout or an interval of the module.
type timer struct {
	id    int64
	due   time.Time
	every time.Duration // the period of an interval; 0 for a timeout
}

// clock holds the timers of a module in the order they are due (equal times in the order they
// were set) and one Go timer for the first. It belongs to the module's goroutine.
type clock struct {
	ring  func() // called on any goroutine when the first timer is due
	bell  *time.Timer
	queue []timer
}

func byTime(a, b timer) int { return cmp.Or(a.due.Compare(b.due), cmp.Compare(a.id, b.id)) }

// set sets a timer for the callback with the number id after ms milliseconds. As in other runtimes, an ms that is less
// than one or too large counts as one.
func (c *clock) set(id int64, ms any, repeat bool) {
	wait := time.Millisecond
	switch ms := ms.(type) {
	case int:
		wait = max(wait, time.Duration(ms)*time.Millisecond)
	case float64:
		if ms > 1 && ms <= math.MaxInt32 {
			wait = time.Duration(ms * float64(time.Millisecond))
		}
	}
	t := timer{id: id, due: time.Now().Add(wait)}
	if repeat {
		t.every = wait
	}
	c.add(t)
}

func (c *clock) add(t timer) {
	at, _ := slices.BinarySearchFunc(c.queue, t, byTime)
	c.queue = slices.Insert(c.queue, at, t)
	if at == 0 {
		c.wind()
	}
}

func (c *clock) remove(id int64) {
	c.queue = slices.DeleteFunc(c.queue, func(t timer) bool { return t.id == id })
}

// wind sets the Go timer for the first timer.
func (c *clock) wind() {
	if len(c.queue) == 0 {
		return
	}
	wait := time.Until(c.queue[0].due)
	if c.bell == nil {
		c.bell = time.AfterFunc(wait, c.ring)
		return
	}
	c.bell.Reset(wait)
}

// next removes and returns the first timer if it is due at now. An interval is set again, always for a later time.
func (c *clock) next(now time.Time) (t timer, is bool) {
	if len(c.queue) == 0 || c.queue[0].due.After(now) {
		return timer{}, false
	}
	t = c.queue[0]
	c.queue = slices.Delete(c.queue, 0, 1)
	if t.every > 0 {
		again := t
		again.due = now.Add(t.every)
		c.add(again)
	}
	return t, true
}

func (c *clock) stop() {
	if c.bell != nil {
		c.bell.Stop()
	}
	c.queue = nil
}
