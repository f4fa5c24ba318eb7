package faults

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/policy"
)

// With enough descriptors for a hook, one too few, or none, the hook works or fails open, and leaks
// no descriptor.
func TestWithoutDescriptorsAHookFailsOpen(t *testing.T) {
	if !alone(t) {
		return
	}
	leavesNothing(t)
	for _, f := range forms {
		w := f.open(t, "exit 2", setup{})
		w.fire(t)
		failed := 0
		for spare := range 16 {
			lift := limit(t, syscall.RLIMIT_NOFILE, uint64(len(descriptors())+spare))
			res := w.fireCall(t, sizeable) // its payload needs a file in memory
			lift()
			if res.Blocked() {
				continue
			}
			failed++
			if err := res.Reports[0].Err; !errors.Is(err, syscall.EMFILE) || int(w.sys.FailedOpen()) != failed {
				t.Errorf("%s, %d descriptors: error %v, failed open %d; want %v and %d", f.name, spare, err, w.sys.FailedOpen(), syscall.EMFILE, failed)
			}
		}
		if failed == 0 || failed == 16 {
			t.Errorf("%s: %d of 16 fires failed, want some", f.name, failed)
		}
		w.alive(t)
	}
}

// The kernel counts the processes and threads of each user except root: the test runs as another
// user.
func TestWithoutProcessesAHookFailsOpen(t *testing.T) {
	if !alone(t, asNobody, withEnv("HOME=/tmp")) {
		return
	}
	leavesNothing(t)
	spareThreads(64)
	for _, f := range forms {
		w := f.open(t, "exit 2", setup{})
		lift := limit(t, unix.RLIMIT_NPROC, 1)
		res := w.fire(t)
		lift()
		w.check(t, res, want{err: "no more processes are allowed", is: syscall.EAGAIN, unstarted: true})
		w.alive(t)
		if res := w.fire(t); !res.Blocked() {
			t.Errorf("%s: the same hook does not block when it can start: %v", f.name, res.Errs())
		}
	}
}

// spareThreads makes the runtime keep n idle threads, because the runtime ends the program if it
// cannot start a thread.
func spareThreads(n int) {
	var all sync.WaitGroup
	all.Add(n)
	for range n {
		go func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			all.Done()
			all.Wait() // until each goroutine has a thread
		}()
	}
	all.Wait()
}

// The engine needs no home directory, nor does a hook that does not use it.
func TestAHomeThatCannotBeWritten(t *testing.T) {
	if !alone(t, withEnv("HOME=/proc/self/nowhere")) {
		return
	}
	leavesNothing(t)
	eachForm(t, `echo x >"$HOME/log" || exit 1; exit 2`, setup{}, func(t *testing.T, w *world) {
		w.check(t, w.fire(t), want{err: "exit status 1", exit: 1, message: "/proc/self/nowhere/log"})
		w.alive(t)
	})
	dir := t.TempDir()
	file := filepath.Join(dir, ".llxprt", "settings.json")
	err := errors.Join(os.Mkdir(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(setup{commands: []string{"exit 2"}}.settings()), 0o600))
	if err != nil {
		t.Fatal(err)
	}
	sys := pipeline.NewSystem(pipeline.Config{Load: pipeline.LinkedSettings(), Policy: policy.Source{Discover: true}})
	defer sys.Close()
	ses, err := sys.NewSession(t.Context(), pipeline.SessionConfig{Dir: dir})
	if err != nil || len(ses.Problems()) > 0 {
		t.Fatal(err, ses.Problems())
	}
	if res, err := llxprt.BeforeTool.Fire(t.Context(), ses, &call); err != nil || !res.Blocked() {
		t.Errorf("the settings that were found: blocked %v, %v", res.Blocked(), err)
	}
}

// The agent's working directory may be gone: hooks run in the session's directory.
func TestTheEnginesOwnDirectoryIsGone(t *testing.T) {
	if !alone(t) {
		return
	}
	leavesNothing(t)
	gone := t.TempDir()
	t.Chdir(gone)
	if err := os.Remove(gone); err != nil {
		t.Fatal(err)
	}
	defer os.Mkdir(gone, 0o755) // the test's clean-up needs the directory
	eachForm(t, "pwd; exit 2", setup{}, func(t *testing.T, w *world) {
		w.check(t, w.fire(t), want{blocked: true, reason: w.dir, exit: 2})
		w.alive(t)
	})
}
