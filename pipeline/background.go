package pipeline

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/common"
	"github.com/snaphook-go/snaphook/internal/environ"
	"github.com/snaphook-go/snaphook/stages"
	"github.com/snaphook-go/snaphook/wire"
)

// Finished holds the outcome of a hook that ran in the background.
type Finished struct {
	Event   string // "claude.PostToolUse"
	Hook    *hook.Hook
	Outcome Outcome
	Context []string // for the model's next turn; also in [Session.NextTurn]
	Wakes   bool     // the host gives Wake to the model, and wakes the model if it is idle
	Wake    string
	Message string // the line for the user, if the hook wakes the model
	Reply   *hook.Reply
	Err     error
	Elapsed time.Duration
	Notes   []string // such as the mistakes in the hook's answer, which were ignored
}

// background holds a session's background hooks.
type background struct {
	mu      sync.Mutex
	running int
	ctx     context.Context // context of the hooks that run now
	cancel  context.CancelCauseFunc
	idle    chan struct{} // closed when the last hook is done
	closed  bool
	pending []backgroundContext
}

// begin registers a background hook. ok is false if the session or its system is closed. ctx ends when the session or
// the system stops its background hooks.
func (b *background) begin(s *Session) (ctx context.Context, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed || !s.shard.enter() {
		return nil, false
	}
	if b.running++; b.running == 1 {
		b.ctx, b.cancel = context.WithCancelCause(s.sys.ctx)
		b.idle = make(chan struct{})
	}
	return b.ctx, true
}

// end unregisters a background hook.
func (b *background) end(s *Session) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.running--; b.running == 0 {
		b.cancel(nil)
		close(b.idle)
	}
	s.shard.leave()
}

