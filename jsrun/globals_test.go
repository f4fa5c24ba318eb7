package jsrun

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestGlobals(t *testing.T) {
	for _, test := range []struct{ name, body, want string }{
		{"nothing of a system", "['std', 'os', 'process', 'require', 'Bun', 'Deno', 'fetch', 'print', '__host', 'scriptArgs', 'Worker'].filter(n => n in globalThis)", `[]`},
		{"text to bytes", "[...new TextEncoder().encode('aé€😀\\ud800')]", `[97,195,169,226,130,172,240,159,152,128,239,191,189]`},
		{"bytes to text", "new TextDecoder().decode(new Uint8Array([0xef, 0xbb, 0xbf, 97, 195, 169, 226, 130, 172, 240, 159, 152, 128, 0xff, 0xe2, 0x82]))", `"aé€😀��"`},
		{"part of a buffer", "new TextDecoder().decode(new Uint8Array([97, 98, 99, 100]).subarray(1, 3))", `"bc"`},
		{"overlong bytes", "new TextDecoder().decode(new Uint8Array([0xc0, 0x80, 0xed, 0xa0, 0x80]))", `"�����"`},
		{"fatal bytes", "(() => { try { new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array([255])) } catch (e) { return e.name } })()", `"TypeError"`},
		{"another encoding", "(() => { try { new TextDecoder('latin1') } catch (e) { return e.name } })()", `"RangeError"`},
		{"base64", "['', 'a', 'ab', 'abc', '\\u00ff\\u00fe'].map(btoa)", `["","YQ==","YWI=","YWJj","//4="]`},
		{"base64 back", "['', 'YQ==', 'Y W I=', 'YWJj', '//4', 'YQ'].map(atob)", `["","a","ab","abc","ÿþ","a"]`},
		{"base64 that is none", "['=', 'Y', 'a-b_', 'YQ=', 'Y=Q='].map(s => { try { return atob(s) } catch (e) { return e.name } })", `["InvalidCharacterError","InvalidCharacterError","InvalidCharacterError","InvalidCharacterError","InvalidCharacterError"]`},
		{"btoa beyond bytes", "(() => { try { btoa('€') } catch (e) { return e.name } })()", `"InvalidCharacterError"`},
		{"a copy", "(() => { const a = { d: new Date(0), m: new Map([[1, new Set([2])]]), l: [1, , 3], r: /x/gi, e: new RangeError('no'), b: new Uint8Array([1, 2]) }; a.self = a; const c = structuredClone(a); return [c !== a, c.self === c, c.d.getTime(), c.m.get(1).has(2), c.l.length, 1 in c.l, `${c.r}`, c.e instanceof RangeError, c.e.message, c.b[1], c.b.buffer !== a.b.buffer] })()",
			`[true,true,0,true,3,false,"/x/gi",true,"no",2,true]`},
		{"no copy", "[() => {}, Symbol(), Promise.resolve()].map(x => { try { structuredClone(x) } catch (e) { return e.name } })", `["DataCloneError","DataCloneError","DataCloneError"]`},
		{"the order of things", "(async () => { const all = []; setTimeout(() => all.push('timer'), 1); setImmediate(() => all.push('soon')); queueMicrotask(() => all.push('micro')); all.push('now'); await new Promise(go => setTimeout(go, 30)); return [all[0], all[1], all.length] })()", `["now","micro",4]`},
		{"timers of one time, in their order", "new Promise(go => { const all = []; for (let i = 0; i < 9; i++) setTimeout(() => all.push(i) === 9 && go(all.join('')), i % 2) })", `"012345678"`},
		{"a timer's arguments", "new Promise(go => setTimeout((a, b) => go([a, b]), 1, 'x', 'y'))", `["x","y"]`},
		{"a timer that is stopped", "(async () => { let n = 0; clearTimeout(setTimeout(() => n++, 1)); clearTimeout(undefined); await new Promise(go => setTimeout(go, 20)); return n })()", `0`},
		{"an interval that stops itself", "new Promise(go => { let n = 0; const id = setInterval(() => { if (++n === 3) { clearInterval(id); setTimeout(() => go(n), 20) } }, 1) })", `3`},
		{"odd times", "Promise.all([NaN, -5, undefined, '2', Infinity, 2 ** 40, null].map(ms => new Promise(go => setTimeout(go, ms, 1))))", `[1,1,1,1,1,1,1]`},
		{"a timer without a function", "(() => { try { setTimeout('1') } catch (e) { return e.name } })()", `"TypeError"`},
		{"abort", "(() => { const c = new AbortController(); const seen = []; c.signal.onabort = e => seen.push(e.type); c.signal.addEventListener('abort', () => seen.push('listener')); c.abort(); c.abort(); try { c.signal.throwIfAborted() } catch (e) { seen.push(e.name) } return [...seen, c.signal.aborted] })()", `["abort","listener","AbortError",true]`},
		{"abort for a reason", "AbortSignal.any([new AbortController().signal, AbortSignal.abort('why')]).reason", `"why"`},
		{"no signal in JSON", "JSON.stringify({ signal: AbortSignal.abort(), a: 1 })", `"{\"a\":1}"`},
		{"abort after a time", "new Promise(go => AbortSignal.timeout(5).addEventListener('abort', e => go(e.target.reason.name)))", `"TimeoutError"`},
		{"a signal ends what the host does", "(async () => { const c = new AbortController(); setTimeout(() => c.abort(), 5); return [await pi.exec(1e6, { signal: c.signal }), await pi.exec(1e6, { signal: c.signal })] })()", `[{"killed":true},{"killed":true}]`},
		{"functions stay out of JSON as ever", "[JSON.stringify({ f() {} }), JSON.stringify([() => {}])]", `["{}","[null]"]`},
		{"identifiers that nobody else has", "(() => { const a = crypto.randomUUID(), b = crypto.randomUUID(); return [/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(a), a !== b] })()", `[true,true]`},
		{"random bytes", "(() => { const a = new Uint16Array(40), b = new Uint8Array(8).subarray(2, 6); crypto.getRandomValues(b); return [crypto.getRandomValues(a) === a, a.some(n => n > 255), b.buffer.byteLength, [...new Uint8Array(b.buffer)].filter((n, i) => n !== 0 && (i < 2 || i > 5)).length] })()", `[true,true,8,0]`},
		{"random bytes for nothing", "[() => crypto.getRandomValues([1]), () => crypto.getRandomValues(new Uint8Array(65537))].map(f => { try { f() } catch (e) { return e.name } })", `["TypeError","QuotaExceededError"]`},
		{"a clock that starts with the module", "[performance.now() >= 0, performance.now() < 60000, Math.abs(performance.timeOrigin + performance.now() - Date.now()) < 1000]", `[true,true,true]`},
		{"numbers for people", "[1234567.8916, 0, -1234.5, 999, 1e21, -0.5, NaN, -Infinity, 12n ** 12n].map(n => n.toLocaleString())", `["1,234,567.892","0","-1,234.5","999","1,000,000,000,000,000,000,000","-0.5","NaN","-∞","8,916,100,448,256"]`},
		{"numbers with so many digits", "[(0.5).toLocaleString('en-US', { minimumFractionDigits: 2 }), (1234.5678).toLocaleString(undefined, { maximumFractionDigits: 1 }), (1234).toLocaleString([], { useGrouping: false }), [1234, 5].toLocaleString()]", `["0.50","1,234.6","1234","1,234,5"]`},
		{"numbers in ways that it does not know", "[() => (1).toLocaleString('de'), () => (1).toLocaleString('en', { style: 'percent' })].map(f => { try { return f() } catch (e) { return e.message } })", `["toLocaleString knows en-US and digits alone, not \"de\"","toLocaleString knows en-US and digits alone, not \"style\""]`},
		{"what is disposed of", "(async () => { const seen = []; { using a = { [Symbol.dispose]: () => seen.push('a') }; await using b = { [Symbol.asyncDispose]: async () => seen.push('b') }; seen.push('in') } return seen })()", `["in","b","a"]`},
		{"an error of one's own", "(() => { class Own extends Error { constructor() { super('own'); Error.captureStackTrace(this, Own) } } const e = new Own(); return [e.message, typeof e.stack, Object.keys(e)] })()", `["own","string",[]]`},
		{"globals that can be replaced", "(() => { globalThis.URL = 1; const seen = [URL, typeof URLSearchParams]; delete globalThis.URL; return [...seen, typeof URL] })()", `[1,"function","undefined"]`},
		{"what the engine can do", "[/\\p{L}/u.test('é'), 'a-b'.replaceAll('-', '+'), [1, 2].at(-1), [3, 1].toSorted()[0], Object.groupBy ? 1 : 0, 2n ** 64n > 1]", `[true,"a+b",2,1,1,true]`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			a := limited(t, "async () => ("+test.body+")", Options{CPU: 5 * time.Second})
			got, err := a.call(t, "{}")
			if err != nil {
				t.Fatal(err)
			}
			sameJSON(t, got, test.want)
		})
	}
}

