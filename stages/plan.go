package stages

import (
	"cmp"
	"context"
	"runtime/debug"
	"strings"
	"time"

	"github.com/snaphook-go/snaphook/hook"
)

// Planned is the result of [Plan] for one subject.
type Planned struct {
	Run        []*hook.Hook // in the order in which their answers are merged
	Sequential bool         // the hooks run one at a time, each with the changes of the earlier ones
	Skipped    []Skipped    // every other hook, with the reason

	// OwnChain says that the hooks with OwnOnly run one at a time, each with the changes of
	// the earlier ones, while the other hooks run at the same time, with the input unchanged.
	OwnChain bool

	// Late reports that the matchers ran out of time: hooks whose matcher did not
	// run count as matching.
	Late bool

	// Panicked is the error of the first matcher or condition that panicked, or
	// nil. Its hook counts as matching.
	Panicked error

	// Open holds the matching hooks if the subject alone does not decide which of
	// them run: [Planned.Narrow] decides for each fire. Run is then empty.
	Open []*hook.Hook

	falseConditions []string      // for each hook of Open: the detail if its condition is false
	timeout         time.Duration // see Limits
}

// Skipped is a hook that does not run.
type Skipped struct {
	Hook   *hook.Hook
	Reason hook.SkipReason
	Detail string
}

// Plan selects the hooks that run for a subject: those that can run and whose matcher accepts it,
// without duplicates. Of hooks with one key the first one stays, unless a later one is more trusted
// and the first one guards less: its timeout is shorter, its failure does not block, or the user
// has not agreed to it. One selected hook that is Sequential makes the whole plan sequential, or,
// if it has OwnOnly, only the hooks with OwnOnly; a hook that is not selected has no effect (L14,
// L35).
//
// Plan keeps the order of hooks. Matching may cost a regular expression per hook: cache the result.
// A plan that is Open has to be narrowed for every fire.
func Plan(hooks []*hook.Hook, subject string) (p Planned) {
	return PlanWithin(context.Background(), hooks, subject, Limits{})
}

// Limits holds the time limits of a plan.
type Limits struct {
	Matching time.Duration // total for all matchers of a plan; 0 means [MatchTime]
	Timeout  time.Duration // for hooks without their own; 0 or less means no limit
}

// MatchTime is the default time limit of all matchers of a plan together.
const MatchTime = 100 * time.Millisecond

// PlanWithin is [Plan] with limits and a context. When the time for matching has run out, or ctx
// has ended, every matcher that is not [Quick] is taken to match: one hook too many does less harm
// than a missing guard. A running matcher is not interrupted.
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

// deferConditions leaves the selection among matching hooks to Narrow.
func (p *Planned) deferConditions(hooks []*hook.Hook) {
	p.Open, p.falseConditions = hooks, make([]string, len(hooks))
	for i, h := range hooks {
		if h.Condition != nil {
			p.falseConditions[i] = "the condition " + quote(h.If) + " does not hold for this call"
		}
	}
}

// Narrow completes an Open plan for one fire: a hook whose condition is false for detail, or which
// is spent, does not run, and does not replace a duplicate (rule C18: conditions filter before
// deduplication). Narrow does not change p. Without a detail every condition is false; a condition
// that panics is true. spent reports whether a once-only hook has already run; nil means none has.
func (p *Planned) Narrow(detail *hook.ConditionInput, spent func(*hook.Hook) bool) Planned {
	n := Planned{timeout: p.timeout, Panicked: p.Panicked}
	n.Skipped = make([]Skipped, len(p.Skipped), len(p.Skipped)+len(p.Open))
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

// Quick is implemented by matchers that can report that they take no time, such as a
// list of names. Other matchers do not run after the time limit of a plan.
type Quick interface{ Quick() bool }

// budget tracks the time left for the matchers of one plan.
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