// wait returns nil when no hook runs any more, or the cause of ctx's end when ctx ends first.
func (b *background) wait(ctx context.Context) error {
	for {
		b.mu.Lock()
		running, idle := b.running, b.idle
		b.mu.Unlock()
		if running == 0 {
			return nil
		}
		select {
		case <-idle:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// close makes later calls of begin fail.
func (b *background) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
}

// stop ends the hooks that still run, waits for them, and returns an error that wraps why. It returns nil if the last
// hook has ended in the meantime.
func (b *background) stop(ctx context.Context, why error) error {
	b.mu.Lock()
	n, cancel := b.running, b.cancel
	b.mu.Unlock()
	if n == 0 {
		return nil
	}
	cancel(hook.ErrClosed)
	_ = b.wait(context.WithoutCancel(ctx))
	return fmt.Errorf("%d hooks in the background had to be stopped: %w", n, why)
}

// keepContext keeps texts of a background hook for the model's next turn.
func (b *background) keepContext(texts backgroundContext) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pending = append(b.pending, texts)
}

// takeContexts returns and removes the texts of keepContext, ordered by fire and by plan.
func (b *background) takeContexts() (texts []string) {
	b.mu.Lock()
	kept := b.pending
	b.pending = nil
	b.mu.Unlock()
	slices.SortFunc(kept, func(a, b backgroundContext) int {
		return cmp.Or(cmp.Compare(a.fire, b.fire), cmp.Compare(a.index, b.index))
	})
	for _, one := range kept {
		texts = append(texts, one.texts...)
	}
	return texts
}

// backgroundContext holds the context texts of one hook for the model's next turn.
type backgroundContext struct {
	fire  int64
	index int
	texts []string
}

// detachment is the outcome of a hook's attempt to go to the background while it runs.
type detachment struct {
	denied chan struct{} // set if the hook may not go to the background; closed when the hook ends
}

// deny refuses to let the hook go to the background. The context that it returns has already ended, and done has to be
// called when the hook ends.
func (d *detachment) deny() (ended context.Context, done func(hook.Reply, error)) {
	ended, cancel := context.WithCancelCause(context.Background())
	cancel(hook.ErrClosed)
	denied := make(chan struct{})
	d.denied = denied
	return ended, func(hook.Reply, error) { close(denied) }
}

// outcome reports whether the hook has gone to the background. If it was denied that, outcome waits for the hook to end
// and returns [hook.ErrClosed].
func (d *detachment) outcome() (backgrounded bool, err error) {
	if d.denied == nil {
		return true, nil
	}
	<-d.denied
	return false, hook.ErrClosed
}

// backgroundRun is a hook that runs in the background; its fire ends without waiting for it.
type backgroundRun[Out any] struct {
	fire   *fire[Out] // not embedded, because that would add wrappers of all its methods to every event
	in     *fireInput
	ctx    context.Context // passed to observers
	queued time.Duration
	trial  bool             // whether this is the trial run of an open breaker
	report hook.Report[Out] // a copy: the fire still changes its own report
}

// newBackgroundRun returns the run of a hook that f does not wait for.
func newBackgroundRun[Out any](
	ctx context.Context,
	f *fire[Out],
	r *hook.Report[Out],
	in *fireInput,
) *backgroundRun[Out] {
	return &backgroundRun[Out]{
		fire:   f,
		in:     in,
		ctx:    context.WithoutCancel(ctx),
		trial:  f.runs[r.Index].trial,
		report: hook.Report[Out]{Hook: r.Hook, Index: r.Index, Backgrounded: true},
	}
}

// launch starts a hook that the fire does not wait for.
func launch[Out any](from context.Context, f *fire[Out], r *hook.Report[Out], in *fireInput) {
	payload, err := in.payload()
	if err != nil { // this fails only if an earlier hook of the sequence changed the input
		r.Err, f.chainFailed = err, err
		return
	}
	call, b := f.newCall(from, r.Hook, r.Index, in, payload), newBackgroundRun(from, f, r, in)
	ctx, ok := b.begin()
	if !ok {
		r.Err = hook.ErrClosed
		return
	}
	r.Backgrounded = true
	go func() {
		defer b.end()
		b.run(ctx, call)
	}()
}

// detach returns the function that moves a running hook to the background.
func detach[Out any](
	from context.Context,
	f *fire[Out],
	r *hook.Report[Out],
	in *fireInput,
) func(time.Duration) (context.Context, func(hook.Reply, error)) {
	b, start := newBackgroundRun(from, f, r, in), time.Now()
	return func(wish time.Duration) (context.Context, func(hook.Reply, error)) {
		ctx, ok := b.begin()
		if !ok {
			return f.runs[b.report.Index].detached.deny()
		}
		limit := hook.Call{Timeout: cmp.Or(wish, f.of.timeout(b.report.Hook))}
		ctx, cancel := limit.Limit(ctx)
		return ctx, func(reply hook.Reply, err error) {
			defer b.end()
			defer cancel()
			b.take(answered(ctx, limit.Timeout, &reply, err))
			b.finish(time.Since(start))
		}
	}
}

// begin registers the hook. ok is false if the session or the system is closed.
func (b *backgroundRun[Out]) begin() (ctx context.Context, ok bool) {
	m := b.fire.s.state()
	if ctx, ok = m.background.begin(b.fire.s); ok {
		b.fire.runs[b.report.Index].started = true
		m.files.useVars(b.fire.vars, 1)
	}
	return ctx, ok
}

// end unregisters the hook.
func (b *backgroundRun[Out]) end() {
	m := b.fire.s.state()
	m.files.useVars(b.fire.vars, -1)
	m.background.end(b.fire.s)
}

// run runs the hook once it has a worker permit.
func (b *backgroundRun[Out]) run(ctx context.Context, call hook.Call) {
	var reply hook.Reply
	h := b.report.Hook
	queued, err := acquireFor(ctx, h, b.fire.s.sys.permits.background)
	b.queued = queued
	start, permitted := time.Now(), err == nil
	if permitted {
		if err = policyStateOf(h).mayStillStart(&b.trial); err == nil {
			reply, err = runSafely(ctx, h.Runner, call)
		}
	}
	took := time.Since(start)
	b.take(answered(ctx, call.Timeout, &reply, err))
	if permitted {
		releaseFor(h, b.fire.s.sys.permits.background)
	}
	b.finish(took)
}

// take records the hook's reply or error. The breaker counts it before the worker permit is released.
func (b *backgroundRun[Out]) take(reply *hook.Reply, err error) {
	r := &b.report
	if r.Reply, r.Err = reply, err; r.Err == nil {
		r.Err = b.readReply()
	}
	if reply != nil {
		r.Notes = append(r.Notes, stages.LimitNotes(reply.Notes)...)
	}
	policyStateOf(r.Hook).done(b.trial, asHookError(r.Hook, r.Err))
}

// finish reports the outcome of the hook.
func (b *backgroundRun[Out]) finish(took time.Duration) {
	r := &b.report
	r.Elapsed = took
	if r.Err != nil {
		r.Err = &hook.Error{Hook: r.Hook, Err: r.Err}
		c := common.ReportOf(r)
		b.fire.log().failure(&c)
	}
	if b.fire.event.spec.refine != nil {
		b.fire.refine(r, b.in)
	}
	r.Backgrounded = false // the report now describes a finished run
	if !inShadow(r.Hook) {
		c := common.ReportOf(r)
		deliver(&b.fire.fireState, r.Index, finishedRun(b.fire.of.full, &c))
	}
	if b.fire.s.sys.observed {
		b.observeLate()
	}
}

// deliver keeps a hook's texts for the model's next turn, and calls the host's Finished, if set. A panic in Finished is
// only logged. i is the index of the hook in the plan.
func deliver(f *fireState, i int, done Finished) {
	if len(done.Context) > 0 {
		f.s.state().background.keepContext(backgroundContext{f.number, i, done.Context})
	}
	if f.s.host == nil || f.s.host.Finished == nil {
		return
	}
	defer func() {
		if v := recover(); v != nil {
			f.s.sys.log.LogAttrs(f.s.sys.ctx, slog.LevelError, "the host's Finished panicked",
				slog.String("session", f.s.id), slog.String("panic", environ.Scrub(fmt.Sprint(v))))
		}
	}()
	f.s.host.Finished(done)
}

// observeLate reports the hook's end to observers, which have already been told that it went to the background.
func (b *backgroundRun[Out]) observeLate() {
	ev := observing[Out]{b.fire}.evaluation(&b.report, b.in)
	ev.Queued, ev.Late, ev.FailedOpen = b.queued, true, false // a background hook guards nothing
	b.fire.s.sys.observers.hookEnd(b.ctx, ev)
	if b.fire.s.sys.debug {
		b.fire.log().ended(ev, outputOf(ev, &b.report), b.in.value)
	}
}

// readReply reads the hook's texts for the model: its context and its message (C81). Its decision
// has no effect; an exit status that means failure is a failure here too.
func (b *backgroundRun[Out]) readReply() (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &hook.PanicError{Value: v, Stack: debug.Stack()}
		}
	}()
	r := &b.report
	end := exitsOf(r.Hook, &b.fire.event.rules).Of(r.Reply)
	switch {
	case r.Hook.Background == hook.Rewake && wakes(r.Reply):
		r.Output.Context = cmp.Or(plainText(r.Reply.Stderr), plainText(r.Reply.Stdout))
		if w := r.Hook.Wake; w != nil {
			r.Output.Context = strings.Trim(w.Message+"\n"+r.Output.Context, "\n")
			r.Output.Message = w.Summary
		}
	case r.Hook.Background != hook.Rewake && end != hook.FailWithWarning && end != hook.Fail:
		r.Output, r.Notes = backgroundAnswer[Out](r.Reply.Stdout)
		r.Answered = r.Output.Set.Has(hook.SetAnswer)
		denies := end == hook.ParseAndDeny || end == hook.DenyWithReason || end == hook.DenyForStderr ||
			end == hook.DenyUnread || end == hook.DenyAny || printsDenial(r.Reply)
		if b.fire.event.guards && denies {
			r.Notes = append(r.Notes, "the hook denies in the background, where nothing waits for its answer: the action has gone ahead")
		}
	}
	if end == hook.FailWithWarning || end == hook.Fail ||
		(end == hook.ParseOrFail || end == hook.WarnAny || end == hook.DenyAny) && !r.Answered {
		return &hook.ExitError{Reply: r.Reply}
	}
	return nil
}

