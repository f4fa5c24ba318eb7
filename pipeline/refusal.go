package pipeline

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/environ"
	"github.com/snaphook-go/snaphook/stages"
)

// A fire that cannot ask its hooks, or not all of them, has no answer. What
// follows says so, and blocks where the event can.

// checkInput finds what is wrong with the input before any hook runs.
func (f *fireRun[In, Out]) checkInput() error {
	if err := f.event.input.checked(&f.in.value); err != nil {
		return &hook.InputError{Event: f.event.full, Err: err}
	}
	if f.runsOutside() {
		if _, err := f.payload(f.in); err != nil { // made once, before the hooks share it
			return err
		}
	}
	return nil
}

// unusable is the result of a fire without a session or an input. It keeps
// nothing of the input, which would move every caller's to the heap.
func (e *Event[In, Out]) unusable(s *Session) (*hook.Result[Out], error) {
	err := &hook.InputError{Event: e.full, Err: errNoInput}
	if s == nil || s.reg == nil {
		s, err.Err = nil, errNoSession
	}
	return e.refuse(s, nil, new(hook.Result[Out]), err), err
}

var (
	errNoInput   = errors.New("it is a nil pointer; want the address of the event's input")
	errNoSession = errors.New("there is no session for it; want one of System.NewSession, not nil or an empty one")
)

// refuse makes a result block, if the event can, as if a hook had denied after
// those that have answered, and logs why.
func (e *Event[In, Out]) refuse(s *Session, in *In, res *hook.Result[Out], why error) *hook.Result[Out] {
	msg := "the hooks could not be asked"
	if e.guards {
		msg = "the hooks could not be asked; the action is blocked"
		e.deny(s, in, res, why)
	}
	if s != nil {
		s.sys.log.LogAttrs(context.Background(), slog.LevelWarn, msg, slog.String("event", e.full),
			slog.String("session", s.id), slog.String("error", environ.Scrub(why.Error())))
	}
	return res
}

func (e *Event[In, Out]) deny(s *Session, in *In, res *hook.Result[Out], why error) {
	denial := hook.Output[Out]{Decision: hook.Deny, Reason: why.Error(), Set: hook.SetAnswer}
	res.Answered, res.OverriddenBlock = true, ""
	defer func() {
		_ = recover() // of the event's functions: the denial as it is will do
		if !res.Decision.Blocks() && res.OverriddenBlock == "" {
			res.Output = denial
		}
	}()
	last := hook.Report[Out]{Hook: e.engine(), Index: len(res.Reports), Output: denial, Answered: true}
	if e.spec.Refine != nil {
		e.spec.Refine(cmp.Or(s, new(Session)), cmp.Or(in, new(In)), &last) // the own part says it too
	}
	res.Output = e.spec.Reduce(func(yield func(hook.Output[Out]) bool) {
		for i := range res.Reports {
			if r := &res.Reports[i]; r.Answered && !yield(r.Output) {
				return
			}
		}
		yield(last.Output)
	})
	if e.spec.Conclude != nil && s != nil && in != nil {
		e.spec.Conclude(s, in, res)
	}
}

// unfinished is why hooks have not answered, if the system was closed meanwhile or
// the context has ended; nil if all have, or the event does not stop for it.
func (f *fireRun[In, Out]) unfinished(res *hook.Result[Out]) error {
	closed, ended := f.s.sys.ctx.Err() != nil, f.observed.Err()
	if !f.event.guards || f.event.spec.Rules.Unstoppable {
		ended = nil // it blocks nothing, or its hooks have run all the same
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
	case ended != nil && (few && !lo.EveryBy(f.plan.Run, decidesItsFailures) || failed(unanswered[Out])):
		return ended
	}
	return nil
}

// unanswered reports whether the answer of a hook is missing, and no overlay has
// decided about that.
func unanswered[Out any](r *hook.Report[Out]) bool {
	return r.Err != nil && !errors.Is(r.Err, hook.ErrNotNeeded) && !decidesItsFailures(r.Hook)
}

// decidesItsFailures reports whether an overlay says what the failures of a hook
// amount to.
func decidesItsFailures(h *hook.Hook) bool { return h.Policy != nil && overlaid(h) }

// closed stands for the hooks of a closed system, in the plan of every event:
// fires go where they find out, and those of an open system need not look.
var closed = &hook.Hook{Identity: hook.Identity{ID: "closed", Name: "closed", Type: "engine"}}

// closedEvent is the selector of events that have no hooks.
var closedEvent = &selector{hooks: []*hook.Hook{closed}, runs: true}

// later is how many events can be declared after a view of a closed system was
// made.
const later = 256

// close makes every event active, with the hook that says that it is closed.
func (v *view) close() {
	events := declaredEvents() + later
	for slot := range events {
		switch {
		case slot >= len(v.active):
			v.active = append(v.active, closedEvent)
		case v.active[slot] == nil:
			v.active[slot] = closedEvent
		default:
			v.active[slot] = &selector{hooks: append(slices.Clip(v.listed.of(slot)), closed), runs: true}
		}
	}
}

// open returns a plan without the hook that says that the system is closed.
func open(plan *stages.Planned) (left *stages.Planned, isClosed bool) {
	last := len(plan.Run) - 1
	if last < 0 || plan.Run[last] != closed {
		return plan, false
	}
	p := *plan
	p.Run = p.Run[:last:last]
	return &p, true
}
