package agent

import (
	"context"
	"strings"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/wire"
)

// rechecks reports whether the program, or the policy of a hook that matches, wants
// the hooks asked again once the arguments have been rewritten.
func (m *moment[In]) rechecks(s *Session, in *In, fires uint64) bool {
	if s.hooks.cfg.Recheck {
		return true
	}
	var name string
	if m.name != nil {
		name = *m.name(in)
	}
	tool := s.hooks.tool(name)
	for d, dialect := range s.hooks.dialects {
		theirs, _ := tool.in(d, name)
		for _, ev := range dialect.stages[m.at].events {
			if fires&bit(d, m.at) != 0 && ev.Rechecks(s.ses, theirs) {
				return true
			}
		}
	}
	return false
}

// rewrite puts other arguments into an input, and keeps those that the model gave.
func (m *moment[In]) rewrite(in *In, args wire.Object) {
	now := m.args(in)
	if m.call != nil {
		if c := m.call(in); c.Original == nil && !wire.Equal(object(*now), object(args)) {
			c.Original = object(*now)
		}
	}
	*now = args
}

// recheck fires the gates again with the arguments as hooks have left them. What
// hooks would rewrite now does not count: nothing would have seen it.
func (m *moment[In]) recheck(ctx context.Context, s *Session, f *firing[In], fires uint64) error {
	v := &f.parts[0].Verdict
	final := &firing[In]{in: f.in}
	m.rewrite(&final.in, v.Input)
	err := m.round(ctx, s, final, fires)
	again := &final.parts[0].Verdict
	if again.Decision == v.Decision {
		again.Reason = news(v.Reason, again.Reason)
	}
	again.StopReason = news(v.StopReason, again.StopReason)
	again.Context, again.Messages = lo.Without(again.Context, v.Context...), lo.Without(again.Messages, v.Messages...)
	again.Continue, again.Result, again.Env = "", nil, nil
	v.add(again)
	return err
}

// news is the part of a text that is not in another one, line by line.
func news(known, text string) string {
	return lines(lo.Without(strings.Split(text, "\n"), strings.Split(known, "\n")...)...)
}
