package stages

import (
	"context"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/snaphook-go/snaphook/hook"
)

// Planned is the decision of [Plan] for one subject.
type Planned struct {
	Run        []*hook.Hook // in the order in which their answers are merged
	Sequential bool         // run one at a time, each with the changes of those before it
	Skipped    []Skipped    // every other hook, with the reason

	// Late reports that the matchers ran out of time: hooks whose matcher did not
	// run count as matching.
	Late bool

	// Panicked is the error of the first matcher or condition that panicked, or
	// nil. Its hook counts as matching.
	Panicked error

	// Open holds the matching hooks if the subject alone does not decide which of
	// them run: [Planned.Narrow] decides for each fire. Run is then empty.
	Open []*hook.Hook

	falseConditions []string // for each hook of Open: the detail if its condition does not hold
}

// Skipped is a hook that does not run.
type Skipped struct {
	Hook   *hook.Hook
	Reason hook.SkipReason
	Detail string
}

// Plan selects the hooks that run for a subject: those that can run and whose
// matcher accepts it, without duplicates. Of hooks with one key the first of the
// most trusted source stays: a project cannot replace a guard by a copy of it. One
// selected hook that asks for sequence makes the whole plan sequential; a hook that
// is not selected does not count (L14, L35).
//
// Plan keeps the order of hooks. Matching may cost a regular expression per hook:
// keep the result. A plan that is Open has to be narrowed for every fire.
func Plan(hooks []*hook.Hook, subject string) (p Planned) {
	return PlanWithin(context.Background(), hooks, subject, MatchTime)
}

// MatchTime is the default time limit of all matchers of a plan together.
const MatchTime = 100 * time.Millisecond

// PlanWithin is [Plan] with a time limit for all matchers together, and a context.
// After either has ended, every matcher that is not [Quick] counts as matching: one
// hook too many does less harm than a missing guard. A running matcher is not
// interrupted.
func PlanWithin(ctx context.Context, hooks []*hook.Hook, subject string, within time.Duration) (p Planned) {
	var matched []*hook.Hook
	open := false
	clock := budget{ctx: ctx, left: within}
	for _, h := range hooks {
		switch {
		case h.Skip != "":
			p.skip(h, h.Skip, h.SkipDetail)
		case h.Matcher != nil && !clock.match(h.Matcher, subject):
			p.skip(h, hook.NotMatched, "matcher "+quote(h.Pattern)+" does not match "+quote(subject))
		default:
			matched = append(matched, h)
			open = open || h.Condition != nil || h.Once
		}
	}
	p.Late, p.Panicked = clock.late, clock.panicked
	if open {
		p.deferConditions(matched)
	} else {
		p.choose(matched)
	}
	return p
}

// deferConditions leaves the choice among matching hooks to Narrow.
func (p *Planned) deferConditions(hooks []*hook.Hook) {
	p.Open, p.falseConditions = hooks, make([]string, len(hooks))
	for i, h := range hooks {
		if h.Condition != nil {
			p.falseConditions[i] = "the condition " + quote(h.If) + " does not hold for this call"
		}
	}
}

// Narrow decides an Open plan for one fire: a hook whose condition does not hold
// for detail, or which is spent, does not run, and drops no duplicate (rule C18:
// conditions filter before deduplication). Narrow does not change p. Without a
// detail no condition holds; a condition that panics holds. spent reports whether a
// once-only hook has already run; nil means none has.
func (p *Planned) Narrow(detail *hook.ConditionInput, spent func(*hook.Hook) bool) Planned {
	n := Planned{Panicked: p.Panicked, Skipped: make([]Skipped, len(p.Skipped), len(p.Skipped)+len(p.Open))}
	copy(n.Skipped, p.Skipped)
	left := make([]*hook.Hook, 0, len(p.Open))
	for i, h := range p.Open {
		switch {
		case h.Condition != nil && (detail == nil || !n.holds(h.Condition, detail)):
			n.skip(h, hook.ConditionFalse, p.falseConditions[i])
		case h.Once && spent != nil && spent(h):
			n.skip(h, hook.Disabled, "it runs once in a session, and has run")
		default:
			left = append(left, h)
		}
	}
	n.choose(left)
	return n
}

// holds evaluates a condition.
func (p *Planned) holds(c hook.Condition, detail *hook.ConditionInput) (ok bool) {
	defer matchPanics(&ok, &p.Panicked)
	return c.Holds(*detail)
}

// matchPanics is deferred around matchers and conditions: it turns a panic, which
// would end the program or lose a guard, into a match.
func matchPanics(matches *bool, panicked *error) {
	if v := recover(); v != nil {
		*matches = true
		if *panicked == nil {
			*panicked = &hook.PanicError{Value: v, Stack: debug.Stack()}
		}
	}
}

// choose drops duplicates and decides whether the plan is sequential.
func (p *Planned) choose(hooks []*hook.Hook) {
	stays := make(map[string]*hook.Hook, len(hooks))
	for _, h := range hooks {
		if other := stays[h.Key]; h.Key != "" && (other == nil || h.TrustRank() > other.TrustRank()) {
			stays[h.Key] = h
		}
	}
	own := false // a hook asks for sequence among hooks with OwnOnly
	for _, h := range hooks {
		if h.Key != "" && stays[h.Key] != h {
			p.skip(h, hook.Duplicate, "runs already as "+stays[h.Key].ID)
			continue
		}
		p.Run = append(p.Run, h)
		p.Sequential = p.Sequential || h.Sequential && !h.OwnOnly
		own = own || h.Sequential
	}
	p.Sequential = p.Sequential || own && !slices.ContainsFunc(p.Run, func(h *hook.Hook) bool { return !h.OwnOnly })
}

func (p *Planned) skip(h *hook.Hook, why hook.SkipReason, detail string) {
	p.Skipped = append(p.Skipped, Skipped{Hook: h, Reason: why, Detail: detail})
}

// quote quotes a name in a message, and cuts a long one.
func quote(s string) string {
	const most = 80
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…" // the cut can go through a character
	}
	return `"` + s + `"`
}

// Quick is implemented by matchers that can report that they take no time, such as a
// list of names. Other matchers do not run after the time limit of a plan.
type Quick interface{ Quick() bool }

// budget is the time left for the matchers of one plan.
type budget struct {
	ctx  context.Context
	left time.Duration
	late bool // a matcher did not run, or used up the time

	panicked error // of the first matcher that panicked
}

// match runs a matcher if there is time left, and subtracts its time.
func (b *budget) match(m hook.Matcher, subject string) (matched bool) {
	defer matchPanics(&matched, &b.panicked)
	if q, ok := m.(Quick); ok && q.Quick() {
		return m.Match(subject)
	}
	if b.left <= 0 || b.ctx.Err() != nil {
		b.late = true
		return true
	}
	start := time.Now()
	matched = m.Match(subject)
	if b.left -= time.Since(start); b.left <= 0 {
		b.late = true
	}
	return matched
}
