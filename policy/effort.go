package policy

import (
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/settings"
)

// mostEffort limits the cost of comparing an overlay's rules with all hooks, in steps of about a nanosecond. A project
// supplies both, and must not prevent its host from starting. A hundred rules and a hundred hooks cost a tenth of
// mostEffort.
const mostEffort = 200_000_000

// tooMuch returns a problem for the first overlay whose comparison with the hooks would take too long. It computes the
// cost without comparing.
func tooMuch(s *Set, hooks []*hook.Hook) *settings.Problem {
	commands, names, others := 0, 0, 0
	for _, h := range hooks {
		commands += 2 * len(h.Command) // globs are compared with the command and with its first word
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
