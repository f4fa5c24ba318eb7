package pipeline

import (
	"context"
	"iter"

	"github.com/snaphook-go/snaphook/hook"
)

// FireProgress is Fire that tells how it goes: progress is called, on the
// caller's goroutine, as each hook begins, with a report that has Started and
// says nothing else, and with its report as it finishes.
func (e *Event[In, Out]) FireProgress(
	ctx context.Context,
	s *Session,
	in *In,
	progress func(hook.Report[Out]),
) (*hook.Result[Out], error) {
	return e.watch(ctx, s, in, &watcher[Out]{see: func(r hook.Report[Out]) bool { progress(r); return true }})
}

// Stream is [Event.FireProgress] as an iterator, without the result: a report as
// each hook begins, which has Started and says nothing else, and one as it
// finishes. A last report that is Concluded holds the merged answer where it is
// not what the reports amount to: the event's Conclude has changed it, such as
// one that keeps an agent going no more than eight times, or the fire has an
// error, which is in Err. Its Hook stands for the engine.
//
// A consumer that stops early cancels the hooks still running, and waits for
// them to go. The fire begins when the iteration does.
func (e *Event[In, Out]) Stream(ctx context.Context, s *Session, in *In) iter.Seq[hook.Report[Out]] {
	if in != nil {
		cp := *in
		in = &cp
	}
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

// watcher sees how a fire goes.
type watcher[Out any] struct {
	see       func(hook.Report[Out]) (more bool)
	left      bool // it has seen enough
	concluded bool // the event's Conclude has changed the merged answer
}

// engine stands for the engine where a report is not of a hook.
func (e *Event[In, Out]) engine() *hook.Hook {
	return &hook.Hook{
		Identity: hook.Identity{
			ID:      "engine/" + e.spec.Name,
			Dialect: e.dialect.Name,
			Event:   e.spec.Name,
			Name:    "engine",
			Type:    "engine",
		},
	}
}

// watch is Fire with a watcher.
func (e *Event[In, Out]) watch(ctx context.Context, s *Session, in *In, w *watcher[Out]) (*hook.Result[Out], error) {
	if s == nil || s.reg == nil || in == nil {
		return e.unusable(s)
	}
	if e.spec.Forget != nil {
		e.forget(s, in)
	}
	plan := e.plan(ctx, s, *in, true)
	if plan == nil {
		return &e.empty, nil
	}
	return e.merge(ctx, s, *in, plan, w)
}

// watched is the reports, which the watcher sees first. One that has enough ends
// the fire.
func (f *fireRun[In, Out]) watched() iter.Seq[*hook.Report[Out]] {
	if f.watcher == nil {
		return f.runHooks()
	}
	return func(yield func(*hook.Report[Out]) bool) {
		for r := range f.runHooks() {
			seen := *r
			if f.again {
				seen.Recheck, seen.Index = true, r.Index+f.base
			}
			more := f.watcher.see(seen)
			f.watcher.left = f.watcher.left || !more
			if !r.Started && !yield(r) || !more {
				return
			}
		}
	}
}
