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

// fireStart calls FireStart of every observer. It returns the context of the hooks, and the
// fire as later calls know it.
func (o *observers) fireStart(ctx context.Context, f *FireInfo) (context.Context, *FireInfo) {
	for _, w := range o.list {
		ctx, f = o.startOne(ctx, w, f)
	}
	return ctx, f
}

// startOne returns the context that one observer makes, and the fire. Once an
// observer is no longer waited for, that is another copy: the old one is the
// observer's.
func (o *observers) startOne(ctx context.Context, w *guardedObserver, f *FireInfo) (context.Context, *FireInfo) {
	if w.prompt {
		return o.callFireStart(ctx, w, f), f
	}
	spare := *f
	own := ctx
	if o.call(ctx, w, &spare, observerPatience, func() { own = o.callFireStart(ctx, w, f) }) {
		return own, f
	}
	return ctx, &spare
}

func (o *observers) callFireStart(ctx context.Context, w *guardedObserver, f *FireInfo) (in context.Context) {
	in = ctx
	defer o.caught(ctx, w.Observer)
	if own := w.FireStart(ctx, f); own != nil {
		in = own
	}
	return in
}

// hookStart returns the context of one hook.
func (o *observers) hookStart(ctx context.Context, f *FireInfo, h *hook.Hook) context.Context {
	for _, w := range o.list {
		if w.starter == nil {
			continue
		}
		if w.prompt {
			ctx = o.callHookStart(ctx, w, f, h)
			continue
		}
		ctx = o.slowHookStart(ctx, w, f, h)
	}
	return ctx
}

func (o *observers) slowHookStart(
	ctx context.Context,
	w *guardedObserver,
	f *FireInfo,
	h *hook.Hook,
) context.Context {
	var own context.Context
	if o.call(ctx, w, f, observerPatience, func() { own = o.callHookStart(ctx, w, f, h) }) {
		return own
	}
	return ctx
}

func (o *observers) callHookStart(
	ctx context.Context,
	w *guardedObserver,
	f *FireInfo,
	h *hook.Hook,
) (in context.Context) {
	in = ctx
	defer o.caught(ctx, w.Observer)
	if own := w.starter.HookStart(ctx, f, h); own != nil {
		in = own
	}
	return in
}

// hookEnd calls HookEnd of every observer.
func (o *observers) hookEnd(ctx context.Context, e *Evaluation) {
	for _, w := range o.list {
		if w.prompt {
			o.callHookEnd(ctx, w, e)
			continue
		}
		o.call(ctx, w, e.Fire, observerPatience, func() { o.callHookEnd(ctx, w, e) })
	}
}

func (o *observers) callHookEnd(ctx context.Context, w *guardedObserver, e *Evaluation) {
	defer o.caught(ctx, w.Observer)
	w.HookEnd(ctx, e)
}

// fireEnd calls FireEnd of every observer.
func (o *observers) fireEnd(ctx context.Context, f *FireInfo, r *FireOutcome) {
	for _, w := range o.list {
		if w.prompt {
			o.callFireEnd(ctx, w, f, r)
			continue
		}
		o.call(ctx, w, f, observerPatience, func() { o.callFireEnd(ctx, w, f, r) })
	}
}

func (o *observers) callFireEnd(ctx context.Context, w *guardedObserver, f *FireInfo, r *FireOutcome) {
	defer o.caught(ctx, w.Observer)
	w.FireEnd(ctx, f, r)
}

// close calls SystemEnd of the observers that have it.
func (o *observers) close() {
	for _, w := range o.list {
		if ender, ok := w.Observer.(SystemEnder); ok {
			o.call(context.Background(), w, nil, enderPatience, func() {
				defer o.caught(context.Background(), w.Observer)
				ender.SystemEnd()
			})
		}
	}
}

// changed reports hooks that were added, or removed.
func (o *observers) changed(session string, hooks []*hook.Hook, report func(HookWatcher, string, *hook.Hook)) {
	for _, w := range o.list {
		watcher, ok := w.Observer.(HookWatcher)
		if !ok {
			continue
		}
		for _, h := range hooks {
			o.call(context.Background(), w, nil, observerPatience, func() {
				defer o.caught(context.Background(), w.Observer)
				report(watcher, session, h)
			})
		}
	}
}

// call has an observer do something on another goroutine, and reports whether it
// has been done in time. If not, the rest of the fire goes on without that
// observer: it might else see an end without its beginning.
func (o *observers) call(ctx context.Context, w *guardedObserver, f *FireInfo, limit time.Duration, do func()) bool {
	if f != nil && atomic.LoadUint64(&f.left)&w.bit != 0 {
		return false
	}
	if w.stuck.Load() == 0 && o.waitFor(ctx, w, limit, do) {
		return true
	}
	o.failures.Add(1)
	if f != nil {
		atomic.OrUint64(&f.left, w.bit)
	}
	return false
}

// waitFor waits for what an observer does, for a while, and logs that it has not
// returned by then.
func (o *observers) waitFor(ctx context.Context, w *guardedObserver, limit time.Duration, do func()) bool {
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
	o.log.LogAttrs(
		ctx,
		slog.LevelError,
		"an observer of hooks does not return; until it does, fires go on without it",
		slog.String("observer", fmt.Sprintf("%T", w.Observer)),
		slog.Duration("after", limit),
	)
	return false
}

// caught counts an observer that panicked, for which it is deferred.
func (o *observers) caught(ctx context.Context, from Observer) {
	if v := recover(); v != nil {
		o.failures.Add(1)
		o.log.LogAttrs(
			ctx,
			slog.LevelError,
			"an observer of hooks panicked",
			slog.String("observer", fmt.Sprintf("%T", from)),
			slog.String("panic", environ.Scrub(fmt.Sprint(v))),
		)
	}
}

// observers calls the observers of a system: in time, and without their panics.
type observers struct {
	list     []*guardedObserver
	failures atomic.Int64
	log      *slog.Logger
}
