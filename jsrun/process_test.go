package jsrun

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/snaphook-go/snaphook/internal/testkit"
)

// patient is a time limit that even a slow machine does not reach.
const patient = 60 * time.Second

// inNode skips a test where node is not installed.
func inNode(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath(Node); err != nil {
		t.Skip("node is not installed")
	}
}

// openProcess opens a module in a process, and returns a function that calls its handler.
func openProcess(t *testing.T, text string, opt Options) (*Module, func(context.Context, any) (Value, error)) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "gate.ts")
	testkit.WriteFile(t, path, text, 0o600)
	return openFile(t, path, opt)
}

func openFile(t *testing.T, path string, opt Options) (*Module, func(context.Context, any) (Value, error)) {
	t.Helper()
	if opt.Runtime == "" {
		opt.Runtime = Node
	}
	m, err := Open(t.Context(), path, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m, calledBy(t, m)
}

// calledBy runs the factory of a module, and returns a function that calls the handler that the
// module passed to on.
func calledBy(t *testing.T, m *Module) func(context.Context, any) (Value, error) {
	t.Helper()
	var handler Handle
	api := &Object{
		Sync: map[string]Func{
			"on":   func(_ context.Context, _ any, a Args) (v any, err error) { handler, err = a.Handle(0); return nil, err },
			"echo": func(_ context.Context, _ any, a Args) (any, error) { return a.Value(0), nil },
			"fail": func(context.Context, any, Args) (any, error) { return nil, errors.New("no such thing") },
		},
		Async: map[string]Func{
			"later": func(_ context.Context, _ any, a Args) (any, error) { return a.Value(0), nil },
			"wait":  func(ctx context.Context, _ any, _ Args) (any, error) { <-ctx.Done(); return nil, context.Cause(ctx) },
		},
		Missing: map[string]string{"typebox": "pi.typebox is not available"},
	}
	if err := m.Start(t.Context(), api.Bind(nil, nil)); err != nil {
		t.Fatal(err)
	}
	return func(ctx context.Context, arg any) (Value, error) { return m.Call(ctx, handler, arg) }
}

// standIn adds a bun to PATH if bun is not installed: a script that accepts bun's options and runs node.
func standIn(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath(Bun); err == nil {
		return
	}
	node, err := exec.LookPath(Node)
	if err != nil {
		t.Skip("node is not installed")
	}
	dir := t.TempDir()
	testkit.WriteFile(t, filepath.Join(dir, "bun"), "#!/bin/sh\n[ \"$1 $2\" = 'run --no-install' ] || exit 64\nshift 2\nexec '"+node+"' \"$@\"\n", 0o600)
	if err := os.Chmod(filepath.Join(dir, "bun"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
}

func TestAModuleInAProcessHasTheSystemPackagesAndTheHost(t *testing.T) {
	standIn(t)
	for _, runtime := range []string{Node, Bun} {
		t.Run(runtime, func(t *testing.T) {
			dir := t.TempDir()
			testkit.WriteFile(t, filepath.Join(dir, "node_modules", "esm-only", "package.json"), `{"type":"module","exports":{"import":"./a.js"}}`, 0o600)
			testkit.WriteFile(t, filepath.Join(dir, "node_modules", "esm-only", "a.js"), `export const name = "esm";`, 0o600)
			testkit.WriteFile(t, filepath.Join(dir, "node_modules", "@s", "old", "index.js"), `exports.name = "cjs";`, 0o600)
			path := filepath.Join(dir, "a b", "hooks", "gate.ts")
			testkit.WriteFile(t, filepath.Join(dir, "a b", "hooks", "lib.ts"), `export const own: string = "lib";`, 0o600)
			testkit.WriteFile(t, path, `import { readFileSync } from "fs";
				import { execFileSync } from "node:child_process";
				import { name } from "esm-only";
				import old from "@s/old";
				import { own } from "./lib.js";
				import { word } from "host";
				let calls = 0;
				export default async (pi: any) => {
					await Promise.resolve();
					pi.on(async (e: { n: number }) => {
						let failed = "";
						try { pi.fail() } catch (error) { failed = (error as Error).message }
						try { pi.typebox.Type } catch (error) { failed += ", " + (error as Error).message }
						console.log("called %d", e.n);
						return [++calls, readFileSync(__filename, "utf8").length > 100, execFileSync("echo", ["x"]).toString(), name, old.name, own, word,
							typeof fetch, pi.echo(e), await pi.later("z"), failed, import.meta.url.endsWith("gate.ts"), process.cwd() === e.dir, process.env.ONE];
					});
				};`, 0o600)
			var said []string
			_, call := openFile(t, path, Options{
				Runtime: runtime, Dir: dir, Environ: []string{"ONE=1", "PATH=" + os.Getenv("PATH")}, Modules: map[string]string{"host": `export const word = "host's";`},
				Console: func(level, text string) { said = append(said, level+" "+text) },
			})
			for n := range 2 {
				got, err := call(t.Context(), map[string]any{"n": n, "dir": dir})
				if err != nil {
					t.Fatal(err)
				}
				sameJSON(t, got, fmt.Sprintf(`[%d,true,"x\n","esm","cjs","lib","host's","function",{"dir":%q,"n":%d},"z","no such thing, pi.typebox is not available",true,true,"1"]`, n+1, dir, n))
			}
			if len(said) != 2 || said[0] != "log called 0" {
				t.Errorf("the console has %q", said)
			}
		})
	}
}

func TestErrorsOfAProcessHaveThePlacesOfTheModule(t *testing.T) {
	inNode(t)
	_, call := openProcess(t, "interface A { b: number }\n\nexport default (pi: any) => pi.on(function broken() {\n\tthrow new RangeError('no');\n})", Options{})
	_, err := call(t.Context(), nil)
	if thrown := new(Error); !errors.As(err, &thrown) || thrown.Message != "no" || thrown.Name != "RangeError" || !strings.Contains(thrown.Stack, "broken (gate.ts:4:8)") {
		t.Errorf("got %+v", err)
	}
}

func TestAutoTakesAProcessForModulesThatNeedOne(t *testing.T) {
	inNode(t)
	for _, test := range []struct{ name, text, runtime, why string }{
		{"nothing", `export default () => {}`, Sandbox, "it needs nothing of Node.js"},
		{"a path", `import p from "node:path"; export default () => p.join("a")`, Sandbox, "it needs nothing of Node.js"},
		{"types of a package", `import type { A } from "pkg"; export default (a: A) => {}`, Sandbox, "it needs nothing of Node.js"},
		{"its own fetch", `const fetch = () => 1; export default () => fetch()`, Sandbox, "it needs nothing of Node.js"},
		{"what is granted", `export default () => process.env.A + process.cwd()`, Sandbox, "it needs nothing of Node.js"},
		{"files", `import fs from "node:fs"; export default () => fs`, Node, "it imports node:fs (gate.ts:1:16)"},
		{"require", `const { exec } = require("child_process"); export default () => exec`, Node, "it imports child_process (gate.ts:1:26)"},
		{"fetch", "\n\nexport default () => fetch('')", Node, "it uses fetch (gate.ts:3:22)"},
		{"fetch of globalThis", "export default () => globalThis.fetch('')", Node, "it uses fetch (gate.ts:1:22)"},
		{"arguments", `export default () => process.argv`, Node, "it uses process (gate.ts:1:22)"},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "gate.ts")
			testkit.WriteFile(t, path, test.text, 0o600)
			b, err := choose(t.Context(), path, Options{Runtime: Auto, Dir: "/", Environ: []string{}})
			if err != nil || b.runtime != test.runtime || b.why != test.why {
				t.Errorf("got %+v, %v; want %s: %s", b, err, test.runtime, test.why)
			}
		})
	}
}

