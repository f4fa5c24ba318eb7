package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"runtime/debug"
	"slices"
	"time"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/stages"
)

// fire is one event being fired. It lives until it has its result, and longer only if a hook goes
// to the background.
//
// [core.fire] begins it, [fire.spawn] runs the planned hooks on a pool or as a fold, [fire.runHook] runs one hook
// (policing.run with retries and the breaker, [fire.runOnce], policing.runPermitted, [fire.runRunner]), [stages.Parse]
// reads the hook's reply, [fire.settle] completes its report, [fire.runAndReduce] merges the answers, [fire.conclude]
// applies the rules about all reports together, and [fire.finish] returns the result.
type fire[Out any] struct {
	fireState
	event   *core[Out]
	reports []hook.Report[Out] // by index in the plan; they become the Reports of the result
	result  *hook.Result[Out]
	watcher *watcher[Out] // of a stream, or nil
}

// fireState is the part of a fire that does not depend on Out. Its methods are compiled once for all events.
type fireState struct {
	of            *definition
	s             *Session
	plan          *stages.Planned
	in            *fireInput
	runs          []hookRun     // by index in the plan
	replies       []hook.Reply  // by index in the plan; nil if every hook is a Go function
	contexts      []lazyContext // by index in the plan, for parallel hooks in Go
	began         time.Time
	number        int64           // higher than the numbers of the session's earlier fires
	failed        error           // why some hooks could not run; set before and after the hooks run
	chainFailed   error           // like failed, but set by the goroutine that runs a fold
	vars          *varsDir        // where hooks export variables; nil if they cannot
	noVars        error           // why hooks cannot export variables although the event allows it
	ctx           context.Context // fireContext, limited by the event's budget
	fireContext   lazyContext
	inflightEntry inflight
	listed        bool            // Close ends this fire
	info          *FireInfo       // nil if there are no observers
	observed      context.Context // the caller's context, or one that observers derived from it

	view     *view     // the hooks at the time of the plan, if the event is live
	first    fireInput // input of the first hook
	firstRan bool      // the first hook has run

	again bool // this is the second round of a fire, which runs hooks again
	base  int  // number of reports of the first round
}

// hookRun is the state of one hook run, besides its report.
type hookRun struct {
	started  bool          // the hook itself has started
	trial    bool          // this is the trial run of an open breaker
	counted  bool          // the breaker has counted this run
	queued   time.Duration // the time for which the hook waited for a permit
	refuses  bool          // the answer, before Refine, denies or stops
	detached detachment    // of a hook that moves to the background while it runs
}

// fire runs the hooks of a plan and merges their answers. The caller allocates f. w may be nil.
func (e *core[Out]) fire(
	ctx context.Context,
	s *Session,
	in any,
	plan *stages.Planned,
	w *watcher[Out],
	f *fire[Out],
) (*hook.Result[Out], error) {
	f.event, f.watcher = e, w
	f.fireState = fireState{
		of: &e.definition, s: s, plan: plan, began: time.Now(), observed: ctx,
	}
	f.first.value, f.first.fire, f.in = in, &f.fireState, &f.first
	var isClosed bool
	f.plan, isClosed = withoutClosed(plan)
	if plan.Panicked != nil {
		f.log().matcher(ctx)
	}
	if s.sys.debug {
		f.log().planned(ctx)
	}
	if len(s.sys.cfg.Observe) > 0 {
		f.observed = startObserving(ctx, &f.fireState)
	}
	res, err := e.empty, error(nil)
	if len(f.plan.Run) > 0 || isClosed {
		f.alloc()
		f.begin()
		defer f.end()
		res, err = f.complete(ctx)
	}
	if f.info != nil {
		observing[Out]{f}.endObserving(res, err)
	}
	return res, err
}

// withoutClosed removes the marker of a closed system from a plan, and reports whether it was there.
func withoutClosed(plan *stages.Planned) (hooks *stages.Planned, isClosed bool) {
	last := len(plan.Run) - 1
	if last < 0 || plan.Run[last] != closed {
		return plan, false
	}
	own := *plan
	own.Run = own.Run[:last:last]
	return &own, true
}

