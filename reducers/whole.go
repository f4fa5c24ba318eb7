package reducers

import (
	"iter"

	"github.com/snaphook-go/snaphook/hook"
)

// LastWhole keeps the last answer as it is: nothing of an earlier one is merged
// into it, so that one with few fields undoes one with many. An answer that
// blocks is the last (X16).
//
// keep chooses the answers that count; nil counts all.
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

// counts keeps the answer of a loop that does not ask off the heap.
func counts[T any](o hook.Output[T], keep func(*hook.Output[T]) bool) bool { return keep(&o) }

// FirstWhole keeps the first answer that keep accepts, as it is; nil accepts
// all. The hooks after it run all the same (X16).
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

// Gather adds up the event's own parts of the answers that have one. Nothing
// else of them counts.
func Gather[T any](add func(all *T, one T)) hook.Reducer[T] {
	return func(outs iter.Seq[hook.Output[T]]) (all hook.Output[T]) {
		for o := range outs {
			if o.Set.Has(hook.SetSpecific) {
				add(&all.Specific, o.Specific)
				all.Set = hook.SetAnswer | hook.SetSpecific
			}
		}
		return all
	}
}

// Ignore lets every hook run, and nothing that they say count: the event is a
// notification.
func Ignore[T any](outs iter.Seq[hook.Output[T]]) (nothing hook.Output[T]) {
	for range outs {
	}
	return nothing
}
