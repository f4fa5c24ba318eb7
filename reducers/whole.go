package reducers

import (
	"iter"
	"reflect"

	"github.com/snaphook-go/snaphook/hook"
)

// LastWhole keeps the last answer unchanged. Nothing of an earlier answer is merged into it: an answer with few fields
// discards one with many. An answer that blocks ends the merge (X16).
//
// keep selects the answers that are considered; nil selects all.
func LastWhole[T any](keep func(*hook.Output[T]) bool) hook.Reducer[T] {
	return func(outs iter.Seq[hook.Output[T]]) (last hook.Output[T]) {
		for o := range outs {
			if keep == nil || counts(o, keep) {
				last = o
			}
			if o.Decision.Blocks() {
				return o
			}
		}
		return last
	}
}

// counts reports whether keep accepts an answer. It is a separate function, because a loop that calls keep would
// allocate its answer even if keep is nil.
func counts[T any](o hook.Output[T], keep func(*hook.Output[T]) bool) bool { return keep(&o) }

// FirstWhole keeps the first answer that keep accepts, unchanged; a nil keep accepts all. Later hooks still run (X16).
func FirstWhole[T any](keep func(*hook.Output[T]) bool) hook.Reducer[T] {
	return func(outs iter.Seq[hook.Output[T]]) (first hook.Output[T]) {
		found := false
		for o := range outs {
			if !found && (keep == nil || counts(o, keep)) {
				first, found = o, true
			}
		}
		return first
	}
}

// Gather merges the event's own parts with add; it drops everything else. If an answer's Set is empty, its part counts
// only if it is not zero.
func Gather[T any](add func(all *T, one T)) hook.Reducer[T] {
	return func(outs iter.Seq[hook.Output[T]]) (all hook.Output[T]) {
		for o := range outs {
			if o.Set.Has(hook.SetSpecific) || o.Set == 0 && !o.Synthetic && !isZero(o.Specific) {
				add(&all.Specific, o.Specific)
				all.Set = hook.SetAnswer | hook.SetSpecific
			}
		}
		return all
	}
}

func isZero[T any](part T) bool { return reflect.ValueOf(&part).Elem().IsZero() }

// Ignore lets every hook run, and drops all answers: the event is a notification.
func Ignore[T any](outs iter.Seq[hook.Output[T]]) (nothing hook.Output[T]) {
	for range outs {
	}
	return nothing
}