// alloc allocates the result and the reports separately from f, so that a result does not keep the fire in memory.
func (f *fire[Out]) alloc() {
	if n := len(f.plan.Run); n > 1 {
		f.runs, f.reports, f.result = make([]hookRun, n), make([]hook.Report[Out], n), new(hook.Result[Out])
		if slices.ContainsFunc(f.plan.Run, func(h *hook.Hook) bool { return h.Runner != nil }) {
			f.replies = make([]hook.Reply, n)
		}
		return
	}
	lone := new(struct {
		run    [1]hookRun
		reply  [1]hook.Reply
		report [1]hook.Report[Out]
		result hook.Result[Out]
	})
	f.runs, f.reports, f.result = lone.run[:], lone.report[:], &lone.result
	if len(f.plan.Run) == 1 && f.plan.Run[0].Runner != nil {
		f.replies = lone.reply[:]
	}
}

// begin registers the fire with its system, then validates and encodes the input. The caller calls end after reading
// the reports.
func (f *fireState) begin() {
	f.fireContext.parent, f.fireContext.session = f.observed, f.s
	f.ctx, f.inflightEntry.ctx = &f.fireContext, &f.fireContext
	if f.number, f.listed = f.s.shard.begin(&f.inflightEntry); !f.listed {
		f.fireContext.end(hook.ErrClosed)
		f.failed = hook.ErrClosed
		return
	}
	if err := f.of.input.checked(f.in.value); err != nil {
		f.failed = &hook.InputError{Event: f.of.full, Err: err}
		return
	}
	if f.replies != nil {
		if _, f.failed = f.in.payload(); f.failed != nil { // encoded once, before hooks share the text
			return
		}
	}
	if f.of.rules.Live {
		f.view = f.s.view()
	}
	if f.of.rules.Budget {
		f.budget()
	}
	if f.of.rules.EnvFile != "" && !f.again {
		f.vars, f.noVars = openVars(f)
	}
}

// budget ends the fire after the longest timeout of the hooks that it waits for, unless one of them has no timeout.
func (f *fireState) budget() {
	var longest time.Duration
	for _, h := range f.plan.Run {
		d := f.of.timeout(h)
		if !waitsFor(h) {
			continue
		}
		if d == 0 {
			return
		}
		longest = max(longest, d)
	}
	f.ctx = lazyTimeout(f.ctx, longest, time.Now())
}

// complete runs the hooks, merges their answers and returns the result. A panic outside the hooks, such as in a
// function of the event, is an error of the fire, which then blocks if its event can block.
func (f *fire[Out]) complete(ctx context.Context) (res *hook.Result[Out], err error) {
	res = f.result
	defer func() {
		if v := recover(); v != nil {
			err = &hook.PanicError{Value: v, Stack: debug.Stack()}
			res = f.event.refuse(f.s, f.in.value, res, err)
		}
	}()
	if f.failed == nil || f.failed == hook.ErrClosed {
		f.runAndReduce(res)
		f.conclude(res)
	}
	return f.finish(ctx, res)
}

