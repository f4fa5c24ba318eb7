package pipeline

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/policy"
)

// Guards returns a Guard for each of a project's own hooks in hooks, in their order, if the hook can block and neither
// the project's settings nor its overlay disables it. dir is the project's directory. set may be nil.
//
// Keep the Guards when the user agrees to the hooks, and return them from [Config].Granted later.
func Guards(dir string, hooks []*hook.Hook, set *policy.Set) map[string][]hook.Guard {
	guards := map[string][]hook.Guard{}
	for _, h := range hooks {
		if isProjects(h.Source) && canGuard(dir, set.Apply(h, eventOf(h))) {
			guards[h.Dialect] = append(guards[h.Dialect], hook.GuardOf(h))
		}
	}
	return guards
}

// isProjects reports whether hooks of a source lie in the project's directory.
func isProjects(s hook.Source) bool { return s == hook.Project || s == hook.Local }

// canGuard reports whether a project's hook can block under its policy. Policies of the user and of the machine are
// ignored, although they may disable the hook.
func canGuard(dir string, h *hook.Hook) bool {
	p := h.Policy
	switch {
	case !eventOf(h).Gate || !waitsFor(h):
		return false
	case p != nil && p.Mode != hook.Enforce:
		from := p.From["mode"]
		return from.Level != policy.Project.String() || !policy.IsProjects(dir, from.Position.File)
	case p != nil && p.Held == hook.Invalid:
		return true // the hook denies
	case h.Unusable != "":
		return false
	case h.Skip == hook.Disabled || h.Skip == hook.Policy:
		return !isProjects(h.SkippedBy)
	}
	return h.Skip == ""
}

// Missing returns the granted Guards that are not in now, by dialect. A Guard that was granted twice must be present
// twice.
func Missing(granted, now map[string][]hook.Guard) map[string][]hook.Guard {
	missing := map[string][]hook.Guard{}
	for dialect, guards := range granted {
		rest := slices.Clone(now[dialect])
		for _, g := range guards {
			if at := slices.Index(rest, g); at >= 0 {
				rest = slices.Delete(rest, at, at+1)
				continue
			}
			missing[dialect] = append(missing[dialect], g)
		}
	}
	return missing
}

// lostGuards returns a blocking hook for each Guard that was granted for a directory and is not among its hooks now.
// The hook ignores the Guard's condition. It blocks every call that the Guard's matcher selects, in doubt every call of
// the event.
func lostGuards(dir string, granted map[string][]hook.Guard, loaded *Loaded) (lost []*hook.Hook) {
	if len(granted) == 0 {
		return nil
	}
	missing := Missing(granted, Guards(dir, loaded.Hooks, loaded.policy))
	for _, dialect := range slices.Sorted(maps.Keys(missing)) {
		for i, g := range missing[dialect] {
			lost = append(lost, lostHook(dialect, g, i))
		}
	}
	return lost
}

// lostHook returns the hook that blocks in place of a missing guard.
func lostHook(dialect string, g hook.Guard, i int) *hook.Hook {
	h := &hook.Hook{
		Identity: hook.Identity{
			ID: fmt.Sprintf("trust/%s/%d", g.Event, i), Dialect: dialect, Event: g.Event, Type: LostGuard,
			Command: g.Label, Source: hook.Host,
		},
		Selection: hook.Selection{Pattern: g.Matcher},
		Runner:    lostGuard{},
	}
	if e := eventNamed(dialect + "." + g.Event); e != nil && e.Info().Subject != "" {
		rules := e.Info().Rules
		h.Matcher = rules.anyReading(g.Matcher)
	}
	return h
}

// anyReading compiles a matcher that accepts a subject if any reading of the pattern does. It returns nil, which
// accepts every subject, if a reading accepts every subject or reports a problem.
func (r *Rules) anyReading(pattern string) hook.Matcher {
	var all anyMatcher
	for _, compile := range append(slices.Clip(r.Readings), r.Match) {
		if compile == nil {
			return nil
		}
		m, note := compile(pattern)
		if m == nil || note != "" {
			return nil
		}
		all = append(all, r.renamed(m))
	}
	return all
}

// anyMatcher accepts a subject that one of its matchers accepts.
type anyMatcher []hook.Matcher

// Match reports whether one of the matchers accepts the subject.
func (all anyMatcher) Match(subject string) bool {
	return slices.ContainsFunc(all, func(m hook.Matcher) bool { return m.Match(subject) })
}

// LostGuard is the Type of a hook that blocks in place of a missing guard; see Granted of [Config].
const LostGuard = "trust"

// lostGuard is the Runner that stands for a missing guard. It always fails.
type lostGuard struct{}

// Run fails.
func (lostGuard) Run(context.Context, hook.Call) (hook.Reply, error) {
	return hook.Reply{}, &hook.ClassError{Class: hook.ClassUntrusted, Err: fmt.Errorf(
		"trust was granted with this guard, which a change has removed; look at `snaphook trust`, and grant trust again")}
}

// isLost reports whether a hook blocks in place of a missing guard. Neither Wrap, nor a policy, nor missing trust may
// disable it.
func isLost(h *hook.Hook) bool {
	_, lost := h.Runner.(lostGuard)
	return lost
}
