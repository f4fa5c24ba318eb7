package claude

import (
	"iter"
	"strings"

	"github.com/snaphook-go/snaphook/hook"
)

// rank orders decisions: deny before defer before ask before allow (release
// 2.1.239).
var rank = map[hook.Decision]int{
	hook.Deny: 4, hook.Block: 4, hook.Defer: 3, hook.Ask: 2, hook.Allow: 1, hook.Approve: 1,
}

// reducer merges the answers to an event. Everything is taken in plan order,
// and no answer hides another.
type reducer[Out any, O interface {
	*Out
	output
}] struct {
	traits *traits
	add    func(all *Out, one *hook.Output[Out])
}

// merging is what is merged so far. It is one value, since what the body of a loop over an
// iterator assigns to is allocated.
type merging[Out any] struct {
	all                         hook.Output[Out]
	reasons, messages, contexts []string
}

func (m reducer[Out, O]) reduce(outs iter.Seq[hook.Output[Out]]) hook.Output[Out] {
	so := new(merging[Out])
	so.all.Set = hook.SetAnswer
	for o := range outs {
		m.merge(so, &o)
	}
	if m.traits.permission && len(so.reasons) > 1 {
		so.reasons = so.reasons[:1]
	}
	so.all.Reason = strings.Join(so.reasons, "\n\n")
	so.all.Message, so.all.Context = strings.Join(so.messages, "\n"), strings.Join(so.contexts, "\n")
	m.finish(&so.all)
	return so.all
}

// merge adds one answer.
func (m reducer[Out, O]) merge(so *merging[Out], o *hook.Output[Out]) {
	all := &so.all
	if rank[o.Decision] > rank[all.Decision] {
		all.Decision, so.reasons = o.Decision, nil
	}
	if rank[o.Decision] == rank[all.Decision] && o.Reason != "" {
		so.reasons = append(so.reasons, o.Reason)
	}
	if o.Stop && !all.Stop {
		all.Stop, all.StopReason = true, o.StopReason
	}
	all.Suppress = all.Suppress || o.Suppress
	so.messages, so.contexts = appendText(so.messages, o.Message), appendText(so.contexts, o.Context)
	own, one := O(&all.Specific).own(), O(&o.Specific).own()
	own.TerminalSequence += one.TerminalSequence
	own.Kept = append(own.Kept, one.Kept...)
	if m.add != nil {
		m.add(&all.Specific, o)
	}
}

// finish makes one decision of what blocks and what stops.
func (m reducer[Out, O]) finish(all *hook.Output[Out]) {
	switch {
	case !m.traits.blocks && !m.traits.decides:
		all.Decision = "" // there is nothing to keep from going ahead
	case m.traits.stopFrees && all.Stop:
		all.Decision, all.Reason = "", ""
	case m.traits.stopBlocks && all.Stop && !all.Decision.Blocks():
		all.Decision, all.Reason = hook.Block, ""
	}
}

func appendText(texts []string, text string) []string {
	if text == "" {
		return texts
	}
	return append(texts, text)
}
