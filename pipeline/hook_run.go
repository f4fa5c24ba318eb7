package pipeline

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/common"
)

// newCall returns the call of a hook outside the process, with the variables of it alone.
func (f *fireState) newCall(ctx context.Context, h *hook.Hook, i int, in *input, payload []byte) hook.Call {
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
func (f policing[Out]) applyFailurePolicy(r *hook.Report[Out]) {
	r.Err = &hook.Error{Hook: r.Hook, Err: r.Err}
	if errors.Is(r.Err, hook.ErrNotNeeded) {
		return // the answer was there without it
	}
	if r.Hook.Policy != nil {
		f.decideFailure(r)
	} else if f.failing().failsClosed(r.Hook, r.Err) {
		r.Answered = true
		r.Output = hook.Output[Out]{Decision: hook.Deny, Reason: r.Err.Error(), Set: hook.SetAnswer}
		if swapped(r.Err) {
			r.Output.Reason = f.failing().failureReason(r.Hook, hook.ClassUntrusted, hook.FailClosed)
		}
	}
	if inShadow(r.Hook) {
		return // it guards nothing, and nothing goes ahead because of it
	}
	if r.FailedOpen() {
		f.s.sys.failedOpen.add(hook.ClassOf(r.Err))
	}
	c := common.ReportOf(r)
	f.log().failure(&c)
	if !f.failing().propagates(&c) {
		f.notifyFailure(&c)
	}
}

// refine lets the event adjust a report. What panics costs no more than that.
func (f *fire[Out]) refine(r *hook.Report[Out], in *input) {
	before := *r
	defer func() {
		if v := recover(); v != nil {
			*r = before
			f.log().panicked("the event could not adjust an answer", v)
		}
	}()
	f.event.spec.refine(f.s, in.value, r)
}

// detach returns the function by which a running hook goes to the background.
func detach[Out any](
	from context.Context,
	f *fire[Out],
	r *hook.Report[Out],
	in *input,
) func(time.Duration) (context.Context, func(hook.Reply, error)) {
	b, start := newBackgroundRun(from, f, r, in), time.Now()
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
