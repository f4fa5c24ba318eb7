package pipeline

import (
	"slices"
	"sync/atomic"

	"github.com/snaphook-go/snaphook/hook"
)

// view is an immutable snapshot of the hooks that a fire can select.
type view struct {
	active selectors // events for which a hook can run, or whose fire must be observed
	listed listing

	watched atomic.Pointer[watched] // result of the last Watch of this view
}

// listing holds the hooks of each event that has any, by slot. It is a list because most sessions with their own hooks
// have them for one or two events.
type listing []listed

type listed struct {
	slot  int
	hooks []*hook.Hook
}

func (v *view) activate(slot int, runs bool) {
	switch at := v.active.of(slot); {
	case at == nil && len(v.listed.of(slot)) == 0:
		v.active.set(slot, &noHooks)
	case at == nil || at == &noHooks:
		v.active.set(slot, &selector{runs: runs})
	case runs && !at.runs:
		at.runs = true
		v.active.set(slot, at)
	}
}

// close makes every event active, with the marker hook of a closed system.
func (v *view) close() {
	events := declaredEvents() + later
	for slot := range events {
		if !v.active.has(slot) {
			v.active.set(slot, closedEvent)
			continue
		}
		v.active.set(slot, &selector{hooks: append(slices.Clip(v.listed.of(slot)), closed), runs: true})
	}
}

func (l listing) of(slot int) []*hook.Hook {
	for _, e := range l {
		if e.slot == slot {
			return e.hooks
		}
	}
	return nil
}

func (l *listing) add(slot int, h *hook.Hook) {
	for i := range *l {
		if (*l)[i].slot == slot {
			(*l)[i].hooks = append((*l)[i].hooks, h)
			return
		}
	}
	*l = append(*l, listed{slot, []*hook.Hook{h}})
}

// closed is a hook that marks a closed system in the plan of every event. A fire that finds it leaves the fast path;
// therefore fires of an open system need no check.
var closed = &hook.Hook{Identity: hook.Identity{ID: "closed", Name: "closed", Type: "engine"}}

// closedEvent is the selector of events without hooks in a closed system.
var closedEvent = &selector{hooks: []*hook.Hook{closed}, runs: true}

// later is the number of events that can be declared after a closed system's view was made.
const later = 256

// watched holds the result of the Watch that last read a view.
type watched struct {
	by *Watch
	Watched
}
