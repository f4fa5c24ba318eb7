package faults

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"syscall"
	"testing"

	"go.uber.org/goleak"
)

// TestMain checks, after all tests, that they left no goroutine, descriptor or child. A parallel test cannot check this
// by itself; for all other tests see leavesNothing.
func TestMain(m *testing.M) {
	flag.Parse()
	_ = flag.Set("test.parallel", "16") // the tests mostly wait: more of them can run at once than there are processors
	warmUp()
	before := descriptors()
	status := m.Run()
	err := errors.Join(goleak.Find(clock), opened(before), children())
	if status == 0 && err != nil {
		fmt.Fprintln(os.Stderr, "left behind by the tests:", err)
		status = 1
	}
	os.Exit(status)
}

// clock is the only goroutine that the library of package match leaves: it ends by itself.
var clock = goleak.IgnoreAnyFunction("github.com/dlclark/regexp2/v2.runClock")

// warmUp makes the runtime open its poller, which it opens only once.
func warmUp() {
	if r, w, err := os.Pipe(); err == nil {
		r.Close()
		w.Close()
	}
}

// leavesNothing checks, after the test and the end of its systems, that the engine holds no more
// resources than before. It is only for tests that do not run in parallel.
func leavesNothing(t *testing.T) {
	t.Helper()
	before, running := descriptors(), goleak.IgnoreCurrent()
	t.Cleanup(func() {
		if err := errors.Join(goleak.Find(running, clock), opened(before), children()); err != nil {
			t.Errorf("left behind: %v", err)
		}
	})
}

// descriptors returns the targets of the open descriptors by number.
func descriptors() map[string]string {
	open := map[string]string{}
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		panic(err) // every test needs the list
	}
	for _, e := range entries {
		if target, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil { // the list's own descriptor is closed now
			open[e.Name()] = target
		}
	}
	return open
}

// opened returns an error if there are new descriptors.
func opened(before map[string]string) error {
	var errs []error
	for fd, target := range descriptors() {
		if before[fd] == "" {
			errs = append(errs, fmt.Errorf("descriptor %s is open: %s", fd, target))
		}
	}
	return errors.Join(errs...)
}

// children returns an error if this process has a child, even a zombie.
func children() error {
	pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
	switch {
	case err == syscall.ECHILD:
		return nil
	case pid > 0:
		return fmt.Errorf("process %d was a zombie", pid)
	}
	return errors.New("a child is running")
}
