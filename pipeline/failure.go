package pipeline

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/common"
	"github.com/snaphook-go/snaphook/internal/errorline"
	"github.com/snaphook-go/snaphook/wire"
)

// Failure describes a hook that failed, for the listeners of a session.
type Failure struct {
	Event   string // "llxprt.BeforeTool"
	Hook    *hook.Hook
	Err     error // as in the hook's Report: a [hook.Error]
	Blocked bool  // the failure blocks the action, or makes the host ask the user
}

// blocked reports whether the failure of a hook blocks the action, or asks the user.
func blocked(r *common.Report) bool { return r.Output.Decision.Blocks() || r.OnFailure == hook.FailAsk }

// failureRules applies the rules about failed hooks in one fire.
type failureRules struct{ *fireState }

// failsClosed reports whether a hook that failed blocks.
func (f failureRules) failsClosed(h *hook.Hook, err error) bool {
	rules, late := &f.of.rules, new(hook.TimeoutError)
	if !waitsFor(h) {
		return false // a background hook decides nothing
	}
	switch {
	case f.of.guards && filesChanged(err):
		return true
	case rules.LateOpens && errors.As(err, &late), rules.UnreadOpens && hook.ClassOf(err) == hook.ClassOutput:
		return false
	case rules.FailClosed || rules.Propagate || h.FailClosed:
		return true
	}
	if rules.UnreadBlocks && hook.ClassOf(err).IsUnread() {
		return true
	}
	return errors.As(err, &late) && (rules.LateBlocks || rules.LateFuncBlocks && h.Func != nil)
}

// failureAction returns the action that a hook's policy sets for a failure. An open breaker keeps the action of the
// failures that opened it: the hook fails closed if the action of one such failure is to fail closed.
func (f failureRules) failureAction(r *common.Report, class hook.Class) hook.Action {
	if !waitsFor(r.Hook) {
		return hook.FailOpen // a background hook decides nothing
	}
	action := r.Hook.Policy.OnFailure[class]
	if open, ok := errors.AsType[*openError](r.Err); ok {
		action = max(action, r.Hook.Policy.Strictest(open.classes...))
	}
	if errors.Is(r.Err, hook.ErrUnsupported) { // the settings name an unknown type of hook
		action = max(action, r.Hook.Policy.OnFailure[hook.ClassInvalid])
	}
	if action == hook.FailOpen && f.of.guards && filesChanged(r.Err) {
		action = hook.FailClosed
	}
	if action == hook.FailAsk && !f.of.rules.Asks {
		action = hook.FailClosed
	}
	return action
}

