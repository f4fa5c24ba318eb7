package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/settings"
)

// closes returns a problem if a rule demands "closed" or "ask" for hooks that cannot block.
func closes(o *Overlay, i int, hooks []*hook.Hook, events Events) *settings.Problem {
	strict := lo.Max(lo.Values(o.Rules[i].OnFailure))
	if strict == hook.FailOpen {
		return nil
	}
	gates := func(ev Event) bool { return ev.Gate }
	of, h := vain(o.Rules[i].Match, hooks, events, gates, func(h *hook.Hook) bool { return events.Of(h).guards(h) })
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
func rechecks(o *Overlay, i int, hooks []*hook.Hook, events Events) *settings.Problem {
	if again := o.Rules[i].Recheck; again == nil || !*again {
		return nil
	}
	rewrites := func(ev Event) bool { return ev.Rewrites }
	of, h := vain(o.Rules[i].Match, hooks, events, rewrites, func(h *hook.Hook) bool { return rewrites(events.Of(h)) })
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
func vain(m Match,
	hooks []*hook.Hook,
	events Events,
	able func(Event) bool,
	does func(*hook.Hook) bool,
) (of string, _ *hook.Hook) {
	if m.Event != "" || m.Dialect != "" {
		some := false
		for name, ev := range selected(m, hooks, events) {
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
func selected(m Match, hooks []*hook.Hook, events Events) Events {
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

// meant reports whether a rule can apply to one of the dialects, or misspells the name of a dialect.
func meant(m Match, dialects []string, events Events) bool {
	if member, _ := events.misspelt(m); member == "dialect" {
		return true
	}
	return m.Dialect == "" || slices.ContainsFunc(dialects, func(d string) bool { return matches(m.Dialect, d) })
}

// hint explains why a rule matches no hook, if a single member is the cause.
func hint(m Match, hooks []*hook.Hook, events Events) string {
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
func lockedLimits(s *Set, o *Overlay) (findings []Finding) {
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

// Finding is a rule without effect, or another remark on a hook's policy that a user should read.
type Finding struct {
	ID       string // such as policy-locked
	Position hook.Position
	Message  string
	Fix      string
}

// The constants are the IDs of findings. [Set.Findings] returns findings with the first three IDs.
const (
	Unmatched     = "policy-rule-unmatched" // a rule matches no hook
	Locked        = "policy-locked"         // the machine's policy has locked the member that a rule would change
	Weakens       = "policy-weakens"        // a rule would make the hook of a higher level laxer
	ClosedMissing = "policy-closed-missing" // a gate fails closed, and its program is missing
	GateOpen      = "policy-gate-open"      // a gate fails open before tools that write
)
