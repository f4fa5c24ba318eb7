package jsrun

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"time"
)

// sandbox runs a module in an engine. Only the module's goroutine uses it, apart from the guard of the engine.
type sandbox struct {
	m        *Module
	engine   *jsEngine
	clock    clock
	cut      bool // the guard has interrupted the engine
	reported bool // a call has received that interruption
}

func newSandbox(m *Module) (*sandbox, error) {
	s := &sandbox{m: m}
	s.clock.ring = func() { m.queue.add(s.fire) }
	var err error
	if s.engine, err = newEngine(m.opt, m.source, s.fromJS); err != nil {
		return nil, err
	}
	s.engine.guard.lost = func() {
		m.end(&DeadError{errUnresponsive})
		close(m.abandoned)
	}
	return s, nil
}

// enter runs an entry of the prelude and the jobs that it starts, on behalf of owner, which may be nil.
//
// The engine is interrupted when its time is up. The running function fails, and functions that await it have the same
// time again to settle, so that an endless loop costs one call. If the jobs themselves do not end, the module ends.
func (s *sandbox) enter(owner *pendingCall, op string, args ...any) {
	err := s.turn(op, args...)
	told := false
	if errors.Is(err, errCut) {
		told, err = s.afterCut()
	}
	_, broken := errors.AsType[*errEngine](err)
	switch {
	case err == nil, s.m.Dead() != nil:
	case broken:
		s.m.end(&DeadError{err})
	case owner != nil && s.m.complete(owner.id, outcome{err: err}), told:
	default: // no call receives the error
		s.m.console("error", "Uncaught "+err.Error())
	}
}

// turn enters the engine once, with one time limit.
func (s *sandbox) turn(op string, args ...any) error {
	until := time.Now().Add(s.m.opt.CPU)
	s.engine.guard.enter(until)
	defer s.engine.guard.leave()
	if err := s.engine.enter(until, op, args...); err != nil {
		return err
	}
	return s.engine.drain(until)
}

// afterCut lets the functions that await an interrupted function settle. It returns the interruption as an error; told
// reports whether a call has received it.
func (s *sandbox) afterCut() (told bool, err error) {
	s.cut, s.reported = true, false
	again := s.turn("interrupted")
	s.cut = false
	err = &BudgetError{After: s.m.opt.CPU}
	if errors.Is(again, errCut) {
		s.m.end(&DeadError{err})
	}
	return s.reported, err
}

// fromJS is the Go function that has the name host in prelude.js. JavaScript calls it on the module's goroutine.
func (s *sandbox) fromJS(args []any) (any, error) {
	op, _ := args[0].(string)
	id := number(args[1])
	host, opt := s.m.host, &s.m.opt
	switch op {
	case "answer":
		s.answered(id, value(args[2]))
	case "fail":
		s.m.complete(id, outcome{err: s.thrown(text(args[2]))})
	case "sync":
		return host.sync(host.bindings[id], number(args[2]), text(args[3])), nil
	case "async":
		host.async(id, host.bindings[number(args[2])], number(args[3]), text(args[4]), args[5] == true)
	case "cancel":
		host.cancel(id)
	case "watch":
		return host.watch(host.bindings[id]), nil
	case "release":
		delete(host.bindings, id)
	case "shape":
		return host.shape(id), nil
	case "timer":
		s.clock.set(id, args[2], args[3] == true)
	case "clear":
		s.clock.remove(id)
	case "random":
		return random(id), nil
	case "directory":
		if dir := current(opt.Dir); dir != "" {
			return dir, nil
		}
	case "environ":
		if opt.Environ != nil {
			return variables(opt.Environ)
		}
	case "platform":
		return platform(), nil
	case "url":
		return "(" + webURL + ")", nil
	case "address":
		return address(args[1:]), nil
	case "console":
		s.m.console(text(args[1]), text(args[2]))
	}
	return undefined, nil
}

// answered completes a call. It discards the answer while interrupted functions settle, because the called function may
// have caught the interruption and returned a wrong value.
func (s *sandbox) answered(id int64, v Value) {
	if !s.cut {
		s.m.complete(id, outcome{value: v})
	} else if s.m.complete(id, outcome{err: &BudgetError{After: s.m.opt.CPU}}) {
		s.reported = true
	}
}

// thrown returns the error that JavaScript describes.
func (s *sandbox) thrown(description string) error {
	e, err := readError(description)
	if s.cut && (err != nil || isInterruption(e.Name, e.Message)) {
		s.reported = true
		return &BudgetError{After: s.m.opt.CPU}
	}
	stack := e.Stack
	e.Stack = s.m.source.stack(stack)
	return s.m.source.explained(e, stack)
}

// fire runs the timers that are due now. Timers that they set wait for the next turn: other tasks
// run in between.
func (s *sandbox) fire() {
	now := time.Now()
	for t, is := s.clock.next(now); is; t, is = s.clock.next(now) {
		s.enter(nil, "fire", t.id)
	}
	s.clock.wind()
}

func (s *sandbox) close() error {
	s.clock.stop()
	return s.engine.close()
}

// random returns n random bytes, in hexadecimal.
func random(n int64) string {
	bytes := make([]byte, min(max(n, 0), 1<<16))
	_, _ = rand.Read(bytes) // never fails
	return hex.EncodeToString(bytes)
}

// number returns an argument from JavaScript as a number; 0 for anything else. text and value below convert
// arguments in the same way.

func number(v any) int64 {
	switch v := v.(type) {
	case int:
		return int64(v)
	case float64:
		return int64(v)
	}
	return 0
}

func text(v any) string {
	s, _ := v.(string)
	return s
}

func value(v any) Value {
	if s, is := v.(string); is {
		return Value(s)
	}
	return nil
}
