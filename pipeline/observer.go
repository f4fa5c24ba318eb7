package pipeline

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/snaphook-go/snaphook/hook"
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

	// FireEnd is called with what the answers amount to, before Fire returns.
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
	Subject string       // what matchers see
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

// startObserving returns the context of the hooks, and reports those that do
// not run.
func (f *fireState) startObserving(ctx context.Context) context.Context {
	f.info = &FireInfo{
		Time: f.began, Event: f.of.full, Session: f.s.id, Subject: f.of.subjectOf(f.in.value),
		Hooks:  f.s.view().listed.of(f.of.slot),
		Caller: hook.TraceOf(ctx), input: f.in,
	}
	sys := f.s.sys
	ctx, f.info = sys.observers.fireStart(ctx, f.info)
	for i := range f.plan.Skipped {
		s := &f.plan.Skipped[i]
		sys.observers.hookEnd(ctx, &Evaluation{Fire: f.info, Hook: s.Hook, SkipReason: s.Reason, SkipDetail: s.Detail})
	}
	return ctx
}

// rewrites reports whether an answer replaces a part of the input. A panic has been the
// error of the fire where it counts.
func (e *core[Out]) rewrites(out *hook.Output[Out]) bool {
	defer func() { _ = recover() }()
	return e.spec.Rewrites != nil && !e.spec.Rewrites(out).IsEmpty()
}

// outcome sums a result up.
func (f observing[Out]) outcome(res *hook.Result[Out], err error) *FireOutcome {
	e := f.event
	out := &FireOutcome{
		Reason: res.Reason, Stop: res.Stop, FailedOpen: failedOpen(res.Reports), Conflicts: res.Conflicts,
		Elapsed: time.Since(f.began), Err: err,
		Rewritten: e.rewrites(&res.Output),
	}
	if out.Reason == "" {
		out.Reason = res.StopReason
	}
	if out.Decision = f.word(&res.Output, res.Reports); out.Decision == hook.Deny && res.OverriddenBlock != "" {
		out.Decision = hook.Undecided
	}
	for i := range res.Reports {
		if r := &res.Reports[i]; r.Shadow != nil && r.Shadow.Differs && !slices.Contains(out.Differs, r.Hook) {
			out.Differs = append(out.Differs, r.Hook)
		}
	}
	if w := res.Would; w != nil {
		out.Would = &Would{Decision: w.Decision, Reason: w.Reason}
	}
	return out
}

// failedOpen counts the hooks that failed while the action goes ahead, without
// those whose answer was no longer needed.
func failedOpen[Out any](reports []hook.Report[Out]) (n int) {
	for i := range reports {
		if reports[i].FailedOpen() && !errors.Is(reports[i].Err, hook.ErrNotNeeded) {
			n++
		}
	}
	return n
}

// word is what an event's hooks have decided: Deny, Ask or Allow, or nothing.
func (f observing[Out]) word(all *hook.Output[Out], reports []hook.Report[Out]) hook.Decision {
	switch e := f.event; {
	case e.spec.Blocks(all):
		if e.can&CanBlock != 0 {
			return hook.Deny
		}
	case all.Decision == hook.Ask:
		return hook.Ask
	case all.Decision == hook.Allow, all.Decision == hook.Approve:
		if slices.ContainsFunc(reports, decided[Out]) { // reducers fill an allow in
			return hook.Allow
		}
	}
	return hook.Undecided
}

// decided reports whether a hook has decided in its own words.
func decided[Out any](r hook.Report[Out]) bool {
	return r.Output.Decision != hook.Undecided && !r.Output.Synthetic
}

// FireOutcome is what the hooks of one fire amount to.
type FireOutcome struct {
	Decision   hook.Decision // Deny, Ask or Allow; Undecided if no hook decided, or if its denial has no effect
	Reason     string        // of the decision, or of Stop
	Stop       bool          // the agent must stop
	Rewritten  bool          // the input is not what the caller had given
	FailedOpen int           // hooks that failed while the action goes ahead
	Conflicts  []hook.Conflict
	Elapsed    time.Duration
	Err        error // of Fire

	// Would is what Decision and Reason were if the hooks in shadow counted; nil
	// where that is no difference.
	Would *Would

	// Differs are the hooks in shadow of which each alone, if it counted, would
	// have made another outcome.
	Differs []*hook.Hook
}
