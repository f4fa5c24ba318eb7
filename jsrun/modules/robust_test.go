package modules_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/jsrun"
	"github.com/snaphook-go/snaphook/jsrun/modules"
)

// quick keeps tests of limits short; see raceEnabled.
var quick = 400 * time.Millisecond

// A failing gate refuses the call. The reason is the error that it threw or, if its answer cannot be used,
// the class of the failure, since the detail is for the user. The gates of other modules still run.
func TestAGateThatGoesWrongRefusesTheCall(t *testing.T) {
	for _, test := range []struct {
		name, handler, want string
		dead                bool
	}{
		{"a loop", "() => { for (;;); }", "bad.ts: JavaScript ran for more than " + quick.String() + " without a pause", false},
		{"an async loop", "async () => { await null; for (;;); }", "bad.ts: JavaScript ran for more than " + quick.String(), false},
		{"jobs without end", "async () => { for (;;) await null; }", "bad.ts: the module is dead: JavaScript ran for more than " + quick.String(), true},
		{"a regular expression", "() => ({ block: /^(?=a)(a+)+$/.test('a'.repeat(40) + 'b') })", "bad.ts: JavaScript ran for more than " + quick.String(), false},
		{"deep recursion", "function f() { return f() + 1; }", "bad.ts: stack overflow", false},
		{"a memory bomb", "() => { const all = []; for (;;) all.push(new Array(1000).fill(1)); }", "bad.ts: out of memory", false},
		{"a memory bomb later", "async () => { await null; new Array(1e8).fill(1); }", "bad.ts: out of memory", false},
		{"an error", "() => { throw new RangeError('no'); }", "no", false},
		{"no error", "async () => { throw 'no'; }", "Hook failed, blocking execution: no", false},
		{"null", "() => { throw null; }", "bad.ts: out of memory, or null was thrown", false},
		{"a result that is none", "() => ({ block: false, also() {} })", `"also" of the result is a function, which JSON cannot hold`, false},
		{"a yes that JSON cannot hold", "() => ({ block: 1 / 0 })", `"block" of the result is Infinity, which JSON cannot hold`, false},
		{"a result that does not fit", "() => ({ reason: { no: 1 } })", `The guard of tool_call could not run (failure class "output")`, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			limits := jsrun.Options{CPU: 30 * time.Second, Memory: 4 << 20, Stack: 1000}
			if strings.Contains(test.want, "JavaScript ran") {
				limits.CPU = quick
			}
			h := opened(t, xcsh.Config{}, &modules.Loader{Options: limits})
			h.written(t, "good.ts", counting)
			h.written(t, "bad.ts", `export default pi => pi.on("tool_call", (event, ctx) => event.toolName === "bad" ? (`+test.handler+`)(event, ctx) : undefined)`)
			err := h.run(t.Context(), "bad", `{}`)
			if err == nil || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("got %v, want %s", err, test.want)
			}
			h.afterwards(t, test.dead)
		})
	}
}

// counting blocks a call named "stop", and logs the calls that it has seen.
const counting = `export default pi => pi.on("tool_call", e => { pi.logger.debug("good saw " + e.toolName); return e.toolName === "stop" ? { block: true } : undefined; })`

// afterwards checks that the failed module works again or, if dead is true, reports that it has ended.
func (h *host) afterwards(t *testing.T, dead bool) {
	t.Helper()
	start := time.Now()
	err := h.run(t.Context(), "next", `{}`)
	reason, ended := new(jsrun.DeadError), false
	if errors.As(err, &reason) {
		ended = strings.HasPrefix(err.Error(), "bad.ts: the module is dead: ") && time.Since(start) < 20*quick
	}
	if ended != dead || !dead && err != nil {
		t.Errorf("afterwards: %v", err)
	}
	if err := h.run(t.Context(), "stop", `{}`); err == nil || err.Error() != "Tool execution was blocked by a hook" {
		t.Errorf("the other module: %v", err)
	}
	want := []string{"DEBUG: good saw bad", "DEBUG: good saw next", "ran: next {}", "DEBUG: good saw stop"}
	if dead {
		want = append(want[:2], want[3])
	}
	h.heard(t, want...)
}

