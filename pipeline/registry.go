package pipeline

import (
	"maps"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/stages"
)

// registry holds the hooks of one place. Everything but current is guarded by
// the system's mutex.
type registry struct {
	sys      *System
	at       Place
	loaded   Loaded
	sessions map[*Session]struct{} // those with hooks of their own
	current  atomic.Pointer[view]
}

// rebuild makes new views of the hooks as they are now, for the place and for
// the sessions that have hooks of their own.
func (reg *registry) rebuild() {
	reg.current.Store(reg.build(nil))
	for s := range reg.sessions {
		s.own.Store(reg.build(s.hooks))
	}
}

func (reg *registry) build(own []*hook.Hook) *view {
	v := &view{active: make([]*selector, 0), listed: map[int][]*hook.Hook{}}
	index := slots()
	for _, hooks := range [...][]*hook.Hook{reg.sys.host, own, reg.loaded.Hooks} {
		for _, h := range hooks {
			slot, known := index[h.Dialect+"."+h.Event]
			if !known {
				continue // the loader has reported it
			}
			if h.Skip == "" && reg.sys.disabled[h.Label()] {
				off := *h
				off.Skip, off.Detail = hook.Disabled, "switched off by the program"
				h = &off
			}
			v.listed[slot] = append(v.listed[slot], h)
			if h.Skip == "" {
				v.activate(slot)
			}
		}
	}
	for slot, s := range v.active {
		if s != nil {
			s.hooks = v.listed[slot]
		}
	}
	return v
}

// view is an immutable snapshot of the hooks that a fire can meet.
type view struct {
	active []*selector // by the event's slot; nil where no hook can run
	listed map[int][]*hook.Hook
}

func (v *view) activate(slot int) {
	for len(v.active) <= slot {
		v.active = append(v.active, nil)
	}
	if v.active[slot] == nil {
		v.active[slot] = &selector{}
	}
}

// selector plans once for each subject, and keeps what it decided.
type selector struct {
	hooks []*hook.Hook
	plans atomic.Pointer[map[string]*stages.Planned]
	mu    sync.Mutex
}

// mostPlans bounds the subjects whose plan is kept: tool names are open-ended.
// When it is reached, the plans are forgotten and made anew.
const mostPlans = 256

func (s *selector) plan(subject string) *stages.Planned {
	if plans := s.plans.Load(); plans != nil {
		if p := (*plans)[subject]; p != nil {
			return p
		}
	}
	return s.make(subject)
}

//go:noinline
func (s *selector) make(subject string) *stages.Planned {
	p := stages.Plan(s.hooks, subject)
	s.mu.Lock()
	defer s.mu.Unlock()
	plans := map[string]*stages.Planned{}
	if old := s.plans.Load(); old != nil && len(*old) < mostPlans {
		plans = maps.Clone(*old)
	}
	plans[strings.Clone(subject)] = &p // the subject may be part of a large input
	s.plans.Store(&plans)
	return &p
}
