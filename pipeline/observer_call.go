package pipeline

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/environ"
)

// How long the engine waits for an observer.
const (
	observerPatience = 500 * time.Millisecond
	enderPatience    = 10 * time.Second // when the system is closed, and nothing else waits
)

// guardedObserver is an observer, as the engine calls it.
type guardedObserver struct {
	Observer
	starter HookStarter // nil if it does not follow hooks as they begin
	prompt  bool
	bit     uint64       // of FireInfo.left; observers beyond 64 share them
	stuck   atomic.Int64 // calls that have not returned in time, nor since
}

func guardObservers(observers []Observer) []*guardedObserver {
	all := make([]*guardedObserver, len(observers))
	for i, o := range observers {
		w := &guardedObserver{Observer: o, bit: 1 << (i & 63)}
		w.starter, _ = o.(HookStarter)
		_, w.prompt = o.(PromptObserver)
		all[i] = w
	}
	return all
}

// ObserverFailures counts the calls of observers that panicked or did not return
// in time, and the fires that went on without an observer that still had not.
func (sys *System) ObserverFailures() int64 { return sys.observerFailures.Load() }

// fireStart returns the context that the observer makes, and the fire. Once an
// observer is no longer waited for, that is another copy: the old one is the
// observer's.
func (sys *System) fireStart(ctx context.Context, w *guardedObserver, f *FireInfo) (context.Context, *FireInfo) {
	if w.prompt {
		return sys.callFireStart(ctx, w, f), f
	}
	spare := *f
	own := ctx
	if sys.call(ctx, w, &spare, observerPatience, func() { own = sys.callFireStart(ctx, w, f) }) {
		return own, f
	}
	return ctx, &spare
}

func (sys *System) callFireStart(ctx context.Context, w *guardedObserver, f *FireInfo) (in context.Context) {
	in = ctx
	defer sys.caught(ctx, w.Observer)
	if own := w.FireStart(ctx, f); own != nil {
		in = own
	}
	return in
}

// hookStart returns the context of one hook.
func (sys *System) hookStart(ctx context.Context, f *FireInfo, h *hook.Hook) context.Context {
	for _, w := range sys.observers {
		if w.starter == nil {
			continue
		}
		if w.prompt {
			ctx = sys.callHookStart(ctx, w, f, h)
			continue
		}
		ctx = sys.slowHookStart(ctx, w, f, h)
	}
	return ctx
}

func (sys *System) slowHookStart(
	ctx context.Context,
	w *guardedObserver,
	f *FireInfo,
	h *hook.Hook,
) context.Context {
	var own context.Context
	if sys.call(ctx, w, f, observerPatience, func() { own = sys.callHookStart(ctx, w, f, h) }) {
		return own
	}
	return ctx
}

func (sys *System) callHookStart(
	ctx context.Context,
	w *guardedObserver,
	f *FireInfo,
	h *hook.Hook,
) (in context.Context) {
	in = ctx
	defer sys.caught(ctx, w.Observer)
	if own := w.starter.HookStart(ctx, f, h); own != nil {
		in = own
	}
	return in
}

func (sys *System) hookEnd(ctx context.Context, e *Evaluation) {
	for _, w := range sys.observers {
		if w.prompt {
			sys.callHookEnd(ctx, w, e)
			continue
		}
		sys.call(ctx, w, e.Fire, observerPatience, func() { sys.callHookEnd(ctx, w, e) })
	}
}

func (sys *System) callHookEnd(ctx context.Context, w *guardedObserver, e *Evaluation) {
	defer sys.caught(ctx, w.Observer)
	w.HookEnd(ctx, e)
}

func (sys *System) fireEnd(ctx context.Context, w *guardedObserver, f *FireInfo, r *FireOutcome) {
	if w.prompt {
		sys.callFireEnd(ctx, w, f, r)
		return
	}
	sys.call(ctx, w, f, observerPatience, func() { sys.callFireEnd(ctx, w, f, r) })
}

func (sys *System) callFireEnd(ctx context.Context, w *guardedObserver, f *FireInfo, r *FireOutcome) {
	defer sys.caught(ctx, w.Observer)
	w.FireEnd(ctx, f, r)
}

func (sys *System) endObservers() {
	for _, w := range sys.observers {
		if ender, ok := w.Observer.(SystemEnder); ok {
			sys.call(context.Background(), w, nil, enderPatience, func() {
				defer sys.caught(context.Background(), w.Observer)
				ender.SystemEnd()
			})
		}
	}
}

// changed reports hooks that were added, or removed.
func (sys *System) changed(session string, hooks []*hook.Hook, report func(HookWatcher, string, *hook.Hook)) {
	for _, w := range sys.observers {
		watcher, ok := w.Observer.(HookWatcher)
		if !ok {
			continue
		}
		for _, h := range hooks {
			sys.call(context.Background(), w, nil, observerPatience, func() {
				defer sys.caught(context.Background(), w.Observer)
				report(watcher, session, h)
			})
		}
	}
}

// call has an observer do something on another goroutine, and reports whether it
// has been done in time. If not, the rest of the fire goes on without that
// observer: it might else see an end without its beginning.
func (sys *System) call(ctx context.Context, w *guardedObserver, f *FireInfo, limit time.Duration, do func()) bool {
	if f != nil && atomic.LoadUint64(&f.left)&w.bit != 0 {
		return false
	}
	if w.stuck.Load() == 0 && sys.waitFor(ctx, w, limit, do) {
		return true
	}
	sys.observerFailures.Add(1)
	if f != nil {
		atomic.OrUint64(&f.left, w.bit)
	}
	return false
}

// waitFor waits for what an observer does, for a while, and logs that it has not
// returned by then.
func (sys *System) waitFor(ctx context.Context, w *guardedObserver, limit time.Duration, do func()) bool {
	done := make(chan struct{})
	var state atomic.Int32 // 1: it has been done; 2: it is no longer waited for
	go func() {
		defer close(done)
		defer func() {
			if !state.CompareAndSwap(0, 1) {
				w.stuck.Add(-1)
			}
		}()
		do()
	}()
	t := time.NewTimer(limit)
	defer t.Stop()
	select {
	case <-done:
		return true
	case <-t.C:
	}
	w.stuck.Add(1)
	if !state.CompareAndSwap(0, 2) {
		w.stuck.Add(-1)
		<-done
		return true
	}
	sys.log.LogAttrs(
		ctx,
		slog.LevelError,
		"an observer of hooks does not return; until it does, fires go on without it",
		slog.String("observer", fmt.Sprintf("%T", w.Observer)),
		slog.Duration("after", limit),
	)
	return false
}

// caught counts an observer that panicked, for which it is deferred.
func (sys *System) caught(ctx context.Context, o Observer) {
	if v := recover(); v != nil {
		sys.observerFailures.Add(1)
		sys.log.LogAttrs(
			ctx,
			slog.LevelError,
			"an observer of hooks panicked",
			slog.String("observer", fmt.Sprintf("%T", o)),
			slog.String("panic", environ.Scrub(fmt.Sprint(v))),
		)
	}
}
