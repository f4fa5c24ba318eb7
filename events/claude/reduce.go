package claude

import (
	"iter"
	"strings"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/common"
)

// rank orders decisions: deny before defer before ask before allow (release
// 2.1.239).
var rank = map[hook.Decision]int{
	hook.Deny: 4, hook.Block: 4, hook.Defer: 3, hook.Ask: 2, hook.Allow: 1, hook.Approve: 1,
}

// reducer returns the Reduce of an event. It merges all answers in plan order; no answer hides another. add merges the
// event's part of one hook's answer into all; nil: the event has no part of its own.
//
//go:noinline
func reducer[Out any, O interface {
	*Out
	commonOut
}](t *traits, add func(all *Out, one *hook.Output[Out])) hook.Reducer[Out] {
	return func(outs iter.Seq[hook.Output[Out]]) hook.Output[Out] {
		// One struct: separate variables, assigned in the body of a range-over-func loop, would each be
		// allocated.
		so := new(struct {
			merging
			all hook.Output[Out]
		})
		for o := range outs {
			one := common.Of(&o)
			so.merge(&one, O(&so.all.Specific).own(), O(&o.Specific).own())
			if add != nil {
				add(&so.all.Specific, &o)
			}
		}
		so.finish(t)
		common.Put(&so.all, &so.common)
		return so.all
	}
}

// merging holds the common fields merged up to now.
type merging struct {
	common                      common.Output
	reasons, messages, contexts []string
}

// merge adds one answer.
func (so *merging) merge(o *common.Output, all, own *CommonOutput) {
	c := &so.common
	if rank[o.Decision] > rank[c.Decision] {
		c.Decision, so.reasons = o.Decision, nil
	}
	if rank[o.Decision] == rank[c.Decision] && o.Reason != "" {
		so.reasons = append(so.reasons, o.Reason)
	}
	if o.Stop && !c.Stop {
		c.Stop, c.StopReason = true, o.StopReason
	}
	c.Suppress = c.Suppress || o.Suppress
	so.messages, so.contexts = appendText(so.messages, o.Message), appendText(so.contexts, o.Context)
	all.TerminalSequence += own.TerminalSequence
	all.Kept = append(all.Kept, own.Kept...)
}

// finish sets the merged decision. At some events a stop removes a block, at others a stop counts as a block.
func (so *merging) finish(t *traits) {
	all := &so.common
	if t.permission && len(so.reasons) > 1 {
		so.reasons = so.reasons[:1]
	}
	all.Set = hook.SetAnswer
	all.Reason = strings.Join(so.reasons, "\n\n")
	all.Message, all.Context = strings.Join(so.messages, "\n"), strings.Join(so.contexts, "\n")
	switch {
	case !t.blocks && !t.decides:
		all.Decision = "" // the event guards no action
	case t.stopFrees && all.Stop:
		all.Decision, all.Reason = "", ""
	case t.stopBlocks && all.Stop && !all.Decision.Blocks():
		all.Decision, all.Reason = hook.Block, ""
	}
}

func appendText(texts []string, text string) []string {
	if text == "" {
		return texts
	}
	return append(texts, text)
}
