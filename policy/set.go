package policy

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/settings"
)

// Set holds the overlays of a directory, the machine's first. It is immutable and safe for concurrent use.
type Set struct {
	overlays  []*Overlay
	untrusted bool // the project's overlay applies only to the project's own hooks
}

// Effective computes the policy of a hook. It is never nil.
func (s *Set) Effective(h *hook.Hook, ev Event) *hook.EffectivePolicy {
	d := decide(s, h, ev)
	return d.p
}

// Apply returns a copy of the hook with its policy. It returns h itself if neither the overlays nor the hook's entry
// ([HoldsItself]) change anything. A hook with mode off gets a skip reason. s may be nil.
func (s *Set) Apply(h *hook.Hook, ev Event) *hook.Hook {
	switch {
	case s == nil && !HoldsItself(h):
		return h
	case s == nil:
		s = &Set{}
	}
	d := decide(s, h, ev)
	p := d.p
	p.Upheld = p.Mode != hook.Off && d.guarded()
	if len(p.From) == 0 && s.breaker(h).Failures == 0 && !s.bounds(h) && !HoldsItself(h) {
		return h
	}
	governed := *h
	governed.Policy = p
	if p.Timeout > 0 {
		governed.Timeout = p.Timeout
	}
	if p.Upheld && Lifts(h.Exclusion) {
		governed.Exclusion = hook.Exclusion{}
		if h.Unusable != "" {
			governed.Exclusion = hook.Exclusion{Skip: hook.Invalid, SkipDetail: h.Unusable, Unusable: h.Unusable}
		}
	}
	if p.Mode == hook.Off && h.Skip == "" {
		governed.Skip = hook.Policy
		governed.SkipDetail = fmt.Sprintf("its mode is off at %s", p.From["mode"].Position)
	}
	hold(&governed, h)
	if p.Mode == hook.Shadow {
		governed.NoEnvFile = true // variables that a hook exports would have an effect, even in shadow
	}
	if governed.Key != "" { // hooks with different policies are not duplicates
		governed.Key += "\x00" + fingerprint(p)
	}
	return &governed
}

// HoldsItself reports whether a hook's entry is invalid and fails closed: the hook then fails in each fire, even
// without an overlay.
func HoldsItself(h *hook.Hook) bool { return h.Unusable != "" && h.FailClosed }

// hold turns a hook that cannot run into a hook that fails, if its policy demands that. A hook cannot run if its
// project is not trusted, or if its settings entry is invalid. h is the hook as loaded.
func hold(governed, h *hook.Hook) {
	p := governed.Policy
	switch {
	case p.Mode == hook.Off:
		return
	case h.Skip == hook.Untrusted && p.OnFailure[hook.ClassUntrusted] != hook.FailOpen:
		p.Held, governed.Runner = h.Skip, heldBack{hook.ErrUntrusted}
	case h.Unusable != "" && governed.Skip != hook.Untrusted && governed.Skip != hook.Disabled && p.OnFailure[hook.ClassInvalid] != hook.FailOpen:
		p.Held, governed.SkipDetail = hook.Invalid, h.Unusable
		governed.Runner = heldBack{&hook.ClassError{
			Class: hook.ClassInvalid, Err: fmt.Errorf("not started: its settings entry cannot be used: %s", h.Unusable),
		}}
		if h.Skip == "" {
			governed.Matcher = nil // the matcher may be the mistake: match everything
		}
		governed.Condition = nil
	default:
		return
	}
	governed.Skip, governed.Key, governed.Once, governed.Func = "", "", false, nil
}

// heldBack is the Runner of a hook that cannot run. It always fails.
type heldBack struct{ err error }

// Run fails.
func (b heldBack) Run(context.Context, hook.Call) (hook.Reply, error) { return hook.Reply{}, b.err }

// Lifts reports whether a lock of the machine overrides an exclusion: it does if settings below the machine's level
// have disabled the hook.
func Lifts(why hook.Exclusion) bool {
	return why.Skip == hook.Disabled && why.SkippedBy != hook.Host && LevelOf(why.SkippedBy) != Machine
}

// fingerprint returns a text that differs for different policies, so that a lax copy of a strict hook does not count as
// a duplicate, and replace the strict hook.
func fingerprint(p *hook.EffectivePolicy) string {
	var b strings.Builder
	for _, class := range hook.Classes() {
		b.WriteByte('0' + byte(p.OnFailure[class]))
	}
	fmt.Fprintf(&b, " %d %d %v %d %v %v", p.Mode, p.Timeout, p.Stretch, p.Queue, p.Retry, p.Recheck)
	return b.String()
}

