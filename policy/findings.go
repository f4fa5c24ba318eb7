package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/settings"
)

// Problems finds mistakes that depend on the hooks and events: "closed" or "ask" for hooks that cannot block,
// recheck for events without rewrites, limits of unknown events, and rules that take too long to compare. hooks
// are the hooks of the settings. s may be nil.
func (s *Set) Problems(hooks []*hook.Hook, events Events) (problems []settings.Problem) {
	if s == nil {
		return nil
	}
	if problem := s.tooMuch(hooks); problem != nil {
		return []settings.Problem{*problem}
	}
	for _, o := range s.overlays {
		for i := range o.Rules {
			for _, problem := range [...]*settings.Problem{o.closes(i, hooks, events), o.rechecks(i, hooks, events)} {
				if problem != nil {
					problems = append(problems, *problem)
				}
			}
		}
		problems = append(problems, o.limitsOfNothing(events)...)
	}
	return problems
}

func (o *Overlay) fatal(path, format string, args ...any) settings.Problem {
	return settings.Problem{Position: o.at(path), Message: fmt.Sprintf(format, args...), Fatal: true}
}

// closes returns a problem if a rule demands "closed" or "ask" for hooks that cannot block.
func (o *Overlay) closes(i int, hooks []*hook.Hook, events Events) *settings.Problem {
	strict := lo.Max(lo.Values(o.Rules[i].OnFailure))
	if strict == hook.FailOpen {
		return nil
	}
	gates := func(ev Event) bool { return ev.Gate }
	of, h := o.Rules[i].Match.vain(hooks, events, gates, func(h *hook.Hook) bool { return events.Of(h).guards(h) })
	switch path := rulePath(i) + ".onFailure"; {
	case h != nil:
		return new(o.fatal(path,
			"%s cannot block, so a failure of %q there cannot be %q; write \"open\", or match a hook of an event that can block",
			h.Event, short(h.Label()), strict))
	case of != "":
		return new(o.fatal(path,
			"%s cannot block, so a failure there cannot be %q; write \"open\", or match an event that can block", of, strict))
	}
	return nil
}

// rechecks returns a problem if a rule demands a recheck for hooks that never run again.
func (o *Overlay) rechecks(i int, hooks []*hook.Hook, events Events) *settings.Problem {
	if again := o.Rules[i].Recheck; again == nil || !*again {
		return nil
	}
	rewrites := func(ev Event) bool { return ev.Rewrites }
	of, h := o.Rules[i].Match.vain(hooks, events, rewrites, func(h *hook.Hook) bool { return rewrites(events.Of(h)) })
	if h != nil {
		of = fmt.Sprintf("%s, the event of %q,", h.Event, short(h.Label()))
	}
	if of == "" {
		return nil
	}
	return new(o.fatal(rulePath(i)+".recheck",
		"the input of %s is never rewritten, so its hooks do not run again; remove \"recheck\", or match an event such as claude.PreToolUse",
		of))
}

// vain returns an event or a hook as evidence that a match has no effect. Two functions report whether the rule can
// have an effect: able for an event, does for a hook. A match has no effect if able is false for all events that the
// match names, or if does is false for all hooks that the match selects by name or command.
func (m Match) vain(
	hooks []*hook.Hook,
	events Events,
	able func(Event) bool,
	does func(*hook.Hook) bool,
) (of string, _ *hook.Hook) {
	if m.Event != "" || m.Dialect != "" {
		some := false
		for name, ev := range m.selected(hooks, events) {
			if some = some || able(ev); !able(ev) {
				of = max(of, name)
			}
		}
		if of != "" && !some {
			return of, nil
		}
	}
	if m.Event == "" && (m.Name != "" || m.Command != "") {
		matched := lo.Filter(hooks, func(h *hook.Hook, _ int) bool { return m.Matches(h) })
		if len(matched) > 0 && !slices.ContainsFunc(matched, does) {
			return "", matched[0]
		}
	}
	return "", nil
}

