package stages

import (
	"cmp"
	"context"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/snaphook-go/snaphook/hook"
)

// Planned is the result of [Plan] for one subject.
type Planned struct {
	Run        []*hook.Hook // in the order in which their answers are merged
	Sequential bool         // the hooks run one at a time, each on the input as changed by the earlier ones
	Skipped    []Skipped    // every other hook, with the reason

	// OwnChain means that the hooks with OwnOnly run one at a time, each on the input as changed by the earlier ones.
	// The other hooks run in parallel with them, on the unchanged input.
	OwnChain bool

	// Late reports that the matchers ran out of time. Hooks whose matcher did not run count as matching.
	Late bool

	// Panicked is the error of the first matcher or condition that panicked, or
	// nil. Its hook counts as matching.
	Panicked error

	// Open holds the matching hooks of a plan that depends on more than the subject: [Planned.Narrow] selects among
	// them for each fire. Run is then empty.
	Open []*hook.Hook

	noneHolds []Skipped     // Skipped, and then the Open hooks as if the condition of each were false
	timeout   time.Duration // see Limits
}

// Skipped is a hook that does not run.
type Skipped struct {
	Hook   *hook.Hook
	Reason hook.SkipReason
	Detail string
}

// Plan selects the hooks that run for a subject: those that can run and whose matcher accepts it, without duplicates.
// Of hooks with the same key the first is kept, unless a later one is more trusted and the first guards less, for
// example because its timeout is shorter, its failure does not block, or the user has not agreed to it. Of equally
// trusted ones, the first whose failure blocks is kept. A selected hook that is Sequential makes the whole plan
// sequential or, if it has OwnOnly, only the hooks with OwnOnly; a hook that is not selected has no such effect (L14,
// L35).
//
// Plan keeps the order of hooks. Matching may test a regular expression for each hook: cache the result. A plan with
// Open hooks has to be narrowed for every fire.
func Plan(hooks []*hook.Hook, subject string) (p Planned) {
	return PlanWithin(context.Background(), hooks, subject, Limits{})
}

// Limits holds the time limits of a plan.
type Limits struct {
	Matching time.Duration // total for all matchers of a plan; 0 means [MatchTime]
	Timeout  time.Duration // for hooks without their own timeout; 0 or less means no limit
}

// MatchTime is the default limit for the total time of all matchers of a plan.
const MatchTime = 100 * time.Millisecond

// PlanWithin is [Plan] with limits and a context. After the time for matching has run out, or ctx has ended, every
// matcher that is not [Quick] counts as matching: a superfluous hook does less harm than a missing guard. A running
// matcher is not interrupted.
func PlanWithin(ctx context.Context, hooks []*hook.Hook, subject string, limits Limits) (p Planned) {
	var matched []*hook.Hook
	open := false
	clock := budget{ctx: ctx, left: cmp.Or(limits.Matching, MatchTime)}
	p.timeout = limits.Timeout
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

// deferConditions moves the matching hooks to Open, for Narrow to select from.
func (p *Planned) deferConditions(hooks []*hook.Hook) {
	p.Open, p.noneHolds = hooks, slices.Grow(slices.Clone(p.Skipped), len(hooks))
	for _, h := range hooks {
		var detail string // not used for a hook without a condition
		if h.Condition != nil {
			detail = "the condition " + quote(h.If) + " does not hold for this call"
		}
		p.noneHolds = append(p.noneHolds, Skipped{Hook: h, Reason: hook.ConditionFalse, Detail: detail})
	}
}

// Narrow completes an Open plan for one fire. A hook neither runs nor replaces a duplicate if its condition is false
// for detail or if it is spent (rule C18: conditions filter before deduplication). With a nil detail every condition is
// false; a condition that panics is true. spent reports whether a run-once hook has already run; nil means that none
// has. Narrow does not change p; the results share their Skipped, which must not be changed.
func (p *Planned) Narrow(detail *hook.ConditionInput, spent func(*hook.Hook) bool) Planned {
	n := Planned{timeout: p.timeout, Panicked: p.Panicked}
	holds := func(h *hook.Hook) bool {
		return h.Condition == nil || detail != nil && n.holds(h.Condition, detail)
	}
	first := slices.IndexFunc(p.Open, holds)
	if first < 0 {
		n.Skipped = slices.Clip(p.noneHolds)
		return n
	}
	n.Skipped = slices.Clip(p.noneHolds[:len(p.Skipped)+first])
	left := make([]*hook.Hook, 0, len(p.Open)-first)
	for i, h := range p.Open[first:] {
		switch {
		case i > 0 && !holds(h):
			n.Skipped = append(n.Skipped, p.noneHolds[len(p.Skipped)+first+i])
		case h.Once && spent != nil && spent(h):
			n.skip(h, hook.Disabled, "it runs once in a session, and has already run")
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

// matchPanics is deferred around matchers and conditions. It turns a panic into a match: otherwise the panic would end
// the program, or a guard would be lost.
func matchPanics(matches *bool, panicked *error) {
	if v := recover(); v != nil {
		*matches = true
		if *panicked == nil {
			*panicked = &hook.PanicError{Value: v, Stack: debug.Stack()}
		}
	}
}

func (p *Planned) skip(h *hook.Hook, why hook.SkipReason, detail string) {
	p.Skipped = append(p.Skipped, Skipped{Hook: h, Reason: why, Detail: detail})
}

// quote quotes a name in a message, and cuts a long one.
func quote(s string) string {
	const most = 80
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…" // the cut may be inside a character
	}
	return `"` + s + `"`
}

// Quick is implemented by matchers that can report that they are fast, such as a list of names. Once a plan has run out
// of time, all other matchers count as matching without being run.
type Quick interface{ Quick() bool }

// budget tracks the time left for the matchers of one plan.
type budget struct {
	ctx  context.Context
	left time.Duration
	late bool // a matcher did not run, or used up the time

	panicked error // error of the first matcher that panicked
}

// match runs a matcher if there is time left, and subtracts the time that it took.
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
