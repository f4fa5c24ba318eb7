package pipeline

import (
	"context"
	"strings"
	"sync/atomic"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/stages"
)

// selector makes and caches the plans of one event, by subject.
type selector struct {
	hooks []*hook.Hook
	runs  bool // at least one of the hooks can run

	matching time.Duration // time limit for the matchers of one plan; 0 means stages.MatchTime
	kept     atomic.Pointer[table]
}

// cachedPlan is a subject with its plan.
type cachedPlan struct {
	subject string
	planned stages.Planned
}

// table caches plans by subject. It begins small and grows once, because most sessions with hooks of their own see few
// subjects.
type table []atomic.Pointer[cachedPlan]

const fewPlans = 2

// noHooks is the selector of events that are fired although they have no hooks. All views share it.
var noHooks selector

// plan returns the plan for a subject; timeout is the event's timeout, for hooks that have none of their own.
func (s *selector) plan(ctx context.Context, subject string, timeout time.Duration) *stages.Planned {
	at := spread(subject)
	if t := s.kept.Load(); t != nil {
		if k := (*t)[at%uint64(len(*t))].Load(); k != nil && k.subject == subject {
			return &k.planned
		}
	}
	return s.search(ctx, subject, timeout, at)
}

// search looks for the plan of a subject in neighbouring slots of the table, or makes it. It does not cache plans of
// long subjects, nor plans whose matchers ran out of time. If two fires make the same plan at the same time, either is
// valid.
//
//go:noinline
func (s *selector) search(ctx context.Context, subject string, timeout time.Duration, at uint64) *stages.Planned {
	if s.kept.Load() == nil {
		few := make(table, fewPlans)
		s.kept.CompareAndSwap(nil, &few)
	}
	t := *s.kept.Load()
	for i := range uint64(neighbours) {
		if k := t[(at+i)%uint64(len(t))].Load(); k != nil && k.subject == subject {
			return &k.planned
		}
	}
	k := &cachedPlan{subject: strings.Clone(subject)} // the subject may be a slice of a large input
	k.planned = stages.PlanWithin(ctx, s.hooks, k.subject, stages.Limits{Matching: s.matching, Timeout: timeout})
	if k.planned.Late || len(subject) > mostSubject {
		return &k.planned
	}
	t = *s.kept.Load() // the table may have grown
	for i := range uint64(neighbours) {
		if t[(at+i)%uint64(len(t))].CompareAndSwap(nil, k) {
			return &k.planned
		}
	}
	if len(t) == fewPlans {
		many := make(table, mostPlans) // plans of the small table are not copied
		s.kept.Store(&many)
		t = many
	}
	t[at%uint64(len(t))].Store(k)
	return &k.planned
}

// mostPlans limits the number of cached subjects and mostSubject their length in bytes, because a model chooses the
// names of tools. A subject can be in one of a few neighbouring slots; if all are occupied, one entry is replaced.
const (
	mostPlans   = 256
	mostSubject = 1024
	neighbours  = 4
)

// spread returns a hash, from which follows the table index at which a search begins. It hashes only the length and a
// few characters, in which names of tools differ.
func spread(s string) uint64 {
	n := len(s)
	if n == 0 {
		return 0
	}
	return uint64(n) + 7*uint64(s[n/2]) + 31*uint64(s[n-1]) + 61*uint64(s[n*3/4])
}

// selectors holds the selectors of active events by slot. A session with hooks of its own has its own selectors, for
// few events. The index begins at the first active slot. The slots of one dialect are neighbours, and the size of the
// index therefore does not depend on the number of dialects in the process.
type selectors struct {
	first int      // the slot of index[0]
	index []uint16 // by slot: 0 if inactive, else 1 + position in list, with bit canRun if a hook can run
	list  []*selector
}

// canRun is the bit in index that is set if a hook of the event can run.
const canRun = 1 << 15

// has reports whether an event is active.
func (a *selectors) has(slot int) bool {
	slot -= a.first
	return uint(slot) < uint(len(a.index)) && a.index[slot] != 0
}

// runs reports whether a hook can run for an event.
func (a *selectors) runs(slot int) bool {
	slot -= a.first
	return uint(slot) < uint(len(a.index)) && a.index[slot]&canRun != 0
}

// at returns the selector of an active event.
func (a *selectors) at(slot int) *selector { return a.list[a.index[slot-a.first]&^canRun-1] }

// of returns the selector of an event; nil if the event is not active.
func (a *selectors) of(slot int) *selector {
	if !a.has(slot) {
		return nil
	}
	return a.at(slot)
}

// set makes an event active.
func (a *selectors) set(slot int, s *selector) {
	switch {
	case len(a.index) == 0:
		a.first, a.index = slot, make([]uint16, 1)
	case slot < a.first:
		a.index = append(make([]uint16, a.first-slot), a.index...)
		a.first = slot
	case slot-a.first >= len(a.index):
		a.index = append(a.index, make([]uint16, slot-a.first+1-len(a.index))...)
	}
	at := &a.index[slot-a.first]
	if *at == 0 {
		a.list = append(a.list, nil)
		*at = uint16(len(a.list))
	}
	*at &^= canRun
	a.list[*at-1] = s
	if s.runs {
		*at |= canRun
	}
}

// all iterates over the active events.
func (a *selectors) all(yield func(slot int, s *selector) bool) {
	for i := range a.index {
		if slot := a.first + i; a.has(slot) && !yield(slot, a.at(slot)) {
			return
		}
	}
}
