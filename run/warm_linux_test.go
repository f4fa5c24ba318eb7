package run

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
)

// warmProject has the files beside each script of testdata/warm.
var warmProject = map[string]string{
	"helper.py":                       "def name():\n    return 'helper'\ndef fail():\n    raise LookupError('in helper')\n",
	"package/__init__.py":             "",
	"package/inner.py":                "def where():\n    return __name__\n",
	"lib/helper.js":                   "exports.name = () => 'helper';\n",
	"lib/data.json":                   `{"a": [1]}`,
	"node_modules/thing/package.json": `{"name": "thing", "main": "main.js"}`,
	"node_modules/thing/main.js":      "module.exports = 'a package';\n",
}

// warmScripts reads the scripts of a file: each follows a line "=== name".
func warmScripts(t *testing.T, file string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "warm", file))
	if err != nil {
		t.Fatal(err)
	}
	scripts := map[string]string{}
	for part := range strings.SplitSeq("\n"+string(text), "\n=== ") {
		if name, script, _ := strings.Cut(part, "\n"); name != "" {
			scripts[name] = script
		}
	}
	return scripts
}

// lay restores dir to its state before the script ran.
func lay(t *testing.T, dir, script, text string) {
	t.Helper()
	old, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range old {
		os.RemoveAll(filepath.Join(dir, entry.Name()))
	}
	for name, text := range warmProject {
		os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, script), []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

// need returns the path of a program, or skips the test.
func need(t *testing.T, program string, candidates ...string) string {
	t.Helper()
	for _, path := range candidates {
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	path, err := exec.LookPath(program)
	if err != nil {
		t.Skipf("%s is not installed, so its hooks cannot be kept warm", program)
	}
	return path
}

// sameWarm runs a script cold, and then warm again and again.
func sameWarm(t *testing.T, argv []string, script, text string, calls int) {
	t.Helper()
	dir := testkit.Outlived(t)
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "LANG=C.UTF-8", "TOKEN=s3cret", "PWD=" + dir, "EMPTY="}
	environ := func(hook.Call) []string { return env }
	call := hook.Call{Dir: dir, Hook: &hook.Hook{Identity: hook.Identity{Event: "PreToolUse"}}, Payload: []byte("{\"tool_name\": \"Bash\",\n \"n\": 1}\n"), Env: []string{"CALL=one"}}
	cold := &Command{Argv: argv, Environ: environ}
	lay(t, dir, script, text)
	want := testkit.Leaves(cold, call)
	w := &Warm{Log: quietLog}
	defer w.Close()
	warm := &Command{Argv: argv, Environ: environ}
	if note := warm.SetWarm(w, WarmAuto, dir); note != "" {
		t.Fatal(note)
	}
	for i := range calls {
		lay(t, dir, script, text)
		if i > calls/2 { // these calls have a process that was forked before
			awaitNextChild(t, w)
		}
		if got := testkit.Leaves(warm, call); !cmp.Equal(got, want) {
			t.Fatalf("call %d, %d of them warm:\n%s", i, w.ran.Load(), cmp.Diff(want, got))
		}
		w.starts.Wait()
	}
	if ran := w.ran.Load(); int(ran) < calls-2 {
		t.Errorf("%d of %d calls were warm", ran, calls)
	}
}

// residentOf returns the process of the interpreter that forks, or nil.
func residentOf(w *Warm) *os.Process {
	if p := pythonOf(w); p != nil {
		return p.proc
	}
	return nil
}

// pythonOf returns the resident interpreter, or nil.
func pythonOf(w *Warm) *python {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range w.kept {
		s.mu.Lock()
		p, ok := s.keeper.(*python)
		s.mu.Unlock()
		if ok {
			return p
		}
	}
	return nil
}

// awaitNextChild waits until the idle interpreter has forked the children of the next two calls, and both are ready. It
// returns the process id of the first child. It polls, because no event signals this.
func awaitNextChild(t *testing.T, w *Warm) (pid int) {
	t.Helper()
	p := residentOf(w)
	if p == nil {
		return 0
	}
	testkit.Eventually(t, "the interpreter has forked the children of the next calls", func() bool {
		children := offspring(p.Pid)
		if len(children) != 2 || !rehearsed(children[0]) || !rehearsed(children[1]) {
			return false
		}
		pid = children[0]
		return true
	})
	return pid
}

// rehearsed reports whether the child has finished its preparations: it has touched most of its
// memory.
func rehearsed(pid int) bool {
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, after, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(after)
	if len(fields) < 8 {
		return false
	}
	faults, _ := strconv.Atoi(fields[7])
	return faults*os.Getpagesize() > 1<<20 && fields[0] == "S"
}

func TestWarmPythonIsTheSame(t *testing.T) {
	python := need(t, "python3", "/usr/bin/python3")
	for name, text := range warmScripts(t, "python.txt") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sameWarm(t, []string{python, "hook.py", "a", "b c"}, "hook.py", text, 4)
		})
	}
}

