package pipeline

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"reflect"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/environ"
)

// The functions below report that a fire cannot run all its hooks, and make it block if the event can.

var (
	errNoInput   = errors.New("it is a nil pointer; want the address of the event's input")
	errNoSession = errors.New("its session is nil or empty; want one of System.NewSession")
)

// unusable returns the result of a fire without a session or an input. It takes no reference to the input, which would
// force every caller's input to the heap.
func (e *core[Out]) unusable(s *Session) (*hook.Result[Out], error) {
	err := &hook.InputError{Event: e.full, Err: errNoInput}
	if s == nil || s.reg == nil {
		s, err.Err = nil, errNoSession
	}
	return e.refuse(s, nil, new(hook.Result[Out]), err), err
}

// refuse adds a denial to a result, if the event can block, after the answers of the hooks. It logs why.
func (e *core[Out]) refuse(s *Session, in any, res *hook.Result[Out], why error) *hook.Result[Out] {
	msg := "the hooks could not be run"
	if e.guards {
		msg = "the hooks could not be run; the action is blocked"
		e.deny(s, in, res, why)
	}
	if s != nil {
		s.sys.log.LogAttrs(context.Background(), slog.LevelWarn, msg, slog.String("event", e.full),
			slog.String("session", s.id), slog.String("error", environ.Scrub(why.Error())))
	}
	return res
}

func (e *core[Out]) deny(s *Session, in any, res *hook.Result[Out], why error) {
	denial := hook.Output[Out]{Decision: hook.Deny, Reason: why.Error(), Set: hook.SetAnswer}
	res.Answered, res.OverriddenBlock = true, ""
	defer func() {
		_ = recover() // if a function of the event panics, the denial remains
		if !res.Decision.Blocks() && res.OverriddenBlock == "" {
			res.Output = denial
		}
	}()
	last := hook.Report[Out]{Hook: e.engine(), Index: len(res.Reports), Output: denial, Answered: true}
	if e.spec.refine != nil {
		about := in
		if about == nil {
			about = reflect.New(e.inputType).Interface()
		}
		e.spec.refine(cmp.Or(s, new(Session)), about, &last) // also writes the denial into the event's own part of the answer
	}
	res.Output = e.spec.Reduce(func(yield func(hook.Output[Out]) bool) {
		for i := range res.Reports {
			if r := &res.Reports[i]; r.Answered && !yield(r.Output) {
				return
			}
		}
		yield(last.Output)
	})
	if e.spec.conclude != nil && s != nil && in != nil {
		e.spec.conclude(s, in, res)
	}
}
