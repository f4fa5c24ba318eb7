package pipeline

// Watch holds sets of events, and reports in one call the sets for which a hook could run. Make one with [NewWatch]; it
// is safe for concurrent use.
type Watch struct {
	slots  [][]int
	always Sets // sets with an event that must be fired even if it has no hooks
}

// MaxWatched limits the number of sets of one [Watch].
const MaxWatched = 128

// NewWatch makes a Watch in which bit i is the i-th set. An empty set is never active. It panics if there are more than
// [MaxWatched] sets.
func NewWatch(sets ...[]Declared) *Watch {
	if len(sets) > MaxWatched {
		panic("pipeline: a Watch holds no more than 128 sets of events")
	}
	w := &Watch{slots: make([][]int, len(sets))}
	for i, set := range sets {
		for _, ev := range set {
			w.slots[i] = append(w.slots[i], ev.def().slot)
			if ev.def().on.forget != nil {
				w.always.add(i)
			}
		}
	}
	return w
}

// Watched holds the active sets: Runs has the sets with a hook that could run; Fires also has the sets with an event
// that must be fired even if no hook can run.
type Watched struct{ Runs, Fires Sets }

// Sets has a bit for each set of a [Watch].
type Sets [MaxWatched / 8]byte

// Byte returns the bits of the sets 8*i to 8*i+7.
func (s *Sets) Byte(i int) byte { return s[i] }

// Has reports whether bit i is set.
func (s *Sets) Has(i int) bool { return s[i/8]&(1<<(i%8)) != 0 }

func (s *Sets) add(i int) { s[i/8] |= 1 << (i % 8) }

// Of returns the active sets of a session. While the session's hooks do not change, it costs about a nanosecond and
// allocates nothing. Do not change the result.
func (w *Watch) Of(s *Session) *Watched {
	v := s.view()
	if kept := v.watched.Load(); kept != nil && kept.by == w {
		return &kept.Watched
	}
	return w.look(v)
}

//go:noinline
func (w *Watch) look(v *view) *Watched {
	found := &watched{by: w}
	found.Fires = w.always
	for i, slots := range w.slots {
		for _, slot := range slots {
			if !v.active.has(slot) {
				continue
			}
			found.Fires.add(i)
			if v.active.runs(slot) {
				found.Runs.add(i)
			}
		}
	}
	v.watched.Store(found)
	return &found.Watched
}
