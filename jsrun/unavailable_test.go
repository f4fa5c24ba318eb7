package jsrun

import (
	"errors"
	"strings"
	"testing"
)

func TestGlobalsOfASystemAreNamedWithTheirPlace(t *testing.T) {
	for _, test := range []struct{ name, body, want string }{
		{"the environment", "if (process.env.MODE === 'x') return", "hook.ts:4:7: process is not available: a module has no environment, unless its host grants it, and no arguments or processes of its own; use what the host's API object and its context offer, such as exec and cwd" + orInNode},
		{"the network", "return fetch('https://example.org')", "hook.ts:4:10: fetch is not available: a module has no network of its own"},
		{"bytes", "return Buffer.from('a')", "hook.ts:4:10: Buffer is not available: use Uint8Array with TextEncoder"},
		{"languages", "return new Intl.Collator()", "hook.ts:4:14: Intl is not available"},
		{"another runtime", "return Bun.file('a')", "hook.ts:4:10: Bun is not available: a module runs in an engine of its own"},
		{"one's own mistake", "return evnet.input", "evnet is not defined"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			a := written(t, "interface Gone { a: 1 }\nexport default (pi: any) =>\npi.on('call', () => {\n  "+test.body+"\n})", Options{})
			_, err := a.call(t, "{}")
			if err == nil || !strings.HasPrefix(err.Error(), test.want) {
				t.Fatalf("got  %v\nwant %s", err, test.want)
			}
			thrown := new(Error)
			if !errors.As(err, &thrown) || thrown.Name != "ReferenceError" {
				t.Errorf("got %#v; it is what the engine threw, too", err)
			}
		})
	}
}

func TestGlobalsOfASystemAreMissingToWhoLooks(t *testing.T) {
	const handler = "() => { try { return process.cwd() } catch (e) { return [typeof process, e.name, globalThis.Buffer === undefined] } }"
	got, err := handling(t, handler, Options{}).call(t, "{}")
	if want := `["undefined","ReferenceError",true]`; err != nil || string(got) != want {
		t.Errorf("got %s, %v; want %s", got, err, want)
	}
}

func TestOfAProcessThereIsTheDirectory(t *testing.T) {
	dir := t.TempDir()
	const handler = `async ({ name }) => name === "" ? [process.cwd(), typeof process.platform, "env" in process, JSON.stringify(process), await process === process, process?.cwd()] : process[name]`
	a := handling(t, handler, Options{Dir: dir})
	got, err := a.call(t, `{"name":""}`)
	if want := "[" + literal(dir) + `,"string",false,` + literal(`{"platform":`+literal(platform())+`}`) + ",true," + literal(dir) + "]"; err != nil || string(got) != want {
		t.Errorf("got %s, %v; want %s", got, err, want)
	}
	for _, name := range []string{"env", "exit", "argv", "stdout"} {
		_, err := a.call(t, `{"name":"`+name+`"}`)
		missing := new(UnavailableError)
		if !errors.As(err, &missing) || missing.Name != "process."+name || !strings.HasPrefix(err.Error(), "hook.ts:1:") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestTheEnvironmentIsTheHostsToGrant(t *testing.T) {
	const handler = `({ name, value }) => { if (value) process.env[name] = value; return [process.env[name] ?? null, typeof process.env, "cwd" in process] }`
	for _, test := range []struct {
		name    string
		environ []string
		event   string
		want    string
	}{
		{"a variable", []string{"MODE=off", "HOME=/home/a"}, `{"name":"MODE"}`, `["off","object",false]`},
		{"one with signs", []string{`MODE="a=b"\u0000`}, `{"name":"MODE"}`, `["\"a=b\"\\u0000","object",false]`},
		{"one that is not there", []string{}, `{"name":"MODE"}`, `[null,"object",false]`},
		{"one that was set twice", []string{"MODE=off", "MODE=on"}, `{"name":"MODE"}`, `["on","object",false]`},
		{"what is no variable", []string{"MODE", "=C:=C:", ""}, `{"name":""}`, `[null,"object",false]`},
		{"one of its own", []string{}, `{"name":"MODE","value":"x"}`, `["x","object",false]`},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got, err := handling(t, handler, Options{Environ: test.environ}).call(t, test.event); err != nil || string(got) != test.want {
				t.Errorf("got %s, %v; want %s", got, err, test.want)
			}
		})
	}
}

func TestATopLevelThatNeedsASystemSaysWhere(t *testing.T) {
	err := load(t, file(t, "hook.ts", "type A = 1\nconst home: string = process.env.HOME\nexport default () => home"), Options{})
	missing := new(UnavailableError)
	if !errors.As(err, &missing) || missing.Name != "process" || missing.Place != "hook.ts:2:22" {
		t.Errorf("got %v", err)
	}
}

func TestWhatIsNoFunctionIsNamed(t *testing.T) {
	for _, test := range []struct{ name, body, want string }{
		{"a member", "ctx.ui.bell()", "ctx.ui.bell is not a function"},
		{"a name", "const it = 3 as any; it()", "it is not a function"},
		{"behind letters of all kinds", "const a = 'äöü€😀'; return a + ctx.bell(1)", "ctx.bell is not a function"},
		{"after a question mark", "ctx?.ui.bell()", "ctx?.ui.bell is not a function"},
		{"a constructor", "return new ctx.Text(1)", "ctx.Text is not a function"},
		{"after an await", "await null; ctx.gone()", "ctx.gone is not a function"},
		{"in a callback", "return [1].map(n => n.gone())", "n.gone is not a function"},
		{"a callback of the language's", "return [1].map(ctx.gone)", "not a function"},
		{"what has no name", "return ctx['ui']['bell']()", "not a function"},
		{"an error of its own", "throw new TypeError('not a function')", "not a function"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := handling(t, "async (e, ctx: any) => { "+test.body+" }", Options{}).call(t, "{}")
			thrown := new(Error)
			if !errors.As(err, &thrown) || thrown.Message != test.want || thrown.Name != "TypeError" {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}
