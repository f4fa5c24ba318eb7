// Package stages holds the four stages of a fire: Plan selects the hooks,
// Parallel and Fold spawn them, Parse reads what they reply, and Reduce merges
// what they said. They are plain functions over the words of package hook and
// know nothing of events, sessions or settings.
package stages

import (
	"context"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/snaphook-go/snaphook/hook"
)

// Planned is what Plan decided for one subject.
type Planned struct {
	Run        []*hook.Hook // in the order of their answers
	Sequential bool         // one at a time, each seeing the changes of those before it
	Skipped    []Skipped    // every other hook, with the reason

	// Late says that the matchers ran out of time: hooks whose matcher was not
	// asked were taken to match.
	Late bool

	// Panicked is what the first matcher or condition that panicked did; nil if none
	// has. Those that do are taken to match.
	Panicked error

	// Open holds the hooks that match, when more than the subject decides which
	// of them run; see [Planned.Narrow]. Run is empty then.
	Open []*hook.Hook

	falseConditions []string // for each of Open, what to say when its condition does not hold
}

// Skipped is a hook that does not run.
type Skipped struct {
	Hook   *hook.Hook
	Reason hook.SkipReason
	Detail string
}

// Plan selects the hooks that run for a subject: those that can run and whose
// matcher accepts it, less duplicates: of hooks with one key the first of the
// most trusted source stays, so that no project can put a copy of a guard in
// its place. One selected hook that asks for sequence makes the whole plan
// sequential; a hook that is not selected has no say (L14, L35).
//
// The order of hooks is kept. Matching may cost a regular expression per hook:
// keep the result. A plan that is Open has to be narrowed for every fire.
func Plan(hooks []*hook.Hook, subject string) (p Planned) {
	return PlanWithin(context.Background(), hooks, subject, MatchTime)
}

// MatchTime is the time that the matchers of a plan have together, unless a
// host says otherwise.
const MatchTime = 100 * time.Millisecond

// PlanWithin is [Plan] with a time for all matchers together, and an end by
// ctx. What matchers cannot be asked any more then match, but for those that
// are known to be [Quick]: a hook too many does less harm than a guard that is
// left out. One matcher that has begun is not interrupted.
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

func (p *Planned) deferConditions(hooks []*hook.Hook) {
	p.Open, p.falseConditions = hooks, make([]string, len(hooks))
	for i, h := range hooks {
		if h.Condition != nil {
			p.falseConditions[i] = "the condition " + quote(h.If) + " does not hold for this call"
		}
	}
}

// Narrow decides an Open plan of Plan for one fire: a hook whose condition does not
// hold for detail, or which is spent, does not run, and is no duplicate of one
// that does (rule C18: filters come before deduplication). p stays as it
// is. Without a detail no condition holds; one that panics does. spent tells of a hook that has had its
// one run; nil: none has.
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

// holds asks a condition.
func (p *Planned) holds(c hook.Condition, detail *hook.ConditionInput) (ok bool) {
	defer matchPanics(&ok, &p.Panicked)
	return c.Holds(*detail)
}

// matchPanics is deferred around what decides whether a hook runs: what panics would
// end the program, or lose a guard.
func matchPanics(matches *bool, panicked *error) {
	if v := recover(); v != nil {
		*matches = true
		if *panicked == nil {
			*panicked = &hook.PanicError{Value: v, Stack: debug.Stack()}
		}
	}
}

// choose drops duplicates.
func (p *Planned) choose(hooks []*hook.Hook) {
	stays := make(map[string]*hook.Hook, len(hooks))
	for _, h := range hooks {
		if other := stays[h.Key]; h.Key != "" && (other == nil || h.TrustRank() > other.TrustRank()) {
			stays[h.Key] = h
		}
	}
	own := false // a hook asks for sequence that may ask its own kind alone
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

// quote shows a name in a message, and cuts one that is no name.
func quote(s string) string {
	const most = 80
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…" // the cut can go through a character
	}
	return `"` + s + `"`
}

// Quick is a matcher that may say of itself that it never takes long, such as a
// list of names. Any other is not asked when the time of a plan is over.
type Quick interface{ Quick() bool }

// budget is the time that is left to the matchers of one plan.
type budget struct {
	ctx  context.Context
	left time.Duration
	late bool // a matcher was not asked, or took what was left

	panicked error // of the first matcher that did
}

// match asks a matcher, if there is time, and takes off what it took.
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