func TestConsole(t *testing.T) {
	var mu sync.Mutex
	var said []string
	opt := Options{Console: func(level, text string) {
		mu.Lock()
		defer mu.Unlock()
		said = append(said, level+": "+strings.SplitN(text, "\n", 2)[0])
	}}
	a := limited(t, `async () => {
		console.log("a", 1, null, undefined, { b: [2] });
		console.info(true); console.warn(new TypeError("w")); console.error(() => 1); console.debug(Symbol("s"));
		const cycle = {}; cycle.cycle = cycle; console.log(cycle, 1n);
		setTimeout(() => { throw new Error("timer"); }, 1);
		setTimeout(async () => { await null; throw "later"; }, 2);
		queueMicrotask(() => { throw new Error("micro"); });
		await new Promise(go => setTimeout(go, 40));
	}`, opt)
	if _, err := a.call(t, "{}"); err != nil {
		t.Fatal(err)
	}
	want := []string{
		`log: a 1 null undefined {"b":[2]}`, "info: true", "warn: TypeError: w", "error: () => 1", "debug: Symbol(s)", "log: [object Object] 1",
		"error: Uncaught Error: micro", "error: Uncaught Error: timer", "error: Uncaught later",
	}
	mu.Lock()
	defer mu.Unlock()
	if !slices.Equal(said, want) {
		t.Errorf("got  %q\nwant %q", said, want)
	}
}

