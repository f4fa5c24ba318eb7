package pipeline

import (
	"cmp"
	"context"
	"errors"
	"runtime/debug"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/common"
	"github.com/snaphook-go/snaphook/stages"
)

// policing applies the policies of hooks in one fire. Breaker, retries and concurrency limits apply to the run of a
// hook; failure policy and shadow mode apply to its report; the strictest policy applies to the merged answer.
type policing[Out any] struct{ *fire[Out] }

// applyFailurePolicy applies the hook's policy to its failure or, without a policy, the event's rules. It
// counts hooks that fail open, writes the log, and calls the failure listeners.
func (f policing[Out]) applyFailurePolicy(r *hook.Report[Out]) {
	r.Err = &hook.Error{Hook: r.Hook, Err: r.Err}
	if errors.Is(r.Err, hook.ErrNotNeeded) {
		return // the merged answer did not need this hook
	}
	if r.Hook.Policy != nil {
		f.decideFailure(r)
	} else if f.failing().failsClosed(r.Hook, r.Err) {
		r.Answered = true
		reason := f.failing().denialReason(r.Hook, r.Err, hook.FailClosed)
		r.Output = hook.Output[Out]{Decision: hook.Deny, Reason: reason, Set: hook.SetAnswer}
		if r.Hook.FailClosed && !filesChanged(r.Err) {
			c := common.ReportOf(r)
			r.Notes = append(slices.Clip(r.Notes), waysOut(&c))
		}
	}
	if inShadow(r.Hook) {
		return // a hook in shadow guards nothing, and no action goes ahead because of it
	}
	if r.FailedOpen() {
		f.s.sys.failedOpen.add(hook.ClassOf(r.Err))
	}
	c := common.ReportOf(r)
	f.log().failure(&c)
	if !f.failing().propagates(&c) {
		f.failing().notify(&c)
	}
}

// compare computes the decision that the fire would have had without shadow: with all shadow hooks in effect, and with
// each alone.
func (f policing[Out]) compare(res *hook.Result[Out]) {
	if !slices.ContainsFunc(res.Reports, func(r hook.Report[Out]) bool { return r.Shadow != nil }) {
		return
	}
	is, rewrite := f.decided(&res.Output, res.Reports), f.rewrite(&res.Output)
	for i := range res.Reports {
		if s := res.Reports[i].Shadow; s != nil {
			would, other := f.merged(res.Reports, func(j int) bool { return j == i })
			s.Differs = differ(is, would) || other != rewrite
		}
	}
	if would, _ := f.merged(res.Reports, func(int) bool { return true }); differ(is, would) {
		res.Would = &would
	}
}

// rewrite returns the part of the input that an answer replaces, as text to compare.
func (f policing[Out]) rewrite(all *hook.Output[Out]) string {
	if f.event.spec.Rewrites == nil {
		return ""
	}
	if rewrites := f.event.spec.Rewrites(all); !rewrites.IsEmpty() {
		return canonical(jsontext.Value(rewrites))
	}
	return ""
}

func (f policing[Out]) decided(all *hook.Output[Out], reports []hook.Report[Out]) hook.Would {
	decision := observing[Out]{f.fire}.word(all, reports)
	return hook.Would{Decision: decision, Reason: cmp.Or(all.Reason, all.StopReason), Stop: all.Stop}
}

// merged merges the reports, with those shadow hooks for which counts returns true. As in a fire, a sequential plan, or
// the chain of a project's own hooks, ends at the first hook that blocks.
func (f policing[Out]) merged(reports []hook.Report[Out], counts func(i int) bool) (hook.Would, string) {
	all := slices.Clone(reports)
	sequential := f.plan.Sequential || f.event.rules.Sequential
	for i := 0; i < len(all); i++ {
		if counts(i) {
			all[i] = *withoutShadow(&all[i])
		}
		all[i].Index = i
		switch {
		case !f.event.spec.Blocks(&all[i].Output):
		case sequential:
			all = all[:i+1]
		case f.plan.OwnChain && all[i].Hook.OwnOnly:
			later := lo.Reject(all[i+1:], func(r hook.Report[Out], _ int) bool { return r.Hook.OwnOnly })
			all = append(all[:i+1], later...)
		}
	}
	res, _ := stages.Reduce(pointers(all), make([]hook.Report[Out], len(all)), f.event.spec.Reduce, func() {})
	f.strictest(&res.Output, all)
	return f.decided(&res.Output, all), f.rewrite(&res.Output)
}

// run runs a hook under its policy, if it has one: breaker, then retries.
func (f policing[Out]) run(ctx context.Context, r *hook.Report[Out], in *fireInput) {
	p, k := r.Hook.Policy, policyStateOf(r.Hook)
	if p == nil {
		f.runOnce(ctx, r, in)
		return
	}
	var before time.Duration
	var notes []string
	for tries := 0; ; tries++ {
		turn := &f.runs[r.Index]
		var refused error
		if turn.trial, refused = k.allow(); refused != nil {
			if tries == 0 {
				r.Err = refused
			}
			break // the last failure is the result
		}
		*r = hook.Report[Out]{Hook: r.Hook, Index: r.Index}
		turn.counted = false
		f.runOnce(ctx, r, in)
		failed := asHookError(r.Hook, r.Err)
		if !r.Backgrounded && !turn.counted {
			k.done(turn.trial, failed)
		}
		before += r.Elapsed
		if failed == nil || tries >= p.Retry.Times || !slices.Contains(p.Retry.On, hook.ClassOf(failed)) ||
			ctx.Err() != nil {
			break
		}
		notes = append(notes, "run again after: "+r.Err.Error())
	}
	r.Elapsed = before
	if notes != nil {
		r.Notes = append(notes, r.Notes...)
	}
}