// runSafely calls a Runner. It returns a panic of the Runner as a [hook.PanicError].
func runSafely(ctx context.Context, runner hook.Runner, call hook.Call) (reply hook.Reply, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &hook.PanicError{Value: v, Stack: debug.Stack()}
		}
	}()
	return runner.Run(ctx, call)
}

// backgroundAnswer returns the part of the answer that has an effect. Members of a wrong type are
// left out and noted.
func backgroundAnswer[Out any](stdout []byte) (o hook.Output[Out], notes []string) {
	for _, text := range answers(stdout) {
		out, notes, err := wire.Read[Out](text)
		if err == nil && out.Set.Has(hook.SetAnswer) && !out.Synthetic {
			return hook.Output[Out]{Context: out.Context, Message: out.Message, Set: hook.SetAnswer}, stages.LimitNotes(notes)
		}
	}
	return o, nil
}

// wakes reports whether the end of a hook wakes the model (C83).
func wakes(r *hook.Reply) bool { return r.Signal == nil && r.Exit == 2 }

// answers returns the texts to search for the answer of a background hook: first its output, without a leading line
// that asked for the background, then each line of it that begins and ends like an object.
func answers(stdout []byte) (texts [][]byte) {
	first, rest, more := bytes.Cut(wire.Trim(stdout), []byte("\n"))
	if wire.Object(wire.Trim(first)).Get("async").Kind() == 't' {
		stdout = rest
		if !more {
			return nil
		}
	}
	texts = append(texts, stdout)
	for line := range bytes.Lines(stdout) {
		if line = wire.Trim(line); len(line) > 1 && line[0] == '{' && line[len(line)-1] == '}' {
			texts = append(texts, line)
		}
	}
	return texts
}

