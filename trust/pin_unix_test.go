//go:build unix

package trust_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/run"
	"github.com/snaphook-go/snaphook/trust"
)

// granted returns the runner of a project's hook, pinned to its current files.
func granted(t *testing.T, dir, command string) (hook.Runner, *trust.Covered) {
	t.Helper()
	direct, _ := run.Direct(command, nil)
	c := &run.Command{Argv: run.Shell(command), Direct: direct, Environ: func(hook.Call) []string { return []string{"PATH=/usr/bin:/bin"} }}
	h := &hook.Hook{Identity: hook.Identity{ID: "1", Dialect: "llxprt", Event: "BeforeTool", Source: hook.Project, Type: "command", Command: command}, Runner: c}
	covered, err := trust.Cover(t.Context(), dir, []*hook.Hook{h}, trust.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return covered.Wrap(h, c), covered
}

// swapper replaces the bytes of a file and restores them, in several ways, until stop is called.
func swapper(t *testing.T, file string, good, evil []byte) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	var swaps sync.WaitGroup
	elsewhere := t.TempDir() // a new file in the folder would be noticed
	side, target := filepath.Join(elsewhere, "side"), filepath.Join(elsewhere, "target")
	put := func(name string, text []byte) { _ = os.WriteFile(name, text, 0o755) } // a running program cannot be written to
	swaps.Go(func() {
		for ctx.Err() == nil {
			for _, text := range [][]byte{evil, good} {
				switch rand.N(4) {
				case 0:
					put(side, text)
					_ = os.Rename(side, file)
				case 1:
					put(file, text)
				case 2:
					put(target+string(text[:1]), text)
					_ = os.Symlink(target+string(text[:1]), side)
					_ = os.Rename(side, file)
				case 3:
					_ = os.Remove(file)
					put(file, text)
				}
				if len(text) == len(good) { // a text of the same length stays for a while, so that it may run
					time.Sleep(rand.N(8 * time.Millisecond))
				}
			}
		}
		_ = os.Remove(file)
		put(file, good)
	})
	return func() { cancel(); swaps.Wait() }
}

func TestNotOneByteRunsThatWasNotCovered(t *testing.T) {
	const script = "#!/bin/bash\nset -eu\n[[ ${BASH_SOURCE[0]} == \"$0\" ]] && echo good >&2\nexit 2\n"
	program := func(name string) []byte {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	for name, test := range map[string]struct {
		command    string
		good, evil []byte
		want       string
		status     int
	}{
		"a script":                {"./hooks/g.sh --x", []byte(script), []byte("#!/bin/bash\n: >ran\n"), "good\n", 2},
		"a script of bash":        {"bash hooks/g.sh", []byte(script), []byte(" : >ran\n"), "good\n", 2},
		"a script that env finds": {"hooks/g.sh", []byte("#!/usr/bin/env bash\n" + script), []byte("#!/bin/sh\n: >ran\n"), "good\n", 2},
		"a compiled program":      {"./hooks/g.sh", program("/bin/true"), program("/bin/false"), "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			if test.status == 0 && runtime.GOOS != "linux" {
				t.Skip("only Linux starts a program by its descriptor")
			}
			dir := project(t, map[string]string{"*hooks/g.sh": string(test.good)})
			r, _ := granted(t, dir, test.command)
			call := hook.Call{Dir: dir}
			stop := swapper(t, filepath.Join(dir, "hooks", "g.sh"), test.good, test.evil)
			defer stop()
			ran, refused := 0, 0
			for tries := 0; ran < 25 && tries < 5000; tries++ {
				reply, err := r.Run(t.Context(), call)
				switch {
				case err == nil && reply.Exit == test.status && string(reply.Stderr) == test.want:
					ran++
				case err != nil && reply.Exit == 0 && len(reply.Stdout)+len(reply.Stderr) == 0:
					refused++
				default:
					t.Fatalf("%q, %q, %d, %v", reply.Stdout, reply.Stderr, reply.Exit, err)
				}
				if _, err := os.Stat(filepath.Join(dir, "ran")); err == nil {
					t.Fatal("what was not covered has run")
				}
			}
			stop()
			if reply, err := r.Run(t.Context(), call); err != nil || reply.Exit != test.status {
				t.Errorf("at last, as it was covered: %d, %v; want %d", reply.Exit, err, test.status)
			}
			t.Logf("%d ran, %d were refused", ran, refused)
		})
	}
}

