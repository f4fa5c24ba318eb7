// Package stages holds the four stages of a fire: Plan selects the hooks,
// Parallel and Fold spawn them, Parse reads what they reply, and Reduce merges
// what they said. They are plain functions over the words of package hook and
// know nothing of events, sessions or settings.
package stages

import (
	"strings"

	"github.com/snaphook-go/snaphook/hook"
)

// Planned is what Plan decided for one subject.
type Planned struct {
	Run        []*hook.Hook // in the order of their answers
	Sequential bool         // one at a time, each seeing the changes of those before it
	Skipped    []Skipped    // every other hook, with the reason
}

// Skipped is a hook that does not run.
type Skipped struct {
	Hook   *hook.Hook
	Why    hook.Why
	Detail string
}

// Plan selects the hooks that run for a subject: those that can run and whose
// matcher accepts it, less duplicates, of which the first stays (seed 003
// §7.9). One selected hook that asks for sequence makes the whole plan
// sequential; a hook that is not selected has no say (seed 003 §7.4).
//
// The order of hooks is kept. Matching may cost a regular expression per hook:
// keep the result.
func Plan(hooks []*hook.Hook, subject string) (p Planned) {
	first := map[string]*hook.Hook{}
	for _, h := range hooks {
		switch {
		case h.Skip != "":
			p.skip(h, h.Skip, h.Detail)
		case h.Matcher != nil && !h.Matcher.Match(subject):
			p.skip(h, hook.NotMatched, "matcher "+quote(h.Pattern)+" does not match "+quote(subject))
		case h.Key != "" && first[h.Key] != nil:
			p.skip(h, hook.Duplicate, "runs already as "+first[h.Key].ID)
		default:
			first[h.Key] = h
			p.Run = append(p.Run, h)
			p.Sequential = p.Sequential || h.Sequential
		}
	}
	return p
}

func (p *Planned) skip(h *hook.Hook, why hook.Why, detail string) {
	p.Skipped = append(p.Skipped, Skipped{Hook: h, Why: why, Detail: detail})
}

// quote shows a name in a message, and cuts one that is no name.
func quote(s string) string {
	const most = 80
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…" // the cut can go through a character
	}
	return `"` + s + `"`
}