func TestASignalTellsOfTheCallsEnd(t *testing.T) {
	a := limited(t, "(e, ctx) => { e.signal.addEventListener('abort', () => pi.sendMessage(e.signal.reason.message)); pi.sendMessage('listening'); return e.wait ? new Promise(() => {}) : e.signal.aborted }", Options{})
	h := a.handlers["call"][0]
	signalled := &Object{Signal: "signal"}
	got, err := a.module.Call(t.Context(), h, signalled.Bind(nil, Value(`{"wait":false}`)))
	if err != nil || string(got) != "false" {
		t.Errorf("got %s, %v", got, err)
	}
	ctx, cancel := contextWithCause(t, "given up")
	a.log.Take()
	go func() {
		defer cancel()
		a.log.WaitFor(t, "message listening") // an earlier abort would find no listener
	}()
	if _, err := a.module.Call(ctx, h, signalled.Bind(nil, Value(`{"wait":true}`))); err == nil {
		t.Error("the call has ended")
	}
	a.log.WaitFor(t, "message given up")
}

func TestWhatBeginsAbortedHasEndedBeforeItBegins(t *testing.T) {
	object := &Object{Async: map[string]Func{"work": func(ctx context.Context, _ any, _ Args) (any, error) { return ctx.Err() != nil, nil }}}
	a := limited(t, "async (e, { work }) => [await work({ signal: AbortSignal.abort() }), await work({ signal: new AbortController().signal })]", Options{})
	for range 50 { // repeated, because one run could succeed by chance
		got, err := a.module.Call(t.Context(), a.handlers["call"][0], nil, object.Bind(nil, nil))
		if want := "[true,false]"; err != nil || string(got) != want {
			t.Fatalf("got %s, %v; want %s", got, err, want)
		}
	}
}

