package pipeline

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/common"
	"github.com/snaphook-go/snaphook/internal/errorline"
	"github.com/snaphook-go/snaphook/wire"
)

// policing applies the policies of hooks in one fire: around the run of a hook (breaker,
// retry, bulkhead), to its report (failure policy, shadow), and to the merged answer.
type policing[Out any] struct{ *fire[Out] }

func (f *fire[Out]) policing() policing[Out] { return policing[Out]{f} }

// runUnderPolicy runs a hook under its policy: breaker, then retries.
func (f policing[Out]) runUnderPolicy(ctx context.Context, r *hook.Report[Out], in *input) {
	p, k := r.Hook.Policy, keeperOf(r.Hook)
	var before time.Duration
	var notes []string
	for tries := 0; ; tries++ {
		turn := &f.runs[r.Index]
		var refused error
		if turn.trial, refused = k.allow(); refused != nil {
			if tries == 0 {
				r.Err = refused
			}
			break // its last failure stands
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

// runLimited runs a Runner within the bulkheads of its policy. The breaker counts its end
// before its permits are free: the hook that gets them next sees the breaker.
func (f policing[Out]) runLimited(ctx context.Context, r *hook.Report[Out], in *input) {
	var err error
	k, turn := keeperOf(r.Hook), &f.runs[r.Index]
	if turn.queued, err = f.s.sys.acquire(ctx, r.Hook, f.s.sys.workers); err != nil {
		r.Err = contextCause(ctx, err)
		return
	}
	defer f.s.sys.release(r.Hook, f.s.sys.workers)
	if r.Err = k.still(&turn.trial); r.Err != nil {
		return
	}
	f.runSafelyLimited(ctx, r, in)
	if !r.Backgrounded {
		k.done(turn.trial, asHookError(r.Hook, r.Err))
		turn.counted = true
	}
}

func (f policing[Out]) runSafelyLimited(ctx context.Context, r *hook.Report[Out], in *input) {
	defer func() {
		if v := recover(); v != nil {
			r.Err = &hook.PanicError{Value: v, Stack: debug.Stack()}
		}
	}()
	f.runRunner(ctx, r, in)
}

func asHookError(h *hook.Hook, err error) error {
	if err == nil {
		return nil
	}
	return &hook.Error{Hook: h, Err: err}
}

// decideFailure makes of the failure of a hook what its policy says.
func (f policing[Out]) decideFailure(r *hook.Report[Out]) {
	class, c := hook.ClassOf(r.Err), common.ReportOf(r)
	if r.OnFailure = f.failing().failureAction(&c, class); r.OnFailure == hook.FailOpen {
		return
	}
	o := hook.Output[Out]{Decision: hook.Deny, Reason: r.Err.Error(), Set: hook.SetAnswer}
	if overlaid(r.Hook) || swapped(r.Err) {
		o.Reason = f.failing().failureReason(r.Hook, class, r.OnFailure)
	}
	if r.OnFailure == hook.FailAsk {
		o.Decision = hook.Ask
	}
	r.Answered, r.Output = true, o
}

// failureAction is what the policy of a hook says of a failure. While a breaker
// is open, what is closed for a failure that opened it stays closed.
func (f failing) failureAction(r *common.Report, class hook.Class) hook.Action {
	if !waitsFor(r.Hook) {
		return hook.FailOpen // it would have decided nothing
	}
	action := r.Hook.Policy.OnFailure[class]
	if open, ok := errors.AsType[*openError](r.Err); ok {
		action = max(action, r.Hook.Policy.Strictest(open.classes...))
	}
	if action == hook.FailOpen && f.of.guards && swapped(r.Err) {
		action = hook.FailClosed
	}
	if action == hook.FailAsk && !f.of.rules.Asks {
		action = hook.FailClosed
	}
	return action
}

// failureReason is the reason of a denial, or of a question, for a hook that could not
// answer. A model reads it: it has no path, no place in a file, and no way to switch the hook
// off. [waysOut] has them, for the user and the log.
func (f failing) failureReason(h *hook.Hook, class hook.Class, action hook.Action) string {
	end := "the call is denied"
	if action == hook.FailAsk {
		end = "the user is asked"
	}
	name := ""
	if h.Name != "" && !strings.ContainsAny(h.Name, "/\\\n") {
		name = fmt.Sprintf(" %.80q", h.Name)
	}
	return fmt.Sprintf("The guard%s of %s could not run (failure class %q): %s.", name, f.of.name, class, end)
}

// waysOut names the hook, the failure, the policy that makes it a denial, and the ways out. It
// is for the report and the log, and not for the model.
func waysOut(r *common.Report) string {
	class := hook.ClassOf(r.Err)
	var b strings.Builder
	fmt.Fprintf(&b, "%v", r.Err)
	if r.Reply != nil {
		if line := errorline.Of(wire.Valid(r.Reply.Stderr)); line != "" {
			fmt.Fprintf(&b, ": %.400s", line)
		}
	}
	fmt.Fprintf(&b, " (failure class %q; the hook is at %s). Its failure policy is %q, at %s", class, place(r.Hook),
		r.Hook.Policy.OnFailure[class], r.Hook.Policy.From["onFailure"].Position)
	if r.OnFailure == hook.FailClosed {
		b.WriteString(", so the call is denied")
	}
	fmt.Fprintf(
		&b,
		". Three ways out: repair the hook; write \"onFailure\": {%q: \"open\"} or \"ask\" there; or switch the hook off with \"mode\": \"off\".",
		class,
	)
	return b.String()
}

// place is where a person finds a hook.
func place(h *hook.Hook) string {
	if at := h.Position.String(); at != "" {
		return at
	}
	return h.Source.String()
}

// uphold looks at the report of a hook with a policy as the event has left it:
// what the policy denies is denied, whatever the event honours. A hook in shadow
// steps aside.
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

// propagates reports whether the error of a hook is Fire's: not where an overlay
// says what becomes of it, which is a denial then, with the overlay's reason.
func (f failing) propagates(r *common.Report) bool {
	return f.of.rules.Propagate && (r.Hook.Policy == nil || r.OnFailure != hook.FailOpen && !overlaid(r.Hook))
}

// overlaid reports whether an overlay says what becomes of a hook's failures.
func overlaid(h *hook.Hook) bool {
	_, yes := h.Policy.From["onFailure"]
	return yes
}

// hold looks at a merged result where there is a policy: no reducer takes a
// denial by policy away, and what hooks in shadow would have changed is known.
func (f policing[Out]) hold(res *hook.Result[Out]) {
	f.strictest(&res.Output, res.Reports)
	f.compare(res)
}

// strictest makes the strictest of the failure policies count in a merged answer.
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
