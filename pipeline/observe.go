package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/common"
	"github.com/snaphook-go/snaphook/internal/environ"
	"github.com/snaphook-go/snaphook/stages"
	"github.com/snaphook-go/snaphook/wire"
)

// Evaluation is what one fire did with one hook: why it did not run, or what
// came of it.
type Evaluation struct {
	Fire *FireInfo
	Hook *hook.Hook

	SkipReason hook.SkipReason // why it did not run; empty if it did
	SkipDetail string

	Index      int // when it ran: its place among those that do
	Outcome    Outcome
	Decision   hook.Decision
	Reason     string        // goes with Decision, or with the wish that the agent stop
	Reply      *hook.Reply   // nil for a hook in Go
	Payload    []byte        // what it read; nil for a hook in Go
	Elapsed    time.Duration // of the hook itself
	Queued     time.Duration // before that, it waited so long for a permit
	Err        error
	FailedOpen bool // it failed, and the action goes ahead
	Notes      []string
	Late       bool // the end of a hook that had gone to the background
	Recheck    bool // it was asked again, with the input as hooks had rewritten it

	Class hook.Class // of Err
	Mode  hook.Mode  // in shadow, what is here took no part
}

// observing describes one fire and its hooks to observers and the log.
type observing[Out any] struct{ *fire[Out] }

func (f *fire[Out]) observing() observing[Out] { return observing[Out]{f} }

// Outcome is the end of one hook in one word.
type Outcome string

// The outcomes.
const (
	Success          Outcome = "success"
	Blocking         Outcome = "blocking"           // it blocked the action
	NonBlockingError Outcome = "non_blocking_error" // it failed
	Cancelled        Outcome = "cancelled"          // its time, or the caller's, was over
	Backgrounded     Outcome = "backgrounded"       // it goes on while the agent does
)

// outcomeOf is the end of a hook that did or did not go to the background, in one word.
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

// fireLog writes the log of one fire.
type fireLog struct{ *fireState }

// log returns the log of the fire.
func (f *fireState) log() fireLog { return fireLog{f} }

// planned writes the plan to the log.
func (l fireLog) planned(ctx context.Context) {
	for _, skipped := range l.plan.Skipped {
		l.debug(
			ctx,
			"hook not selected",
			slog.String("hook", environ.Scrub(skipped.Hook.Label())),
			slog.String("at", skipped.Hook.Position.String()),
			slog.String("why", string(skipped.Reason)),
			slog.String("detail", environ.Scrub(skipped.Detail)),
		)
	}
	labels := make([]string, len(l.plan.Run))
	for i, h := range l.plan.Run {
		labels[i] = environ.Scrub(h.Label())
	}
	l.debug(ctx, "hooks selected", slog.Any("hooks", labels), slog.Bool("sequential", l.plan.Sequential))
}

// observe reports what came of a hook that ran, to observers and to the log.
func (f observing[Out]) observe(ctx context.Context, r *hook.Report[Out], in *input, queued time.Duration) {
	ev := f.evaluation(r, in)
	ev.Queued = queued
	f.s.sys.observers.hookEnd(ctx, ev)
	if f.s.sys.debug {
		f.log().ended(ev, outputOf(ev, r), in.value)
	}
}

func (f observing[Out]) evaluation(r *hook.Report[Out], in *input) *Evaluation {
	r = lit(r)
	c := common.ReportOf(r)
	return f.evaluationOf(&c, outcomeOf(c.Backgrounded, c.Err, f.blocks(r)), in)
}

