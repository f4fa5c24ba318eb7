package run

import (
	"archive/zip"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
)

// endDriver is a sitecustomize that ends a script as a warm interpreter does: at once if the rest of the shutdown has
// no visible effect. It records in a file that it has ended the script at once.
const endDriver = `
import atexit, os, sys
text = {"__builtins__": dict(__builtins__)}
with open(os.path.join(os.path.dirname(__file__), "end.py")) as f:
    exec(f.read(), text)
exit = os._exit
def noted(status, open=open):
    with open(os.environ["ENDED"], "w") as f:
        f.write("at once")
    exit(status)
os._exit = noted
remember, end, earlier = text["watched_end"]()
os._exit = exit
def last():
    end()
for function in [last] + earlier:
    atexit.register(function)
del sys.path[sys.path.index(os.path.dirname(__file__))]
remember()
`

// endsAtOnce lists scripts with their exit statuses. atOnce is set if the interpreter ends at once after the script,
// because nobody could observe the rest of the shutdown.
var endsAtOnce = map[string]struct {
	text   string
	atOnce bool
	exit   int
}{
	"the end of the text":                    {"x = 1\n", true, 0},
	"sys.exit":                               {"import sys\nsys.exit(2)\n", true, 2},
	"sys.exit in a function":                 {"import sys\ndef f():\n    sys.exit(3)\nf()\n", true, 3},
	"sys.exit of nothing":                    {"import sys\nsys.exit()\n", true, 0},
	"sys.exit of None":                       {"import sys\nsys.exit(None)\n", true, 0},
	"sys.exit of a text":                     {"import sys\nsys.exit('no')\n", true, 1},
	"sys.exit of an object":                  {"import sys\nsys.exit([1])\n", false, 1},
	"sys.exit of a bool":                     {"import sys\nsys.exit(True)\n", false, 1},
	"sys.exit beyond a byte":                 {"import sys\nsys.exit(258)\n", false, 2},
	"sys.exit of a subclass of int":          {"import sys\nclass N(int): pass\nsys.exit(N(4))\n", false, 4},
	"raise SystemExit":                       {"raise SystemExit(5)\n", true, 5},
	"a subclass of SystemExit":               {"class Stop(SystemExit): pass\nraise Stop(6)\n", true, 6},
	"a property code of its own":             {"class Stop(SystemExit):\n    code = property(lambda self: 7)\nraise Stop(6)\n", false, 7},
	"a caught SystemExit":                    {"import sys\ntry:\n    sys.exit(3)\nexcept SystemExit as e:\n    assert e.code == 3\n", true, 0},
	"a SystemExit after a caught one":        {"import sys\ntry:\n    sys.exit(3)\nexcept SystemExit as e:\n    e.code = 9\n    sys.exit(e.code)\n", true, 9},
	"SystemExit in a thread":                 {"import sys, threading\nt = threading.Thread(target=lambda: sys.exit(3))\nt.start()\nt.join()\n", true, 0},
	"an exception":                           {"1 / 0\n", false, 1},
	"an exception that nothing remembers":    {"import sys\ndef hook(*e):\n    for n in ('last_type', 'last_value', 'last_traceback', 'last_exc'):\n        sys.__dict__.pop(n, None)\nsys.excepthook = hook\n1 / 0\n", false, 1},
	"an exception that is hidden afterwards": {"import sys\nold = sys.excepthook\ndef hook(*e):\n    for n in ('last_type', 'last_value', 'last_traceback', 'last_exc'):\n        sys.__dict__.pop(n, None)\n    sys.excepthook = old\nsys.excepthook = hook\n1 / 0\n", false, 1},
	"the same by a module of the project":    {"import hides\n1 / 0\n", false, 1},
	"a syntax error":                         {"x = = 1\n", false, 1},
	"KeyboardInterrupt":                      {"raise KeyboardInterrupt\n", false, -1},
	"an exit status that atexit hides":       {"import atexit, sys\natexit.register(lambda: setattr(sys, 'last_type', None))\nsys.exit(2)\n", false, 2},
	"__file__ is gone":                       {"import sys\ndel __file__\nsys.exit(2)\n", true, 2},
	"__del__":                                {"class A:\n    def __del__(self): pass\na = A()\n", false, 0},
	"__del__ without slots":                  {"class A:\n    __slots__ = ()\n    def __del__(self): pass\na = A()\n", false, 0},
	"a class with __del__ without objects":   {"class A:\n    def __del__(self): pass\n", true, 0},
	"__del__ of a metaclass":                 {"class M(type):\n    def __del__(self): pass\nclass A(metaclass=M): pass\n", false, 0},
	"__del__ for a class of the library":     {"import json\njson.JSONDecoder.__del__ = lambda self: None\n", false, 0},
	"__del__ of a module of the project":     {"import helper\n", true, 0},
	"an object of a module of the project":   {"import helper\na = helper.A()\n", false, 0},
	"a generator that is suspended":          {"def g():\n    try:\n        yield\n    finally:\n        print('end')\na = g()\nnext(a)\n", false, 0},
	"a generator that has not begun":         {"def g():\n    yield\na = g()\n", true, 0},
	"a generator that has ended":             {"a = (x for x in ())\nlist(a)\n", true, 0},
	"a coroutine that is not awaited":        {"async def f(): pass\na = f()\n", false, 0},
	"a callback in C":                        {"import weakref\nclass A: pass\na = A()\nr = weakref.ref(a, print)\n", false, 0},
	"a callback of a proxy":                  {"import weakref\nclass A: pass\na = A()\nr = weakref.proxy(a, lambda r: print(1))\n", false, 0},
	"__del__ of a weak reference":            {"import weakref\nclass A: pass\nclass R(weakref.ref):\n    def __del__(self): pass\nr = R(A)\n", false, 0},
	"__del__ of a file that is closed":       {"import io\nclass F(io.StringIO):\n    def __del__(self): pass\nf = F()\nf.close()\n", false, 0},
	"__del__ of a module":                    {"import sys, types\nclass M(types.ModuleType):\n    def __del__(self): pass\nsys.modules['__main__'].__class__ = M\n", false, 0},
	"__del__ that gc.freeze hides":           {"import gc\nclass A:\n    def __del__(self): pass\na = A()\ngc.freeze()\n", false, 0},
	"a status of its own, and no __file__":   {"class Stop(SystemExit):\n    code = 7\ndel __file__, __cached__\nraise Stop\n", false, 7},
	"another way to the status":              {"class Stop(SystemExit):\n    def __getattribute__(self, name): return 7\ndel __file__, __cached__\nraise Stop\n", false, 7},
	"atexit run too early":                   {"import atexit, sys\ndel __file__, __cached__\natexit._run_exitfuncs()\nsys.exit(7)\n", false, 7},
	"another main module":                    {"import sys, types\nsys.modules['__main__'] = types.ModuleType('x')\nsys.exit(2)\n", false, 2},
	"sqlite that is no module any more":      {"import sqlite3, sys\nfor name in list(sys.modules):\n    if 'sqlite' in name: del sys.modules[name]\n", false, 0},
	"warnings about resources are shown":     {"import warnings\nwarnings.simplefilter('always')\n", false, 0},
	"os._exit and builtins replaced":         {"import builtins, os\nos._exit = builtins.any = builtins.type = None\nimport sys\nsys.exit(2)\n", true, 2},
	"a callback of a weak reference":         {"import weakref\nclass A: pass\na = A()\nr = weakref.ref(a, print)\nr2 = weakref.ref(a, lambda r: print(1))\n", false, 0},
	"a WeakSet, and finalize":                {"import weakref\nclass A: pass\na = A()\ns = weakref.WeakSet([a])\nf = weakref.finalize(a, id, 1)\n", true, 0},
	"a file that is open":                    {"f = open('out', 'w')\nf.write('x')\n", false, 0},
	"a file that is closed":                  {"with open('out', 'w') as f:\n    f.write('x')\n", true, 0},
	"a file in memory":                       {"import io\nf = io.StringIO()\n", true, 0},
	"standard output wrapped again":          {"import io, sys\nsys.stdout = io.TextIOWrapper(sys.stdout.buffer)\n", false, 0},
	"standard output with a method":          {"import sys\nsys.stdout.close = lambda: None\n", false, 0},
	"standard output that is closed":         {"import sys\nsys.stdout.close()\n", true, 0},
	"standard output that is gone":           {"import os, sys\nsys.stdout.write('x')\nos.close(1)\n", false, 120},
	"a socket":                               {"import socket\ns = socket.socket()\n", false, 0},
	"a socket of C that is detached":         {"import _socket\ns = _socket.socket()\ns.detach()\n", true, 0},
	"a thread":                               {"import threading\nt = threading.Thread(target=print)\nt.start()\n", true, 0},
	"a daemon thread":                        {"import threading, time\nthreading.Thread(target=time.sleep, args=(60,), daemon=True).start()\n", false, 0},
	"an audit hook":                          {"import sys\nsys.addaudithook(lambda *a: None)\n", false, 0},
	"sqlite":                                 {"import sqlite3\n", false, 0},
	"ctypes":                                 {"import ctypes\n", false, 0},
	"gc.callbacks":                           {"import gc\ngc.callbacks.append(lambda *a: None)\n", false, 0},
	"a task of asyncio that is pending":      {"import asyncio\nl = asyncio.new_event_loop()\nasync def f():\n    await asyncio.sleep(9)\nt = l.create_task(f())\n", false, 0},
	"json, re, pathlib, argparse":            {"import json, re, pathlib, argparse, logging, subprocess, datetime\nlogging.getLogger().warning('x')\n", true, 0},
}

