package pipeline

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/semaphore"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/policy"
)

// keeper is what the engine knows of a hook with a policy while it runs. A nil
// one is that of a hook without.
type keeper struct {
	breaker *breaker // nil: there is none
	bounds  []*semaphore.Weighted
}

func inShadow(h *hook.Hook) bool { return h.Policy != nil && h.Policy.Mode == hook.Shadow }

// PolicyEvent describes an event to package policy.
func PolicyEvent(i Info) policy.Event {
	r := i.Rules
	return policy.Event{
		Gate: i.Can&CanBlock != 0, FailClosed: r.FailClosed || r.Propagate,
		LateBlocks: r.LateBlocks, LateFuncBlocks: r.LateFuncBlocks, Timeout: r.Timeout, Rewrites: i.Rewrites,
	}
}

// PolicyEvents describes all events.
func PolicyEvents() policy.Events {
	events := policy.Events{}
	for _, e := range Events(nil) {
		events[e.Info().FullName()] = PolicyEvent(e.Info())
	}
	return events
}

// govern returns a hook as the policy of the place, and the program's Wrap, have
// it: the hook itself if they have nothing to do with it. It is decided once, so
// that a hook stays the same in every view.
func (reg *registry) govern(h *hook.Hook) *hook.Hook {
	set, wrap := reg.loaded.policy, reg.sys.cfg.Wrap
	if set == nil && (wrap == nil || h.Runner == nil) {
		return h
	}
	if g, known := reg.governed[h]; known {
		return g
	}
	g := set.Apply(reg.trusted(h), eventOf(h))
	if g.Policy != nil {
		g.Policy.Keeper = reg.keeper(h)
		reg.keepWarm(g)
	}
	if wrap != nil && g.Runner != nil && (g.Policy == nil || g.Policy.Held == "") {
		wrapped := *g
		wrapped.Runner = reg.wrap(g)
		g = &wrapped
	}
	if reg.governed == nil {
		reg.governed = map[*hook.Hook]*hook.Hook{}
	}
	reg.governed[h] = g
	return g
}

// keepWarm keeps the interpreter of a hook ready, where the policy says so. A worker cannot
// start cold: it would print that it is ready, get no call, and let everything pass.
func (reg *registry) keepWarm(g *hook.Hook) {
	switch warm := reg.sys.cfg.Warm; {
	case g.Policy.Warm == "" || g.Runner == nil:
	case warm != nil:
		g.Policy.WarmNote = warm.Keep(g, g.Policy.Warm, reg.at.Dir)
	case g.Policy.Warm == "worker" && g.Type == "command":
		g.Policy.WarmNote = "this program keeps no hooks warm"
		g.Runner = noWorkers{}
	}
}

// noWorkers is the runner of a worker in a system without Warm.
type noWorkers struct{}

// Run fails.
func (noWorkers) Run(context.Context, hook.Call) (hook.Reply, error) {
	return hook.Reply{}, &hook.ClassError{Class: hook.ClassSpawn, Err: errors.New(
		"the worker cannot be asked: this program keeps no hooks warm; it has to set Warm in pipeline.Config")}
}

// prewarm makes ready what the hooks of a session will use, where the policy says
// so.
func (s *Session) prewarm() {
	if s.sys.cfg.Warm == nil {
		return
	}
	s.sys.mu.Lock()
	none := s.reg.loaded.policy == nil
	s.sys.mu.Unlock()
	if none {
		return
	}
	for _, h := range s.Hooks() {
		if p := h.Policy; p != nil && p.Prewarm && p.Warm != "" && p.WarmNote == "" && p.Mode != hook.Off && h.Skip == "" {
			s.sys.cfg.Warm.Prewarm(hook.Call{Hook: h, Session: s.id, Dir: s.dir})
		}
	}
}

// trusted returns a hook, or one like it that may not run since the settings say
// so of its project: a policy can make that a failure.
func (reg *registry) trusted(h *hook.Hook) *hook.Hook {
	if h.Skip != "" || reg.loaded.Admit == nil {
		return h
	}
	why, detail := reg.loaded.Admit(h)
	if why != hook.Untrusted {
		return h
	}
	off := *h
	off.Skip, off.SkipDetail = why, detail
	return &off
}

// wrap returns what the program's Wrap makes of the Runner of a hook. If it fails
// the hook does, each time: it must not run without what was to be around it.
func (reg *registry) wrap(h *hook.Hook) (wrapped hook.Runner) {
	defer func() {
		if v := recover(); v != nil {
			wrapped = notWrapped{fmt.Errorf("it cannot be run as the program wants it: %v", v)}
		}
	}()
	if wrapped = reg.sys.cfg.Wrap(h, h.Runner); wrapped == nil {
		return notWrapped{errors.New("it cannot be run as the program wants it: Wrap returned no Runner")}
	}
	return wrapped
}

// notWrapped is the Runner of a hook for which Wrap has none.
type notWrapped struct{ why error }

// Run fails.
func (n notWrapped) Run(context.Context, hook.Call) (hook.Reply, error) {
	return hook.Reply{}, &hook.ClassError{Class: hook.ClassSpawn, Err: n.why}
}

// release forgets hooks that are not there any more.
func (reg *registry) release(hooks []*hook.Hook) {
	for _, h := range hooks {
		delete(reg.governed, h)
	}
}

func eventOf(h *hook.Hook) policy.Event {
	declared.RLock()
	defer declared.RUnlock()
	if e := declared.byName[h.Dialect+"."+h.Event]; e != nil {
		return PolicyEvent(e.Info())
	}
	return policy.Event{}
}

// keeper makes the keeper of a hook. Its breaker outlives a Reload.
func (reg *registry) keeper(h *hook.Hook) *keeper {
	k := &keeper{}
	if limit := reg.loaded.policy.Breaker(h); limit.Failures > 0 {
		if reg.breakers == nil {
			reg.breakers = map[string]*breaker{}
		}
		name := once(h)
		if reg.breakers[name] == nil {
			reg.breakers[name] = &breaker{}
		}
		k.breaker = reg.breakers[name]
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