// spawn runs the hooks on a bounded pool, or as a fold, while the caller reads the reports that it returns. A watcher
// sees each report first, and may end the fire.
func (f *fire[Out]) spawn() iter.Seq[*hook.Report[Out]] {
	spawn := stages.Spawn[*fireInput, Out]{
		Plan:        f.plan.Run,
		In:          f.in,
		Each:        f.each,
		Announce:    f.watcher != nil,
		Unstoppable: f.of.rules.Unstoppable,
		Ready:       !slices.ContainsFunc(f.plan.Run, func(h *hook.Hook) bool { return h.Func == nil }),
		Exited:      func(i int) *hook.Report[Out] { return &f.reports[i] },
	}
	var reports iter.Seq[*hook.Report[Out]]
	switch {
	case len(f.plan.Run) == 1 || f.plan.Sequential || f.of.rules.Sequential:
		if f.of.rules.Live {
			spawn.Renew = f.renew
		}
		reports = spawn.Fold(f.ctx, f.applyHookOutputToInput)
	case f.plan.OwnChain:
		spawn.Next = f.nextOfChain
		for i, h := range f.plan.Run {
			if h.OwnOnly {
				spawn.Chain = append(spawn.Chain, i)
			}
		}
		reports = spawn.Parallel(f.ctx, f.fireContext.end, f.s.sys.limit)
	default:
		if spawn.Ready {
			f.contexts = make([]lazyContext, len(f.plan.Run))
		}
		reports = spawn.Parallel(f.ctx, f.fireContext.end, f.s.sys.limit)
	}
	if f.watcher != nil {
		return f.watcher.watched(reports, f.again, f.base)
	}
	return reports
}

// applyHookOutputToInput returns the input of the hook that follows r in a sequential plan. It ends the chain if r
// blocks or if the input cannot be encoded.
func (f *fire[Out]) applyHookOutputToInput(in *fireInput, r *hook.Report[Out]) (next *fireInput, goOn bool) {
	if f.event.spec.Blocks(&r.Output) || in.failed != nil {
		return in, false
	}
	if f.event.spec.chainIn == nil || !r.Answered || r.Err != nil || r.Output.Synthetic {
		return in, true
	}
	return &fireInput{value: f.event.spec.chain(f.event.spec.chainIn, in.value, &r.Output), fire: in.fire}, true
}

// nextOfChain calls applyHookOutputToInput on the goroutine of a chain. If a function of the event panics, the panic
// becomes the error of the fire.
func (f *fire[Out]) nextOfChain(in *fireInput, r *hook.Report[Out]) (next *fireInput, goOn bool) {
	defer func() {
		if v := recover(); v != nil {
			f.chainFailed = &hook.PanicError{Value: v, Stack: debug.Stack()}
			next, goOn = in, false
		}
	}()
	return f.applyHookOutputToInput(in, r)
}

// renew updates the rest of the plan if hooks of the session were added or removed during the run of the hook
// plan[ran].
func (f *fireState) renew(plan []*hook.Hook, ran int) []*hook.Hook {
	now := f.s.view()
	if now == f.view {
		return plan
	}
	f.view = now
	had := plan[:ran+1]
	changed := f.of.plan(f.ctx, f.s, f.in.value, true)
	if changed == nil {
		return had
	}
	if i := slices.Index(changed.Run, plan[ran]); i >= 0 {
		return slices.Concat(had, changed.Run[i+1:])
	}
	left := lo.Filter(
		changed.Run,
		func(h *hook.Hook, _ int) bool { // the running hook has removed itself; new hooks come last in its rank
			return slices.Contains(plan[ran+1:], h) || h.Rank >= plan[ran].Rank && !slices.Contains(had, h)
		},
	)
	return slices.Concat(had, left)
}

// each runs the hook at index i of the plan. It does not run hook 0 again if [fire.runAndReduce] has already run it.
func (f *fire[Out]) each(ctx context.Context, i int, h *hook.Hook, in *fireInput) *hook.Report[Out] {
	if i >= len(f.runs) { // a sequential plan can grow
		f.runs, f.reports = append(f.runs, hookRun{}), append(f.reports, hook.Report[Out]{})
	}
	if i > 0 || !f.firstRan {
		f.runHook(ctx, i, h, in)
	}
	return &f.reports[i]
}

// runHook runs one hook of the plan, under its policy, and fills in its report.
func (f *fire[Out]) runHook(ctx context.Context, i int, h *hook.Hook, in *fireInput) {
	r := &f.reports[i]
	r.Hook, r.Index = h, i
	if f.info != nil {
		ctx = f.s.sys.observers.hookStart(ctx, f.info, h)
	}
	returned := false
	defer func() {
		if !returned { // the hook called runtime.Goexit
			r.Err = errExited
		}
		f.settle(ctx, r, in)
	}()
	policing[Out]{f}.run(ctx, r, in)
	returned = true
}

