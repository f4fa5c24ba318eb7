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

func (m reducer[Out, O]) reduce(outs iter.Seq[hook.Output[Out]]) (all hook.Output[Out]) {
	all.Set = hook.SetAnswer
	var reasons, messages, contexts []string
	own := O(&all.Specific).own()
	for o := range outs {
		if rank[o.Decision] > rank[all.Decision] {
			all.Decision, reasons = o.Decision, nil
		}
		if rank[o.Decision] == rank[all.Decision] && o.Reason != "" {
			reasons = append(reasons, o.Reason)
		}
		if o.Stop && !all.Stop {
			all.Stop, all.StopReason = true, o.StopReason
		}
		all.Suppress = all.Suppress || o.Suppress
		messages, contexts = appendText(messages, o.Message), appendText(contexts, o.Context)
		one := O(&o.Specific).own()
		own.TerminalSequence += one.TerminalSequence
		own.Kept = append(own.Kept, one.Kept...)
		if m.add != nil {
			m.add(&all.Specific, &o)
		}
	}
	if m.traits.permission && len(reasons) > 1 {
		reasons = reasons[:1]
	}
	all.Reason = strings.Join(reasons, "\n\n")
	all.Message, all.Context = strings.Join(messages, "\n"), strings.Join(contexts, "\n")
	m.finish(&all)
	return all
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