func TestWhatHasChangedSinceDoesNotRun(t *testing.T) {
	files := map[string]string{
		"*hooks/g.sh": "#!/bin/sh\n. \"$(dirname \"$0\")/lib\"\n", "hooks/lib": "exit 2\n", "check.py": "import helper\n", "helper.py": "", "*bin/tool": "#!/bin/sh\nexit 2\n",
	}
	for _, test := range []struct{ command, change string }{
		{"./hooks/g.sh", "hooks/g.sh"},
		{"./hooks/g.sh", "hooks/lib"},
		{"cd hooks && ./g.sh", "hooks/g.sh"},
		{"cd hooks && ./g.sh | cat", "hooks/lib"},
		{"python3 check.py", "helper.py"},
		{"make guard", "check.py"},
		{"PATH=bin:$PATH tool", "bin/tool"},
	} {
		for how, change := range map[string]func(t *testing.T, path string) error{
			"it is another": func(_ *testing.T, path string) error { return os.WriteFile(path, []byte(": >ran\n"), 0o755) },
			"it is gone":    func(_ *testing.T, path string) error { return os.Remove(path) },
			"it is a pipe":  func(t *testing.T, path string) error { err := os.Remove(path); mkfifo(t, path); return err },
			"it is as long": func(t *testing.T, path string) error { return sameLength(path) },
			"it is no file": func(_ *testing.T, path string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o755)) },
			"it has no end": func(_ *testing.T, path string) error {
				return errors.Join(os.Remove(path), os.Symlink("/dev/zero", path))
			},
			"it is a new link": func(_ *testing.T, path string) error {
				return errors.Join(os.Remove(path), os.Symlink("/bin/true", path))
			},
		} {
			dir := project(t, files)
			r, _ := granted(t, dir, test.command)
			if err := change(t, filepath.Join(dir, test.change)); err != nil && !strings.Contains(err.Error(), "empty") {
				t.Fatal(err)
			}
			reply, err := r.Run(t.Context(), hook.Call{Dir: dir})
			if hook.ClassOf(err) != hook.ClassUntrusted || reply.Exit != 0 || !strings.Contains(err.Error(), filepath.Base(test.change)) {
				t.Errorf("%s, %s of %s: %d, %v; want an error of class %q", test.command, how, test.change, reply.Exit, err, hook.ClassUntrusted)
			}
		}
	}
}

// In another directory than the project's a relative path names another file. The hook runs only if trust covers that
// file too.
func TestInAnotherDirectoryOnlyCoveredFilesRun(t *testing.T) {
	files := map[string]string{
		"*hooks/g.sh": "#!/bin/sh\n. \"$(dirname \"$0\")/lib\"\n", "hooks/lib": "exit 2\n", "*hooks/near.sh": "#!/bin/sh\n. ./lib.sh\nexit 2\n",
		"lib.sh": "", "check.py": "import helper\nraise SystemExit(2)\n", "helper.py": "",
		"sub/lib.sh": ": >ran\n", "sub/check.py": "open('ran', 'w')\n", "*sub/hooks/g.sh": "#!/bin/sh\n: >ran\n", "sub/helper.py": "open('ran', 'w')\n",
		"empty/x": "",
	}
	for _, test := range []struct {
		command, dir string
		runs         bool // the hook's own files run, and it exits with 2
	}{
		{"$CLAUDE_PROJECT_DIR/hooks/g.sh", "sub", true},
		{"\"$CLAUDE_PROJECT_DIR\"/hooks/g.sh | cat; exit 2", "sub", true},
		{"$CLAUDE_PROJECT_DIR/hooks/near.sh", ".", true},
		{"$CLAUDE_PROJECT_DIR/hooks/near.sh", "sub", false},
		{"cat | $CLAUDE_PROJECT_DIR/hooks/near.sh", "sub", false},
		{"cd $CLAUDE_PROJECT_DIR && hooks/near.sh", "sub", false}, // trust does not decide whether a cd succeeds
		{"cd $CLAUDE_PROJECT_DIR && hooks/g.sh", "empty", true},
		{". ./lib.sh; exit 2", "sub", false},
		{". \"$(pwd)/lib.sh\"; exit 2", "sub", false},
		{"python3 check.py", "sub", false},
		{"python3 $CLAUDE_PROJECT_DIR/check.py", "sub", true},
		{"./hooks/g.sh", "sub", false},
		{"true && ./hooks/g.sh", "sub", false},
		{"echo data/x; exit 2", "sub", true},
	} {
		dir := project(t, files)
		link := filepath.Join(t.TempDir(), "link")
		if err := os.Symlink(dir, link); err != nil {
			t.Fatal(err)
		}
		for _, at := range []string{dir, link} {
			r, _ := granted(t, dir, test.command)
			in := filepath.Join(at, test.dir)
			reply, err := r.Run(t.Context(), hook.Call{Dir: in, Env: []string{"CLAUDE_PROJECT_DIR=" + dir}})
			if test.runs && (err != nil || reply.Exit != 2) || !test.runs && hook.ClassOf(err) != hook.ClassUntrusted {
				t.Errorf("%s in %s: %d, %v, %s; want it to run: %t", test.command, in, reply.Exit, err, reply.Stderr, test.runs)
			}
			if _, err := os.Lstat(filepath.Join(dir, "sub/ran")); err == nil {
				t.Errorf("%s in %s runs a file that was not covered", test.command, in)
			}
		}
	}
}