// failureReason returns the reason of a denial, or of a question, for a hook that could not answer. The model reads the
// reason. It therefore contains no path, no position in a file and no way to disable the hook; the user and the log get
// those from [waysOut].
func (f failureRules) failureReason(h *hook.Hook, class hook.Class, action hook.Action) string {
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

// denialReason returns the reason of a denial for a hook that failed. For a hook in Go it is the error's text,
// unless an overlay decides about the failure, or the hook's files have changed. Other errors name commands and
// files, which a model must not see.
func (f failureRules) denialReason(h *hook.Hook, err error, action hook.Action) string {
	if h.Func != nil && !filesChanged(err) && (h.Policy == nil || !overlaid(h) && h.Policy.Held == "") {
		return err.Error()
	}
	return f.failureReason(h, hook.ClassOf(err), action)
}

// propagates reports whether Fire returns the error of a hook. If an overlay sets the policy for failures, the policy
// decides about the result, and Fire does not return the error.
func (f failureRules) propagates(r *common.Report) bool {
	return f.of.rules.Propagate && (r.Hook.Policy == nil || r.OnFailure != hook.FailOpen && !overlaid(r.Hook))
}

// notifyFailure calls the session's failure listeners.
func (f failureRules) notify(r *common.Report) {
	for _, listen := range f.s.more.Load().listening() {
		f.notifyListener(*listen, Failure{Event: f.of.full, Hook: r.Hook, Err: r.Err, Blocked: blocked(r)})
	}
}

func (f failureRules) notifyListener(listen func(Failure), failure Failure) {
	defer func() {
		if v := recover(); v != nil {
			f.log().panicked("a listener to failures panicked", v)
		}
	}()
	listen(failure)
}

// propagated returns the error that Fire takes over from a hook, or nil.
func propagated[Out any](f failureRules, reports []hook.Report[Out]) error {
	for i := range reports {
		if err := reports[i].Err; err != nil && !errors.Is(err, hook.ErrNotNeeded) {
			if c := common.ReportOf(&reports[i]); f.propagates(&c) {
				return err
			}
		}
	}
	return nil
}

// contextCause replaces an error that only reports the end of ctx by the cause of that end. If the cause is not a
// cancellation itself, the result also wraps ctx.Err().
func contextCause(ctx context.Context, err error) error {
	ended, cause := ctx.Err(), context.Cause(ctx)
	switch {
	case ended == nil || !errors.Is(err, ended) && !errors.Is(err, cause):
		return err
	case cancelled(cause):
		return cause
	}
	return fmt.Errorf("%w: %w", ended, cause)
}

// filesChanged reports whether a hook did not run because the hook, or a file that it runs, has changed or is gone
// since the user agreed to the hook. This failure blocks, so that changing a file cannot disable a guard.
func filesChanged(err error) bool {
	classed, ok := errors.AsType[*hook.ClassError](err)
	return ok && classed.Class == hook.ClassUntrusted
}

// openFailures counts hooks that failed open.
type openFailures struct {
	all     atomic.Int64
	mu      sync.Mutex
	byClass map[hook.Class]int64
}

func (o *openFailures) add(class hook.Class) {
	o.all.Add(1)
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.byClass == nil {
		o.byClass = map[hook.Class]int64{}
	}
	o.byClass[class]++
}

func (o *openFailures) by() map[hook.Class]int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	all := make(map[hook.Class]int64, len(o.byClass))
	for class, n := range o.byClass {
		all[class] = n
	}
	return all
}

// waysOut describes the failed hook, the policy that turns the failure into a denial, and how to change the policy. The
// text is for the report and the log, not for the model.
func waysOut(r *common.Report) string {
	class := hook.ClassOf(r.Err)
	var b strings.Builder
	fmt.Fprintf(&b, "%v", r.Err)
	if r.Reply != nil {
		if line := errorline.Of(wire.Valid(r.Reply.Stderr)); line != "" {
			fmt.Fprintf(&b, ": %.400s", line)
		}
	}
	if r.Hook.Policy == nil || !overlaid(r.Hook) { // the settings entry of the hook has the policy
		fmt.Fprintf(&b, " (failure class %q; the hook is at %s). Its entry, or its system, says that it blocks when it fails. "+
			"Two ways out: repair the hook; or write \"onFailure\": {%q: \"open\"} in an overlay.", class, settingsPlace(r.Hook), class)
		return b.String()
	}
	fmt.Fprintf(&b, " (failure class %q; the hook is at %s). Its failure policy is %q, at %s", class, settingsPlace(r.Hook),
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

// settingsPlace returns the position in the settings at which a user finds a hook.
func settingsPlace(h *hook.Hook) string {
	if at := h.Position.String(); at != "" {
		return at
	}
	return h.Source.String()
}

// overlaid reports whether an overlay sets the policy for a hook's failures.
func overlaid(h *hook.Hook) bool {
	_, yes := h.Policy.From["onFailure"]
	return yes
}

// decidesAbout reports whether an overlay sets an action for failures of this class.
func decidesAbout(h *hook.Hook, class hook.Class) bool {
	return h.Policy != nil && h.Policy.Decided[class]
}

// decidesAboutGone reports whether an overlay sets an action for a hook that did not run because the caller cancelled.
func decidesAboutGone(h *hook.Hook) bool { return decidesAbout(h, hook.ClassCancelled) }

// waitsFor reports whether the fire waits for the hook.
func waitsFor(h *hook.Hook) bool { return h.Background == hook.Foreground || h.Func != nil }
