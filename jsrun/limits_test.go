package jsrun

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"modernc.org/quickjs"
)

// quick keeps tests of limits short; see raceEnabled.
var quick = 150 * time.Millisecond

func TestWhatRunsTooLongCostsOneCall(t *testing.T) {
	for _, test := range []struct{ name, handler string }{
		{"a loop", "() => { for (;;); }"},
		{"a loop that catches", "() => { for (;;) try { for (;;); } catch {} }"},
		{"a loop with a finally", "() => { try { for (;;); } finally { for (;;); } }"},
		{"an async loop", "async () => { for (;;); }"},
		{"a loop after an await", "async () => { await null; for (;;); }"},
		{"a loop after an answer of the host", "async () => { await pi.exec(1); for (;;); }"},
		{"a loop in a callback of the engine's", "() => [2, 1].sort(() => { for (;;); })"},
		{"trying again", "async () => { for (;;) { try { await null; for (;;); } catch {} } }"},
		{"a generator", "() => { for (const _ of (function* () { for (;;) yield 1; })()); }"},
		{"backtracking", "() => /^(?=a)(a+)+$/.test('a'.repeat(40) + 'b')"},
		{"a loop in toJSON", "() => ({ toJSON() { for (;;); } })"},
		{"a loop in what is thrown", "() => { const e = new Error(); Object.defineProperty(e, 'message', { get() { for (;;); } }); throw e }"},
		{"a loop in toJSON, later", "async () => { await pi.exec(1); return { toJSON() { for (;;); } } }"},
		{"a loop in what is thrown later", "async () => { await pi.exec(1); throw { toString() { for (;;); } } }"},
		{"a loop in the text of what is thrown", "() => { throw { toString() { for (;;); } } }"},
		{"a loop in then", "() => ({ then() { for (;;); } })"},
		{"a loop that is caught", "async () => { try { await (async () => { for (;;); })() } catch {} }"},
		{"a loop that is caught later", "async () => { await pi.exec(1); try { await (async () => { for (;;); })() } catch {} return {} }"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			a := limited(t, test.handler, Options{CPU: quick})
			start := time.Now()
			_, err := a.call(t, "{}")
			var over *BudgetError
			if !errors.As(err, &over) {
				t.Errorf("got %v, want a *BudgetError", err)
			}
			if took := time.Since(start); took > 20*quick {
				t.Errorf("it took %v", took)
			}
			a.stillWorks(t)
		})
	}
}

func TestJobsWithoutEndAreTheEndOfTheModule(t *testing.T) {
	for _, test := range []struct{ name, handler string }{
		{"awaiting nothing", "async () => { for (;;) await null; }"},
		{"a chain", "() => new Promise(() => { (function next() { Promise.resolve().then(next); })(); })"},
		{"an async generator", "async () => { for await (const _ of (async function* () { for (;;) yield 1; })()); }"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			a := limited(t, test.handler, Options{CPU: quick})
			if _, err := a.call(t, "{}"); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("got %v, want a *BudgetError", err)
			}
			_, err := a.call(t, "{}")
			var dead *DeadError
			if !errors.As(err, &dead) || !errors.As(a.module.Dead(), &dead) {
				t.Errorf("then %v, %v, want a *DeadError", err, a.module.Dead())
			}
		})
	}
}

