package pipeline

import (
	"cmp"
	"context"
	"errors"
	"runtime/debug"
	"slices"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/common"
	"github.com/snaphook-go/snaphook/stages"
)

// hookRun is what a fire keeps of one hook besides its report.
type hookRun struct {
	started bool          // it has come to the hook itself
	trial   bool          // of a breaker that is open
	counted bool          // by its breaker
	queued  time.Duration // it waited so long for a permit
	refuses bool          // its answer, as it is written, denies or stops
	denied  chan struct{} // not nil: it may not go to the background, and is gone when this is closed
}

// runHook is one hook's turn: a worker's place, then the hook, within its time. What it did
// is made what counts, and reported.
func (f *fireRun[Out]) runHook(ctx context.Context, i int, h *hook.Hook, in *input) {
	r := &f.reports[i]
	r.Hook, r.Index = h, i
	if f.info != nil {
		ctx = f.s.sys.hookStart(ctx, f.info, h)
	}
	returned := false
	defer func() {
		if !returned { // nor has it panicked: its goroutine ends
			r.Err = errExited
		}
		r.Recheck = f.again
		if r.Err != nil && r.Err != f.failed { // else it has not failed: it could not be asked
			f.applyFailurePolicy(r)
		}
		if f.event.spec.refine != nil {
			notes := len(r.Notes)
			f.refine(r, in)
			if f.doubtEffect(r, notes) && r.OnFailure != hook.FailOpen {
				f.refine(r, in) // the denial, in the words of the event
			}
		}
		if len(r.Notes) > 0 {
			f.untyped().logNotes(h, r.Notes)
		}
		if h.Policy != nil {
			f.uphold(r)
		}
		if f.s.sys.observed {
			f.observe(ctx, r, in, f.runs[i].queued)
		}
	}()
	if h.Policy == nil {
		f.run(ctx, r, in)
	} else {
		f.runGoverned(ctx, r, in)
	}
	returned = true
}

var errExited = &hook.ClassError{
	Class: hook.ClassCrash, Err: errors.New("it ended its goroutine (runtime.Goexit), as FailNow of a test does"),
}

// run runs a hook. What panics is the hook's failure.
func (f *fireRun[Out]) run(ctx context.Context, r *hook.Report[Out], in *input) {
	defer func() {
		if v := recover(); v != nil {
			r.Err = &hook.PanicError{Value: v, Stack: debug.Stack()}
		}
	}()
	if ctx.Err() != nil && !f.untyped().continuesAfterCancel(r.Hook) {
		r.Err = contextCause(ctx, ctx.Err())
		return
	}
	if r.Hook.Func != nil {
		f.call(ctx, r, in.value)
		return
	}
	if r.Hook.Runner == nil {
		r.Err = hook.ErrUnsupported
		return
	}
	if r.Hook.Background != hook.Foreground {
		f.launch(ctx, r, in)
		return
	}
	if r.Hook.Policy != nil {
		f.startLimited(ctx, r, in)
		return
	}
	workers := f.s.sys.workers // a hook in Go needs no permit: it may fire events itself
	if !workers.TryAcquire(1) {
		var err error
		if f.runs[r.Index].queued, err = acquire(ctx, workers); err != nil {
			r.Err = contextCause(ctx, err)
			return
		}
	}
	defer workers.Release(1)
	f.start(ctx, r, in)
}

// continuesAfterCancel reports whether a hook runs although ctx has ended.
func (f *fireBase) continuesAfterCancel(h *hook.Hook) bool {
	return f.of.rules.Unstoppable && h.Func != nil && f.s.sys.ctx.Err() == nil
}

func (f *fireRun[Out]) start(ctx context.Context, r *hook.Report[Out], in *input) {
	payload, err := f.untyped().payload(in)
	if err != nil { // only of an input that the hook before has changed, when no two run at a time
		r.Err, f.failed = err, err
		return
	}
	call := f.untyped().newCall(ctx, r.Hook, r.Index, in, payload)
	if f.s.host != nil {
		call.Ask = f.s.ask(r.Hook)
	}
	if f.event.dialect.Detaches {
		call.Detach = f.detach(ctx, r, in)
	}
	turn := &f.runs[r.Index]
	turn.started = true
	start := time.Now()
	var reply *hook.Reply
	if r.Index < len(f.replies) {
		reply = &f.replies[r.Index]
	} else {
		reply = new(hook.Reply) // a sequential plan has grown
	}
	*reply, err = r.Hook.Runner.Run(ctx, call)
	r.Elapsed = time.Since(start)
	defer func() {
		if r.Notes = append(r.Notes, reply.Notes...); f.noVars != nil {
			f.noteVars(r)
		}
	}()
	if errors.Is(err, hook.ErrDetached) {
		r.Backgrounded, r.Err = turn.leftForBackground()
		return
	}
	if err != nil {
		r.Reply, r.Err = answered(ctx, call.Timeout, reply, err)
		return
	}
	r.Reply = reply
	stages.Parse(r, stages.ReplyRules[Out]{
		Exits:  exitsOf(r.Hook, &f.event.rules),
		Text:   cmp.Or(r.Hook.Text, f.event.rules.Text),
		Decode: f.event.spec.Decode,
	})
	f.doubtAnswer(r)
}

