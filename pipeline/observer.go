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

// Observer follows fires: the start of a fire, every hook considered, the end of the fire. Its methods are called from
// many goroutines. For one fire they are called in the order below, except that HookEnd may be called for several hooks
// at the same time.
//
// An Observer can change nothing but the context of the hooks. If a method panics, the panic is logged and counted, see
// [System.ObserverFailures], and the fire goes on. If a method has not returned after half a second, the fire goes on
// without the observer; later fires skip the observer until the method returns. To enforce the limit, methods are
// called on a separate goroutine, unless the observer is a [PromptObserver].
type Observer interface {
	// FireStart is called before the first hook. The hooks run in the context
	// that FireStart returns, which has to be ctx or a context derived from ctx.
	FireStart(ctx context.Context, f *FireInfo) context.Context

	// HookEnd is called for every hook of the event: when its run has ended or, if the hook does not run, at once and
	// with the reason. For a hook that went to the background it is called a second time, with Late set, possibly
	// after FireEnd.
	HookEnd(ctx context.Context, e *Evaluation)

	// FireEnd is called with the outcome of the fire, before Fire returns.
	FireEnd(ctx context.Context, f *FireInfo, r *FireOutcome)
}

// HookStarter is an [Observer] that also follows hooks as they begin.
type HookStarter interface {
	// HookStart is called when h is about to run, or to wait for a permit. The hook runs in the
	// context that it returns.
	HookStart(ctx context.Context, f *FireInfo, h *hook.Hook) context.Context
}

// PromptObserver is an [Observer] whose methods never block: they use no file, no network and no lock that is held for
// long. They are called on the goroutine of the fire, which saves about a microsecond for each call. If a method blocks
// nevertheless, the fire blocks too.
type PromptObserver interface{ ObservesPromptly() }

// SystemEnder is an [Observer] that is also called when the system has been closed, after the last
// hook.
type SystemEnder interface{ SystemEnd() }

// HookWatcher is an [Observer] that is also called when a program adds or removes hooks at run
// time. session is empty for hooks of all sessions. The goroutine that added or removed the hook
// waits for the call, up to 500 ms, as a fire does; the call runs on another goroutine.
type HookWatcher interface {
	HookAdded(session string, h *hook.Hook)
	HookRemoved(session string, h *hook.Hook)
}

// HookEnds is an [Observer] that only follows the ends of hooks.
type HookEnds func(ctx context.Context, e *Evaluation)

// FireStart returns ctx.
func (h HookEnds) FireStart(ctx context.Context, _ *FireInfo) context.Context { return ctx }

// HookEnd calls h.
func (h HookEnds) HookEnd(ctx context.Context, e *Evaluation) { h(ctx, e) }

// FireEnd does nothing.
func (h HookEnds) FireEnd(context.Context, *FireInfo, *FireOutcome) {}

// FireInfo describes one fire to observers. They must not change it, except for Caller and Trace.
type FireInfo struct {
	Time    time.Time // when it began
	Event   string    // "llxprt.BeforeTool"
	Session string
	Subject string       // the text that matchers test
	Hooks   []*hook.Hook // the hooks configured for the event, in plan order; shared

	// Caller is the trace context of the fire's caller, and Trace is the fire's own. An observer that traces sets
	// both in FireStart.
	Caller, Trace hook.Trace

	input interface{ appendInput([]byte) ([]byte, error) }
	left  uint64 // a bit for each observer that the fire goes on without; atomic
}

// AppendInput appends the event's input to dst: a JSON object with the event's own members. Only FireStart and FireEnd
// may call it. The call encodes the input, unless it is already encoded for a hook outside the process.
func (f *FireInfo) AppendInput(dst []byte) ([]byte, error) { return f.input.appendInput(dst) }

// Would holds a decision that had no effect.
type Would struct {
	Decision hook.Decision
	Reason   string
}

// FireOutcome is the outcome of the hooks of one fire.
type FireOutcome struct {
	Decision   hook.Decision // Deny, Ask or Allow; Undecided if no hook decided, or if the denial has no effect
	Reason     string        // the reason for the decision, or for Stop
	Stop       bool          // the agent must stop
	Rewritten  bool          // the input may differ from the caller's
	FailedOpen int           // hooks that failed while the action goes ahead
	Conflicts  []hook.Conflict
	Elapsed    time.Duration
	Err        error // of Fire

	// Would holds the Decision and Reason that the fire would have if hooks in shadow had effect; nil if they would not
	// differ.
	Would *Would

	// Differs lists each hook in shadow that would have changed the outcome if it were the only hook in shadow with an
	// effect.
	Differs []*hook.Hook
}

// guardedObserver is an observer with the state of the engine's calls to it.
type guardedObserver struct {
	Observer
	starter HookStarter // nil if it does not follow hooks as they begin
	prompt  bool
	bit     uint64       // its bit in FireInfo.left; observers beyond the 64th share bits
	stuck   atomic.Int64 // calls that missed their time limit and have not returned yet
}

// observers calls a system's observers. It limits the time of each call and recovers from panics.
type observers struct {
	list     []*guardedObserver
	failures atomic.Int64
	log      *slog.Logger
}

// fireStart calls FireStart of every observer. It returns the context of the hooks, and the
// FireInfo for later calls.
func (o *observers) fireStart(ctx context.Context, f *FireInfo) (context.Context, *FireInfo) {
	for _, w := range o.list {
		ctx, f = o.startOne(ctx, w, f)
	}
	return ctx, f
}

// startOne calls FireStart of one observer, and returns its context and the FireInfo. If the observer misses its time
// limit, the fire continues with a copy of the FireInfo, because the observer may still write to the original.
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

// hookStart calls HookStart of every observer that has it, and returns the context of the hook.
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

// close calls SystemEnd of the observers that implement it.
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

// changed tells the observers which hooks were added or removed.
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

// call runs do on another goroutine and reports whether it returned in time. It does not run do while an earlier call
// of the observer has not returned. If call returns false, the rest of the fire skips the observer, which could
// otherwise see an end without its beginning.
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

// waitFor waits for an observer's call, at most for limit, and logs a call that takes longer.
func (o *observers) waitFor(ctx context.Context, w *guardedObserver, limit time.Duration, do func()) bool {
	done := make(chan struct{})
	var state atomic.Int32 // 1: do has returned; 2: nobody waits for it any more
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
		"an observer of hooks does not return; until it returns, events are fired without this observer",
		slog.String("observer", fmt.Sprintf("%T", w.Observer)),
		slog.Duration("after", limit),
	)
	return false
}

// caught is deferred around calls to observers. It recovers from a panic, counts it and logs it.
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

// The constants limit the time for which the engine waits for an observer.
const (
	observerPatience = 500 * time.Millisecond
	enderPatience    = 10 * time.Second // while the system closes, when no fire waits
)