func TestMemoryAndDepthAreBounded(t *testing.T) {
	for _, test := range []struct{ name, handler, message string }{
		{"a list", "() => { const all = []; for (;;) all.push(new Array(1000).fill(1)); }", "out of memory"},
		{"a list after an await", "async () => { await null; const all = []; for (;;) all.push(new Array(1000).fill(1)); }", "out of memory"},
		{"a long text", "() => 'x'.repeat(2 ** 29)", "out of memory"},
		{"a long list", "() => new Array(1e8).fill(1)", "out of memory"},
		{"a buffer", "() => new ArrayBuffer(2 ** 30)", "out of memory"},
		{"a shared buffer", "() => new SharedArrayBuffer(2 ** 30)", "out of memory"},
		{"recursion", "function f() { f(); }", "stack overflow"},
		{"recursion in a getter", "() => ({ get x() { return this.x; } }).x", "stack overflow"},
		{"recursion in toJSON", "() => ({ toJSON() { return JSON.stringify(this); } })", "stack overflow"},
		{"deep JSON", "() => JSON.parse('['.repeat(1e5))", "stack overflow"},
		{"a deep result", "() => { let o = {}; for (let i = 0; i < 6000; i++) o = { o }; return o; }", "stack overflow"},
		{"waiting for a lock", "() => Atomics.wait(new Int32Array(new SharedArrayBuffer(8)), 0, 0)", "cannot block in this thread"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			opt := Options{CPU: 30 * time.Second, Memory: 4 << 20}
			if raceEnabled {
				opt.Stack = 1000 // JSON.stringify detects cycles in quadratic time
			}
			a := limited(t, test.handler, opt)
			_, err := a.call(t, "{}")
			if err == nil || !strings.Contains(err.Error(), test.message) {
				t.Errorf("got %v, want %s", err, test.message)
			}
			a.stillWorks(t)
		})
	}
}

// A module that runs out of memory reports this, wherever it happens. At the limit there may be no memory for the
// error's text.
func TestMemoryIsSaidToBeOverWhereverItEnds(t *testing.T) {
	places := uint64(20)
	if raceEnabled {
		places = 4 // each one occupies the engine, which has one goroutine, for a second
	}
	for more := range places {
		a := limited(t, "() => { const all = []; for (;;) all.push(new Array(1000).fill(1)); }", Options{CPU: 30 * time.Second, Memory: 4<<20 + more*1997})
		if _, err := a.call(t, "{}"); err == nil || !strings.Contains(err.Error(), "out of memory") {
			t.Errorf("with %d bytes more: got %v, want out of memory", more*1997, err)
		}
		a.stillWorks(t)
	}
}

func TestDeepArgumentsAreAnError(t *testing.T) {
	a := limited(t, "() => {}", Options{})
	deep := strings.Repeat("[", 9000) + strings.Repeat("]", 9000)
	if _, err := a.call(t, deep); err == nil || err.Error() != "the module was called with more than its engine can take in: stack overflow" {
		t.Errorf("got %v, want a stack overflow", err)
	}
	a.stillWorks(t)
}

func TestLargeArgumentsAreAnErrorThatSaysSo(t *testing.T) {
	a := limited(t, "() => {}", Options{Memory: 16 << 20, CPU: 30 * time.Second})
	const want = "(the arguments of the call have 12288 KiB, and the module's memory has 16384 KiB)"
	if _, err := a.call(t, `"`+strings.Repeat("a", 12<<20)+`"`); err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("got %v, want it to end with %s", err, want)
	}
	a.stillWorks(t)
}

func TestTheStackCanBeDeeper(t *testing.T) {
	if raceEnabled {
		t.Skip("twenty thousand calls take half a minute")
	}
	const depth = "() => { let n = 0; (function f() { n++; try { f(); } catch {} })(); return n; }"
	for _, test := range []struct{ stack, least, most int }{{0, 3000, 5000}, {15_000, 10_000, 15_000}, {1 << 30, 15_000, 20_000}} {
		a := limited(t, depth, Options{Stack: test.stack, CPU: 10 * time.Second})
		got, err := a.call(t, "{}")
		var n int
		if derr := (Args{got}).Decode(0, &n); err != nil || derr != nil || n < test.least || n > test.most {
			t.Errorf("Stack %d: %d calls deep, %v %v; want %d to %d", test.stack, n, err, derr, test.least, test.most)
		}
	}
}

func TestWaitingIsNotRunning(t *testing.T) {
	a := limited(t, "async event => { await pi.exec(event.ms); return 'late' }", Options{CPU: quick})
	got, err := a.call(t, fmt.Sprintf(`{"ms":%d}`, 2*quick.Milliseconds()))
	if err != nil {
		t.Fatal(err)
	}
	sameJSON(t, got, `"late"`)
}