// answered returns what a Runner has answered: no reply where there is none, and
// of its errors the reason.
func answered(ctx context.Context, timeout time.Duration, reply *hook.Reply, err error) (*hook.Reply, error) {
	if err == nil {
		return reply, nil
	}
	if errors.Is(err, context.DeadlineExceeded) && timeout > 0 && ctx.Err() == nil {
		err = &hook.TimeoutError{After: timeout} // a Runner may say it in other words
	}
	if reply.Exit = -1; reply.Stdout == nil && reply.Stderr == nil {
		reply = nil
	}
	return reply, contextCause(ctx, err)
}

// newCall returns the call of a hook outside the process, with the variables of it alone.
func (f *fireBase) newCall(ctx context.Context, h *hook.Hook, i int, in *input, payload []byte) hook.Call {
	call := hook.Call{
		Hook: h, Session: f.s.id, Dir: f.of.dir(f.s, in.value), Payload: payload,
		Timeout: f.of.timeout(h), Trace: hook.TraceOf(ctx),
	}
	if f.of.on.vars != nil {
		call.Env = slices.Clip(f.of.on.vars(f.s, in.value)) // which may be the same for all
	}
	if f.vars != nil && !h.NoEnvFile {
		call.Env = append(call.Env, f.of.rules.EnvFile+"="+varsFile(f.vars.path, i))
	}
	// In a dialect whose calls have no variables of their own the directory of the state would
	// cost each call a copy of the environment, so that there a host asks for it.
	if len(call.Env) > 0 || f.s.host != nil && f.s.host.State != "" {
		call.Env = append(call.Env, f.s.stateVar())
	}
	if t := call.Trace; t.Parent != "" { // where programs look for their place in a trace
		call.Env = append(slices.Clip(call.Env), "TRACEPARENT="+t.Parent, "TRACESTATE="+t.State)
	}
	return call
}

// exitsOf is what the end of a hook amounts to.
func exitsOf(h *hook.Hook, rules *Rules) hook.Exits {
	if h.Exits != nil {
		return h.Exits
	}
	return rules.Exits
}

// applyFailurePolicy applies what the event says of hooks that fail, and counts those
// that fail open.
func (f *fireRun[Out]) applyFailurePolicy(r *hook.Report[Out]) {
	r.Err = &hook.Error{Hook: r.Hook, Err: r.Err}
	if errors.Is(r.Err, hook.ErrNotNeeded) {
		return // the answer was there without it
	}
	if r.Hook.Policy != nil {
		f.decideFailure(r)
	} else if f.untyped().failsClosed(r.Hook, r.Err) {
		r.Answered = true
		r.Output = hook.Output[Out]{Decision: hook.Deny, Reason: r.Err.Error(), Set: hook.SetAnswer}
		if swapped(r.Err) {
			r.Output.Reason = f.untyped().failureReason(r.Hook, hook.ClassUntrusted, hook.FailClosed)
		}
	}
	if inShadow(r.Hook) {
		return // it guards nothing, and nothing goes ahead because of it
	}
	if r.FailedOpen() {
		f.s.sys.failedOpen.add(hook.ClassOf(r.Err))
	}
	c := common.ReportOf(r)
	f.untyped().logFailure(&c)
	if !f.untyped().propagates(&c) {
		f.untyped().notifyFailure(&c)
	}
}

// refine lets the event adjust a report. What panics costs no more than that.
func (f *fireRun[Out]) refine(r *hook.Report[Out], in *input) {
	before := *r
	defer func() {
		if v := recover(); v != nil {
			*r = before
			f.untyped().logPanic("the event could not adjust an answer", v)
		}
	}()
	f.event.spec.refine(f.s, in.value, r)
}

// detach lets a running hook go to the background.
func (f *fireRun[Out]) detach(
	from context.Context,
	r *hook.Report[Out],
	in *input,
) func(time.Duration) (context.Context, func(hook.Reply, error)) {
	b, start := f.backgroundRun(from, r, in), time.Now()
	return func(wish time.Duration) (context.Context, func(hook.Reply, error)) {
		ctx, ok := b.begin()
		if !ok {
			return f.runs[b.report.Index].denyBackground()
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