// pythons returns the paths of interpreters of Python on this machine: of one, or of all if the test is whole.
func pythons(t *testing.T) []string {
	t.Helper()
	found := []string{need(t, "python3", "/usr/bin/python3")}
	if home, err := os.UserHomeDir(); err == nil && testkit.Whole() {
		more, _ := filepath.Glob(filepath.Join(home, ".pyenv/versions/3.1[0-3].*/bin/python3"))
		found = append(found, more...)
	}
	return found
}

func TestAScriptEndsAtOnceWhereNothingCanBeSeen(t *testing.T) {
	for _, python := range pythons(t) {
		t.Run(strings.ReplaceAll(strings.TrimPrefix(python, "/"), "/", " "), func(t *testing.T) {
			t.Parallel()
			for name, test := range endsAtOnce {
				t.Run(name, func(t *testing.T) {
					dir, ended := t.TempDir(), filepath.Join(t.TempDir(), "ended")
					for file, text := range map[string]string{
						"site/sitecustomize.py": endDriver, "site/end.py": warmPythonEnd, "hook.py": test.text,
						"hides.py":  "import sys\nold = sys.excepthook\ndef hook(*e):\n    for n in ('last_type', 'last_value', 'last_traceback', 'last_exc'):\n        sys.__dict__.pop(n, None)\n    sys.excepthook = old\nsys.excepthook = hook\n",
						"helper.py": "class A:\n    def __del__(self): pass\n",
					} {
						os.MkdirAll(filepath.Dir(filepath.Join(dir, file)), 0o755)
						if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
							t.Fatal(err)
						}
					}
					command := exec.CommandContext(t.Context(), python, "hook.py")
					command.Dir = dir
					command.Env = []string{"PATH=/usr/bin:/bin", "HOME=" + dir, "LANG=C.UTF-8", "PYTHONPATH=" + filepath.Join(dir, "site"), "ENDED=" + ended, "PYTHONDONTWRITEBYTECODE=1"}
					out, err := command.CombinedOutput()
					if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
						t.Fatal(err)
					}
					if strings.Contains(string(out), "sitecustomize") || strings.Contains(string(out), "end.py") {
						t.Errorf("it shows: %s", out)
					}
					_, none := os.Stat(ended)
					if atOnce := none == nil; atOnce != test.atOnce || command.ProcessState.ExitCode() != test.exit {
						t.Errorf("at once %t, exit status %d, want %t and %d\n%s", atOnce, command.ProcessState.ExitCode(), test.atOnce, test.exit, out)
					}
				})
			}
		})
	}
}