// A missing directory has no files, therefore the hook runs in a directory of Fallback, where its files are checked.
func TestInPlaceOfAMissingDirectoryOnlyCoveredFilesRun(t *testing.T) {
	dir := project(t, map[string]string{"*hooks/g.sh": "#!/bin/sh\nexit 2\n", "lib.sh": "exit 2\n", "sub/lib.sh": ": >ran\n"})
	for _, test := range []struct {
		command, fallback string
		runs              bool
	}{
		{"$CLAUDE_PROJECT_DIR/hooks/g.sh", ".", true},
		{"$CLAUDE_PROJECT_DIR/hooks/g.sh", "sub", true},
		{". ./lib.sh", ".", true},
		{". ./lib.sh", "sub", false},
	} {
		r, _ := granted(t, dir, test.command)
		r.(*run.Command).Fallback = []string{filepath.Join(dir, test.fallback)}
		gone := filepath.Join(dir, "gone")
		reply, err := r.Run(t.Context(), hook.Call{Dir: gone, Env: []string{"CLAUDE_PROJECT_DIR=" + dir}})
		if test.runs && (err != nil || reply.Exit != 2) || !test.runs && hook.ClassOf(err) != hook.ClassUntrusted {
			t.Errorf("%s in %s: %d, %v; want it to run: %t", test.command, test.fallback, reply.Exit, err, test.runs)
		}
	}
	if _, err := os.Lstat(filepath.Join(dir, "sub/ran")); err == nil {
		t.Error("a file that was not covered has run")
	}
}

// sameLength changes a file without changing its length, and restores its time.
func sameLength(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	text := strings.Repeat("#", max(1, int(info.Size())))
	return errors.Join(os.WriteFile(path, []byte(text), 0o755), os.Chtimes(path, info.ModTime(), info.ModTime()))
}

func TestAHookThatWasNotCoveredDoesNotRun(t *testing.T) {
	dir := project(t, map[string]string{"*g": "#!/bin/sh\n"})
	_, covered := granted(t, dir, "./g")
	is := func(change func(*hook.Hook)) error {
		r := hook.Runner(&run.Command{Argv: run.Shell("exit 0")})
		h := &hook.Hook{Identity: hook.Identity{ID: "1", Dialect: "llxprt", Event: "BeforeTool", Source: hook.Project, Type: "command", Command: "./g"}}
		change(h)
		_, err := covered.Wrap(h, r).Run(t.Context(), hook.Call{Dir: dir})
		return err
	}
	for name, test := range map[string]struct {
		change func(*hook.Hook)
		class  hook.Class
	}{
		"the same":          {func(*hook.Hook) {}, ""},
		"another command":   {func(h *hook.Hook) { h.Command = "./g --off" }, hook.ClassUntrusted},
		"another event":     {func(h *hook.Hook) { h.Event = "AfterTool" }, hook.ClassUntrusted},
		"one more":          {func(h *hook.Hook) { h.ID = "2" }, hook.ClassUntrusted},
		"one of the user's": {func(h *hook.Hook) { h.ID, h.Source = "2", hook.User }, ""},
	} {
		if err := is(test.change); hook.ClassOf(err) != test.class {
			t.Errorf("%s: %v; want class %q", name, err, test.class)
		}
	}
}
