package pipeline

import (
	"context"
	"iter"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/stages"
)

// watcher receives the progress of a fire.
type watcher[Out any] struct {
	see       func(hook.Report[Out]) (more bool)
	left      bool // the watcher wants no more reports
	concluded bool // the event's Conclude changed the merged answer
}

// watch does the same as Fire, and reports the progress to a watcher.
func (e *core[Out]) watch(ctx context.Context, s *Session, in any, w *watcher[Out]) (*hook.Result[Out], error) {
	if s == nil || s.reg == nil || in == nil {
		return e.unusable(s)
	}
	if e.on.forget != nil {
		forgetVars(&e.definition, s, in)
	}
	plan := e.plan(ctx, s, in, true)
	if plan == nil {
		if e.on.forget == nil || !s.sys.observed {
			return e.empty, nil
		}
		plan = &stages.Planned{} // observers also see fires of this event without hooks, as with Fire
	}
	return e.fire(ctx, s, in, plan, w, new(fire[Out]))
}

//go:noinline
func (e *core[Out]) stream(ctx context.Context, s *Session, in any) iter.Seq[hook.Report[Out]] {
	return func(yield func(hook.Report[Out]) bool) {
		left := false
		w := &watcher[Out]{see: func(r hook.Report[Out]) bool {
			left = left || !yield(r)
			return !left
		}}
		res, err := e.watch(ctx, s, in, w)
		if !left && (err != nil || w.concluded) {
			last := hook.Report[Out]{
				Hook:      e.engine(),
				Index:     len(res.Reports),
				Output:    res.Output,
				Answered:  true,
				Err:       err,
				Concluded: true,
			}
			if res.OverriddenBlock != "" {
				last.Notes = []string{res.OverriddenBlock}
			}
			yield(last)
		}
	}
}

// watched passes each report to the watcher before yielding it, and ends the fire when the watcher wants no more.
// In the second round of a fire, again is set, and base is the number of reports of the first.
func (w *watcher[Out]) watched(
	reports iter.Seq[*hook.Report[Out]], again bool, base int,
) iter.Seq[*hook.Report[Out]] {
	return func(yield func(*hook.Report[Out]) bool) {
		for r := range reports {
			seen := *r
			if again {
				seen.Recheck, seen.Index = true, r.Index+base
			}
			more := w.see(seen)
			w.left = w.left || !more
			if !r.Started && !yield(r) || !more {
				return
			}
		}
	}
}
