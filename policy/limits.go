package policy

import (
	"fmt"

	"github.com/snaphook-go/snaphook/hook"
)

// Bound limits the number of hooks that run at the same time. Bounds with the same Name share one limit.
type Bound struct {
	Name  string
	Limit int
	Wide  bool // the limit holds over all directories; the machine, the user or the program has set it
}

// Bounds returns the limits that apply to a hook, the narrowest first.
func (s *Set) Bounds(h *hook.Hook) (bounds []Bound) {
	if s == nil {
		return nil
	}
	event := h.Dialect + "." + h.Event
	for level := Project; ; level-- {
		for i, o := range s.overlays {
			if o.Level != level || !s.binds(o, h) {
				continue
			}
			name := fmt.Sprintf("%s %d %s", o.Level, i, o.File)
			if n := o.Limits.PerEvent[event]; n > 0 && !s.limitLocked(o, "perEvent") {
				bounds = append(bounds, Bound{name + " " + event, n, o.Level != Project})
			}
			if n := o.Limits.Concurrent; n > 0 && !s.limitLocked(o, "concurrent") {
				bounds = append(bounds, Bound{name, n, o.Level != Project})
			}
		}
		if level == Machine {
			return bounds
		}
	}
}

func (s *Set) bounds(h *hook.Hook) bool { return len(s.Bounds(h)) > 0 }

// binds reports whether the limits of an overlay apply to a hook. They do not apply to hooks of higher levels, because
// a guard that waits too long may fail open.
func (s *Set) binds(o *Overlay, h *hook.Hook) bool { return LevelOf(h.Source) >= o.Level }

func (s *Set) limitLocked(o *Overlay, member string) bool {
	if o.Level == Machine {
		return false
	}
	for _, m := range s.overlays {
		if m.Level == Machine && m.holds("limits."+member) {
			return true
		}
	}
	return false
}

// Warm returns the maximum number of warm hooks, from the nearest level that sets it; 0 if none does.
func (s *Set) Warm() (n int) {
	if s == nil {
		return 0
	}
	for _, o := range s.overlays {
		if o.Limits.Warm > 0 && !s.limitLocked(o, "warm") && !(s.untrusted && o.Level == Project) {
			n = o.Limits.Warm
		}
	}
	return n
}

// Breaker returns the breaker of a hook, from the nearest level that sets a breaker for that hook.
func (s *Set) Breaker(h *hook.Hook) Breaker {
	if s == nil {
		return Breaker{}
	}
	return s.breaker(h)
}

func (s *Set) breaker(h *hook.Hook) (b Breaker) {
	for _, o := range s.overlays {
		if o.Limits.Breaker.Failures > 0 && s.binds(o, h) && !s.limitLocked(o, "breaker") {
			b = o.Limits.Breaker
		}
	}
	return b
}
