package jsrun

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/snaphook-go/snaphook/internal/testkit"
)

func TestCallsTakeTurnsWhereTheyAwait(t *testing.T) {
	a := limited(t, `(() => {
		let inside = 0;
		return async e => {
			if (++inside !== 1) return "two at once";
			let n = 0;
			for (let i = 0; i < 100; i++) n += i;
			inside--;
			await pi.exec(5);
			return e.n;
		};
	})()`, Options{})
	var all sync.WaitGroup
	start := time.Now()
	for i := range 50 {
		all.Go(func() {
			got, err := a.fire(t.Context(), "call", fmt.Sprintf(`{"n":%d}`, i))
			if err != nil || string(got) != fmt.Sprint(i) {
				t.Errorf("call %d: %s, %v", i, got, err)
			}
		})
	}
	all.Wait()
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("50 calls that wait 5 ms took %v", took)
	}
}

func TestAnAbandonedCallSettlesUnheard(t *testing.T) {
	for _, test := range []struct {
		name, handler string
		settles       bool // after it has logged "late"
	}{ // each handler logs that it begins: it would not run at all if its call had ended before
		{"never", "() => { pi.logger.warn('begins'); return new Promise(() => {}); }", false},
		{"later", "async () => { pi.logger.warn('begins'); await new Promise(go => setTimeout(go, 30)); pi.logger.warn('late'); return 1; }", true},
		{"throwing later", "async () => { pi.logger.warn('begins'); await new Promise(go => setTimeout(go, 30)); pi.logger.warn('late'); throw new Error('late'); }", true},
		{"when the host gives up", "async (_, ctx) => { pi.logger.warn('begins'); await ctx.ui.confirm('a', 'b').catch(() => {}); pi.logger.warn('late'); return 1; }", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := limited(t, test.handler, Options{})
			a.confirm = func(ctx context.Context, _, _ string) (any, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			ctx, cancel := context.WithCancelCause(t.Context())
			ended := make(chan error, 1)
			go func() {
				_, err := a.fire(ctx, "call", "{}")
				ended <- err
			}()
			a.log.WaitFor(t, "warn begins")
			cancel(errors.New("enough"))
			if err := <-ended; err == nil || err.Error() != "enough" {
				t.Errorf("got %v, want the cause", err)
			}
			if test.settles {
				a.log.WaitFor(t, "warn late")
			}
			a.stillWorks(t)
			if n := len(a.module.calls.calls); n != 0 {
				t.Errorf("%d calls are still known", n)
			}
		})
	}
}

func TestHostFunctionsLoseTheirContextWithTheCall(t *testing.T) {
	a := limited(t, "async (_, ctx) => ctx.ui.confirm('a', 'b')", Options{})
	ended := make(chan error, 1)
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	a.confirm = func(ctx context.Context, _, _ string) (any, error) {
		cancel(enough) // an earlier cancellation would keep the handler from running at all
		<-ctx.Done()
		ended <- context.Cause(ctx)
		return false, nil
	}
	if _, err := a.fire(ctx, "call", "{}"); !errors.Is(err, enough) {
		t.Errorf("got %v", err)
	}
	if err := <-ended; !errors.Is(err, enough) {
		t.Errorf("the function's context ended with %v", err)
	}
}

func TestAContextOutlivesItsCall(t *testing.T) {
	a := limited(t, "(_, ctx) => { setTimeout(() => ctx.ui.notify('later', ctx.ui.theme), 20) }", Options{})
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := a.fire(ctx, "call", "{}"); err != nil {
		t.Fatal(err)
	}
	cancel()
	a.log.WaitFor(t, "notify later dark")
}

// The engine reports unused objects when it collects garbage.
func TestObjectsAreForgottenAfterTheirLastUse(t *testing.T) {
	a := limited(t, "async (e, ctx) => { const { ui } = ctx; await null; return ui.theme }", Options{})
	if raceEnabled {
		t.Skip("thousands of calls take long")
	}
	const calls = 8000
	for range calls {
		if _, err := a.call(t, "{}"); err != nil {
			t.Fatal(err)
		}
	}
	if n := a.bindings(t); n > calls/2 {
		t.Errorf("%d objects of %d calls are still known", n, calls)
	}
}

