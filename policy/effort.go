package policy

import (
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/settings"
)

// mostEffort limits the cost of comparing the rules of an overlay with all hooks, in steps of about
// a nanosecond: a project brings both, and must not keep its host from starting. A hundred rules
// for a hundred hooks cost a tenth of it.
const mostEffort = 200_000_000

// tooMuch finds the first overlay whose rules take too long to compare with the
// hooks. It compares nothing itself.
func (s *Set) tooMuch(hooks []*hook.Hook) *settings.Problem {
	commands, names, others := 0, 0, 0
	for _, h := range hooks {
		commands += 2 * len(h.Command) // and its first word
		names += len(h.Name)
		others += len(h.Dialect) + 2*len(h.Event) + len(h.Source.String())
	}
	for _, o := range s.overlays {
		effort := 0
		for i, r := range o.Rules {
			m := r.Match
			effort += 20*len(hooks) + len(m.Command)*commands + len(m.Name)*names +
				(len(m.Dialect)+len(m.Event)+len(m.Source))*others
			if effort > mostEffort {
				problem := o.fatal(rulePath(i)+".match",
					"the rules up to this one take too long to compare with %d hooks; use fewer rules, or shorter globs",
					len(hooks))
				return &problem
			}
		}
	}
	return nil
}