// The guard interrupts every loop, although the engine loses an interruption that arrives while it is entered. In this
// test every third interruption is lost. The engine's own time limit is off.
func TestNoInterruptionIsLost(t *testing.T) {
	n := 2000
	if testing.Short() || raceEnabled {
		n = 100
	}
	e, err := newEngine(Options{Memory: 64 << 20}, &bundle{}, func([]any) (any, error) { return nil, nil })
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		e.guard.enter(time.Now().Add(time.Duration(i%3) * time.Millisecond / 2))
		_, err := e.vm.Eval("for (;;);", quickjs.EvalGlobal)
		e.guard.leave()
		if err == nil || !strings.Contains(err.Error(), "interrupted") {
			t.Fatalf("%d: %v", i, err)
		}
	}
	if got, err := e.vm.Eval("6 * 7", quickjs.EvalGlobal); err != nil || got != 42 {
		t.Errorf("afterwards: %v, %v", got, err)
	}
	if err := e.close(); err != nil {
		t.Error(err)
	}
}

func TestGuardInterruptsUntilTheEngineIsBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		times := make(chan struct{}, 1000)
		lost := make(chan struct{})
		g := &guard{interrupt: func() { times <- struct{}{} }, lost: func() { close(lost) }, patience: 5 * again}
		g.enter(time.Now().Add(-time.Second))
		for range 3 {
			<-times
		}
		<-lost
		g.leave()
		for len(times) > 0 {
			<-times
		}
		time.Sleep(3 * again)
		if len(times) > 0 {
			t.Error("interrupted after it was back")
		}
	})
}

func TestADeafEngineIsLeftBehind(t *testing.T) {
	m := opened(t, "export default pi => pi.on('call', e => new Array(e.n).indexOf(1))", Options{})
	a := started(t, m)
	m.opt.CPU = 20 * time.Millisecond
	m.sandbox.engine.guard.mu.Lock()
	m.sandbox.engine.guard.patience = 10 * time.Millisecond
	m.sandbox.engine.guard.mu.Unlock()
	var dead *DeadError
	n := `{"n":30000000}`
	if raceEnabled {
		n = `{"n":5000000}` // without the race detector the engine itself may stop so short an operation
	}
	if _, err := a.call(t, n); !errors.As(err, &dead) || !errors.Is(err, errUnresponsive) {
		t.Errorf("got %v, want a *DeadError", err)
	}
	if err := m.Close(); !errors.Is(err, errUnresponsive) {
		t.Errorf("Close gives %v, want to hear of it", err)
	}
	<-m.done // the operation ends by itself
}

// limited returns a module with a handler under test, and one that works.
func limited(t *testing.T, handler string, opt Options) *agent {
	t.Helper()
	return written(t, "export default (pi) => { globalThis.pi = pi; pi.on('works', e => e); pi.on('call', "+handler+"); }", opt)
}

func (a *agent) stillWorks(t *testing.T) {
	t.Helper()
	got, err := a.fire(t.Context(), "works", `{"n":1}`)
	if err != nil || string(got) != `{"n":1}` {
		t.Errorf("afterwards: %s, %v", got, err)
	}
	if err := a.module.Dead(); err != nil {
		t.Errorf("dead: %v", err)
	}
}

// The number of host functions that a module runs at once is limited, however fast it calls them.
func TestFunctionsOfTheHostThatAreAtWorkAreBounded(t *testing.T) {
	t.Parallel()
	a := limited(t, `async () => {
		const all = await Promise.allSettled(Array.from({ length: 3000 }, () => pi.exec(1)));
		const refused = all.filter(one => one.reason?.message === "more than 1000 functions of the host are running").length;
		return { refused: refused > 0 && refused <= 2000, others: all.filter(one => one.status === "fulfilled").length === 3000 - refused };
	}`, Options{CPU: 10 * time.Second})
	got, err := a.call(t, "{}")
	if err != nil || string(got) != `{"refused":true,"others":true}` {
		t.Errorf("got %s, %v", got, err)
	}
	a.stillWorks(t)
}
