package policy

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/snaphook-go/snaphook/hook"
)

// Set holds the overlays of a directory, the machine's first. It is immutable and safe for concurrent use.
type Set struct {
	overlays  []*Overlay
	untrusted bool // the project's overlay applies only to the project's own hooks
}

// Event describes a hook's event to a policy.
type Event struct {
	Gate           bool // hooks can block
	FailClosed     bool // a failed hook blocks
	LateBlocks     bool // a hook that times out blocks
	LateFuncBlocks bool // a Go hook that times out blocks
	UnreadBlocks   bool // a hook with an invalid answer blocks
	LateOpens      bool // a hook that times out does not block, although other failures do
	UnreadOpens    bool // a hook with an invalid answer does not block, although other failures do
	Timeout        time.Duration
	Rewrites       bool // hooks can rewrite the input, and run again on the new input
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

// EffectiveDefault returns the policy of a hook for which no overlay has a rule. The hook's settings entry and the
// rules of its event determine it.
func EffectiveDefault(h *hook.Hook, ev Event) *hook.EffectivePolicy {
	p := &hook.EffectivePolicy{OnFailure: map[hook.Class]hook.Action{}, From: map[string]hook.Origin{}}
	for _, class := range hook.Classes() {
		p.OnFailure[class] = ev.action(h, class)
	}
	return p
}

// guards reports whether a hook can block. A hook in the background cannot, unless it is a Go function, for which the
// fire always waits.
func (ev Event) guards(h *hook.Hook) bool {
	return ev.Gate && (h.Background == hook.Foreground || h.Func != nil)
}

// action returns the failure action set by the hook's entry or the event's rules.
func (ev Event) action(h *hook.Hook, class hook.Class) hook.Action {
	waits := h.Background == hook.Foreground || h.Func != nil
	late := class == hook.ClassTimeout && (ev.LateBlocks || ev.LateFuncBlocks && h.Func != nil)
	closed := ev.FailClosed || h.FailClosed || late || ev.UnreadBlocks && class.IsUnread()
	switch class {
	case hook.ClassUntrusted: // a hook that may not run is skipped, for any event
		closed = false
	case hook.ClassTimeout:
		closed = closed && (late || !ev.LateOpens)
	case hook.ClassOutput:
		closed = closed && !ev.UnreadOpens
	case hook.ClassInvalid: // a hook with an invalid entry is skipped, unless the entry fails closed
		closed = h.FailClosed
	}
	if waits && closed {
		return hook.FailClosed
	}
	return hook.FailOpen
}

// Effective computes the policy of a hook. It is never nil.
func (s *Set) Effective(h *hook.Hook, ev Event) *hook.EffectivePolicy {
	d := s.decide(h, ev)
	return d.p
}

// HoldsItself reports whether a hook's entry is invalid and fails closed: the hook then fails in each fire, even
// without an overlay.
func HoldsItself(h *hook.Hook) bool { return h.Unusable != "" && h.FailClosed }

// Apply returns a copy of the hook with its policy. It returns h itself if neither the overlays nor the hook's entry
// ([HoldsItself]) change anything. A hook with mode off gets a skip reason. s may be nil.
func (s *Set) Apply(h *hook.Hook, ev Event) *hook.Hook {
	switch {
	case s == nil && !HoldsItself(h):
		return h
	case s == nil:
		s = &Set{}
	}
	d := s.decide(h, ev)
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

func (s *Set) decide(h *hook.Hook, ev Event) *decision {
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