func TestWarmNodeIsTheSame(t *testing.T) {
	node := need(t, "node", "/usr/bin/node")
	for name, text := range warmScripts(t, "node.txt") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sameWarm(t, []string{node, name, "a", "b c"}, name, text, 3)
		})
	}
}

// A script does the same cold and warm in each form of its command.
func TestWarmFormsAreTheSame(t *testing.T) {
	python := need(t, "python3", "/usr/bin/python3")
	const text = "import sys\nprint(sys.argv, sys.flags, sys.path[0], open('/proc/self/cmdline').read().split(chr(0)))\n"
	for name, form := range map[string]struct {
		argv []string
		line string
	}{
		"unbuffered":              {[]string{python, "-u", "hook.py"}, ""},
		"without byte code":       {[]string{python, "-B", "hook.py"}, ""},
		"optimised":               {[]string{python, "-OO", "hook.py"}, ""},
		"a warning filter":        {[]string{python, "-Werror", "hook.py"}, ""},
		"without the user's site": {[]string{python, "-s", "hook.py"}, ""},
		"a first line":            {[]string{"./hook.py", "x"}, "#!" + python + "\n"},
		"a first line with env":   {[]string{"./hook.py", "x"}, "#!/usr/bin/env python3\n"},
		"an option there":         {[]string{"./hook.py", "x"}, "#!" + python + " -u\n"},
	} {
		t.Run(name, func(t *testing.T) {
			sameWarm(t, form.argv, "hook.py", form.line+text, 3)
		})
	}
}

// A command that could behave differently when warm stays cold, with a note.
func TestColdWithANote(t *testing.T) {
	for _, test := range []struct {
		argv []string
		kind string
		note string
	}{
		{[]string{"/usr/bin/python3", "-c", "1"}, WarmAuto, "option -c"},
		{[]string{"/usr/bin/python3", "-m", "json.tool"}, WarmPython, "option -m"},
		{[]string{"/usr/bin/python3", "-E", "x.py"}, WarmAuto, "option -E"},
		{[]string{"/usr/bin/python3", "-S", "x.py"}, WarmAuto, "option -S"},
		{[]string{"/usr/bin/python3", "-I", "x.py"}, WarmAuto, "option -I"},
		{[]string{"/usr/bin/python3", "-X", "dev", "x.py"}, WarmAuto, "option -X"},
		{[]string{"/usr/bin/python3"}, WarmAuto, "not given a script"},
		{[]string{"/usr/bin/python3", "x.py"}, WarmNode, "runs python, not node"},
		{[]string{"/usr/bin/node", "-e", "1"}, WarmAuto, "option -e"},
		{[]string{"/usr/bin/node", "--inspect", "x.js"}, WarmAuto, "option --inspect"},
		{[]string{"/bin/true"}, WarmAuto, "neither Python nor Node"},
		{[]string{"bash", "-c", "python3 x.py | tee log"}, WarmAuto, "a shell has to run it"},
		{[]string{"/bin/true"}, "hot", `no kind of warm hook "hot"`},
	} {
		c := &Command{Argv: test.argv}
		if note := c.SetWarm(&Warm{}, test.kind, "/"); !strings.Contains(note, test.note) || c.warm.Load() != nil {
			t.Errorf("%q as %s: note %q, want one with %q", test.argv, test.kind, note, test.note)
		}
	}
}

// A program that is called python3, but does not first load the file of the engine, would run the script without a
// call.
func TestAnInterpreterThatLoadsNothingStaysCold(t *testing.T) {
	dir := t.TempDir()
	fake := filepath.Join(dir, "python3")
	if err := os.WriteFile(fake, []byte("#!/bin/sh\necho ran >> "+dir+"/ran\nexit 0\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	w := &Warm{Log: quietLog}
	defer w.Close()
	c := &Command{Argv: []string{fake, "hook.py"}}
	c.SetWarm(w, WarmPython, dir)
	for range 3 {
		if _, err := c.Run(t.Context(), hook.Call{Dir: dir}); err != nil {
			t.Fatal(err)
		}
		w.starts.Wait()
	}
	ran, _ := os.ReadFile(dir + "/ran")
	if n := bytes.Count(ran, []byte("\n")); n != 4 || w.ran.Load() != 0 { // three calls, and the probe
		t.Errorf("the program ran %d times, %d calls were warm", n, w.ran.Load())
	}
}

var quietLog = slog.New(slog.DiscardHandler)