// A script may be an archive, which the child of the next call reads before the call. If the archive has changed since,
// the call runs the new program.
func TestAWarmPythonSeesAnArchiveThatChanges(t *testing.T) {
	argv, dir := []string{need(t, "python3", "/usr/bin/python3"), "hook.py"}, testkit.Outlived(t)
	environ := func(hook.Call) []string { return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir} }
	call := hook.Call{Dir: dir, Hook: &hook.Hook{Identity: hook.Identity{Event: "PreToolUse"}}}
	w := &Warm{Log: quietLog}
	defer w.Close()
	cold, warm := &Command{Argv: argv, Environ: environ}, &Command{Argv: argv, Environ: environ}
	lay(t, dir, "hook.py", "")
	if note := warm.SetWarm(w, WarmAuto, dir); note != "" {
		t.Fatal(note)
	}
	for i, script := range []string{
		archive(t, "print(1)"), archive(t, "print(1)"), archive(t, "print('longer')"), archive(t, "raise SystemExit(2)"),
		"import sys\nsys.exit(2)\n", archive(t, "print(1)"), "print(2)\n",
	} {
		lay(t, dir, "hook.py", script)
		if want, got := testkit.Leaves(cold, call), testkit.Leaves(warm, call); !cmp.Equal(got, want) {
			t.Errorf("call %d, %d of them warm:\n%s", i, w.ran.Load(), cmp.Diff(want, got))
		}
		w.starts.Wait()
		awaitNextChild(t, w)
	}
	if ran := w.ran.Load(); ran < 5 {
		t.Errorf("%d of 7 calls were warm", ran)
	}
}

// archive returns the bytes of a zip archive with a program.
func archive(t *testing.T, program string) string {
	t.Helper()
	var b strings.Builder
	z := zip.NewWriter(&b)
	file, err := z.CreateHeader(&zip.FileHeader{Name: "__main__.py"})
	if err == nil {
		_, err = file.Write([]byte(program))
	}
	if err := errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
