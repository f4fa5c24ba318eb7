package modules

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/jsrun"
	"github.com/snaphook-go/snaphook/run"
)

const (
	firstWait = 100 * time.Millisecond // wait before a process is started again; it doubles each time
	// longest wait; after a process that has lived longer, the first wait is short again
	mostWait = 30 * time.Second
)

// boundModule is the value to which the functions of pi are bound. After the module's process has ended, the next call
// starts a new process.
type boundModule struct {
	api   *xcsh.API
	exec  func(*xcsh.API, context.Context, string, []string, xcsh.ExecOptions) (xcsh.ExecResult, error)
	start func(context.Context, *jsrun.Module) error // runs the factory
	turn  chan struct{}                              // held while the module is being restarted
	room  *run.Room                                  // limits the output of all programs that it runs
	way   chan struct{}                              // one large result at a time is passed to JavaScript

	tooMuch sync.Once // logs once that the module registers too much

	mu        sync.Mutex
	js        *jsrun.Module
	born      time.Time
	wait      time.Duration
	lives     int
	counted   map[string]int // registrations of this life, by key
	functions map[string][]*function
	flags     map[string]jsrun.Value // defaults of its flags
	entries   int                    // number of objects that the host keeps for this life
	bytes     int
	starting  bool // the module is being restarted
	closed    bool
}

// function is a function that the module has registered, with its current handle, and the life of the module in which
// the handle was made.
type function struct {
	handle jsrun.Handle
	life   int
}

// register records a function. known reports that it was already registered before a restart, and that xcsh therefore
// has it.
func (m *boundModule) register(key string, h jsrun.Handle) (f *function, known bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.functions == nil {
		m.functions, m.counted = map[string][]*function{}, map[string]int{}
	}
	n := m.counted[key]
	m.counted[key]++
	if n < len(m.functions[key]) {
		f = m.functions[key][n]
		f.handle, f.life = h, m.lives
		return f, true
	}
	f = &function{h, m.lives}
	m.functions[key] = append(m.functions[key], f)
	return f, false
}

// now returns the current instance of the module.
func (m *boundModule) now() *jsrun.Module {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.js
}

var errForgotten = errors.New("the module was restarted, and has not registered this function again")

// call calls a function. If the module's process has ended, it restarts the module first.
func (m *boundModule) call(ctx context.Context, f *function, args ...any) (jsrun.Value, error) {
	if m.ended() {
		if err := m.revive(ctx); err != nil {
			return nil, err
		}
	}
	m.mu.Lock()
	js, h, lost := m.js, f.handle, f.life != m.lives
	m.mu.Unlock()
	if lost {
		return nil, errForgotten
	}
	return js.Call(ctx, h, args...)
}

// ended reports whether the module has to be restarted, or is being restarted.
func (m *boundModule) ended() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	where, _ := m.js.Runtime()
	return where != jsrun.Sandbox && (m.starting || m.js.Dead() != nil)
}

// revive restarts a module, unless another call has done so.
func (m *boundModule) revive(ctx context.Context) error {
	select {
	case m.turn <- struct{}{}:
		defer func() { <-m.turn }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	m.mu.Lock()
	js, wait, closed := m.js, time.Until(m.born.Add(m.wait)), m.closed
	m.mu.Unlock()
	reason := js.Dead()
	switch {
	case reason == nil || closed:
		return reason
	case wait > 0:
		return fmt.Errorf("%w; it starts again in %v", reason, wait.Round(time.Millisecond))
	}
	_ = js.Close() // its process has ended
	next, err := js.Restart(ctx)
	if err != nil {
		m.failed()
		return fmt.Errorf("%w; it could not be started again: %w", reason, err)
	}
	if !m.adopt(next) {
		return errors.Join(jsrun.ErrClosed, next.Close())
	}
	err = m.start(ctx, next)
	m.mu.Lock()
	m.starting = false
	m.mu.Unlock()
	if err != nil {
		return errors.Join(fmt.Errorf("%w; it could not be started again: %w", reason, err), next.Close())
	}
	return nil
}

// adopt makes next the current instance, unless the module has been closed.
func (m *boundModule) adopt(next *jsrun.Module) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return false
	}
	m.backOff()
	m.js, m.counted, m.starting = next, map[string]int{}, true
	m.entries, m.bytes = 0, 0
	m.lives++
	return true
}

func (m *boundModule) failed() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.backOff()
}

// backOff sets the time before which the module is not restarted again.
func (m *boundModule) backOff() {
	if time.Since(m.born) > mostWait {
		m.wait = 0
	}
	m.born, m.wait = time.Now(), min(max(2*m.wait, firstWait), mostWait)
}

// Runtime returns the runtime and its reason, for [xcsh.Info].
func (m *boundModule) Runtime() (name, why string) { return m.now().Runtime() }

// Close ends the module.
func (m *boundModule) Close() error {
	m.mu.Lock()
	m.closed = true
	m.mu.Unlock()
	return m.now().Close()
}
