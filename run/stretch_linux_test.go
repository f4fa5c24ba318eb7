package run

import (
	"errors"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/snaphook-go/snaphook/hook"
)

// onOneProcessor returns the words before a command that keep it on one processor, which three processes that
// never wait occupy until the test ends.
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

// runLimited runs a script under a time limit that it does not keep, and returns the time granted.
func runLimited(t *testing.T, prefix []string, script string, factor float64) time.Duration {
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
	return reply.Granted
}

func TestTimeOfWaitingForAProcessorIsNotTheHooks(t *testing.T) {
	prefix := onOneProcessor(t)
	const most = (hook.DefaultStretch - 1) * testLimit
	for name, script := range map[string]string{
		"a process that computes":  "while :; do :; done",
		"its child":                "(while :; do :; done); true",
		"children that have ended": `while :; do sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done'; done`,
	} {
		if granted := runLimited(t, prefix, script, 0); granted < testLimit/2 || granted > most {
			t.Errorf("%s: %v granted, want about %v, since it had a quarter of a processor", name, granted, most)
		}
		if granted := runLimited(t, prefix, script, 1); granted != 0 {
			t.Errorf("%s: %v granted, want nothing where a policy sets 1", name, granted)
		}
	}
}

func TestTimeOfSleepingIsTheHooks(t *testing.T) {
	prefix := onOneProcessor(t)
	for _, script := range []string{"sleep 60", "while :; do sleep 0.05; done"} {
		if granted := runLimited(t, prefix, script, 0); granted > testLimit {
			t.Errorf("%s: %v granted, want less than its limit of %v", script, granted, testLimit)
		}
	}
}
