package pipeline

import (
	"github.com/snaphook-go/snaphook/hook"
)

// Watch answers at once for many sets of events which of them any hook could run
// for. Make one with [NewWatch]; it is safe for many goroutines.
type Watch struct{ slots [][]int }

// MaxWatched is the number of sets that one [Watch] holds.
const MaxWatched = 64

// NewWatch makes a Watch whose i-th bit is the i-th set. An empty set is never
// active. It panics with more than [MaxWatched] sets.
func NewWatch(sets ...[]Declared) *Watch {
	if len(sets) > MaxWatched {
		panic("pipeline: a Watch holds no more than 64 sets of events")
	}
	w := &Watch{slots: make([][]int, len(sets))}
	for i, set := range sets {
		for _, ev := range set {
			slot, _ := ev.slotOf()
			w.slots[i] = append(w.slots[i], slot)
		}
	}
	return w
}

// Watched are two masks with a bit for each set: Runs has the sets with a hook
// that could run, and Fires also those whose fire has something to record.
type Watched struct{ Runs, Fires uint64 }

// watched is what a view keeps of the last Watch that looked at it.
type watched struct {
	by *Watch
	Watched
}

// Of looks at the hooks of a session as they are now. It costs about a
// nanosecond while they do not change, and nothing is allocated.
func (w *Watch) Of(s *Session) Watched {
	v := s.view()
	if kept := v.watched.Load(); kept != nil && kept.by == w {
		return kept.Watched
	}
	return w.look(v)
}

//go:noinline
func (w *Watch) look(v *view) Watched {
	found := &watched{by: w}
	for i, slots := range w.slots {
		for _, slot := range slots {
			if !v.active.has(slot) {
				continue
			}
			found.Fires |= 1 << i
			if v.active.runs(slot) {
				found.Runs |= 1 << i
			}
		}
	}
	v.watched.Store(found)
	return found.Watched
}

func (e *core[Out]) outcome(r *hook.Report[Out]) Outcome {
	return outcomeOf(r.Backgrounded, r.Err, e.spec.Blocks(&r.Output))
}
