package pipeline

import (
	"runtime"
	"sync/atomic"
	"weak"

	"github.com/snaphook-go/snaphook/hook"
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
	v := &view{}
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
					if wantsRecheck(h) {
						reg.sys.rechecks.Store(true)
					}
					v.listed.add(slot, h)
					if h.Skip == "" || reg.sys.observed {
						v.activate(slot, h.Skip == "")
					}
				}
			}
		}
	}
	for _, slot := range forgetting() {
		v.activate(slot, false)
	}
	for slot, s := range v.active.all {
		if hooks := v.listed.of(slot); len(hooks) > 0 {
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
	active selectors // of the events for which a hook can run, or for which there is something to observe
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
