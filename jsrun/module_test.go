package jsrun

import (
	"context"
	"errors"
	"slices"
	"testing"
)

func TestGateAsksBeforeWhatCannotBeUndone(t *testing.T) {
	for _, test := range []struct {
		name, command string
		hasUI, yes    bool
		want          string
	}{
		{"harmless", "ls -l", false, false, ""},
		{"no user to ask", "rm -rf /", false, false, `{"block":true,"reason":"no user to ask about: rm -rf /"}`},
		{"refused", "rm -rf /", true, false, `{"block":true,"reason":"refused"}`},
		{"allowed", "rm -rf /", true, true, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := loaded(t, "testdata/gate.ts", Options{})
			a.hasUI = test.hasUI
			a.confirm = func(context.Context, string, string) (any, error) { return test.yes, nil }
			got, err := a.fire(t.Context(), "tool_call", `{"toolName":"bash","input":{"command":"`+test.command+`"}}`)
			if err != nil {
				t.Fatal(err)
			}
			sameJSON(t, got, test.want)
			if said := a.log.Lines(); test.yes && !slices.Equal(said, []string{"notify allowed: rm -rf / info"}) {
				t.Errorf("the module said %q", said)
			}
		})
	}
}

func TestRedactorReplacesSecrets(t *testing.T) {
	a := loaded(t, "testdata/redact.ts", Options{})
	got, err := a.fire(t.Context(), "tool_result", `{"isError":false,"content":[{"type":"text","text":"A_KEY=1 b=2 MY_TOKEN=x"},{"type":"image","data":"AA=="}]}`)
	if err != nil {
		t.Fatal(err)
	}
	sameJSON(t, got, `{"content":[{"type":"text","text":"A_KEY=*** b=2 MY_TOKEN=***"},{"type":"image","data":"AA=="}]}`)
	if said := a.log.Lines(); !slices.Equal(said, []string{`entry hidden {"hidden":2}`}) {
		t.Errorf("the module said %q", said)
	}
}

func TestContextFilterLeavesNotesOut(t *testing.T) {
	a := loaded(t, "testdata/context.ts", Options{})
	got, err := a.fire(t.Context(), "context", `{"messages":[{"role":"user","content":"hi"},{"role":"custom","customType":"debug","content":""}]}`)
	if err != nil {
		t.Fatal(err)
	}
	sameJSON(t, got, `{"messages":[{"role":"user","content":"hi"}]}`)
}

func TestCommandForksTheSession(t *testing.T) {
	a := loaded(t, "testdata/command.ts", Options{})
	c := a.commands["fork-off"]
	if c.Description != "Go on in a new session" {
		t.Errorf("description %q", c.Description)
	}
	if _, err := a.module.Call(t.Context(), c.Handler, "now  ", view.Bind(a, nil)); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"new session after /s/1.jsonl",
		`append {"role":"user","content":"fork: now  "}`,
		`message {"customType":"forked","content":"forked","display":true}`,
	}
	if said := a.log.Lines(); !slices.Equal(said, want) {
		t.Errorf("got %q, want %q", said, want)
	}
}

func TestResultsKeepWhatIsThere(t *testing.T) {
	for _, test := range []struct {
		name, handler, want string
		truthy              bool
	}{
		{"nothing", "() => {}", "", false},
		{"null", "() => null", "null", false},
		{"undefined members", "() => ({ a: undefined, b: null })", `{"b":null}`, true},
		{"zero", "() => 0", "0", false},
		{"minus zero", "() => -0", "0", false},
		{"NaN", "() => NaN", "null", false},
		{"no text", "() => ''", `""`, false},
		{"false", "() => false", "false", false},
		{"an empty list", "() => []", "[]", true},
		{"a small number", "() => 5e-324", "5e-324", true},
		{"a promise", "async () => { await null; return { n: 1 } }", `{"n":1}`, true},
		{"a thenable", "() => ({ then(f) { f(7) } })", "7", true},
		{"a date", "() => new Date(0)", `"1970-01-01T00:00:00.000Z"`, true},
		{"text", "() => 'a\\u0000\\ud83d\\ude00 \\ud800'", `"a\u0000😀 \ud800"`, true},
		{"the event", "event => event", `{"__proto__":1,"x":[1,2,{"y":null}]}`, true},
		{"the context, spread", "(_, ctx) => { const all = { ...ctx }; return { cwd: all.cwd, hasUI: all.hasUI, idle: all.isIdle(), theme: all.ui.theme } }", `{"cwd":"/work","hasUI":false,"idle":true,"theme":"dark"}`, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := handling(t, test.handler, Options{})
			got, err := a.call(t, `{"__proto__":1,"x":[1,2,{"y":null}]}`)
			if err != nil {
				t.Fatal(err)
			}
			sameJSON(t, got, test.want)
			if Truthy(got) != test.truthy {
				t.Errorf("Truthy(%s) is %v", got, !test.truthy)
			}
		})
	}
}