func TestARuntimeThatIsNotThereIsSaid(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	for _, test := range []struct{ runtime, text, want string }{
		{Node, "export default () => {}", "node cannot be started: "},
		{"deno", "export default () => {}", `there is no runtime "deno"; write one of sandbox, node, bun, auto`},
		{Auto, `import "node:fs"; export default () => {}`, "neither node nor bun is in PATH"},
		{Auto, "export default () => fetch()", ""},
		{Auto, "export default = 1", `Unexpected "="`},
	} {
		path := filepath.Join(t.TempDir(), "gate.ts")
		testkit.WriteFile(t, path, test.text, 0o600)
		m, err := Open(t.Context(), path, Options{Runtime: test.runtime})
		switch {
		case err == nil && test.want == "":
			if name, why := m.Runtime(); name != Sandbox || !strings.HasSuffix(why, ", but neither node nor bun is in PATH") {
				t.Errorf("%s: %s, %s", test.runtime, name, why)
			}
			m.Close()
		case err == nil || test.want == "" || !strings.Contains(err.Error(), test.want):
			t.Errorf("%s: %v, want %s", test.runtime, err, test.want)
		}
	}
}

// A module that breaks its process fails only the calls in progress, each with the reason, and the
// process can start again.
func TestAProcessThatGoesWrongFailsItsCallsAndCanBeStartedAgain(t *testing.T) {
	inNode(t)
	for _, test := range []struct {
		name, handler, want string
		opt                 Options
	}{
		{"exit", "process.exit(3)", "the module is dead: the process of node has ended, exit status 3", Options{}},
		{"a signal", "process.kill(process.pid, 'SIGKILL'); await new Promise(() => {})", "signal: killed", Options{}},
		{"a loop", "for (;;);", "JavaScript ran for more than 4s without a pause", Options{CPU: 4 * time.Second}},
		{"jobs without end", "for (;;) await null", "JavaScript ran for more than 4s without a pause", Options{CPU: 4 * time.Second}},
		{"a leak", "const all = []; for (;;) all.push(new Array(1000).fill(all.length + 0.5))", "heap", Options{Memory: 32 << 20}},
		{"a leak beside the heap", "const all = []; for (;;) { all.push(Buffer.alloc(8 << 20, 1)); await new Promise(r => setTimeout(r, 20)) }", "of memory, more than 32", Options{Memory: 32 << 20}},
		{"garbage on the protocol", `fs.writeSync(4, "garbage\n"); await new Promise(() => {})`, `it wrote a line that is not part of the protocol: "garbage"`, Options{}},
		{"nothing on the protocol", `fs.writeSync(4, "{}\n"); await new Promise(() => {})`, "it wrote a line that is not part of the protocol", Options{}},
		{"brackets without end", `fs.writeSync(4, "{\"log\":" + "[".repeat(1e6) + "\n"); await new Promise(() => {})`, "not part of the protocol", Options{}},
		{"a line without end", `for (;;) fs.writeSync(4, "x".repeat(1 << 16))`, "it wrote a line of more than 32 MiB", Options{}},
		{"the descriptor closed", `fs.closeSync(4); await new Promise(() => {})`, "the process of node", Options{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			m, call := openProcess(t, `import fs from "node:fs";
				export default (pi: any) => pi.on(async (e: string) => { if (e === "bad") { `+test.handler+` } return "good"; })`, test.opt)
			ctx, cancel := context.WithTimeout(t.Context(), patient)
			defer cancel()
			_, err := call(ctx, "bad")
			if dead := new(DeadError); !errors.As(err, &dead) || !strings.Contains(err.Error(), test.want) {
				t.Fatalf("got %v, want %s", err, test.want)
			}
			if _, err := call(ctx, "good"); !errors.As(err, new(*DeadError)) {
				t.Errorf("afterwards: %v", err)
			}
			again, err := m.Restart(ctx)
			if err != nil {
				t.Fatal(err)
			}
			defer again.Close()
			if got, err := calledBy(t, again)(ctx, "good"); err != nil || string(got) != `"good"` {
				t.Errorf("started again: %s, %v", got, err)
			}
		})
	}
}