// selected returns the events that a match names. If some named events belong to dialects that have hooks, selected
// returns only these events.
func (m Match) selected(hooks []*hook.Hook, events Events) Events {
	named := lo.PickBy(events, func(name string, _ Event) bool {
		dialect, event, _ := strings.Cut(name, ".")
		return m.selects(dialect, event)
	})
	read := lo.PickBy(named, func(name string, _ Event) bool {
		dialect, _, _ := strings.Cut(name, ".")
		return slices.ContainsFunc(hooks, func(h *hook.Hook) bool { return h.Dialect == dialect })
	})
	if len(read) > 0 {
		return read
	}
	return named
}

// Findings returns rules that match no hook, and rules without effect. hooks are all hooks of the settings that were
// read, and dialects the dialects of those settings.
func (s *Set) Findings(hooks []*hook.Hook, events Events, dialects []string) (findings []Finding) {
	if s == nil {
		return nil
	}
	for _, h := range hooks {
		for _, f := range s.decide(h, events.Of(h)).findings {
			if !slices.ContainsFunc(
				findings,
				func(g Finding) bool { return g.ID == f.ID && g.Position == f.Position },
			) {
				findings = append(findings, f)
			}
		}
	}
	for _, o := range s.overlays {
		findings = append(findings, s.lockedLimits(o)...)
		for i, r := range o.Rules {
			if !slices.ContainsFunc(hooks, r.Match.Matches) && r.Match.meant(dialects, events) {
				findings = append(
					findings,
					Finding{Unmatched, o.at(rulePath(i)), "this rule matches no hook" + r.Match.hint(hooks, events),
						"correct the \"match\" of the rule, or remove the rule; snaphook check lists the hooks"},
				)
			}
		}
	}
	return findings
}

// meant reports whether a rule can apply to one of the dialects, or misspells the name of a dialect.
func (m Match) meant(dialects []string, events Events) bool {
	if member, _ := events.misspelt(m); member == "dialect" {
		return true
	}
	return m.Dialect == "" || slices.ContainsFunc(dialects, func(d string) bool { return matches(m.Dialect, d) })
}

// hint explains why a rule matches no hook, if a single member is the cause.
func (m Match) hint(hooks []*hook.Hook, events Events) string {
	if _, why := events.misspelt(m); why != "" {
		return ": " + why
	}
	if m.Event != "" && !events.some(m) {
		return fmt.Sprintf(": there is no event %q", m.Event)
	}
	if m.Source != "" &&
		!slices.ContainsFunc(hooks, func(h *hook.Hook) bool { return matches(m.Source, h.Source.String()) }) {
		return fmt.Sprintf(": no hook has the source %q", m.Source)
	}
	has := func(m Match) bool { return slices.ContainsFunc(hooks, m.Matches) }
	if m.Name != "" && !has(Match{Name: m.Name}) {
		names := lo.Uniq(lo.Map(hooks, func(h *hook.Hook, _ int) string { return h.Name }))
		return fmt.Sprintf(": no hook has the name %q%s", m.Name, near(m.Name, lo.Compact(names)))
	}
	if m.Command != "" && !has(Match{Command: m.Command}) {
		commands := lo.Uniq(
			lo.FlatMap(
				hooks,
				func(h *hook.Hook, _ int) []string { return []string{short(h.Command), firstWord(h.Command)} },
			),
		)
		return near(m.Command, commands)
	}
	return ""
}

// lockedLimits returns findings for limits that the machine's policy has locked.
func (s *Set) lockedLimits(o *Overlay) (findings []Finding) {
	given := map[string]bool{
		"concurrent": o.Limits.Concurrent > 0, "perEvent": len(o.Limits.PerEvent) > 0, "breaker": o.Limits.Breaker.Failures > 0,
		"warm": o.Limits.Warm > 0,
	}
	for _, member := range limitsMembers {
		if given[member] && s.limitLocked(o, member) {
			findings = append(
				findings,
				Finding{
					Locked,
					o.at("limits." + member),
					"limits." + member + " is locked by the machine's policy, so this has no effect",
					"remove the member, or ask the operator of the machine",
				},
			)
		}
	}
	return findings
}
