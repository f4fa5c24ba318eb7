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

// Failure is a hook that failed, for those who listen to a session.
type Failure struct {
	Event   string // "llxprt.BeforeTool"
	Hook    *hook.Hook
	Err     error // as in the hook's Report: a [hook.Error]
	Blocked bool  // the action does not go ahead because of it
}

// failing decides about the failures of hooks in one fire.
type failing struct{ *fireState }

func (f *fireState) failing() failing { return failing{f} }

// failsClosed reports whether a hook that failed blocks.
func (f failing) failsClosed(h *hook.Hook, err error) bool {
	rules, late := &f.of.rules, new(hook.TimeoutError)
	if !waitsFor(h) {
		return false // it would have decided nothing
	}
	switch {
	case f.of.guards && swapped(err):
		return true
	case rules.LateOpens && errors.As(err, &late):
		return false
	case rules.FailClosed || rules.Propagate || h.FailClosed:
		return true
	}
	if rules.UnreadBlocks && hook.ClassOf(err).IsUnread() {
		return true
	}
	return errors.As(err, &late) && (rules.LateBlocks || rules.LateFuncBlocks && h.Func != nil)
}

// failureAction returns the action of a hook's policy for a failure. While a breaker is open, a
// hook that is closed for a failure that opened it stays closed.
func (f failing) failureAction(r *common.Report, class hook.Class) hook.Action {
	if !waitsFor(r.Hook) {
		return hook.FailOpen // it would have decided nothing
	}
	action := r.Hook.Policy.OnFailure[class]
	if open, ok := errors.AsType[*openError](r.Err); ok {
		action = max(action, r.Hook.Policy.Strictest(open.classes...))
	}
	if errors.Is(r.Err, hook.ErrUnsupported) { // a type of hooks that cannot be run is an entry that cannot be used
		action = max(action, r.Hook.Policy.OnFailure[hook.ClassInvalid])
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

// denialReason returns the reason of a denial for a hook that failed. The error of a hook in Go is
// the program's own text; that of any other names commands and files, which are not for a model.
func (f failing) denialReason(h *hook.Hook, err error, action hook.Action) string {
	if h.Func != nil && !swapped(err) && (h.Policy == nil || !overlaid(h) && h.Policy.Held == "") {
		return err.Error()
	}
	return f.failureReason(h, hook.ClassOf(err), action)
}

// propagates reports whether the error of a hook is Fire's. It is not where an overlay decides
// about it: that is a denial then, with the overlay's reason.
func (f failing) propagates(r *common.Report) bool {
	return f.of.rules.Propagate && (r.Hook.Policy == nil || r.OnFailure != hook.FailOpen && !overlaid(r.Hook))
}

// contextCause returns the reason for which ctx has ended in place of an error that
// says no more than that it has. A reason of the caller's own stays a
// cancellation.
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

// swapped reports whether a hook did not run because it, or a file that it runs, differs from the
// version that the user agreed to. A change does not switch a guard off.
func swapped(err error) bool {
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
	if r.Hook.Policy == nil || !overlaid(r.Hook) { // its entry says so
		fmt.Fprintf(&b, " (failure class %q; the hook is at %s). Its entry says that it blocks when it fails. Two ways out: "+
			"repair the hook; or take \"onFailure\": \"block\" out of its entry.", class, place(r.Hook))
		return b.String()
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

// overlaid reports whether an overlay decides about a hook's failures.
func overlaid(h *hook.Hook) bool {
	_, yes := h.Policy.From["onFailure"]
	return yes
}

// decidesAbout reports whether an overlay decides about a hook's failures of a class. An overlay
// that names only other classes does not.
func decidesAbout(h *hook.Hook, class hook.Class) bool {
	return h.Policy != nil && h.Policy.Decided[class]
}

// decidesAboutGone is decidesAbout for a hook that was not asked, since the caller
// has gone.
func decidesAboutGone(h *hook.Hook) bool { return decidesAbout(h, hook.ClassCancelled) }

// waitsFor reports whether the fire goes on only when the hook is done.
func waitsFor(h *hook.Hook) bool { return h.Background == hook.Foreground || h.Func != nil }