func (f *fireState) evaluationOf(r *common.Report, end Outcome, in *input) *Evaluation {
	ev := &Evaluation{
		Fire: f.info, Hook: r.Hook, Index: f.base + r.Index, Recheck: f.again,
		Outcome: end, Decision: r.Output.Decision,
		Reason: cmp.Or(r.Output.Reason, r.Output.StopReason),
		Reply:  r.Reply, Elapsed: r.Elapsed, Err: r.Err, Notes: r.Notes,
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

// blocks reports whether one answer blocks; one that makes the event's function
// panic does not.
func (f *fire[Out]) blocks(r *hook.Report[Out]) (yes bool) {
	defer func() {
		if v := recover(); v != nil {
			yes = r.Output.Decision.Blocks()
			f.log().panicked("the event could not read an answer", v)
		}
	}()
	return f.event.spec.Blocks(&r.Output)
}

// outputOf is what a hook has answered that has no reply.
func outputOf[Out any](ev *Evaluation, r *hook.Report[Out]) []byte {
	if ev.Reply != nil || !r.Answered {
		return nil
	}
	return wire.Encode(&r.Output)
}

func (l fireLog) ended(ev *Evaluation, output []byte, in any) {
	attrs := []slog.Attr{
		slog.String("hook", environ.Scrub(ev.Hook.Label())),
		slog.String("at", ev.Hook.Position.String()),
		slog.String("outcome", string(ev.Outcome)),
		slog.String("decision", string(ev.Decision)),
		slog.Duration("took", ev.Elapsed),
	}
	switch own, err := encode(nil, in); {
	case ev.Payload != nil:
		attrs = append(attrs, slog.String("input", excerpt(ev.Payload)))
	case err == nil: // of a hook in Go
		attrs = append(attrs, slog.String("input", excerpt(own)))
	}
	if output != nil {
		attrs = append(attrs, slog.String("output", excerpt(output)))
	}
	if r := ev.Reply; r != nil {
		attrs = append(
			attrs,
			slog.Int("exit", r.Exit),
			slog.String("stdout", excerpt(r.Stdout)),
			slog.String("stderr", excerpt(r.Stderr)),
		)
	}
	if ev.Err != nil {
		attrs = append(attrs, slog.String("error", environ.Scrub(ev.Err.Error())))
	}
	l.debug(l.ctx, "hook ran", attrs...)
}

// failure warns of a hook that failed. Only where it could have blocked does
// anything go ahead because of it.
func (l fireLog) failure(r *common.Report) {
	msg := "hook failed"
	switch {
	case !r.FailedOpen():
		msg = "hook failed; the action is blocked"
	case l.of.guards:
		msg = "hook failed; the action goes ahead"
	}
	attrs := []slog.Attr{
		slog.String("event", l.of.full),
		slog.String("session", l.s.id),
		slog.String("hook", environ.Scrub(r.Hook.Label())),
		slog.String("at", r.Hook.Position.String()),
		slog.String("error", environ.Scrub(r.Err.Error())),
		slog.Duration("took", r.Elapsed),
	}
	if r.OnFailure != hook.FailOpen && r.Hook.Policy != nil && overlaid(r.Hook) {
		attrs = append(attrs, slog.String("policy", environ.Scrub(waysOut(r))))
	}
	l.s.sys.log.LogAttrs(l.ctx, slog.LevelWarn, msg, attrs...)
}

// notes warns of what a hook answered in vain, since it may have been a guard.
func (l fireLog) notes(h *hook.Hook, notes []string) {
	for _, note := range notes {
		if note == stages.NoteText {
			continue // it gave no answer, and was not going to
		}
		l.s.sys.log.LogAttrs(
			l.ctx,
			slog.LevelWarn,
			"a part of a hook's answer has no effect",
			slog.String("event", l.of.full),
			slog.String("session", l.s.id),
			slog.String("hook", environ.Scrub(h.Label())),
			slog.String("at", h.Position.String()),
			slog.String("note", environ.Scrub(note)),
		)
	}
}

func (l fireLog) panicked(msg string, v any) {
	l.s.sys.log.LogAttrs(l.ctx, slog.LevelError, msg, slog.String("event", l.of.full),
		slog.String("session", l.s.id), slog.String("panic", environ.Scrub(fmt.Sprint(v))))
}

func (l fireLog) reducer(err error) {
	l.s.sys.log.LogAttrs(
		l.ctx,
		slog.LevelError,
		"the answers could not be merged; the first one that blocks counts",
		slog.String("event", l.of.full),
		slog.String("session", l.s.id),
		slog.String("error", environ.Scrub(err.Error())),
	)
}

// matcher logs that what decides whether a hook runs has panicked.
func (l fireLog) matcher(ctx context.Context) {
	l.s.sys.log.LogAttrs(
		ctx,
		slog.LevelError,
		"a matcher or a condition panicked; its hook runs",
		slog.String("event", l.of.full),
		slog.String("session", l.s.id),
		slog.String("error", environ.Scrub(l.plan.Panicked.Error())),
	)
}

func (l fireLog) debug(ctx context.Context, msg string, attrs ...slog.Attr) {
	attrs = append(
		[]slog.Attr{slog.String("event", l.of.full), slog.String("session", l.s.id)},
		attrs...)
	l.s.sys.log.LogAttrs(ctx, slog.LevelDebug, msg, attrs...)
}

// excerpt is the beginning of a text for the log, without what looks like a
// secret.
func excerpt(b []byte) string {
	const most = 2048
	text := environ.Scrub(wire.Valid(b)) // before the cut: half a secret does not look like one
	if len(text) > most {
		return wire.Valid([]byte(text[:most])) + "…"
	}
	return text
}

// endObserving reports what became of the fire.
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
