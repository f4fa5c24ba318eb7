package pipeline

import (
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"weak"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/policy"
)

// registry holds the hooks of one workspace. The system's mutex guards everything except current.
type registry struct {
	sys      *System
	at       Workspace
	loaded   Loaded
	sessions map[weak.Pointer[Session]]struct{} // sessions with their own hooks
	current  atomic.Pointer[view]

	governed governed // the hooks of the workspace and of the program
	bounds   bounds
}

// governed holds the results of govern, keyed by the hook as loaded or added.
type governed map[*hook.Hook]*hook.Hook

// workspaces holds the registry of each workspace that a session uses. The system's mutex guards it.
type workspaces map[Workspace]weak.Pointer[registry]

// living returns the registries in use.
func (all workspaces) living() []*registry {
	var regs []*registry
	for _, p := range all {
		if reg := p.Value(); reg != nil {
			regs = append(regs, reg)
		}
	}
	return regs
}

// forget removes the entry of a workspace that no session uses any more.
func (all workspaces) forget(at Workspace) {
	if all[at].Value() == nil {
		delete(all, at)
	}
}

// hookList is a list of hooks with the cache of their governed copies.
type hookList struct {
	hooks []*hook.Hook
	cache *governed
}

// lists returns the lists of hooks of the workspace, the program and a session, in the order in which they run. The
// session keeps the copies of its own hooks: they may refer to it, and a registry that kept them would keep it, too.
func (reg *registry) lists(s *Session, hostLast bool) [3]hookList {
	loaded, host := hookList{reg.loaded.Hooks, &reg.governed}, hookList{reg.sys.host, &reg.governed}
	var own hookList
	if s != nil {
		own = hookList{s.hooks, &s.governed}
	}
	if hostLast {
		return [...]hookList{loaded, host, own}
	}
	return [...]hookList{host, own, loaded}
}

// rebuild makes new views of the current hooks, for the workspace and for the sessions that have
// their own hooks.
func (reg *registry) rebuild() {
	if n := reg.loaded.policy.Warm(); n > 0 && reg.sys.cfg.Warm != nil {
		reg.sys.cfg.Warm.SetLimit(n)
	}
	reg.current.Store(reg.build(nil))
	for p := range reg.sessions {
		if s := p.Value(); s != nil {
			s.own.Store(reg.build(s))
		}
	}
}

// setHooks replaces the own hooks of a session.
func (reg *registry) setHooks(s *Session, hooks []*hook.Hook) {
	s.hooks = hooks
	if len(hooks) == 0 {
		delete(reg.sessions, weak.Make(s))
		s.governed = nil
		s.own.Store(nil)
		return
	}
	reg.remember(s)
	s.own.Store(reg.build(s))
}

// remember adds s to the sessions that rebuild updates. It does not keep s alive: sessions need no
// closing.
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

