package policy

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/snaphook-go/snaphook/hook"
)

// EffectiveDefault returns the policy of a hook for which no overlay has a rule. The hook's settings entry and the
// rules of its event determine it.
func EffectiveDefault(h *hook.Hook, ev Event) *hook.EffectivePolicy {
	p := &hook.EffectivePolicy{OnFailure: map[hook.Class]hook.Action{}, From: map[string]hook.Origin{}}
	for _, class := range hook.Classes() {
		p.OnFailure[class] = ev.action(h, class)
	}
	return p
}

// decision is a policy under construction.
type decision struct {
	set      *Set
	h        *hook.Hook
	ev       Event
	level    Level
	p        *hook.EffectivePolicy
	findings []Finding
	matched  map[*Overlay][]bool // by index of the rule
}

// matches reports whether rule i of an overlay selects the hook. Results are cached.
func (d *decision) matches(o *Overlay, i int) bool {
	known, ok := d.matched[o]
	if !ok {
		known = make([]bool, len(o.Rules))
		for j := range o.Rules {
			known[j] = o.Rules[j].Match.Matches(d.h)
		}
		d.matched[o] = known
	}
	return known[i]
}

// rule returns the first matching rule of an overlay that sets a member.
func (d *decision) rule(o *Overlay, has func(*Rule) bool) (r *Rule, path string) {
	for i := range o.Rules {
		if r := &o.Rules[i]; has(r) && d.matches(o, i) {
			return r, rulePath(i)
		}
	}
	return nil, ""
}

// defaults applies an overlay's defaults to a hook. A default has no effect for a failure class if the hook's entry, or
// the hook's system, sets a stricter action. If the entry fails closed, a default has an effect only if it is stricter
// than the policy so far: even this hook may fail open in some classes.
func (d *decision) defaults(o *Overlay) {
	all := o.Defaults.Observers
	if d.ev.guards(d.h) {
		all = o.Defaults.Gates
	}
	for _, class := range hook.Classes() {
		action, ok := all.of(class)
		if ok && action >= d.ev.action(d.h, class) && (!d.h.FailClosed || action > d.p.OnFailure[class]) {
			d.fail(o, class, action, "defaults."+d.group()+".onFailure")
		}
	}
}

// defaultLocked reports whether locked defaults of the machine forbid an action of a lower level: any action in its
// defaults, and an action in a rule that is laxer than the machine's default.
func (d *decision) defaultLocked(class hook.Class, action hook.Action, defaults bool) bool {
	return slices.ContainsFunc(d.set.overlays, func(o *Overlay) bool {
		if o.Level != Machine || !o.holds("defaults."+d.group()+".onFailure") {
			return false
		}
		all := o.Defaults.Observers
		if d.ev.guards(d.h) {
			all = o.Defaults.Gates
		}
		least, ok := all.of(class)
		return defaults || ok && action < least
	})
}

// group returns the name of the defaults that apply to the hook.
func (d *decision) group() string {
	if d.ev.guards(d.h) {
		return "gates"
	}
	return "observers"
}

func (d *decision) onFailure(o *Overlay) {
	if !d.ev.guards(d.h) {
		return // the hook's failure cannot block; [Set.Problems] rejects rules that want it to block
	}
	for _, class := range hook.Classes() {
		r, path := d.rule(o, func(r *Rule) bool { _, ok := r.OnFailure.of(class); return ok })
		if r == nil {
			continue
		}
		action, _ := r.OnFailure.of(class)
		d.fail(o, class, action, path+".onFailure")
	}
}

func (d *decision) fail(o *Overlay, class hook.Class, action hook.Action, path string) {
	if o.Level != Machine && d.defaultLocked(class, action, strings.HasPrefix(path, "defaults")) {
		d.findLocked(o.at(path), "onFailure."+string(class))
		return
	}
	if d.change(o, "onFailure."+string(class), path, action < d.p.OnFailure[class]) {
		d.p.OnFailure[class] = action
		if d.p.Decided == nil {
			d.p.Decided = map[hook.Class]bool{}
		}
		d.p.Decided[class] = true
	}
}

func (d *decision) mode(o *Overlay) {
	r, path := d.rule(o, func(r *Rule) bool { return r.Mode != nil })
	if r == nil {
		return
	}
	laxer := *r.Mode != hook.Enforce && d.p.Mode == hook.Enforce
	if d.change(o, "mode", path+".mode", laxer) {
		d.p.Mode = *r.Mode
	}
}

// times applies the time limits. Shorter limits and a smaller stretch count as laxer, because they make a hook fail
// more often.
func (d *decision) times(o *Overlay) {
	if r, path := d.rule(o, func(r *Rule) bool { return r.Timeout > 0 }); r != nil {
		if d.change(o, "timeout", path+".timeout", shorter(r.Timeout, d.timeout())) {
			d.p.Timeout = r.Timeout
		}
	}
	if r, path := d.rule(o, func(r *Rule) bool { return r.Stretch > 0 }); r != nil {
		if d.change(o, "stretch", path+".stretch", r.Stretch < cmp.Or(d.p.Stretch, hook.DefaultStretch)) {
			d.p.Stretch = r.Stretch
		}
	}
	if r, path := d.rule(o, func(r *Rule) bool { return r.Queue > 0 }); r != nil {
		if d.change(o, "queue", path+".queue", shorter(r.Queue, d.p.Queue)) {
			d.p.Queue = r.Queue
		}
	}
}

