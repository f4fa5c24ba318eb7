package pipeline

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"weak"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/stages"
)

// registry holds the hooks of one place. Everything but current is guarded by
// the system's mutex.
type registry struct {
	sys      *System
	at       Workspace
	loaded   Loaded
	sessions map[weak.Pointer[Session]]struct{} // those with hooks of their own
	current  atomic.Pointer[view]

	governed map[*hook.Hook]*hook.Hook // by the hook that was made known
	breakers map[string]*breaker
	bounds   bounds
}

// rebuild makes new views of the hooks as they are now, for the place and for
// the sessions that have hooks of their own.
func (reg *registry) rebuild() {
	if n := reg.loaded.policy.Warm(); n > 0 && reg.sys.cfg.Warm != nil {
		reg.sys.cfg.Warm.SetLimit(n)
	}
	reg.current.Store(reg.build(nil))
	for p := range reg.sessions {
		if s := p.Value(); s != nil {
			s.own.Store(reg.build(s.hooks))
		}
	}
}

// remember makes s one of the sessions that rebuild looks after. It does not
// keep s alive: sessions need no closing.
func (reg *registry) remember(s *Session) {
	p := weak.Make(s)
	if reg.sessions == nil {
		reg.sessions = map[weak.Pointer[Session]]struct{}{}
	}
	reg.sessions[p] = struct{}{}
	if !s.cleaned {
		s.cleaned = true
		runtime.AddCleanup(s, reg.forget, p)
	}
}

func (reg *registry) forget(p weak.Pointer[Session]) {
	reg.sys.mu.Lock()
	defer reg.sys.mu.Unlock()
	delete(reg.sessions, p)
}

func (reg *registry) build(own []*hook.Hook) *view {
	v := &view{active: make([]*selector, 0)}
	for _, hostLast := range [...]bool{false, true} {
		index := slots(hostLast)
		if reg.sys.cfg.ObserveIdle {
			for _, slot := range index {
				v.activate(slot, false)
			}
		}
		for _, hooks := range reg.sys.lists(reg, own, hostLast) {
			for _, h := range hooks {
				if slot, known := index[h.Dialect+"."+h.Event]; known { // else the loader has reported it
					h = reg.admit(reg.govern(h))
					v.listed.add(slot, h)
					if h.Skip == "" || reg.sys.observed() {
						v.activate(slot, h.Skip == "")
					}
				}
			}
		}
	}
	for _, slot := range forgetting() {
		v.activate(slot, false)
	}
	for slot, s := range v.active {
		if hooks := v.listed.of(slot); s != nil && len(hooks) > 0 {
			s.hooks, s.matching = hooks, reg.sys.cfg.Matching
		}
	}
	if reg.sys.ctx.Err() != nil {
		v.close()
	}
	return v
}

// lists returns the hooks of a place and those of a session in their order.
func (sys *System) lists(reg *registry, own []*hook.Hook, hostLast bool) [3][]*hook.Hook {
	if hostLast {
		return [...][]*hook.Hook{reg.loaded.Hooks, sys.host, own}
	}
	return [...][]*hook.Hook{sys.host, own, reg.loaded.Hooks}
}

// admit returns a hook, or one like it that does not run.
func (reg *registry) admit(h *hook.Hook) *hook.Hook {
	if h.Skip != "" {
		return h
	}
	why, detail := hook.SkipReason(""), ""
	if reg.sys.disabled[h.Label()] {
		why, detail = hook.Disabled, "switched off by the program"
	} else if reg.loaded.Admit != nil {
		if why, detail = reg.loaded.Admit(h); h.Policy != nil && why == h.Policy.Held {
			why = "" // it is not started, which its policy makes a failure
		}
	}
	if why == "" {
		return h
	}
	off := *h
	off.Skip, off.SkipDetail = why, detail
	return &off
}

