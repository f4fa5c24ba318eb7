package jsrun

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/snaphook-go/snaphook/internal/testkit"
)

func TestModulesThatCannotBeLoadedSayWhy(t *testing.T) {
	const prefix = "Failed to load hook: "
	for _, test := range []struct{ name, text, want string }{
		{"no default export", "export const a = 1", "Hook must export a default function"},
		{"nothing at all", "", "Hook must export a default function"},
		{"another default export", "export default { pi() {} }", "Hook must export a default function"},
		{"a throwing top level", "throw new Error('top')", prefix + "top"},
		{"a top level that throws a text", "throw 'top'", prefix + "top"},
		{"a rejected await at the top", "await Promise.reject(new Error('top')); export default () => {}", prefix + "top"},
		{"a throwing factory", "export default () => { throw new Error('factory') }", prefix + "factory"},
		{"a rejecting factory", "export default async () => { await null; throw new Error('factory') }", prefix + "factory"},
		{"a loop at the top", "for (;;);", prefix + "JavaScript ran for more than " + quick.String() + " without a pause"},
		{"a loop in the factory", "export default () => { for (;;); }", prefix + "JavaScript ran for more than " + quick.String() + " without a pause"},
		{"a mistake", "export default () => {\n  let x = ;\n}", prefix + "hook.ts:2:11: Unexpected \";\""},
		{"a mistake in an import", "import './broken.js'; export default () => {}", prefix + "broken.js:1:7: Expected"},
		{"a missing file", "import x from './nowhere'; export default () => x", prefix + "hook.ts:1:15: Could not resolve \"./nowhere\""},
		{"a package", "\nimport { z } from 'zod'; export default () => z", prefix + "hook.ts:2:19: zod is not available: packages are not looked up"},
		{"a module of Node.js", "import fs from 'node:fs'; export default () => fs", prefix + "hook.ts:1:16: node:fs is not available: a module has no file system"},
		{"the same without its scheme", "import fs from 'fs/promises'; export default () => fs", prefix + "hook.ts:1:16: fs/promises is not available: a module has no file system"},
		{"require", "const fs = require('fs'); export default () => fs", prefix + "hook.ts:1:20: fs is not available"},
		{"an address", "import x from 'https://example.org/x.js'; export default () => x", prefix + "hook.ts:1:15: https://example.org/x.js is not available: only files can be imported"},
		{"an import made up", "await import(['./lib.ts'][0]); export default () => {}", prefix + "hook.ts: line 1: write the path of import() and require() as one relative path in quotes"},
		{"deep recursion", "(function f() { f(); })()", prefix + "stack overflow"},
		{"too much memory", "globalThis.x = new Array(1e8).fill(1)", prefix + "out of memory"},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := file(t, "hook.ts", test.text)
			testkit.WriteFile(t, filepath.Join(filepath.Dir(path), "broken.js"), "const = 1", 0o600)
			if err := load(t, path, Options{CPU: quick, Memory: 2 << 20}); err == nil || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("got %v\nwant %s", err, test.want)
			}
		})
	}
}

func TestFilesThatAreNoModulesSayWhy(t *testing.T) {
	for _, test := range []struct{ path, want string }{
		{filepath.Join(t.TempDir(), "nowhere.ts"), "Could not resolve"},
		{file(t, "hook.sh", "exit 1"), "No loader is configured for \".sh\" files"},
		{t.TempDir(), "Failed to load hook: "},
	} {
		var failed *LoadError
		if err := load(t, test.path, Options{}); !errors.As(err, &failed) || !strings.Contains(err.Error(), test.want) || failed.Path != test.path {
			t.Errorf("got %v, want %s", err, test.want)
		}
	}
}

func TestImportsAreJoined(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.ts":           "import b from './b'; export const a: string = 'a' + b",
		"b.mjs":          "export default 'b'",
		"sub/index.ts":   "import type { Gone } from 'gone'; export * from './c.js'",
		"sub/c.ts":       "import { a } from '../a'; export const c = (x: Gone) => a + 'c'; type Gone = 1",
		"d.json":         `{"d":"d"}`,
		"e.cjs":          "module.exports = { e: 'e' }",
		"tsconfig.json":  `{"compilerOptions":{"paths":{"zod":["./a.ts"]}}}`,
		"later.ts":       "export default 'later'",
		"node_modules/x": "",
		"hook.ts": `
			import { c } from "./sub";
			import data from "./d.json";
			import { e } from "./e.cjs";
			import { Kind, type Other } from "virtual";
			import { Unused } from "@scope/types";
			const later = (await import("./later")).default;
			enum Colour { Red = 1 }
			export default async (pi: any) => pi.on("call", (x: Unused) => [c(1), data.d, e, Kind("k"), later, Colour.Red]);`,
	} {
		testkit.WriteFile(t, filepath.Join(dir, name), text, 0o600)
	}
	a := loaded(t, filepath.Join(dir, "hook.ts"), Options{Modules: map[string]string{"virtual": "export const Kind = (x: string): string => x + '!'"}})
	got, err := a.call(t, "{}")
	if err != nil {
		t.Fatal(err)
	}
	sameJSON(t, got, `["abc","d","e","k!","later",1]`)
}

func TestLoadingEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err := Open(ctx, file(t, "hook.ts", "await new Promise(() => {}); export default () => {}"), Options{})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestADefaultExportCanBeCommonJS(t *testing.T) {
	for name, text := range map[string]string{
		"a.cjs": "module.exports = pi => pi.on('call', e => e)",
		"b.js":  "Object.defineProperty(exports, '__esModule', { value: true }); exports.default = pi => pi.on('call', e => e)",
	} {
		if err := load(t, file(t, name, text), Options{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// load opens, starts and closes a module, and returns the first error.
func load(t *testing.T, path string, opt Options) error {
	t.Helper()
	m, err := Open(t.Context(), path, opt)
	if err != nil {
		return err
	}
	defer m.Close()
	return m.Start(t.Context(), pi.Bind(&agent{handlers: map[string][]Handle{}}, nil))
}

func TestAModuleThatAwaitsForEverIsGivenUp(t *testing.T) {
	for name, text := range map[string]string{
		"at the top":     "await new Promise(() => {}); export default () => {}",
		"in the factory": "export default async () => { await new Promise(() => {}) }",
		"by a timer":     "await new Promise(go => setTimeout(go, 1e8)); export default () => {}",
	} {
		for _, runtime := range []string{Sandbox, Node} {
			t.Run(name+" in "+runtime, func(t *testing.T) {
				t.Parallel()
				if _, err := exec.LookPath(runtime); err != nil && runtime != Sandbox {
					t.Skip("there is no", runtime)
				}
				const most = 2 * time.Second
				began := time.Now()
				err := load(t, file(t, "hook.mjs", text), Options{Load: most, Runtime: runtime})
				late := new(UnsettledError)
				if took := time.Since(began); !errors.As(err, &late) || late.After != most || took < most || took > 4*most {
					t.Errorf("after %v: %v; want it to be given up after %v", took, err, most)
				}
			})
		}
	}
}