func TestCloseEndsEverything(t *testing.T) {
	before := runtime.NumGoroutine()
	m := opened(t, `export default pi => {
		setInterval(() => {}, 1);
		setTimeout(() => {}, 1e6);
		pi.on("call", e => pi.logger.warn(e.begins) || e.loop ? (() => { for (;;); })() : e.host ? pi.exec(1e6) : new Promise(() => {}));
	}`, Options{CPU: time.Minute})
	a := started(t, m)
	var all sync.WaitGroup
	fires := func(event string) {
		all.Go(func() {
			if _, err := a.fire(t.Context(), "call", event); !errors.Is(err, ErrClosed) {
				t.Errorf("%s: got %v, want ErrClosed", event, err)
			}
		})
	}
	for _, begins := range []string{`"waits"`, `"calls","host":true`, `"loops","loop":true`} {
		fires(`{"begins":` + begins + `}`)
		a.log.WaitFor(t, "warn "+strings.Split(begins, `"`)[1])
	}
	fires("{}") // the loop keeps it from beginning
	for range 3 {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}
	all.Wait()
	if _, err := a.call(t, "{}"); !errors.Is(err, ErrClosed) || !errors.Is(m.Dead(), ErrClosed) {
		t.Errorf("after Close: %v, %v", err, m.Dead())
	}
	testkit.Eventually(t, "no goroutine is left", func() bool { return runtime.NumGoroutine() <= before })
}

func TestClosingWhileCallsComeIn(t *testing.T) {
	for before := range 20 { // the number of calls that end before the module is closed
		m := opened(t, "export default pi => pi.on('call', async e => { await pi.exec(0); return e })", Options{})
		a := started(t, m)
		var all sync.WaitGroup
		ended := make(chan error, before)
		for range 4 {
			all.Go(func() {
				for {
					_, err := a.fire(t.Context(), "call", "{}")
					if errors.Is(err, ErrClosed) {
						return
					}
					select {
					case ended <- err:
					default:
					}
				}
			})
		}
		for range before {
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
		all.Wait()
	}
}

func TestASynchronousFunctionCannotCallItsModule(t *testing.T) {
	m := opened(t, "export default pi => { pi.on(() => 1); pi.again(); }", Options{})
	defer m.Close()
	var handler Handle
	var inside error
	var within context.Context
	again := &Object{Sync: map[string]Func{
		"on": func(_ context.Context, _ any, args Args) (_ any, err error) {
			handler, err = args.Handle(0)
			return nil, err
		},
		"again": func(ctx context.Context, _ any, _ Args) (any, error) {
			_, inside = m.Call(ctx, handler)
			within = ctx
			return nil, nil
		},
	}}
	if err := m.Start(t.Context(), again.Bind(nil, nil)); err != nil {
		t.Fatal(err)
	}
	if _, after := m.Call(within, handler); !errors.Is(inside, ErrInside) || after != nil {
		t.Errorf("from inside %v, want ErrInside; afterwards %v, want none", inside, after)
	}
}

func TestAnAgentThatEndsTheGoroutineEndsTheModule(t *testing.T) {
	m := opened(t, "export default pi => pi.exit()", Options{})
	exit := &Object{Sync: map[string]Func{"exit": func(context.Context, any, Args) (any, error) { runtime.Goexit(); return nil, nil }}}
	var dead *DeadError
	if err := m.Start(t.Context(), exit.Bind(nil, nil)); !errors.As(err, &dead) {
		t.Errorf("got %v, want a *DeadError", err)
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
}

func TestManyModulesLeaveNothingBehind(t *testing.T) {
	n := 100
	if testing.Short() || raceEnabled {
		n = 10
	}
	for range n {
		m := opened(t, `export default pi => {
			globalThis.self = globalThis;
			const cycle = { pi }; cycle.cycle = cycle;
			pi.on("call", async () => { for await (const x of (async function* () { yield 1; await new Promise(() => {}); })()); });
		}`, Options{})
		a := started(t, m)
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		if _, err := a.fire(ctx, "call", "{}"); err == nil {
			t.Error("a promise that never settles has settled")
		}
		cancel()
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// bindings returns the number of objects that Go holds.
func (a *agent) bindings(t *testing.T) int {
	t.Helper()
	n := make(chan int)
	a.module.queue.add(func() { n <- len(a.module.host.bindings) })
	return <-n
}

func contextWithCause(t *testing.T, why string) (context.Context, func()) {
	t.Helper()
	ctx, cancel := context.WithCancelCause(t.Context())
	return ctx, func() { cancel(errors.New(why)) }
}
