package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime/debug"
	"slices"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/stages"
)

// hookRun is what a fire keeps of one hook besides its report.
type hookRun[Out any] struct {
	reply   hook.Reply
	started bool          // it has come to the hook itself
	trial   bool          // of a breaker that is open
	counted bool          // by its breaker
	queued  time.Duration // it waited so long for a permit
	denied  chan struct{} // not nil: it may not go to the background, and is gone when this is closed
}

// runHook is one hook's turn: a worker's place, then the hook, within its time.
func (f *fireRun[In, Out]) runHook(ctx context.Context, i int, h *hook.Hook, in *input[In]) {
	r := &f.reports[i]
	r.Hook, r.Index = h, i
	if f.info != nil {
		ctx = f.s.sys.hookStart(ctx, f.info, h)
	}
	returned := false
	defer func() {
		if !returned { // nor has it panicked: its goroutine ends
			r.Err = errExited
			f.finishRun(ctx, r, in)
		}
	}()
	if h.Policy == nil {
		f.run(ctx, r, in)
	} else {
		f.runGoverned(ctx, r, in)
	}
	returned = true
	f.finishRun(ctx, r, in)
}

var errExited = &hook.ClassError{
	Class: hook.ClassCrash, Err: errors.New("it ended its goroutine (runtime.Goexit), as FailNow of a test does"),
}

// finishRun makes of what a hook did what counts, and reports it.
func (f *fireRun[In, Out]) finishRun(ctx context.Context, r *hook.Report[Out], in *input[In]) {
	h := r.Hook
	r.Recheck = f.again
	f.applyFailurePolicy(r)
	f.refine(r, in)
	f.logNotes(r)
	if h.Policy != nil {
		f.uphold(r)
	}
	if f.s.sys.observed() {
		f.observe(ctx, r, in, f.runs[r.Index].queued)
	}
}

// runNext returns every hook of a plan its turn.
func (f *fireRun[In, Out]) runNext(ctx context.Context, i int, h *hook.Hook, in *input[In]) *hook.Report[Out] {
	if i >= len(f.runs) { // a sequential plan can grow
		f.runs, f.reports = append(f.runs, hookRun[Out]{}), append(f.reports, hook.Report[Out]{})
	}
	if i > 0 || !f.firstRan {
		f.runHook(ctx, i, h, in)
	}
	return &f.reports[i]
}

// run runs a hook. What panics is the hook's failure.
func (f *fireRun[In, Out]) run(ctx context.Context, r *hook.Report[Out], in *input[In]) {
	defer func() {
		if v := recover(); v != nil {
			r.Err = &hook.PanicError{Value: v, Stack: debug.Stack()}
		}
	}()
	if ctx.Err() != nil && !f.continuesAfterCancel(r.Hook) {
		r.Err = contextCause(ctx, ctx.Err())
		return
	}
	if fn, ok := r.Hook.Func.(hook.Func[In, Out]); ok {
		f.call(ctx, r, fn, in.value)
		return
	}
	if r.Hook.Runner == nil {
		r.Err = hook.ErrUnsupported
		return
	}
	if !waitsFor(r.Hook) {
		f.launch(ctx, r, in)
		return
	}
	var err error
	// A Go hook needs no permit: it may fire events itself.
	if f.runs[r.Index].queued, err = f.s.sys.acquire(ctx, r.Hook, f.s.sys.workers); err != nil {
		r.Err = contextCause(ctx, err)
		return
	}
	defer f.s.sys.release(r.Hook, f.s.sys.workers)
	if keeperOf(r.Hook) != nil {
		f.startCounted(ctx, r, in)
		return
	}
	f.start(ctx, r, in)
}

// acquire returns how long it has waited for a permit.
func acquire(ctx context.Context, permits *semaphore.Weighted) (queued time.Duration, err error) {
	if permits.TryAcquire(1) {
		return 0, nil
	}
	start := time.Now()
	err = permits.Acquire(ctx, 1)
	return time.Since(start), err
}

// continuesAfterCancel reports whether a hook runs although ctx has ended.
func (f *fireRun[In, Out]) continuesAfterCancel(h *hook.Hook) bool {
	return f.event.spec.Rules.Unstoppable && h.Func != nil && f.s.sys.ctx.Err() == nil
}

