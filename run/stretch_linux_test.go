package run

import (
	"bytes"
	"errors"
	"os/exec"
	"slices"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/snaphook-go/snaphook/hook"
)

// onOneProcessor returns the words in front of a command that keep it on one processor. Three other processes, which
// never wait, compete for this processor until the test ends.
func onOneProcessor(t *testing.T) (prefix []string) {
	t.Helper()
	taskset, err := exec.LookPath("taskset")
	if err != nil {
		t.Skip("taskset is not installed")
	}
	var allowed unix.CPUSet
	if err := unix.SchedGetaffinity(0, &allowed); err != nil {
		t.Fatal(err)
	}
	first := 0
	for !allowed.IsSet(first) {
		first++
	}
	prefix = []string{taskset, "-c", strconv.Itoa(first)}
	for range 3 {
		busy := exec.Command(prefix[0], append(prefix[1:], "sh", "-c", "while :; do :; done")...)
		if err := busy.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = busy.Process.Kill()
			_ = busy.Wait()
		})
	}
	return prefix
}

const testLimit = 200 * time.Millisecond

// runLimited runs a script under a time limit that it does not keep. It returns the time granted, and the time for
// which the script was not on a processor. The result off is slightly too long, since the times of a killed child are
// unknown.
func runLimited(t *testing.T, prefix []string, script string, factor float64) (granted, off time.Duration) {
	t.Helper()
	c := &Command{Argv: append(prefix[:len(prefix):len(prefix)], "sh", "-c", script), Grace: time.Millisecond}
	start := time.Now()
	reply, err := c.Run(t.Context(), hook.Call{Timeout: testLimit, Stretch: factor})
	late, ok := errors.AsType[*hook.TimeoutError](err)
	if !ok || late.After != testLimit || late.Granted != reply.Granted {
		t.Fatalf("%s: got %v, want a TimeoutError with %v granted", script, err, reply.Granted)
	}
	if took := time.Since(start); took < testLimit+reply.Granted {
		t.Errorf("%s: it ended after %v, want not before %v", script, took, testLimit+reply.Granted)
	}
	return reply.Granted, testLimit + reply.Granted - reply.Processor
}

func TestTimeOfWaitingForAProcessorIsNotTheHooks(t *testing.T) {
	prefix := onOneProcessor(t)
	const most = (hook.DefaultStretch - 1) * testLimit
	for name, tt := range map[string]struct {
		script string
		runs   int // the wait of ended children is an estimate, which is right only as the mean of several runs
	}{
		"a process that computes":  {"while :; do :; done", 1},
		"its child":                {"(while :; do :; done); true", 1},
		"children that have ended": {`while :; do sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done'; done`, 5},
	} {
		var all, allOff time.Duration
		for range tt.runs {
			granted, off := runLimited(t, prefix, tt.script, 0)
			if granted > most {
				t.Errorf("%s: %v granted, want at most %v", name, granted, most)
			}
			all, allOff = all+granted, allOff+off
		}
		if all < allOff/2 {
			t.Errorf("%s: %v granted in %d runs, want about the %v that it waited", name, all, tt.runs, allOff)
		}
		if granted, _ := runLimited(t, prefix, tt.script, 1); granted != 0 {
			t.Errorf("%s: %v granted, want nothing where a policy sets 1", name, granted)
		}
	}
}

// The load of the machine is fixed at the four threads of onOneProcessor, because it is estimated from all programs. Of
// several runs the best one counts, because other programs lengthen the true waits.
func TestTimeOfSleepingIsTheHooks(t *testing.T) {
	defer func(before func() float64) { machineLoad = before }(machineLoad)
	machineLoad = func() float64 { return 4 }
	prefix := onOneProcessor(t)
	for script, own := range map[string]func(reply hook.Reply) time.Duration{
		"sleep 60": func(reply hook.Reply) time.Duration { return testLimit + reply.Granted },
		"while :; do sleep 0.05; echo; done": func(reply hook.Reply) time.Duration {
			return time.Duration(bytes.Count(reply.Stdout, []byte("\n"))) * 50 * time.Millisecond
		},
	} {
		var runs []time.Duration
		for range 4 {
			c := &Command{Argv: append(prefix[:len(prefix):len(prefix)], "sh", "-c", script), Grace: time.Millisecond}
			reply, err := c.Run(t.Context(), hook.Call{Timeout: testLimit})
			if _, late := errors.AsType[*hook.TimeoutError](err); !late {
				t.Fatalf("%s: got %v, want a TimeoutError", script, err)
			}
			runs = append(runs, own(reply))
		}
		if best := slices.Min(runs); best == 0 || best >= 2*testLimit {
			t.Errorf("%s: it slept for %v, want about its limit of %v", script, runs, testLimit)
		}
	}
}

// Each look at a process asks for the load of the machine: a limit of a process that computes then grows to the most.
func TestEachLookAsksForTheLoad(t *testing.T) {
	defer func(before func() float64) { machineLoad = before }(machineLoad)
	machineLoad = func() float64 { return 8 }
	const most = (hook.DefaultStretch - 1) * testLimit
	if granted, _ := runLimited(t, nil, "while :; do :; done", 0); granted != most {
		t.Errorf("%v granted, want %v", granted, most)
	}
}
