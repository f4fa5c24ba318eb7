package jsrun

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"
)

// Module is a JavaScript module in a VM of its own. It may be used from many goroutines at once;
// the module runs one call at a time, and starts another whenever the running one awaits something.
type Module struct {
	path    string
	opt     Options
	source  *bundle
	sandbox *sandbox       // nil if the module runs in a process
	proc    *moduleProcess // nil if the module runs in the sandbox
	queue   *taskQueue
	calls   openCalls
	host    *hostObjects
	factory bool          // the default export is a function
	loading time.Duration // time left of Options.Load for Start; only one goroutine at a time loads

	ctx       context.Context // ends with the module
	cancel    context.CancelCauseFunc
	done      chan struct{} // closed when the goroutine is gone
	abandoned chan struct{} // closed if the goroutine cannot be waited for
	failed    error         // error of closing the engine; set before done is closed
}

// Open loads the module of a file: it strips the types, joins the imported files, and runs the
// top level. The error is a [*LoadError].
//
// The context bounds the loading alone. Loading ends with an [*UnsettledError] after
// [Options.Load], also if the top level awaits a promise that never settles. Opening costs a few
// milliseconds; a module holds some 400 KiB and one goroutine until Close.
func Open(ctx context.Context, path string, opt Options) (*Module, error) {
	return within(ctx, path, opt, func(ctx context.Context) (*Module, error) { return open(ctx, path, opt) })
}

// within loads a module in the time of [Options.Load], and records the remaining time. The error is a [*LoadError].
func within(
	ctx context.Context,
	path string,
	opt Options,
	load func(context.Context) (*Module, error),
) (*Module, error) {
	begun, limit := time.Now(), cmp.Or(opt.Load, MaxLoad)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, &UnsettledError{After: limit})
	defer cancel()
	m, err := load(ctx)
	if err != nil {
		return nil, &LoadError{Path: path, Err: err}
	}
	m.loading = limit - time.Since(begun)
	return m, nil
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
		calls:     openCalls{calls: map[int64]*pendingCall{}},
		done:      make(chan struct{}),
		abandoned: make(chan struct{}),
	}
	m.ctx, m.cancel = context.WithCancelCause(context.Background())
	m.host = newHostObjects(m.ctx, m.queue, func(op string, args ...any) { m.enter(nil, op, args...) })
	var err error
	if source.program != "" {
		m.proc, err = startProcess(m)
	} else {
		m.sandbox, err = newSandbox(m)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot start %s: %w", cmp.Or(source.program, "the engine"), err)
	}
	go m.loop()
	return m, nil
}

// Path returns the path with which the module was opened.
func (m *Module) Path() string { return m.path }

// Runtime returns where the module runs, [Sandbox], [Node] or [Bun], and the reason in words.
func (m *Module) Runtime() (name, why string) { return m.source.runtime, m.source.why }

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

// Restart loads a module again after its end, from its original text. The error is a [*LoadError]. The ended module
// still has to be closed.
func (m *Module) Restart(ctx context.Context) (*Module, error) {
	source := *m.source
	source.loaded = false
	return within(ctx, m.path, m.opt, func(ctx context.Context) (*Module, error) {
		return openBundle(ctx, m.path, m.opt, &source)
	})
}

// Dead returns the reason why the module has ended: a [*DeadError], or [ErrClosed] after Close; nil while the module
// runs.
func (m *Module) Dead() error { return m.calls.ended() }

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
	m.host.work.Wait()
	return m.failed
}

// loop runs the module's goroutine.
func (m *Module) loop() {
	defer close(m.done)
	defer m.clean()
	// The deferred call matters if a host function ends the goroutine, as t.FailNow does.
	defer m.end(&DeadError{errors.New("a function of the host ended the module's goroutine")})
	m.queue.run()
}

func (m *Module) clean() {
	if m.proc != nil {
		m.proc.close(m.Dead() == ErrClosed)
		return
	}
	m.failed = m.sandbox.close()
}

// end records why the module has ended, unless it already has a reason, and fails the waiting calls.
func (m *Module) end(reason error) {
	calls, first := m.calls.end(reason)
	if !first {
		return
	}
	m.queue.close()
	if m.proc != nil {
		m.proc.interrupt()
	} else {
		m.sandbox.engine.guard.end()
	}
	m.cancel(reason)
	for _, c := range calls {
		c.answer <- outcome{err: reason}
	}
}

// do calls run on the module's goroutine, with the arguments as text, and waits for an answer.
func (m *Module) do(ctx context.Context, args []any, run func(c *pendingCall, text string)) (Value, error) {
	if m.host.isInside(ctx) {
		return nil, ErrInside
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	c := &pendingCall{ctx: ctx, answer: make(chan outcome, 1)}
	text, err := m.host.encode(c, args)
	if err != nil {
		return nil, err
	}
	if err := m.calls.add(c); err != nil {
		return nil, err
	}
	m.queue.add(func() { m.begin(c, text, run) })
	select {
	case o := <-c.answer:
		return o.value, withSize(o.err, len(text), m.opt.Memory)
	case <-ctx.Done():
		if m.calls.take(c.id) != nil && m.proc != nil {
			m.queue.add(func() { m.proc.abandon(c.id) })
		}
		return nil, context.Cause(ctx)
	}
}

// begin runs a call unless its caller has stopped waiting.
func (m *Module) begin(c *pendingCall, text string, run func(c *pendingCall, text string)) {
	if c.ctx.Err() != nil {
		return
	}
	for _, b := range c.objects {
		m.host.bindings[b.id] = b
	}
	run(c, text)
}

// enter calls an entry of prelude.js, in the sandbox or in the process, on behalf of owner, which may be nil.
func (m *Module) enter(owner *pendingCall, op string, args ...any) {
	if m.proc != nil {
		m.proc.send(op, args...)
		return
	}
	m.sandbox.enter(owner, op, args...)
}

// complete answers a call. It reports whether a caller was waiting. It runs on the module's goroutine.
func (m *Module) complete(id int64, o outcome) bool {
	c := m.calls.take(id)
	if c == nil {
		return false
	}
	c.settled = true
	for _, b := range c.objects {
		m.host.unwatch(b)
	}
	c.answer <- o
	return true
}

func (m *Module) console(level, text string) {
	if m.opt.Console != nil {
		m.opt.Console(level, text)
	}
}