// settle completes the report of a hook that has ended, with any outcome: it applies the failure policy and the event's
// Refine, logs notes, and calls the observers.
func (f *fire[Out]) settle(ctx context.Context, r *hook.Report[Out], in *fireInput) {
	r.Recheck = f.again
	if r.Err != nil && r.Err != f.failed && r.Err != in.failed { // otherwise the hook was never started
		policing[Out]{f}.applyFailurePolicy(r)
	}
	if f.event.spec.refine != nil {
		notes := len(r.Notes)
		f.refine(r, in)
		if (doubting[Out]{f}).doubtEffect(r, notes) && r.OnFailure != hook.FailOpen {
			f.refine(r, in) // the event gives the denial its own form
		}
	}
	if len(r.Notes) > 0 {
		f.log().notes(r.Hook, r.Notes)
	}
	if r.Hook.Policy != nil {
		policing[Out]{f}.uphold(r)
	}
	if f.s.sys.observed {
		observing[Out]{f}.observe(ctx, r, in, f.runs[r.Index].queued)
	}
}

// refine lets the event adjust a report. If the event's function panics, the report stays as it is.
func (f *fire[Out]) refine(r *hook.Report[Out], in *fireInput) {
	before := *r
	defer func() {
		if v := recover(); v != nil {
			*r = before
			f.log().panicked("the event could not adjust an answer", v)
		}
	}()
	f.event.spec.refine(f.s, in.value, r)
}

// blocks reports whether one answer blocks. If the event's function panics, the answer's Decision determines it.
func (f *fire[Out]) blocks(r *hook.Report[Out]) (yes bool) {
	defer func() {
		if v := recover(); v != nil {
			yes = r.Output.Decision.Blocks()
			f.log().panicked("the event could not read an answer", v)
		}
	}()
	return f.event.spec.Blocks(&r.Output)
}

var errExited = &hook.ClassError{
	Class: hook.ClassCrash, Err: errors.New("it ended its goroutine (runtime.Goexit), as FailNow of a test does"),
}

// runOnce runs a hook: a Go function at once, a Runner with a worker permit. A panic is the
// failure of the hook.
func (f *fire[Out]) runOnce(ctx context.Context, r *hook.Report[Out], in *fireInput) {
	defer func() {
		if v := recover(); v != nil {
			r.Err = &hook.PanicError{Value: v, Stack: debug.Stack()}
		}
	}()
	if ctx.Err() != nil && !f.continuesAfterCancel(r.Hook) {
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
		launch(ctx, f, r, in)
		return
	}
	policing[Out]{f}.runPermitted(ctx, r, in) // hooks in Go need no permit, because they may fire events
}

// continuesAfterCancel reports whether a hook starts although ctx has ended.
func (f *fireState) continuesAfterCancel(h *hook.Hook) bool {
	return f.of.rules.Unstoppable && h.Func != nil && f.s.sys.ctx.Err() == nil
}