// shorter reports whether a is a shorter time limit than b; 0 or less means no limit.
func shorter(a, b time.Duration) bool { return a > 0 && (b <= 0 || a < b) }

// timeout returns the time limit in force so far: the policy's, the hook's or the event's.
func (d *decision) timeout() time.Duration {
	switch {
	case d.p.Timeout > 0:
		return d.p.Timeout
	case d.h.Timeout != 0:
		return d.h.Timeout
	}
	return d.ev.Timeout
}

func (d *decision) retry(o *Overlay) {
	r, path := d.rule(o, func(r *Rule) bool { return r.Retry != nil })
	if r == nil {
		return
	}
	fewer := r.Retry.Times < d.p.Retry.Times ||
		slices.ContainsFunc(d.p.Retry.On, func(c hook.Class) bool { return !slices.Contains(r.Retry.On, c) })
	if d.change(o, "retry", path+".retry", fewer) {
		d.p.Retry = *r.Retry
	}
}

// warm applies the rules of an overlay about how a hook is started. An overlay of a lower level than the hook cannot
// change this: a guard that is not a worker would not answer if it were started as a worker.
func (d *decision) warm(o *Overlay) {
	r, path := d.rule(o, func(r *Rule) bool { return r.Warm != "" })
	if r != nil && d.change(o, "warm", path+".warm", true) {
		d.p.Warm = r.Warm
	}
	if r, path := d.rule(o, func(r *Rule) bool { return r.Prewarm != nil }); r != nil {
		if d.change(o, "prewarm", path+".prewarm", true) {
			d.p.Prewarm = *r.Prewarm
		}
	}
}

func (d *decision) recheck(o *Overlay) {
	if r, path := d.rule(o, func(r *Rule) bool { return r.Recheck != nil }); r != nil {
		if d.change(o, "recheck", path+".recheck", d.p.Recheck && !*r.Recheck) {
			d.p.Recheck = *r.Recheck
		}
	} else if o.Recheck && d.ev.Gate && d.change(o, "recheck", "recheck", false) {
		d.p.Recheck = true
	}
}

func decide(s *Set, h *hook.Hook, ev Event) *decision {
	d := &decision{
		set: s, h: h, ev: ev, level: LevelOf(h.Source), p: EffectiveDefault(h, ev),
		matched: map[*Overlay][]bool{},
	}
	for _, o := range s.overlays {
		d.defaults(o)
	}
	for _, o := range s.overlays {
		d.onFailure(o)
		d.mode(o)
		d.times(o)
		d.retry(o)
		d.warm(o)
		d.recheck(o)
	}
	return d
}

// change reports whether an overlay may change a member of the policy. It records the change. If a lock or the hook's
// higher level forbids the change, it records a finding.
func (d *decision) change(o *Overlay, member, path string, laxer bool) bool {
	top := member
	if i := strings.IndexByte(member, '.'); i > 0 {
		top = member[:i]
	}
	at := o.at(path)
	switch {
	case d.set.untrusted && o.Level == Project && d.level != Project:
		return false
	case o.Level != Machine && d.locked(member):
		d.findLocked(at, member)
		return false
	case laxer && o.Level > d.level:
		d.find(
			Weakens,
			at,
			fmt.Sprintf(
				"%s would make %s of the %s level laxer, so this has no effect",
				member,
				d.label(),
				d.level,
			),
			fmt.Sprintf("remove the member, or match hooks of the %s alone (\"source\")", o.Level),
		)
		return false
	}
	d.p.From[top] = hook.Origin{Level: o.Level.String(), Position: at}
	return true
}

func (d *decision) findLocked(at hook.Position, member string) {
	d.find(
		Locked,
		at,
		fmt.Sprintf("%s of %s is locked by the machine's policy, so this has no effect", member, d.label()),
		"remove the member, or ask the operator of the machine",
	)
}

func (d *decision) find(id string, at hook.Position, message, fix string) {
	if slices.ContainsFunc(d.findings, func(f Finding) bool { return f.ID == id && f.Position == at }) {
		return // one finding for the rule, not one for each class
	}
	d.findings = append(d.findings, Finding{id, at, message, fix})
}

func (d *decision) label() string { return fmt.Sprintf("%s hook %q", d.h.Event, short(d.h.Label())) }

func short(s string) string {
	if line, _, more := strings.Cut(s, "\n"); more {
		s = line + "…"
	}
	if runes := []rune(s); len(runes) > 80 {
		return string(runes[:80]) + "…"
	}
	return s
}

func (d *decision) locked(member string) bool {
	return slices.ContainsFunc(d.set.overlays, func(o *Overlay) bool {
		return o.Level == Machine && (d.lockedBy(o, member) || o.holds(member))
	})
}

// lockedBy reports whether a machine's overlay locks a member of the hook: a rule that matches the hook locks the
// member or its parent.
func (d *decision) lockedBy(o *Overlay, member string) bool {
	if len(o.Lock) == 0 {
		return false
	}
	for i := range o.Rules {
		if d.matches(o, i) && o.holds(rulePath(i)+"."+member) {
			return true
		}
	}
	return false
}

// guarded reports whether the machine's overlay locks the mode of the hook, or the action on its
// failure.
func (d *decision) guarded() bool {
	return d.locked("mode") || d.locked("onFailure") ||
		slices.ContainsFunc(hook.Classes(), func(c hook.Class) bool { return d.locked("onFailure." + string(c)) })
}