func plainText(b []byte) string { return wire.Valid(wire.Trim(b)) }

// finishedRun returns the outcome of a hook of an event for the host.
func finishedRun(event string, r *common.Report) Finished {
	done := Finished{
		Event: event, Hook: r.Hook, Outcome: outcomeOf(r.Backgrounded, r.Err, false),
		Reply: r.Reply, Err: r.Err, Elapsed: r.Elapsed, Notes: r.Notes,
	}
	if r.Hook.Background == hook.Rewake {
		done.Wakes, done.Wake = r.Err == nil && wakes(r.Reply), r.Output.Context
		done.Message = r.Output.Message
		return done
	}
	for _, text := range [...]string{r.Output.Context, r.Output.Message} {
		if text != "" {
			done.Context = append(done.Context, text)
		}
	}
	return done
}

// Ending returns f in the form for JSON.
func (f *Finished) Ending() *Ending {
	e := &Ending{Outcome: f.Outcome, Context: append([]string{}, f.Context...), DurationMS: milliseconds(f.Elapsed)}
	if f.Err != nil {
		e.Error = lo.ToPtr(f.Err.Error())
	}
	if r := f.Reply; r != nil {
		if r.Signal == nil && r.Exit >= 0 && !cancelled(f.Err) {
			e.ExitCode = &r.Exit
		}
		e.Stdout, e.Stderr = lo.ToPtr(wire.Valid(r.Stdout)), lo.ToPtr(wire.Valid(r.Stderr))
	}
	return e
}