func TestAGateThatNeverAnswersIsRefusedWhenTheCallerGivesUp(t *testing.T) {
	h := opened(t, xcsh.Config{}, &modules.Loader{})
	h.written(t, "good.ts", counting)
	h.written(t, "bad.ts", `export default pi => pi.on("tool_call", e => e.toolName === "bad" ? new Promise(() => {}) : undefined)`)
	ctx, cancel := context.WithTimeout(t.Context(), 2*quick)
	defer cancel()
	err := h.run(ctx, "bad", `{}`)
	if !errors.Is(err, context.DeadlineExceeded) || !strings.HasPrefix(err.Error(), "bad.ts: ") {
		t.Errorf("got %v", err)
	}
	h.afterwards(t, false)
}

// Handlers run even if the context has ended before. The functions of the host that they call then return at once.
func TestHandlersRunWhenTheContextHasEnded(t *testing.T) {
	h := opened(t, xcsh.Config{}, &modules.Loader{})
	h.yes = true
	h.written(t, "gate.ts", `export default pi => {
		pi.on("tool_call", async (e, ctx) => (await ctx.ui.confirm("Run?", e.toolName)) ? undefined : { block: true, reason: "refused" });
		pi.on("session_before_tree", e => ({ cancel: e.signal.aborted, summary: { summary: e.signal.reason?.message ?? "" } }));
	}`)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("given up"))
	if err := h.run(ctx, "bash", `{}`); err == nil || err.Error() != "refused" {
		t.Errorf("got %v", err)
	}
	r, err := xcsh.SessionBeforeTree.Fire(ctx, h.Modules, &xcsh.SessionBeforeTreeEvent{})
	if err != nil || r == nil || !r.Cancel || r.Summary.Summary != "given up" {
		t.Errorf("got %+v, %v", r, err)
	}
	h.heard(t, "confirm: Run?, bash")
}

func TestASignalTellsThatTheFireIsGivenUp(t *testing.T) {
	h := opened(t, xcsh.Config{}, &modules.Loader{})
	h.written(t, "tree.ts", `export default pi => pi.on("session_before_tree", e => new Promise(() => {
		pi.logger.debug("before " + e.signal.aborted);
		e.signal.addEventListener("abort", () => pi.logger.debug("aborted: " + e.signal.reason.message));
	}))`)
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		h.log.WaitFor(t, "DEBUG: before false")
		cancel(errors.New("given up"))
	}()
	if r, err := xcsh.SessionBeforeTree.Fire(ctx, h.Modules, &xcsh.SessionBeforeTreeEvent{}); r != nil || err != nil {
		t.Errorf("got %+v, %v", r, err)
	}
	h.log.WaitFor(t, "DEBUG: aborted: given up")
}

func TestOtherEventsGoOnWithoutAModuleThatFails(t *testing.T) {
	for _, extensions := range []bool{false, true} {
		h := opened(t, xcsh.Config{Extensions: extensions}, &modules.Loader{Options: jsrun.Options{CPU: quick}})
		h.written(t, "bad.ts", `export default pi => pi.on("turn_start", () => { for (;;); })`)
		h.written(t, "good.ts", `export default pi => pi.on("turn_start", () => pi.logger.debug("good"))`)
		xcsh.TurnStart.Fire(t.Context(), h.Modules, &xcsh.TurnStartEvent{})
		h.heard(t, "failed: bad.ts, turn_start: bad.ts: JavaScript ran for more than "+quick.String()+" without a pause", "DEBUG: good")
	}
}

func TestErrorsOfExtensionsHaveAStack(t *testing.T) {
	h := opened(t, xcsh.Config{Extensions: true}, &modules.Loader{})
	h.written(t, "bad.ts", "export default pi => pi.on('turn_start', function broken() {\n  throw new Error('no');\n})")
	var stack string
	h.Listen(&xcsh.Listener{Failed: func(e xcsh.HookError) { stack = e.Stack }})
	xcsh.TurnStart.Fire(t.Context(), h.Modules, &xcsh.TurnStartEvent{})
	if !strings.Contains(stack, "broken (bad.ts:2") {
		t.Errorf("the stack is %q", stack)
	}
}