// runPermitted runs a Runner once it has a worker permit and the permits of its policy. The breaker counts the end of
// the run before the permits are released, so that the next run sees the breaker's new state.
func (f policing[Out]) runPermitted(ctx context.Context, r *hook.Report[Out], in *fireInput) {
	var err error
	turn, workers := &f.runs[r.Index], f.s.sys.permits.of(r.Hook)
	if turn.queued, err = acquireFor(ctx, r.Hook, workers); err != nil {
		r.Err = contextCause(ctx, err)
		return
	}
	defer releaseFor(r.Hook, workers)
	k := policyStateOf(r.Hook)
	if k == nil {
		f.runRunner(ctx, r, in)
		return
	}
	if r.Err = k.mayStillStart(&turn.trial); r.Err != nil {
		return
	}
	f.runSafely(ctx, r, in)
	if !r.Backgrounded {
		k.done(turn.trial, asHookError(r.Hook, r.Err))
		turn.counted = true
	}
}

// runSafely runs a Runner; a panic is the failure of the hook.
func (f policing[Out]) runSafely(ctx context.Context, r *hook.Report[Out], in *fireInput) {
	defer func() {
		if v := recover(); v != nil {
			r.Err = &hook.PanicError{Value: v, Stack: debug.Stack()}
		}
	}()
	f.runRunner(ctx, r, in)
}

// decideFailure applies the failure policy.
func (f policing[Out]) decideFailure(r *hook.Report[Out]) {
	class, c := hook.ClassOf(r.Err), common.ReportOf(r)
	if r.OnFailure = f.failing().failureAction(&c, class); r.OnFailure == hook.FailOpen {
		return
	}
	o := hook.Output[Out]{Decision: hook.Deny, Set: hook.SetAnswer}
	o.Reason = f.failing().denialReason(r.Hook, r.Err, r.OnFailure)
	if r.OnFailure == hook.FailAsk {
		o.Decision = hook.Ask
	}
	r.Answered, r.Output = true, o
}

// uphold enforces a hook's policy on its report after Refine: a denial by policy stays a denial even if the event does
// not honour denials. The answer of a hook in shadow moves to a separate field.
func (f policing[Out]) uphold(r *hook.Report[Out]) {
	blocks := f.blocks(r)
	held := r.OnFailure == hook.FailOpen || blocks || r.OnFailure == hook.FailAsk && r.Output.Decision == hook.Ask
	if !held {
		r.Answered = true
		r.Output = hook.Output[Out]{
			Decision: hook.Deny,
			Reason:   f.failing().failureReason(r.Hook, hook.ClassOf(r.Err), hook.FailClosed),
			Set:      hook.SetAnswer,
		}
	}
	if r.OnFailure != hook.FailOpen && overlaid(r.Hook) {
		c := common.ReportOf(r)
		r.Notes = append(slices.Clip(r.Notes), waysOut(&c))
	}
	if !inShadow(r.Hook) {
		return
	}
	r.Shadow = &hook.Shadowed[Out]{
		Output:    r.Output,
		Said:      r.Answered,
		Reply:     r.Reply,
		Err:       r.Err,
		OnFailure: r.OnFailure,
		Notes:     r.Notes,
	}
	r.Output, r.Answered, r.Reply, r.Err, r.OnFailure, r.Notes = hook.Output[Out]{}, false, nil, nil, hook.FailOpen, nil
}

// hold enforces policies on a merged result. A denial by policy survives every reducer. The result records the effect
// that hooks in shadow would have had.
func (f policing[Out]) hold(res *hook.Result[Out]) {
	f.strictest(&res.Output, res.Reports)
	f.compare(res)
}

// strictest applies the strictest action of the hooks' failure policies to a merged answer.
func (f policing[Out]) strictest(all *hook.Output[Out], reports []hook.Report[Out]) {
	if all.Stop || f.event.spec.Blocks(all) {
		return
	}
	for i := range reports {
		r := &reports[i]
		switch {
		case r.OnFailure == hook.FailOpen:
		case r.Output.Decision.Blocks() || f.blocks(r):
			all.Decision, all.Reason = hook.Deny, r.Output.Reason
			return
		case all.Decision != hook.Ask:
			all.Decision, all.Reason = hook.Ask, r.Output.Reason
		}
	}
}

// differ reports whether two outcomes differ. A different wording of the same decision is not a
// difference.
func differ(a, b hook.Would) bool { return a.Decision != b.Decision || a.Stop != b.Stop }

// withoutShadow returns a copy of a report as if the hook were not in shadow.
func withoutShadow[Out any](r *hook.Report[Out]) *hook.Report[Out] {
	s := r.Shadow
	if s == nil {
		return r
	}
	own := *r
	own.Output, own.Answered, own.Reply = s.Output, s.Said, s.Reply
	own.Err, own.OnFailure, own.Notes = s.Err, s.OnFailure, s.Notes
	return &own
}

func asHookError(h *hook.Hook, err error) error {
	if err == nil {
		return nil
	}
	return &hook.Error{Hook: h, Err: err}
}