func TestWhatIsThrownIsAnError(t *testing.T) {
	for _, test := range []struct {
		name, handler, message, kind string
		nonError                     bool
	}{
		{"an error", "() => { throw new RangeError('no') }", "no", "RangeError", false},
		{"a rejection", "async () => { throw new Error('no') }", "no", "Error", false},
		{"later", "async () => { await null; null.x }", "cannot read property 'x' of null", "TypeError", false},
		{"an error of the module's own", "() => { throw new (class Mine extends Error { name = 'Mine' })('no') }", "no", "Mine", false},
		{"a text", "() => { throw 'no' }", "no", "", true},
		{"nothing", "() => { throw undefined }", "undefined", "", true},
		{"null", "() => { throw null }", "out of memory, or null was thrown", "InternalError", false},
		{"an object", "() => Promise.reject({ toString: () => 'no' })", "no", "", true},
		{"an object without a text", "() => { throw Object.create(null) }", "[object Object]", "", true},
		{"an error that throws", "() => { const e = new Error(); Object.defineProperty(e, 'message', { get() { throw 1 } }); throw e }", "an error that cannot be read", "InternalError", false},
		{"a function in a result", "() => ({ a: [{ f() {} }] })", `"f" of the result is a function, which JSON cannot hold`, "TypeError", false},
		{"a member beyond all numbers", "() => ({ yes: 1 / 0 })", `"yes" of the result is Infinity, which JSON cannot hold`, "TypeError", false},
		{"a symbol", "async () => ({ yes: Symbol('s') })", `"yes" of the result is Symbol(s), which JSON cannot hold`, "TypeError", false},
		{"a bigint as a result", "() => 1n", "Do not know how to serialize a BigInt", "TypeError", false},
		{"a result in itself", "() => { const a = {}; a.a = a; return a }", "circular reference", "TypeError", false},
		{"a host function's error", "(_, ctx) => globalThis.pi.fail()", "permission denied", "Error", false},
		{"a host function's panic", "() => pi.panic()", "panic: host is broken", "Error", false},
		{"a promise's error", "() => pi.reject()", "permission denied", "Error", false},
		{"a promise's panic", "async () => { await pi.crash() }", "panic: host is broken", "Error", false},
		{"a wrong registration", "() => pi.on('x', 5)", "argument 2 is not a function", "Error", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := written(t, "export default (pi) => { globalThis.pi = pi; pi.on('call', "+test.handler+"); }", Options{})
			got, err := a.call(t, "{}")
			var thrown *Error
			if !errors.As(err, &thrown) {
				t.Fatalf("got %s, %v, want an *Error", got, err)
			}
			if thrown.Message != test.message || thrown.Name != test.kind || thrown.NonError != test.nonError {
				t.Errorf("got %q, %q, %v", thrown.Message, thrown.Name, thrown.NonError)
			}
		})
	}
}

func TestHandlersCanRegisterHandlers(t *testing.T) {
	a := written(t, `export default (pi) => {
		pi.on("call", async () => { pi.on("call", () => "late"); await null; return "early"; });
	}`, Options{})
	for _, want := range []string{`"early"`, `"late"`} {
		got, err := a.call(t, "{}")
		if err != nil {
			t.Fatal(err)
		}
		sameJSON(t, got, want)
	}
}

func TestStacksNameTheFiles(t *testing.T) {
	a := written(t, `// a line that is not in the bundle
		type Long = { a: string };
		interface Gone { b: number }
		export default (pi: any) => pi.on("call", async function handler(e: Gone) {
			inner();
		});
		function inner(): never {
			throw new Error("here");
		}
	`, Options{})
	_, err := a.call(t, "{}")
	var thrown *Error
	if !errors.As(err, &thrown) {
		t.Fatal(err)
	}
	const want = "    at inner (hook.ts:8:14)\n    at handler (hook.ts:5:4)"
	if thrown.Stack != want {
		t.Errorf("got\n%s\nwant\n%s", thrown.Stack, want)
	}
}