// build returns a new view of the hooks of a session; of those of the workspace and the program alone if s is nil.
func (reg *registry) build(s *Session) *view {
	v := &view{}
	for _, hostLast := range [...]bool{false, true} {
		index := slots(hostLast)
		if reg.sys.cfg.ObserveIdle {
			for _, slot := range index {
				v.activate(slot, false)
			}
		}
		for _, list := range reg.lists(s, hostLast) {
			for _, h := range list.hooks {
				if slot, known := index[h.Dialect+"."+h.Event]; known { // the loader has reported hooks for unknown events
					h = reg.admit(reg.govern(h, list.cache))
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

// admit returns h, or a copy that never runs.
func (reg *registry) admit(h *hook.Hook) *hook.Hook {
	if h.Skip != "" {
		return h
	}
	var why hook.Exclusion
	if reg.sys.disabled[h.Label()] {
		why = hook.Exclusion{Skip: hook.Disabled, SkipDetail: "switched off by the program"}
	} else if reg.loaded.Admit != nil {
		why = reg.loaded.Admit(h)
		if isLost(h) && (why.Skip == hook.Untrusted || isProjects(why.SkippedBy)) {
			return h
		}
		if p := h.Policy; p != nil && (why.Skip == hook.Untrusted && p.Held == why.Skip || p.Upheld && policy.Lifts(why)) {
			return h // the policy of h turns the exclusion into a failure, or overrides the exclusion
		}
	}
	if why.Skip == "" {
		return h
	}
	off := *h
	off.Exclusion = why
	return &off
}

// govern applies the workspace's policy and the program's Wrap to a hook. It returns the hook itself if neither changes
// it. Results are cached, so that every view has the same hook.
func (reg *registry) govern(h *hook.Hook, cache *governed) *hook.Hook {
	set, wrap := reg.loaded.policy, reg.sys.cfg.Wrap
	if isLost(h) || set == nil && (wrap == nil || h.Runner == nil) && !policy.HoldsItself(h) {
		reg.keepWarm(h)
		return h
	}
	if g, known := (*cache)[h]; known {
		return g
	}
	g := set.Apply(reg.trusted(h), eventOf(h))
	if g.Policy != nil {
		g.Policy.Keeper = reg.policyState(h)
	}
	reg.keepWarm(g)
	if wrap != nil && g.Runner != nil && (g.Policy == nil || g.Policy.Held == "") {
		wrapped := *g
		wrapped.Runner = reg.wrap(g)
		g = &wrapped
	}
	if *cache == nil {
		*cache = governed{}
	}
	(*cache)[h] = g
	return g
}

// keepWarm keeps the interpreter of a hook ready as its policy demands. A worker is never started cold: it would
// print that it is ready, get no call, and thereby allow everything.
func (reg *registry) keepWarm(g *hook.Hook) {
	switch warm := reg.sys.cfg.Warm; {
	case g.Runner == nil:
	case warm != nil && (g.Policy == nil || g.Policy.Warm == ""):
		warm.Keep(g, "", reg.at.Dir)
	case warm != nil:
		g.Policy.WarmNote = warm.Keep(g, g.Policy.Warm, reg.at.Dir)
	case g.Policy == nil:
	case g.Policy.Warm == "worker" && g.Type == "command":
		g.Policy.WarmNote = "this program keeps no hooks warm"
		g.Runner = noWorkers{}
	}
}

// trusted returns a hook, or a copy that does not run because the settings forbid it. A policy can turn the copy into a
// failure, or override the settings.
func (reg *registry) trusted(h *hook.Hook) *hook.Hook {
	if h.Skip != "" && h.Unusable == "" || reg.loaded.Admit == nil {
		return h
	}
	why := reg.loaded.Admit(h)
	if why.Skip != hook.Untrusted && !policy.Lifts(why) {
		return h
	}
	off := *h
	if why.Skip == hook.Disabled {
		why.Unusable = h.Unusable
	}
	off.Exclusion = why
	return &off
}

// wrap returns the Runner that the program's Wrap returns for a hook. If Wrap fails, the Runner always fails: the hook
// must not run unwrapped.
func (reg *registry) wrap(h *hook.Hook) (wrapped hook.Runner) {
	defer func() {
		if v := recover(); v != nil {
			wrapped = notWrapped{fmt.Errorf("the program's Wrap failed for this hook: %v", v)}
		}
	}()
	if wrapped = reg.sys.cfg.Wrap(h, h.Runner); wrapped == nil {
		return notWrapped{errors.New("the program's Wrap returned no Runner for this hook")}
	}
	return wrapped
}

// release removes the entries of removed hooks.
func (cache governed) release(hooks []*hook.Hook) {
	for _, h := range hooks {
		delete(cache, h)
	}
}

// policyState returns a new state for a hook. The breaker of the hook outlives a Reload; see [breakers].
func (reg *registry) policyState(h *hook.Hook) *policyState {
	k := &policyState{}
	if limit := reg.loaded.policy.Breaker(h); limit.Failures > 0 {
		k.breaker = reg.sys.breakers.of(reg.at, once(h))
		k.breaker.set(limit)
	}
	for _, b := range reg.loaded.policy.Bounds(h) {
		if b.Wide {
			k.bounds = append(k.bounds, reg.sys.bounds.get(b))
		} else {
			k.bounds = append(k.bounds, reg.bounds.get(b))
		}
	}
	return k
}

// swap replaces the settings of a registry; on an error it keeps the old ones.
func (reg *registry) swap(loaded Loaded) (err error) {
	reg.sys.mu.Lock()
	defer reg.sys.mu.Unlock()
	was, governed := reg.loaded, reg.governed
	defer func() {
		if err != nil {
			reg.loaded, reg.governed = was, governed
			reg.ungovern()
		}
	}()
	defer recovered(&err)
	reg.loaded, reg.governed = loaded, nil
	reg.ungovern()
	reg.rebuild()
	return nil
}

// ungovern empties the caches of the sessions, whose copies have the policy of other settings.
func (reg *registry) ungovern() {
	for p := range reg.sessions {
		if s := p.Value(); s != nil {
			s.governed = nil
		}
	}
}