// A module's process survives errors that no call waits for, output of the module on any stream,
// and messages about objects that do not exist.
func TestAProcessOutlivesWhatIsNotWaitedFor(t *testing.T) {
	inNode(t)
	_, call := openProcess(t, `import fs from "node:fs"; import { spawnSync } from "node:child_process";
		export default (pi: any) => pi.on(async (e: string) => {
			setTimeout(() => { throw new Error("later") }); void Promise.reject(new Error("alone"));
			process.stdout.write('{"id":"1"}\n'); spawnSync("echo", ['{"id":"2"}'], { stdio: "inherit" });
			for (const line of ['{"ask":{"id":"900","object":999,"function":0,"arguments":[]}}', '{"cancel":"77"}', '{"release":66}', '{"id":"12345","output":{"value":1}}'])
				fs.writeSync(4, line + "\n");
			const open = fs.readdirSync("/proc/self/fd").length;
			const inherited = spawnSync("ls", ["/proc/self/fd"]).stdout.toString().trim().split("\n");
			await new Promise(r => setTimeout(r, 20));
			return open > 5 && !inherited.includes("4") && !inherited.includes("5") && pi.echo(e);
		})`, Options{})
	for range 2 {
		ctx, cancel := context.WithTimeout(t.Context(), patient)
		defer cancel()
		if got, err := call(ctx, "still there"); err != nil || string(got) != `"still there"` {
			t.Errorf("got %s, %v", got, err)
		}
	}
}

