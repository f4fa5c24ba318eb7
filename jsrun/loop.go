package jsrun

import (
	"errors"
	"time"
)

// loop runs the module's goroutine.
func (m *Module) loop() {
	defer close(m.done)
	defer m.clean()
	// The deferred call matters if a host function ends the goroutine, as t.FailNow does.
	defer m.end(&DeadError{errors.New("a function of the host ended the module's goroutine")})
	m.queue.run()
}

func (m *Module) clean() {
	m.clock.stop()
	if m.proc != nil {
		m.proc.close(m.Dead() == ErrClosed)
		return
	}
	m.failed = m.engine.close()
}

// end records why the module has ended, unless it already has a reason, and fails the waiting calls.
func (m *Module) end(reason error) {
	m.mu.Lock()
	if m.reason != nil {
		m.mu.Unlock()
		return
	}
	m.reason = reason
	calls := m.calls
	m.calls = nil
	m.mu.Unlock()

	m.queue.close()
	if m.proc != nil {
		m.proc.interrupt()
	} else {
		m.engine.guard.end()
	}
	m.cancel(reason)
	for _, c := range calls {
		c.answer <- outcome{err: reason}
	}
}

// enter runs an entry of the prelude and the jobs that it starts, on behalf of owner, which may be nil.
//
// The engine is interrupted when its time is up. The running function fails, and functions that await it have the same
// time again to settle, so that an endless loop costs one call. If the jobs themselves do not end, the module ends.
func (m *Module) enter(owner *pendingCall, op string, args ...any) {
	if m.proc != nil {
		m.send(op, args...)
		return
	}
	err := m.turn(op, args...)
	told := false
	if errors.Is(err, errCut) {
		told, err = m.afterCut()
	}
	var broken *errEngine
	switch {
	case err == nil, m.Dead() != nil:
	case errors.As(err, &broken):
		m.end(&DeadError{err})
	case owner != nil && m.complete(owner.id, outcome{err: err}), told:
	default:
		m.complain(err)
	}
}

// turn enters the engine once, with one time limit.
func (m *Module) turn(op string, args ...any) error {
	until := time.Now().Add(m.opt.CPU)
	m.engine.guard.enter(until)
	defer m.engine.guard.leave()
	if err := m.engine.enter(until, op, args...); err != nil {
		return err
	}
	return m.engine.drain(until)
}

// afterCut lets the functions that await an interrupted function settle. It returns the interruption as an error; told
// reports whether a call has received it.
func (m *Module) afterCut() (told bool, err error) {
	m.cut, m.reported = true, false
	again := m.turn("interrupted")
	m.cut = false
	err = &BudgetError{After: m.opt.CPU}
	if errors.Is(again, errCut) {
		m.end(&DeadError{err})
	}
	return m.reported, err
}

// complain writes an error to the console if no call receives the error.
func (m *Module) complain(err error) {
	if m.opt.Console != nil {
		m.opt.Console("error", "Uncaught "+err.Error())
	}
}