// Problems finds mistakes that depend on the hooks and events: "closed" or "ask" for hooks that cannot block,
// recheck for events without rewrites, limits of unknown events, and rules that take too long to compare. hooks
// are the hooks of the settings. s may be nil.
func (s *Set) Problems(hooks []*hook.Hook, events Events) (problems []settings.Problem) {
	if s == nil {
		return nil
	}
	if problem := tooMuch(s, hooks); problem != nil {
		return []settings.Problem{*problem}
	}
	for _, o := range s.overlays {
		for i := range o.Rules {
			for _, problem := range [...]*settings.Problem{closes(o, i, hooks, events), rechecks(o, i, hooks, events)} {
				if problem != nil {
					problems = append(problems, *problem)
				}
			}
		}
		problems = append(problems, limitsOfNothing(o, events)...)
	}
	return problems
}

// Findings returns rules that match no hook, and rules without effect. hooks are all hooks of the settings that were
// read, and dialects the dialects of those settings.
func (s *Set) Findings(hooks []*hook.Hook, events Events, dialects []string) (findings []Finding) {
	if s == nil {
		return nil
	}
	for _, h := range hooks {
		for _, f := range decide(s, h, events.Of(h)).findings {
			if !slices.ContainsFunc(
				findings,
				func(g Finding) bool { return g.ID == f.ID && g.Position == f.Position },
			) {
				findings = append(findings, f)
			}
		}
	}
	for _, o := range s.overlays {
		findings = append(findings, lockedLimits(s, o)...)
		for i, r := range o.Rules {
			if !slices.ContainsFunc(hooks, r.Match.Matches) && meant(r.Match, dialects, events) {
				findings = append(
					findings,
					Finding{Unmatched, o.at(rulePath(i)), "this rule matches no hook" + hint(r.Match, hooks, events),
						"correct the \"match\" of the rule, or remove the rule; snaphook check lists the hooks"},
				)
			}
		}
	}
	return findings
}

// Misspelt finds rules that match no hook because of a misspelt name. A dialect that is not linked counts as misspelt
// if its name is similar to a linked one's. An unknown event counts if its name is similar to a known one's, or if its
// dialect is linked. The set stays usable. s may be nil.
func (s *Set) Misspelt(events Events) (problems []settings.Problem) {
	if s == nil {
		return nil
	}
	for _, o := range s.overlays {
		for i, r := range o.Rules {
			if member, why := events.misspelt(r.Match); why != "" {
				problems = append(problems, settings.Problem{
					Position: o.at(rulePath(i) + ".match." + member),
					Message:  why + ", so this rule of the policy matches no hook",
				})
			}
		}
	}
	return problems
}

// Bound limits the number of hooks that run at the same time. Bounds with the same Name share one limit.
type Bound struct {
	Name  string
	Limit int
	Wide  bool // the limit holds over all directories; the machine, the user or the program has set it
}

// Bounds returns the limits that apply to a hook, the narrowest first.
func (s *Set) Bounds(h *hook.Hook) (bounds []Bound) {
	if s == nil {
		return nil
	}
	event := h.Dialect + "." + h.Event
	for level := Project; ; level-- {
		for i, o := range s.overlays {
			if o.Level != level || !s.binds(o, h) {
				continue
			}
			name := fmt.Sprintf("%s %d %s", o.Level, i, o.File)
			if n := o.Limits.PerEvent[event]; n > 0 && !s.limitLocked(o, "perEvent") {
				bounds = append(bounds, Bound{name + " " + event, n, o.Level != Project})
			}
			if n := o.Limits.Concurrent; n > 0 && !s.limitLocked(o, "concurrent") {
				bounds = append(bounds, Bound{name, n, o.Level != Project})
			}
		}
		if level == Machine {
			return bounds
		}
	}
}

func (s *Set) bounds(h *hook.Hook) bool { return len(s.Bounds(h)) > 0 }

// binds reports whether the limits of an overlay apply to a hook. They do not apply to hooks of higher levels, because
// a guard that waits too long may fail open.
func (s *Set) binds(o *Overlay, h *hook.Hook) bool { return LevelOf(h.Source) >= o.Level }

func (s *Set) limitLocked(o *Overlay, member string) bool {
	if o.Level == Machine {
		return false
	}
	for _, m := range s.overlays {
		if m.Level == Machine && m.holds("limits."+member) {
			return true
		}
	}
	return false
}

// Warm returns the maximum number of warm hooks, from the nearest level that sets it; 0 if none does.
func (s *Set) Warm() (n int) {
	if s == nil {
		return 0
	}
	for _, o := range s.overlays {
		if o.Limits.Warm > 0 && !s.limitLocked(o, "warm") && !(s.untrusted && o.Level == Project) {
			n = o.Limits.Warm
		}
	}
	return n
}

// Breaker returns the breaker of a hook, from the nearest level that sets a breaker for that hook.
func (s *Set) Breaker(h *hook.Hook) Breaker {
	if s == nil {
		return Breaker{}
	}
	return s.breaker(h)
}

func (s *Set) breaker(h *hook.Hook) (b Breaker) {
	for _, o := range s.overlays {
		if o.Limits.Breaker.Failures > 0 && s.binds(o, h) && !s.limitLocked(o, "breaker") {
			b = o.Limits.Breaker
		}
	}
	return b
}