// A module may write a request of the protocol itself. The next call arrives together with the host's answer.
func TestTheAnswerToARequestOfTheModuleItselfLosesNoCall(t *testing.T) {
	inNode(t)
	asked := make(chan struct{})
	_, call := openProcess(t, `import fs from "node:fs";
		export default (pi: any) => pi.on((e: string) => {
			if (e === "first") {
				fs.writeSync(4, '{"ask":{"id":"900","object":999,"function":0,"arguments":[]}}\n');
				console.log("asked");
				Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
			}
			return e;
		})`, Options{Console: func(_, text string) {
		if text == "asked" {
			close(asked)
		}
	}})
	ctx, cancel := context.WithTimeout(t.Context(), patient)
	defer cancel()
	first := make(chan error, 1)
	go func() {
		_, err := call(ctx, "first")
		first <- err
	}()
	select {
	case <-asked:
	case err := <-first:
		t.Fatalf("the first call ended before its request: %v", err)
	}
	if got, err := call(ctx, "second"); err != nil || string(got) != `"second"` {
		t.Errorf("got %s, %v", got, err)
	}
	if err := <-first; err != nil {
		t.Error(err)
	}
}

func TestACallThatIsGivenUpEndsAProcessThatHangsAndNoOther(t *testing.T) {
	inNode(t)
	for _, hangs := range []bool{false, true} {
		m, call := openProcess(t, `export default (pi: any) => pi.on(async (e: string) => {
			if (e === "wait") await pi.wait();
			if (e === "hang") { setTimeout(() => { for (;;); }, 1); await pi.wait() }
			return e;
		})`, Options{})
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		_, err := call(ctx, map[bool]string{false: "wait", true: "hang"}[hangs])
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		ctx, cancel = context.WithTimeout(t.Context(), patient)
		got, err := call(ctx, "next")
		cancel()
		if hangs != (m.Dead() != nil) || !hangs && (err != nil || string(got) != `"next"`) || hangs && !errors.As(err, new(*DeadError)) {
			t.Errorf("hangs %v: %s, %v; dead: %v", hangs, got, err, m.Dead())
		}
	}
}

