package reducers

import (
	"iter"
	"strings"

	"github.com/snaphook-go/snaphook/hook"
)

// KeepCommon returns a reducer that calls reduce and preserves the common members of the answers that reduce consumed.
// Stop and suppressOutput are set if any answer sets them. Stop reasons, messages and contexts are joined by newlines,
// in order, after any text that reduce itself writes. Only reduce determines the decision, its reason and the event's
// own part.
//
// If reduce returns early, the fire still ends, and the remaining answers have no effect. If reduce consumes no answer
// at all, the common members of every answer are kept. KeepCommon allocates once for each fire, and for joined texts.
func KeepCommon[T any](reduce hook.Reducer[T]) hook.Reducer[T] {
	return func(outs iter.Seq[hook.Output[T]]) hook.Output[T] {
		k := &commonMembers[T]{outs: outs}
		all := reduce(k.take)
		if !k.ranged {
			for range k.take { // hooks run only while their answers are consumed
			}
		}
		if k.keep(&all) {
			all.Raw = nil // the answer differs from every hook's
		}
		return all
	}
}

// commonMembers collects the common members of answers on their way to a reducer.
type commonMembers[T any] struct {
	outs                     iter.Seq[hook.Output[T]]
	ranged                   bool // the reducer iterated over the answers
	taken                    int  // collected answers; each counts once, even if the reducer iterates twice
	stop, suppress           bool
	stops, messages, context joinedLines
}

// take yields the answers, and collects each of them once.
func (k *commonMembers[T]) take(yield func(hook.Output[T]) bool) {
	k.ranged = true
	i := 0
	for o := range k.outs {
		if i++; i > k.taken {
			k.taken = i
			k.add(&o)
		}
		if !yield(o) {
			return
		}
	}
}

func (k *commonMembers[T]) add(o *hook.Output[T]) {
	if o.Stop {
		k.stop = true
		k.stops.add(o.StopReason)
	}
	k.suppress = k.suppress || o.Suppress
	k.messages.add(o.Message)
	k.context.add(o.Context)
}

// keep writes the collected members into the merged answer, and reports whether they changed it.
func (k *commonMembers[T]) keep(all *hook.Output[T]) (changed bool) {
	changed = k.stop && !all.Stop || k.suppress && !all.Suppress
	all.Stop, all.Suppress = all.Stop || k.stop, all.Suppress || k.suppress
	changed = keepText(&all.StopReason, k.stops.join()) || changed
	changed = keepText(&all.Message, k.messages.join()) || changed
	return keepText(&all.Context, k.context.join()) || changed
}

// keepText adds the joined texts of the answers to the text of a reducer. If one of the two texts contains the other,
// keepText keeps only the longer text.
func keepText(text *string, joined string) (changed bool) {
	switch {
	case strings.Contains(*text, joined): // also if no answer has a text: joined is then empty
		return false
	case strings.Contains(joined, *text):
		*text = joined
	default:
		*text += "\n" + joined
	}
	return true
}
