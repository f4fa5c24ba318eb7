package reducers

import (
	"iter"
	"reflect"
	"strings"

	"github.com/snaphook-go/snaphook/hook"
)

// BlockWins lets any answer that blocks win (L38):
//
//   - The last answer that blocks gives the decision. If no answer blocks, the decision is ask if an answer asks, and
//     otherwise allow. If an answer stops the agent and no answer blocks or asks, there is no decision.
//   - Reasons, messages and contexts of all answers are joined by newlines, and
//     so are the stop reasons of answers that stop.
//   - Stop and Suppress are set if any answer sets them.
//
// specific merges one, the event's own part of an answer, into all, the part of all answers so far; if specific is nil,
// the part of the last answer counts.
func BlockWins[T any](specific func(all *T, one T)) hook.Reducer[T] {
	return func(outs iter.Seq[hook.Output[T]]) hook.Output[T] {
		so := new(blockMerge[T])
		all := &so.all
		all.Set = hook.SetAnswer | hook.SetStop | hook.SetSuppress
		for o := range outs {
			if o.Decision.Blocks() || o.Decision == hook.Ask && !all.Decision.Blocks() {
				all.Decision = o.Decision
			}
			if o.Stop {
				all.Stop = true
				so.stops.add(o.StopReason)
			}
			all.Suppress = all.Suppress || o.Suppress
			so.reasons.add(o.Reason)
			so.messages.add(o.Message)
			so.contexts.add(o.Context)
			addSpecific(all, &o, specific)
		}
		if all.Decision == "" && !all.Stop {
			all.Decision = hook.Allow
		}
		all.Reason, all.StopReason = so.reasons.join(), so.stops.join()
		all.Message, all.Context = so.messages.join(), so.contexts.join()
		return *all
	}
}

// blockMerge holds the state of BlockWins in one value, because each variable assigned in the body of a range-over-func
// loop would be allocated.
type blockMerge[T any] struct {
	all                                hook.Output[T]
	reasons, stops, messages, contexts joinedLines
}

// Replace lets later answers replace earlier ones field by field, also with an explicit null or false (L38): a later
// allow overrides an earlier denial. An allow that no hook wrote, but the engine assumed, overrides nothing.
//
// specific has the same meaning as in [BlockWins].
func Replace[T any](specific func(all *T, one T)) hook.Reducer[T] {
	return func(outs iter.Seq[hook.Output[T]]) (all hook.Output[T]) {
		for o := range outs {
			replaceCommon(&all, &o)
			addSpecific(&all, &o, specific)
		}
		all.Set |= hook.SetAnswer | hook.SetSpecific
		return all
	}
}

// Last is like [Replace], but a later answer replaces the event's own part as a whole, together with the context.
func Last[T any](outs iter.Seq[hook.Output[T]]) (all hook.Output[T]) {
	for o := range outs {
		if o.Set.Has(hook.SetSpecific) {
			all.Context = ""
			all.Set &^= hook.SetContext
		}
		replaceCommon(&all, &o)
		addSpecific(&all, &o, nil)
	}
	all.Set |= hook.SetAnswer
	return all
}

func replaceCommon[T any](all, o *hook.Output[T]) {
	given := o.Common()
	decided := all.Set.Has(hook.SetDecision)
	if given.Has(hook.SetDecision) && !(o.Synthetic && decided) {
		all.Decision = o.Decision
		if o.Synthetic {
			given &^= hook.SetDecision // a later decision, even an assumed one, may override this one
		}
	} else {
		given &^= hook.SetDecision
	}
	if given.Has(hook.SetReason) {
		all.Reason = o.Reason
	}
	if given.Has(hook.SetStop) {
		all.Stop = o.Stop
	}
	if given.Has(hook.SetStopReason) {
		all.StopReason = o.StopReason
	}
	if given.Has(hook.SetSuppress) {
		all.Suppress = o.Suppress
	}
	if given.Has(hook.SetMessage) {
		all.Message = o.Message
	}
	if given.Has(hook.SetContext) {
		all.Context = o.Context
	}
	all.Set |= given
}

func addSpecific[T any](all, o *hook.Output[T], specific func(all *T, one T)) {
	if o.Synthetic || o.Set != 0 && !o.Set.Has(hook.SetSpecific) {
		return // the engine made o, or decoded o from an answer without hookSpecificOutput
	}
	all.Set |= o.Set & hook.SetSpecific
	if specific != nil {
		specific(&all.Specific, o.Specific)
		return
	}
	if o.Set.Has(hook.SetSpecific) || !reflect.ValueOf(&o.Specific).Elem().IsZero() {
		all.Specific = o.Specific
	}
}

// joinedLines joins the lines that are not empty. A single line is not copied.
type joinedLines struct {
	only string
	all  strings.Builder
}

func (l *joinedLines) add(line string) {
	switch {
	case line == "":
	case l.only == "":
		l.only = line
	default:
		if l.all.Len() == 0 {
			l.all.WriteString(l.only)
		}
		if need := len(line) + 1; l.all.Cap()-l.all.Len() < need {
			l.all.Grow(max(need, 1024)) // Grow doubles the capacity too
		}
		l.all.WriteByte('\n')
		l.all.WriteString(line)
	}
}

func (l *joinedLines) join() string {
	if l.all.Len() > 0 {
		return l.all.String()
	}
	return l.only
}