func TestManyCallsAtOnceAreAnsweredEach(t *testing.T) {
	inNode(t)
	_, call := openProcess(t, `export default (pi: any) => pi.on(async (e: any) => { await pi.later(1); return { n: pi.echo(e).n, big: e.big.length } })`, Options{})
	big := strings.Repeat("x", 200_000)
	done := make(chan error)
	for n := range 50 {
		go func() {
			got, err := call(t.Context(), map[string]any{"n": n, "big": big})
			if err == nil && string(got) != fmt.Sprintf(`{"n":%d,"big":200000}`, n) {
				err = fmt.Errorf("call %d: %s", n, got)
			}
			done <- err
		}()
	}
	for range 50 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

func TestCloseEndsTheProcessAndWhatItHasStarted(t *testing.T) {
	inNode(t)
	m, call := openProcess(t, `import { spawn } from "node:child_process";
		export default (pi: any) => pi.on((e: string) => [process.pid, spawn("sleep", ["1000"]).pid])`, Options{})
	got, err := call(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	dir := m.proc.dir
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	for _, pid := range pids(t, got) {
		testkit.WaitForEnd(t, pid, patient)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("%s is left: %v", dir, err)
	}
	if _, err := call(t.Context(), nil); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

// TestTheHost runs in the host process that the next test starts and kills.
func TestTheHost(t *testing.T) {
	path := os.Getenv("SNAPHOOK_TEST_HOST")
	if path == "" {
		t.Skip("it is run by the next test")
	}
	_, call := openFile(t, path, Options{})
	got, err := call(t.Context(), nil)
	fmt.Println("pids", string(got), err)
	select {}
}

func TestNothingIsLeftOfAProcessWhoseHostIsKilled(t *testing.T) {
	inNode(t)
	for _, signal := range []syscall.Signal{syscall.SIGKILL, syscall.SIGQUIT} {
		t.Run(signal.String(), func(t *testing.T) { testNothingIsLeft(t, signal) })
	}
}

func testNothingIsLeft(t *testing.T, signal syscall.Signal) {
	path := filepath.Join(t.TempDir(), "gate.ts")
	testkit.WriteFile(t, path, `import { spawn } from "node:child_process";
		export default (pi: any) => pi.on((e: string) => [process.pid, spawn("sleep", ["1000"]).pid])`, 0o600)
	host := exec.Command(os.Args[0], "-test.run=^TestTheHost$")
	host.Env = append(os.Environ(), "SNAPHOOK_TEST_HOST="+path)
	out, err := host.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := host.Start(); err != nil {
		t.Fatal(err)
	}
	var word, list string
	for word != "pids" {
		if _, err := fmt.Fscan(out, &word); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := fmt.Fscan(out, &list); err != nil {
		t.Fatal(err)
	}
	_ = host.Process.Signal(signal)
	_ = host.Wait()
	for _, pid := range pids(t, Value(list)) {
		testkit.WaitForEnd(t, pid, patient)
	}
}

func pids(t *testing.T, v Value) (list []int) {
	t.Helper()
	if err := (Args{v}).Decode(0, &list); err != nil || len(list) != 2 {
		t.Fatalf("%s: %v", v, err)
	}
	return list
}

// FuzzMessage checks that readMessage returns either a message or an error for every line.
func FuzzMessage(f *testing.F) {
	for _, line := range []string{`{"ready":{"concurrency":8}}`, `{"id":"1","output":{"value":[1]}}`, `{"id":"1","output":{"error":{"message":"m"}}}`,
		`{"ask":{"id":"1","object":1,"function":0,"arguments":[{"$function":1}]}}`, `{"log":{"level":"a","text":"b"}}`, `{"pong":1}`, `{"cancel":"1"}`, `{"release":1}`} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		said, err := readMessage(line)
		if (err == nil) == (said == nil) {
			t.Errorf("%q: %v, %v", line, said, err)
		}
	})
}