// view is an immutable snapshot of the hooks that a fire can meet.
type view struct {
	active []*selector // by the event's slot; nil where no hook can run, unless someone observes that
	listed listing

	watched atomic.Pointer[watched] // what the last Watch found here
}

// listing is the hooks of each event that has any, by the event's slot. It is a
// list, since most sessions with hooks of their own have them for an event or two.
type listing []listed

type listed struct {
	slot  int
	hooks []*hook.Hook
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

// noHooks is the selector of events that are active without any hook. All views
// share it: what it keeps holds for all.
var noHooks selector

func (v *view) activate(slot int, runs bool) {
	if len(v.active) <= slot {
		v.active = append(slices.Grow(v.active, slot+1-len(v.active)), make([]*selector, slot+1-len(v.active))...)
	}
	switch at := v.active[slot]; {
	case at == nil && len(v.listed.of(slot)) == 0:
		v.active[slot] = &noHooks
	case at == nil || at == &noHooks:
		v.active[slot] = &selector{runs: runs}
	default:
		at.runs = at.runs || runs
	}
}

// selector plans once for each subject, and keeps what it decided.
type selector struct {
	hooks []*hook.Hook
	runs  bool // at least one of them can

	matching time.Duration // for the matchers of one plan; 0 means stages.MatchTime
	kept     atomic.Pointer[table]
}

// kept is the plan for one subject.
type kept struct {
	subject string
	planned stages.Planned
}

// table holds plans by their subject. Most selectors of a session with hooks of
// its own see a few subjects, or none: a table begins small, and grows once.
type table []atomic.Pointer[kept]

const fewPlans = 2

// mostPlans bounds the subjects whose plan is kept, since tool names are
// open-ended. A subject has its plan in one of a few neighbouring places; when
// all are taken by others, one of those is planned anew next time.
const (
	mostPlans  = 256
	neighbours = 4
)

// spread returns subjects places to begin with. It looks at a few characters
// only: the names of tools differ in their length, middle and end.
func spread(s string) uint64 {
	n := len(s)
	if n == 0 {
		return 0
	}
	return uint64(n) + 7*uint64(s[n/2]) + 31*uint64(s[n-1]) + 61*uint64(s[n*3/4])
}

func (s *selector) plan(ctx context.Context, subject string) *stages.Planned {
	at := spread(subject)
	if t := s.kept.Load(); t != nil {
		if k := (*t)[at%uint64(len(*t))].Load(); k != nil && k.subject == subject {
			return &k.planned
		}
	}
	return s.search(ctx, subject, at)
}

//go:noinline
func (s *selector) search(ctx context.Context, subject string, at uint64) *stages.Planned {
	t := s.table()
	for i := range uint64(neighbours) {
		if k := t[(at+i)%uint64(len(t))].Load(); k != nil && k.subject == subject {
			return &k.planned
		}
	}
	return s.make(ctx, subject, at)
}

// table returns the plans that are kept, an empty table at first.
func (s *selector) table() table {
	if t := s.kept.Load(); t != nil {
		return *t
	}
	t := make(table, fewPlans)
	s.kept.CompareAndSwap(nil, &t)
	return *s.kept.Load()
}

// make plans, and keeps the plan unless its matchers ran out of time: those
// remember for which text they did. Two fires that make the same one do no harm.
func (s *selector) make(ctx context.Context, subject string, at uint64) *stages.Planned {
	k := &kept{subject: strings.Clone(subject)} // it may be part of a large input
	k.planned = stages.PlanWithin(ctx, s.hooks, k.subject, cmp.Or(s.matching, stages.MatchTime))
	if k.planned.Late {
		return &k.planned
	}
	t := s.table()
	for i := range uint64(neighbours) {
		if t[(at+i)%uint64(len(t))].CompareAndSwap(nil, k) {
			return &k.planned
		}
	}
	if len(t) == fewPlans {
		t = make(table, mostPlans) // the plans of the small one are made again
		s.kept.Store(&t)
	}
	t[at%uint64(len(t))].Store(k)
	return &k.planned
}