// call calls a hook in Go within its time limit, and checks its answer.
func (f *fire[Out]) call(ctx context.Context, r *hook.Report[Out], in any) {
	f.runs[r.Index].started = true
	start, returned := time.Since(f.began), false // time.Since takes half of the time of time.Now
	defer func() {
		if !returned { // the hook panicked or called runtime.Goexit
			r.Elapsed = time.Since(f.began) - start
		}
	}()
	var limit *lazyContext
	if timeout := f.of.timeout(r.Hook); timeout > 0 {
		limit = f.limit(ctx, r.Index, timeout, f.began.Add(start))
		defer limit.end(context.Canceled)
		ctx = limit
	}
	out, err := f.event.spec.callFunc(ctx, r.Hook.Func, in)
	end := time.Since(f.began)
	r.Elapsed, returned = end-start, true
	if err == nil && (limit == nil && ctx.Err() != nil || limit != nil && limit.errAt(f.began.Add(end)) != nil) {
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
	r.Output, r.Notes = out, append(r.Notes, stages.LimitNotes(out.Notes)...)
	r.Output.Notes = nil
	if err := f.event.checkOutput(&r.Output); err != nil {
		r.Output.Specific = *new(Out)
		if !f.event.spec.Blocks(&r.Output) && !r.Output.Stop {
			r.Output, r.Err = hook.Output[Out]{}, &hook.ClassError{Class: hook.ClassOutput, Err: err}
			return
		}
		r.Notes = append(r.Notes, "hookSpecificOutput of the answer is ignored: "+err.Error()) // the denial has effect
	}
	r.Answered = out.Set != 0 || out.Common() != 0 || !reflect.ValueOf(&r.Output.Specific).Elem().IsZero()
	if len(out.Notes) > 0 {
		doubting[Out]{f}.doubtNotes(r)
	}
}

// limit returns the context of a hook in Go, which ends at the hook's timeout.
func (f *fireState) limit(ctx context.Context, i int, timeout time.Duration, now time.Time) *lazyContext {
	if i >= len(f.contexts) {
		return lazyTimeout(ctx, timeout, now)
	}
	c := &f.contexts[i]
	c.parent, c.timeout, c.due = ctx, timeout, now.Add(timeout)
	return c
}

// isDecision reports whether d is empty or one of the defined decisions.
func isDecision(d hook.Decision) bool {
	switch d {
	case hook.Undecided, hook.Allow, hook.Approve, hook.Ask, hook.Defer, hook.Deny, hook.Block:
		return true
	}
	return false
}

// runRunner runs a hook outside the process and parses its reply.
func (f *fire[Out]) runRunner(ctx context.Context, r *hook.Report[Out], in *fireInput) {
	payload, err := in.payload()
	if err != nil { // this fails only if the previous hook of a sequence changed the input
		r.Err, f.chainFailed = err, err
		return
	}
	call := f.newCall(ctx, r.Hook, r.Index, in, payload)
	call.Ask = questionsOf(f.s, r.Hook)
	if f.event.dialect.Detaches {
		call.Detach = detach(ctx, f, r, in)
	}
	turn := &f.runs[r.Index]
	at, err := admitted(ctx, &f.fireState, r.Hook, turn)
	if err != nil {
		r.Err = err
		return
	}
	turn.started = true
	start := time.Now()
	var reply *hook.Reply
	if r.Index < len(f.replies) {
		reply = &f.replies[r.Index]
	} else {
		reply = new(hook.Reply) // the sequential plan has grown
	}
	if at != nil {
		call.PID = &at.pid
		defer func() { f.s.sys.admission.leave(at, r.Hook, reply.Processor) }()
	}
	*reply, err = r.Hook.Runner.Run(ctx, call)
	r.Elapsed, r.Granted = time.Since(start), reply.Granted
	defer func() {
		r.Notes = append(r.Notes, stages.LimitNotes(reply.Notes)...)
		if f.noVars != nil && !r.Hook.NoEnvFile {
			r.Notes = append(r.Notes, lostVars(&f.fireState))
		}
	}()
	if errors.Is(err, hook.ErrDetached) {
		r.Backgrounded, r.Err = turn.detached.outcome()
		return
	}
	if err != nil {
		r.Reply, r.Err = answered(ctx, call.Timeout, reply, err)
		return
	}
	r.Reply = reply
	if reply.Merged {
		readMerged(r)
		return
	}
	stages.Parse(r, stages.ReplyRules[Out]{
		Exits:  exitsOf(r.Hook, &f.event.rules),
		Text:   cmp.Or(r.Hook.Text, f.event.rules.Text),
		Decode: f.event.spec.Decode,
	})
	doubting[Out]{f}.doubtAnswer(r)
}

// newCall returns the Call for a hook outside the process, including the environment variables of that hook.
func (f *fireState) newCall(ctx context.Context, h *hook.Hook, i int, in *fireInput, payload []byte) hook.Call {
	call := hook.Call{
		Hook: h, Session: f.s.id, Dir: f.of.dir(f.s, in.value), Payload: payload,
		Timeout: f.of.timeout(h), Trace: hook.TraceOf(ctx),
	}
	if h.Policy != nil {
		call.Stretch = h.Policy.Stretch
	}
	if f.of.on.vars != nil {
		call.Env = slices.Clip(f.of.on.vars(f.s, in.value)) // hooks may share the slice
	}
	if f.vars != nil && !h.NoEnvFile {
		call.Env = append(call.Env, f.of.rules.EnvFile+"="+varsFile(f.vars.path, i))
	}
	// If a dialect sets no variables, calls inherit the environment and need no copy of it. The state variable would
	// force a copy. Without other variables it is therefore set only if the host has configured a state, or if this
	// process has inherited the variable: the hooks must not use the inherited state.
	asked := f.s.host != nil && (f.s.host.State != "" || f.s.host.States != nil)
	if len(call.Env) > 0 || asked || inheritsState() {
		call.Env = append(call.Env, f.s.states.of(f.s, h.Source).name)
	}
	if t := call.Trace; t.Parent != "" { // child processes read their trace parent from the environment
		call.Env = append(slices.Clip(call.Env), "TRACEPARENT="+t.Parent, "TRACESTATE="+t.State)
	}
	return call
}

// exitsOf returns the effects of a hook's exit statuses.
func exitsOf(h *hook.Hook, rules *Rules) hook.Exits {
	if h.Exits != nil {
		return h.Exits
	}
	return rules.Exits
}

// answered returns the reply of a Runner. If there was an error, answered returns its cause too, and drops a reply
// without output.
func answered(ctx context.Context, timeout time.Duration, reply *hook.Reply, err error) (*hook.Reply, error) {
	if err == nil {
		return reply, nil
	}
	if errors.Is(err, context.DeadlineExceeded) && timeout > 0 && ctx.Err() == nil {
		// Every Runner's timeout gets the same wording.
		err = &hook.TimeoutError{After: timeout, Granted: reply.Granted}
	}
	if reply.Exit = -1; reply.Stdout == nil && reply.Stderr == nil {
		reply = nil
	}
	return reply, contextCause(ctx, err)
}

// runAndReduce spawns the hooks and merges their answers as their reports arrive. A single hook without a watcher does
// not need Spawn: no order has to be restored, and this halves the allocations of the fire.
func (f *fire[Out]) runAndReduce(res *hook.Result[Out]) {
	if len(f.plan.Run) == 0 {
		return // the system is closed
	}
	var err error
	if len(f.plan.Run) == 1 && f.watcher == nil {
		f.runHook(f.ctx, 0, f.plan.Run[0], f.in)
		f.firstRan = true
	}
	if grows := f.of.rules.Live && f.s.view() != f.view; f.firstRan && !grows {
		*res, err = stages.ReduceOne(f.reports, f.event.spec.Reduce)
	} else {
		notNeeded := func() { f.fireContext.end(hook.ErrNotNeeded) }
		*res, err = stages.Reduce(f.spawn(), f.reports, f.event.spec.Reduce, notNeeded)
	}
	if f.failed == nil || f.failed == hook.ErrClosed {
		f.failed = cmp.Or(f.chainFailed, f.failed)
	}
	if err != nil {
		f.log().reducer(err)
	}
}

// conclude applies the rules about all reports together: conflicts, policies, hooks that did not
// finish, the second round, and the event's own Conclude.
func (f *fire[Out]) conclude(res *hook.Result[Out]) {
	if f.event.spec.Rewrites != nil && len(res.Reports) > 1 {
		res.Conflicts = conflicts(f.event, res.Reports)
	}
	if slices.ContainsFunc(f.plan.Run, func(h *hook.Hook) bool { return h.Policy != nil }) {
		policing[Out]{f}.hold(res)
	}
	if f.s.sys.ctx.Err() != nil || f.observed.Err() != nil || anyTooLate(res.Reports) {
		if err := f.unfinished(res); err != nil {
			f.failed = err
		}
	}
	if f.s.sys.rechecks.Load() {
		rechecking[Out]{f}.recheck(res)
	}
	if f.failed == nil && f.event.spec.conclude != nil {
		f.concludeEvent(res)
	}
	if f.s.sys.debug {
		observing[Out]{f}.logResult(res)
	}
}

// concludeEvent calls the event's Conclude. If Conclude panics, the merged answer stays unchanged.
func (f *fire[Out]) concludeEvent(res *hook.Result[Out]) {
	merged := *res
	defer func() {
		if v := recover(); v != nil {
			*res = merged
			f.log().panicked("the event could not conclude", v)
		}
	}()
	f.event.spec.conclude(f.s, f.in.value, res)
	if f.watcher != nil {
		f.watcher.concluded = merged.OverriddenBlock != res.OverriddenBlock ||
			!reflect.DeepEqual(merged.Output, res.Output)
	}
}

// unfinished returns why some hooks have not answered: the system was closed, or ctx ended. It returns nil if all have
// answered. It ignores the end of ctx if the event cannot block, or is Unstoppable.
func (f *fire[Out]) unfinished(res *hook.Result[Out]) error {
	closed, ended := f.s.sys.ctx.Err() != nil, f.observed.Err()
	if ended == nil && anyTooLate(res.Reports) {
		ended = context.DeadlineExceeded
	}
	if !f.event.guards || f.event.rules.Unstoppable {
		ended = nil // the event cannot block, or its hooks ran in spite of the end
	}
	if !closed && ended == nil {
		return nil
	}
	few := len(res.Reports) < len(f.plan.Run) && !f.event.spec.Blocks(&res.Output)
	failed := func(is func(*hook.Report[Out]) bool) bool {
		return slices.ContainsFunc(res.Reports, func(r hook.Report[Out]) bool { return waitsFor(r.Hook) && is(&r) })
	}
	switch {
	case closed && (few || failed(func(r *hook.Report[Out]) bool { return errors.Is(r.Err, hook.ErrClosed) })):
		return hook.ErrClosed
	case ended != nil && (few && !lo.EveryBy(f.plan.Run, decidesAboutGone) || failed(unanswered[Out])):
		return ended
	}
	return nil
}

// finish returns the result and the error of Fire. If hooks could not run, the result blocks if the event can.
func (f *fire[Out]) finish(ctx context.Context, res *hook.Result[Out]) (*hook.Result[Out], error) {
	if f.failed != nil {
		return f.event.refuse(f.s, f.in.value, res, f.failed), f.failed
	}
	if f.of.rules.Propagate {
		if err := propagated(f.failing(), res.Reports); err != nil {
			return res, err
		}
	}
	if f.of.rules.Unstoppable {
		return res, nil // every hook ran
	}
	return res, ctx.Err()
}

// end cancels the contexts of the fire and unregisters it.
func (f *fireState) end() {
	f.fireContext.end(hook.ErrNotNeeded)
	if !f.listed {
		return
	}
	if slices.ContainsFunc(f.plan.Run, func(h *hook.Hook) bool { return h.Once }) {
		f.s.state().unspend(f.notStarted())
	}
	if f.vars != nil {
		f.s.state().files.useVars(f.vars, -1)
	}
	f.s.shard.end(&f.inflightEntry)
}

// notStarted returns the run-once hooks of the plan that have not started.
func (f *fireState) notStarted() (hooks []*hook.Hook) {
	for i, h := range f.plan.Run {
		if h.Once && (i >= len(f.runs) || !f.runs[i].started) {
			hooks = append(hooks, h)
		}
	}
	return hooks
}

// log writes the log of the fire.
func (f *fireState) log() fireLog { return fireLog{f} }

// failing applies the rules about failed hooks.
func (f *fireState) failing() failureRules { return failureRules{f} }
