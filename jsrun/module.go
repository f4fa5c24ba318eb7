package jsrun

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"
)

// Module is a JavaScript module in a VM of its own. It may be used from many goroutines at once;
// the module runs one call at a time, and starts another whenever the running one awaits something.
type Module struct {
	path    string
	opt     Options
	source  *bundle
	engine  *jsEngine      // nil if the module runs in a process
	proc    *moduleProcess // nil if the module runs in an engine
	queue   *taskQueue
	factory bool          // the default export is a function
	loading time.Duration // time left of Options.Load for Start; only one goroutine at a time loads

	ctx       context.Context // ends with the module
	cancel    context.CancelCauseFunc
	work      sync.WaitGroup // running asynchronous functions
	done      chan struct{}  // closed when the goroutine is gone
	abandoned chan struct{}  // closed if the goroutine cannot be waited for

	mu     sync.Mutex
	calls  map[int64]*pendingCall // calls without an answer
	shapes map[*Object]int        // indexes in known
	known  []*objectShape
	ids    int64 // last id of calls and bindings
	reason error // why the module has ended; nil while it has not

	// Only the module's goroutine uses the fields from here on.
	bindings map[int64]*binding
	cancels  map[int64]context.CancelCauseFunc // cancels the asynchronous functions
	clock    clock
	cut      bool  // the guard has interrupted the engine
	reported bool  // a call has received that interruption
	failed   error // error of closing the engine
}

// Open loads the module of a file: it strips the types, joins the imported files, and runs the
// top level. The error is a [*LoadError].
//
// The context bounds the loading alone. Loading ends with an [*UnsettledError] after
// [Options.Load], also if the top level awaits a promise that never settles. Opening costs a few
// milliseconds; a module holds some 400 KiB and one goroutine until Close.
func Open(ctx context.Context, path string, opt Options) (*Module, error) {
	m, err := within(ctx, cmp.Or(opt.Load, MaxLoad), func(ctx context.Context) (*Module, error) {
		return open(ctx, path, opt)
	})
	if err != nil {
		return nil, &LoadError{Path: path, Err: err}
	}
	return m, nil
}

// within loads a module in at most the time left, and records the remaining time.
func within(ctx context.Context, left time.Duration, load func(context.Context) (*Module, error)) (*Module, error) {
	begun := time.Now()
	ctx, cancel := context.WithTimeoutCause(ctx, left, &UnsettledError{After: left})
	defer cancel()
	m, err := load(ctx)
	if m != nil {
		m.loading = left - time.Since(begun)
	}
	return m, err
}

func open(ctx context.Context, path string, opt Options) (*Module, error) {
	full, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	source, err := choose(ctx, full, opt)
	if err != nil {
		return nil, err
	}
	return openBundle(ctx, path, opt, source)
}

// openBundle starts a module and runs its top level.
func openBundle(ctx context.Context, path string, opt Options, source *bundle) (*Module, error) {
	m, err := start(path, opt.limited(source), source)
	if err != nil {
		return nil, err
	}
	answer, err := m.do(ctx, nil, func(c *pendingCall, _ string) { m.enter(c, "load", c.id, source.name) })
	if err != nil {
		return nil, errors.Join(err, m.Close())
	}
	m.factory = Truthy(answer)
	return m, nil
}

// start creates the engine, or the process, and the goroutine.
func start(path string, opt Options, source *bundle) (*Module, error) {
	m := &Module{
		path:      path,
		opt:       opt,
		source:    source,
		queue:     newQueue(),
		done:      make(chan struct{}),
		abandoned: make(chan struct{}),
		calls:     map[int64]*pendingCall{},
		shapes:    map[*Object]int{},
		bindings:  map[int64]*binding{},
		cancels:   map[int64]context.CancelCauseFunc{},
	}
	m.clock.ring = func() { m.queue.add(m.fire) }
	m.ctx, m.cancel = context.WithCancelCause(context.Background())
	var err error
	if source.program != "" {
		if err = m.startProcess(); err != nil {
			return nil, fmt.Errorf("cannot start %s: %w", source.program, err)
		}
		go m.loop()
		return m, nil
	}
	if m.engine, err = newEngine(opt, source, m.fromJS); err != nil {
		return nil, fmt.Errorf("cannot start the engine: %w", err)
	}
	m.engine.guard.lost = func() {
		m.end(&DeadError{errUnresponsive})
		close(m.abandoned)
	}
	go m.loop()
	return m, nil
}

// Path returns the path with which the module was opened.
func (m *Module) Path() string { return m.path }

// HasFactory reports whether the default export is a function, as [Module.Start]
// wants it.
func (m *Module) HasFactory() bool { return m.factory }

// Start calls the default export with the API object and waits for its result within the rest of
// [Options.Load]. The error is [ErrNoFactory], or a [*LoadError]. A module that did not start
// must be closed like any other.
func (m *Module) Start(ctx context.Context, api Bound) error {
	if !m.HasFactory() {
		return ErrNoFactory
	}
	// The time limit ends with the start, but the context does not: host functions that the module has called, without
	// awaiting them, use it until Close.
	ctx, cancel := context.WithCancelCause(ctx)
	limit := time.AfterFunc(m.loading, func() { cancel(&UnsettledError{After: cmp.Or(m.opt.Load, MaxLoad)}) })
	defer limit.Stop()
	context.AfterFunc(m.ctx, func() { cancel(context.Cause(m.ctx)) })
	_, err := m.do(ctx, []any{api}, func(c *pendingCall, args string) { m.enter(c, "start", c.id, args) })
	if err != nil {
		cancel(err)
		return &LoadError{Path: m.path, Err: err}
	}
	return nil
}

// Call calls a function and waits for its result; it awaits a promise. An argument is a [Bound],
// a [Value], or any value that encodes to JSON; nil is null.
//
// An exception is an [*Error]. When ctx ends, Call returns its cause at once and the module continues in the
// background; the contexts of the Go functions that it waits for have ended by then. The wait has no other limit. If
// the module runs too long without a pause, the error is a [*BudgetError]. A module that has ended returns [ErrClosed]
// or its [*DeadError].
//
// A call of a small handler costs some 40 microseconds; long arguments and results add some 50
// microseconds for a KiB of small objects.
func (m *Module) Call(ctx context.Context, fn Handle, args ...any) (Value, error) {
	return m.do(ctx, args, func(c *pendingCall, text string) { m.enter(c, "call", c.id, int64(fn), text) })
}

// Dead returns the reason why the module has ended: a [*DeadError], or [ErrClosed] after Close; nil while the module
// runs.
func (m *Module) Dead() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.reason
}

// Close ends the module: its timers, the contexts of the Go functions that it waits for and, with [ErrClosed], the
// calls in progress. It returns when those functions have returned and the VM is released. It may be called more than
// once, but not by a function for which the module waits.
//
// If the engine does not react to an interruption within five seconds, Close returns an error, and the engine and its
// goroutine remain until it reacts.
func (m *Module) Close() error {
	m.end(ErrClosed)
	select {
	case <-m.done:
	case <-m.abandoned:
		return fmt.Errorf("%s: %w", m.path, errUnresponsive)
	}
	m.work.Wait()
	return m.failed
}
