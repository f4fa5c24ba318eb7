package faults

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/pipeline"
)

// kin returns the processes that hooks of w started, found by their environment, which a process keeps
// when it gets a new session or a new parent.
func (w *world) kin(t *testing.T) (pids []int) {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if bytes.Contains(append([]byte{0}, environment(e.Name())...), []byte("\x00"+w.mark+"\x00")) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// kinOf returns the number of running processes as soon as it is at least want, or after five seconds: a process that is
// just executing its program shows no environment.
func (w *world) kinOf(t *testing.T, want int) (n int) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Second); n < want && time.Now().Before(deadline); runtime.Gosched() {
		n = len(w.kin(t))
	}
	return n
}

// environment returns the environment that a process was started with, or nothing if the process
// has ended. A process that is just executing another program seems to have no environment, and may
// execute several programs in a row.
func environment(pid string) []byte {
	for settled := 0; settled < 8; runtime.Gosched() {
		environ, err := os.ReadFile("/proc/" + pid + "/environ")
		if len(environ) > 0 || errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
			return environ
		}
		stat, _ := os.ReadFile("/proc/" + pid + "/stat")
		_, rest, _ := strings.Cut(string(stat[max(0, bytes.LastIndexByte(stat, ')')):]), " ")
		const state, flags, envEnd, kernelThread = 0, 6, 48, 0x200000 // from the third field of proc_pid_stat(5)
		fields := strings.Fields(rest)
		if len(fields) <= envEnd || strings.Contains("ZX", fields[state]) {
			return nil
		}
		if bits, err := strconv.Atoi(fields[flags]); err != nil || bits&kernelThread != 0 {
			return nil
		}
		if fields[envEnd] != "0" {
			settled++
		}
	}
	return nil
}

// leavesNoProcess checks that no process of a hook of w remains. It waits up to five seconds, since a process needs
// time to die after SIGKILL, or after its reader has gone.
func (w *world) leavesNoProcess(t *testing.T) {
	t.Helper()
	deadline := time.Now().Add(5 * time.Second)
	for pids := w.kin(t); len(pids) > 0; pids = w.kin(t) {
		testkit.WaitForEnd(t, pids[0], time.Until(deadline))
	}
}

// killKin kills the background processes that hooks of w started on purpose, and returns their number. Reading /proc
// may miss a process that starts another and ends meanwhile: killKin reads /proc again until it finds a process, for at
// most five seconds.
func (w *world) killKin(t *testing.T) (n int) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Second); n == 0 && time.Now().Before(deadline); runtime.Gosched() {
		for _, pid := range w.kin(t) {
			if unix.Kill(pid, unix.SIGKILL) == nil {
				n++
			}
		}
	}
	return n
}

// want describes the expected end of a fire with one hook. Texts need only be parts of the actual texts; an empty err
// means that the hook succeeds.
type want struct {
	blocked         bool
	reason, message string
	err             string
	is              error // the report's Err is this error, if it is not nil
	exit            int
	signal          unix.Signal
	unstarted       bool // no process, and therefore no Reply
	notes           int  // parts of the answer that have no effect, each with a warning
}

// check checks everything that is reported about a fire with one hook: its result, its report, its
// JSON form, the log, the count of failures.
func (w *world) check(t *testing.T, res *result, want want) {
	t.Helper()
	if res.Blocked() != want.blocked || !strings.Contains(res.Reason, want.reason) || !strings.Contains(res.Message, want.message) {
		t.Errorf("blocked %v, reason %.200q, message %.200q; want %+v", res.Blocked(), res.Reason, res.Message, want)
	}
	if len(res.Reports) != 1 {
		t.Fatalf("%d reports, want 1", len(res.Reports))
	}
	w.checkReport(t, &res.Reports[0], want)
	w.checkJSON(t, res, want)
	failed := int64(0)
	if want.err != "" {
		failed = 1
	}
	noted := 0
	logged := slices.DeleteFunc(w.log.failures(), func(warning string) bool {
		if strings.HasPrefix(warning, "note on a hook's answer") {
			noted++
			return true
		}
		return false
	})
	if noted != want.notes {
		t.Errorf("%d parts of the answer were warned of, want %d", noted, want.notes)
	}
	if n := w.sys.FailedOpen(); n != failed || len(logged) != int(failed) || failed == 1 && !strings.Contains(logged[0], want.err) {
		t.Errorf("failed open %d times, warnings %q; want %d, and %q", n, logged, failed, want.err)
	}
}

func (w *world) checkReport(t *testing.T, r *hook.Report[llxprt.BeforeToolOutput], want want) {
	t.Helper()
	if r.Hook == nil || r.Hook.ID != "project/BeforeTool/0/0" || r.Hook.Position.Line == 0 || r.Index != 0 || r.Elapsed <= 0 {
		t.Errorf("the report is not complete: %+v", r)
	}
	var of *hook.Error
	switch {
	case want.err == "" && r.Err != nil:
		t.Errorf("the hook failed: %v", r.Err)
	case want.err == "":
	case r.Err == nil || !strings.Contains(r.Err.Error(), want.err) || !errors.As(r.Err, &of) || of.Hook != r.Hook || want.is != nil && !errors.Is(r.Err, want.is):
		t.Errorf("the hook's error is %v, want %q (%v)", r.Err, want.err, want.is)
	case !r.FailedOpen() || r.OK():
		t.Errorf("failed open %v, OK %v; want a failure", r.FailedOpen(), r.OK())
	}
	switch {
	case want.unstarted && r.Reply != nil:
		t.Errorf("there is a reply, %+v, of a process that was not started", r.Reply)
	case want.unstarted:
	case r.Reply == nil:
		t.Errorf("there is no reply")
	case r.Reply.Exit != want.exit || want.signal != 0 && r.Reply.Signal != want.signal:
		t.Errorf("exit status %d, signal %v; want %d, %v", r.Reply.Exit, r.Reply.Signal, want.exit, want.signal)
	}
}

// checkJSON checks the JSON form, which the command line and the bus use.
func (w *world) checkJSON(t *testing.T, res *result, want want) {
	t.Helper()
	run := llxprt.BeforeTool.Describe(call, res).Hooks[0]
	outcome := pipeline.Success
	switch {
	case want.blocked && want.is != context.Canceled: // with context.Canceled the fire blocks, not the hook
		outcome = pipeline.Blocking
	case want.is == context.DeadlineExceeded, want.is == context.Canceled, want.is == hook.ErrClosed:
		outcome = pipeline.Cancelled
	case want.err != "":
		outcome = pipeline.NonBlockingError
	}
	if run.Outcome != outcome || run.Success != (want.err == "" && want.exit == 0) || (run.Error != nil) != (want.err != "") {
		t.Errorf("outcome %s, success %v, error %v; want %s and %q", run.Outcome, run.Success, run.Error, outcome, want.err)
	}
	if hasExit := run.ExitCode != nil; hasExit != (!want.unstarted && want.exit >= 0) {
		t.Errorf("an exit status is told: %v, want %+v", hasExit, want)
	}
}