func TestAnObjectCanHaveAContextOfItsOwn(t *testing.T) {
	const handler = "(e, ctx) => [e.signal.aborted, e.signal.reason?.message, e.signal.aborted]"
	a := limited(t, handler, Options{})
	ctx, cancel := contextWithCause(t, "given up before")
	cancel()
	event := &Object{Signal: "signal"}
	got, err := a.module.Call(t.Context(), a.handlers["call"][0], event.Bind(nil, nil).In(ctx))
	if want := `[true,"given up before",true]`; err != nil || string(got) != want {
		t.Errorf("got %s, %v; want %s", got, err, want)
	}
}

// Objects are created when they are first read, which no script can detect.
func TestObjectsLookLikeAnyOther(t *testing.T) {
	a := limited(t, `(e, ctx) => {
		const before = ["isIdle" in ctx, "x" in ctx, Object.keys(ctx).includes("ui"), typeof { ...ctx }.ui.confirm, ctx.ui === ctx.ui];
		ctx.x = 1;
		delete ctx.cwd;
		Object.defineProperty(ctx, "y", { value: 2, enumerable: true, configurable: true });
		const { x, cwd, ...rest } = ctx;
		return [...before, x, cwd === undefined, rest.y, JSON.parse(JSON.stringify(ctx)).hasUI, ctx.isIdle()];
	}`, Options{})
	got, err := a.call(t, "{}")
	if want := `[true,false,true,"function",true,1,true,2,false,true]`; err != nil || string(got) != want {
		t.Errorf("got %s, %v; want %s", got, err, want)
	}
}

func TestWhatIsMissingSaysWhy(t *testing.T) {
	a := limited(t, `async (e, { gone, ...rest }) => {
		const tries = [() => gone.x, () => gone(), () => new gone(), () => { gone.x = 1; }, () => "x" in gone];
		const said = tries.map(each => { try { each(); return "nothing"; } catch (e) { return e.message; } });
		return [typeof gone, (await gone) === gone, JSON.stringify({ gone }), "gone" in rest, ...new Set(said)];
	}`, Options{})
	object := &Object{Missing: map[string]string{"gone": "it is \"gone\""}}
	got, err := a.module.Call(t.Context(), a.handlers["call"][0], nil, object.Bind(nil, nil))
	if want := `["function",true,"{}",false,"it is \"gone\""]`; err != nil || string(got) != want {
		t.Errorf("got %s, %v; want %s", got, err, want)
	}
}

func TestJavaScriptCanStandAroundAFunction(t *testing.T) {
	object := &Object{
		Sync:   map[string]Func{"twice": func(_ context.Context, _ any, args Args) (any, error) { return args.String(0) + args.String(0), nil }},
		Async:  map[string]Func{"later": func(_ context.Context, _ any, args Args) (any, error) { return args.String(0), nil }},
		Around: map[string]string{"twice": "call => (...all) => call(all.join('-')) + '!'", "later": "call => async x => [await call(x)]"},
	}
	a := limited(t, "async (e, { twice, later }) => [twice('a', 'b'), await later('c')]", Options{})
	got, err := a.module.Call(t.Context(), a.handlers["call"][0], nil, object.Bind(nil, nil))
	if want := `["a-ba-b!",["c"]]`; err != nil || string(got) != want {
		t.Errorf("got %s, %v; want %s", got, err, want)
	}
}
