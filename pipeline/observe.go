package pipeline

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/common"
	"github.com/snaphook-go/snaphook/wire"
)

// Evaluation is one hook in one fire: the reason why it did not run, or the outcome of its run.
type Evaluation struct {
	Fire *FireInfo
	Hook *hook.Hook

	SkipReason hook.SkipReason // why it did not run; empty if it did
	SkipDetail string

	Index      int // index among the hooks that run; set if it ran
	Outcome    Outcome
	Decision   hook.Decision
	Reason     string        // the reason for Decision, or for stopping the agent
	Reply      *hook.Reply   // nil for a hook in Go
	Payload    []byte        // its standard input; nil for a hook in Go
	Elapsed    time.Duration // of the hook itself
	Queued     time.Duration // how long it waited for a permit, before Elapsed
	Granted    time.Duration // the extension of its time limit; see Stretch of [hook.Call]
	Err        error
	FailedOpen bool // it failed, and the action goes ahead
	Notes      []string
	Late       bool // reports the end of a hook that had gone to the background
	Recheck    bool // it ran again, with the rewritten input
	Rewrote    bool // the answer replaces a part of the input; the answer of another hook may override it

	Class hook.Class // the class of Err
	Mode  hook.Mode  // in shadow mode the answer has no effect
}

// observing describes one fire and its hooks to observers and the log.
type observing[Out any] struct{ *fire[Out] }

// Outcome classifies the end of one hook.
type Outcome string

// The outcomes.
const (
	Success          Outcome = "success"
	Blocking         Outcome = "blocking"           // it blocked the action
	NonBlockingError Outcome = "non_blocking_error" // it failed
	Cancelled        Outcome = "cancelled"          // its timeout passed, or the caller cancelled
	Backgrounded     Outcome = "backgrounded"       // it still runs; the agent does not wait
)

// observe reports a finished hook run to observers and the log.
func (f observing[Out]) observe(ctx context.Context, r *hook.Report[Out], in *fireInput, queued time.Duration) {
	ev := f.evaluation(r, in)
	ev.Queued = queued
	f.s.sys.observers.hookEnd(ctx, ev)
	if f.s.sys.debug {
		f.log().ended(ev, outputOf(ev, r), in.value)
	}
}

func (f observing[Out]) evaluation(r *hook.Report[Out], in *fireInput) *Evaluation {
	r = withoutShadow(r)
	c := common.ReportOf(r)
	ev := evaluationOf(&f.fireState, &c, outcomeOf(c.Backgrounded, c.Err, f.blocks(r)), in)
	ev.Rewrote = r.Answered && len(f.s.sys.observers.list) > 0 && f.event.rewrites(&r.Output)
	return ev
}

// outputOf returns the answer of a hook without a Reply as JSON; nil for other hooks, and without an answer.
func outputOf[Out any](ev *Evaluation, r *hook.Report[Out]) []byte {
	if ev.Reply != nil || !r.Answered {
		return nil
	}
	return wire.Encode(&r.Output)
}

// endObserving reports the end of the fire.
func (f observing[Out]) endObserving(res *hook.Result[Out], err error) {
	f.s.sys.observers.fireEnd(f.observed, f.info, f.outcome(res, err))
}

func (f observing[Out]) logResult(res *hook.Result[Out]) {
	f.log().debug(
		f.ctx,
		"hooks merged",
		slog.Bool("blocked", res.Blocked()),
		slog.String("result", excerpt(wire.Encode(&res.Output))),
		slog.Int("conflicts", len(res.Conflicts)),
		slog.Duration("took", time.Since(f.began)),
	)
}

// evaluationOf describes a hook that has run.
func evaluationOf(f *fireState, r *common.Report, end Outcome, in *fireInput) *Evaluation {
	ev := &Evaluation{
		Fire: f.info, Hook: r.Hook, Index: f.base + r.Index, Recheck: f.again,
		Outcome: end, Decision: r.Output.Decision,
		Reason: cmp.Or(r.Output.Reason, r.Output.StopReason),
		Reply:  r.Reply, Elapsed: r.Elapsed, Granted: r.Granted, Err: r.Err, Notes: r.Notes,
		FailedOpen: r.FailedOpen() && !errors.Is(r.Err, hook.ErrNotNeeded),
	}
	ev.Class = hook.ClassOf(r.Err)
	if r.Hook.Policy != nil {
		ev.Mode = r.Hook.Policy.Mode
		ev.FailedOpen = ev.FailedOpen && ev.Mode == hook.Enforce
	}
	if r.Hook.Runner != nil {
		ev.Payload = in.encoded
	}
	return ev
}

// startObserving calls FireStart of the observers, and reports the hooks that do not run. It returns the context of the
// hooks that run.
func startObserving(ctx context.Context, f *fireState) context.Context {
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

// failedOpen counts the hooks that failed open. It leaves out hooks whose answer was no longer needed.
func failedOpen[Out any](reports []hook.Report[Out]) (n int) {
	for i := range reports {
		if reports[i].FailedOpen() && !errors.Is(reports[i].Err, hook.ErrNotNeeded) {
			n++
		}
	}
	return n
}

// decided reports whether a hook's own answer has a decision.
func decided[Out any](r hook.Report[Out]) bool {
	return r.Output.Decision != hook.Undecided && !r.Output.Synthetic
}

// outcomeOf classifies the end of a hook, which may have gone to the background.
func outcomeOf(backgrounded bool, err error, blocks bool) Outcome {
	switch {
	case backgrounded:
		return Backgrounded
	case blocks:
		return Blocking
	case err == nil:
		return Success
	case cancelled(err):
		return Cancelled
	}
	return NonBlockingError
}

// outcome summarizes a result.
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

// word returns the decision that an event's hooks made: Deny, Ask, Allow or Undecided.
func (f observing[Out]) word(all *hook.Output[Out], reports []hook.Report[Out]) hook.Decision {
	switch e := f.event; {
	case e.spec.Blocks(all):
		if e.can&CanBlock != 0 {
			return hook.Deny
		}
	case all.Decision == hook.Ask:
		return hook.Ask
	case all.Decision == hook.Allow, all.Decision == hook.Approve:
		if slices.ContainsFunc(reports, decided[Out]) { // some reducers add an allow that no hook gave
			return hook.Allow
		}
	}
	return hook.Undecided
}
