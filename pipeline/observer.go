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

// Observer follows fires: their start, every hook that was looked at, their
// end. Its methods are called from many goroutines, for one fire in the order
// below, save that HookEnd may be called for several hooks at the same time.
//
// An Observer can change nothing but the context of the hooks. One that panics
// is logged and counted, see [System.ObserverFailures], and the fire goes on. So
// it does, without the observer, after half a second in which one of its methods
// has not returned; until that method has, no fire waits for the observer. For
// this its methods are called on a goroutine of their own, unless it is a
// [PromptObserver].
type Observer interface {
	// FireStart is called before the first hook. The hooks run in the context
	// that it returns, which has to be ctx or one made from it.
	FireStart(ctx context.Context, f *FireInfo) context.Context

	// HookEnd is called for every hook that was looked at: at once for one that
	// does not run, with the reason, and for the others when they have ended. A
	// hook that has gone to the background has a second end, with Late set,
	// which may come after FireEnd.
	HookEnd(ctx context.Context, e *Evaluation)

	// FireEnd is called with the outcome of the fire, before Fire returns.
	FireEnd(ctx context.Context, f *FireInfo, r *FireOutcome)
}

// HookStarter is an [Observer] that also follows hooks as they begin.
type HookStarter interface {
	// HookStart is called when h is about to run, or to wait for a permit to.
	// The hook runs in the context that it returns.
	HookStart(ctx context.Context, f *FireInfo, h *hook.Hook) context.Context
}

// PromptObserver is an [Observer] whose methods wait for nothing: no file, no
// network, no lock that is held for long. They are called on the goroutine of the
// fire, which saves about a microsecond for each; if one waits all the same, so
// does the fire.
type PromptObserver interface{ ObservesPromptly() }

// SystemEnder is an [Observer] that also learns that the system has been closed,
// after the last hook.
type SystemEnder interface{ SystemEnd() }

// HookWatcher is an [Observer] that also learns which hooks a program adds while
// it runs, and removes again. session is empty for hooks of all sessions. The adding
// or removing goroutine waits for it, when that has been done, as long as a fire
// waits for an observer (500 ms); it is called on another one.
type HookWatcher interface {
	HookAdded(session string, h *hook.Hook)
	HookRemoved(session string, h *hook.Hook)
}

// HookEnds is an [Observer] of the ends of hooks alone.
type HookEnds func(ctx context.Context, e *Evaluation)

// FireStart returns ctx.
func (h HookEnds) FireStart(ctx context.Context, _ *FireInfo) context.Context { return ctx }

// HookEnd calls h.
func (h HookEnds) HookEnd(ctx context.Context, e *Evaluation) { h(ctx, e) }

// FireEnd does nothing.
func (h HookEnds) FireEnd(context.Context, *FireInfo, *FireOutcome) {}

// FireInfo is one fire, for observers. They must not change it, except for its
// two traces.
type FireInfo struct {
	Time    time.Time // when it began
	Event   string    // "llxprt.BeforeTool"
	Session string
	Subject string       // the subject of matchers
	Hooks   []*hook.Hook // those that are configured for the event, in plan order; shared

	// Caller is where in a trace the fire was made, and Trace is the fire's own
	// place. An observer that keeps a trace sets them in FireStart.
	Caller, Trace hook.Trace

	input interface{ appendInput([]byte) ([]byte, error) }
	left  uint64 // bits of the observers that the fire goes on without; atomic
}

// AppendInput appends the event's input to dst, one JSON object of the event's
// own members. Only FireStart and FireEnd may call it. It encodes the input
// unless a hook outside the process has had it encoded before.
func (f *FireInfo) AppendInput(dst []byte) ([]byte, error) { return f.input.appendInput(dst) }

// Would is a decision that was not made.
type Would struct {
	Decision hook.Decision
	Reason   string
}

// FireOutcome is the outcome of the hooks of one fire.
type FireOutcome struct {
	Decision   hook.Decision // Deny, Ask or Allow; Undecided if no hook decided, or if its denial has no effect
	Reason     string        // of the decision, or of Stop
	Stop       bool          // the agent must stop
	Rewritten  bool          // the input differs from the caller's
	FailedOpen int           // hooks that failed while the action goes ahead
	Conflicts  []hook.Conflict
	Elapsed    time.Duration
	Err        error // of Fire

	// Would holds Decision and Reason as if the hooks in shadow counted; nil where they would not
	// differ.
	Would *Would

	// Differs are the hooks in shadow of which each alone, if it counted, would
	// have made another outcome.
	Differs []*hook.Hook
}

// guardedObserver is an observer, as the engine calls it.
type guardedObserver struct {
	Observer
	starter HookStarter // nil if it does not follow hooks as they begin
	prompt  bool
	bit     uint64       // of FireInfo.left; observers beyond 64 share them
	stuck   atomic.Int64 // calls that have not returned in time, nor since
}

// observers calls the observers of a system: in time, and without their panics.
type observers struct {
	list     []*guardedObserver
	failures atomic.Int64
	log      *slog.Logger
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

// waitFor waits for a call of an observer, for a limited time, and logs that it has not returned
// by then.
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

// How long the engine waits for an observer.
const (
	observerPatience = 500 * time.Millisecond
	enderPatience    = 10 * time.Second // when the system is closed, and nothing else waits
)