func (f *fireRun[In, Out]) call(ctx context.Context, r *hook.Report[Out], fn hook.Func[In, Out], in In) {
	f.runs[r.Index].started = true
	start := time.Now()
	defer func() { r.Elapsed = time.Since(start) }()
	if timeout := f.event.timeout(r.Hook); timeout > 0 {
		limit := f.limit(ctx, r.Index, timeout, start)
		defer limit.end(context.Canceled)
		ctx = limit
	}
	out, err := fn(ctx, in)
	if err == nil && ctx.Err() != nil {
		err = late(ctx)
	}
	if err != nil {
		r.Err = contextCause(ctx, err)
		return
	}
	if !isDecision(out.Decision) {
		r.Err = &hook.ClassError{Class: hook.ClassOutput, Err: fmt.Errorf("there is no decision %q", out.Decision)}
		return
	}
	r.Output = out
	if err := f.event.checkOutput(&r.Output); err != nil {
		r.Output.Specific = *new(Out)
		if !f.event.spec.Blocks(&r.Output) && !r.Output.Stop {
			r.Output, r.Err = hook.Output[Out]{}, &hook.ClassError{Class: hook.ClassOutput, Err: err}
			return
		}
		r.Notes = append(r.Notes, "the event's own part of the answer is left out: "+err.Error()) // the denial counts
	}
	r.Answered = out.Set != 0 || out.Common() != 0 || !reflect.ValueOf(&r.Output.Specific).Elem().IsZero()
}

// limit returns the context of a hook in Go, which has so much time.
func (f *fireRun[In, Out]) limit(ctx context.Context, i int, timeout time.Duration, now time.Time) *lazyContext {
	if i >= len(f.contexts) {
		return lazyTimeout(ctx, timeout, now)
	}
	c := &f.contexts[i]
	c.parent, c.timeout, c.due = ctx, timeout, now.Add(timeout)
	return c
}

// checkOutput says why the answer of a Go function cannot be used.
func (e *Event[In, Out]) checkOutput(o *hook.Output[Out]) error {
	if err := e.output.checked(&o.Specific); err != nil {
		return fmt.Errorf("its answer holds what is not JSON: %w", err)
	}
	if e.spec.CheckOutput != nil {
		return e.spec.CheckOutput(o)
	}
	return nil
}

// isDecision reports whether the engine knows a word, or it is empty.
func isDecision(d hook.Decision) bool {
	switch d {
	case hook.Undecided, hook.Allow, hook.Approve, hook.Ask, hook.Defer, hook.Deny, hook.Block:
		return true
	}
	return false
}

// late is a hook's error if it has answered after its time, as with a process:
// the answer does not count.
func late(ctx context.Context) error {
	if over := new(hook.TimeoutError); errors.As(context.Cause(ctx), &over) {
		return over
	}
	return nil
}

func (f *fireRun[In, Out]) start(ctx context.Context, r *hook.Report[Out], in *input[In]) {
	payload, err := f.payload(in)
	if err != nil { // only of an input that the hook before has changed, when no two run at a time
		r.Err, f.failed = err, err
		return
	}
	call := f.newCall(ctx, r, in, payload)
	call.Ask, call.Detach = f.s.ask(r.Hook), f.detach(ctx, r, in)
	turn := &f.runs[r.Index]
	turn.started = true
	start := time.Now()
	turn.reply, err = r.Hook.Runner.Run(ctx, call)
	r.Elapsed = time.Since(start)
	defer func() {
		r.Notes = append(r.Notes, turn.reply.Notes...)
		f.noteVars(r)
	}()
	if errors.Is(err, hook.ErrDetached) {
		r.Backgrounded, r.Err = turn.leftForBackground()
		return
	}
	if r.Reply, r.Err = answered(ctx, call.Timeout, &turn.reply, err); r.Err == nil {
		stages.Parse(r, f.reading(r.Hook))
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

// reading is how the replies of a hook are read.
func (f *fireRun[In, Out]) reading(h *hook.Hook) stages.ReplyRules[Out] {
	return stages.ReplyRules[Out]{
		Exits:  exitsOf(h, &f.event.spec.Rules),
		Text:   cmp.Or(h.Text, f.event.spec.Rules.Text),
		Decode: f.event.spec.Decode,
	}
}

// newCall returns the call of a hook outside the process.
func (f *fireRun[In, Out]) newCall(ctx context.Context, r *hook.Report[Out], in *input[In], payload []byte) hook.Call {
	trace := hook.TraceOf(ctx)
	return hook.Call{
		Hook: r.Hook, Session: f.s.id, Dir: f.event.dir(f.s, &in.value), Payload: payload,
		Timeout: f.event.timeout(r.Hook), Env: traced(f.env(r, in), trace), Trace: trace,
	}
}

// traced adds the variables in which programs look for their place in a trace.
func traced(env []string, t hook.Trace) []string {
	if t.Parent == "" {
		return env
	}
	return append(slices.Clip(env), "TRACEPARENT="+t.Parent, "TRACESTATE="+t.State)
}

// exitsOf is what the end of a hook amounts to.
func exitsOf(h *hook.Hook, rules *Rules) hook.Exits {
	if h.Exits != nil {
		return h.Exits
	}
	return rules.Exits
}
