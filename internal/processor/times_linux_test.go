package processor

import (
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/snaphook-go/snaphook/internal/testkit"
)

// The times of a shell include the times of its children, while they run and after they have ended.
func TestTheTimesOfDescendantsCount(t *testing.T) {
	for name, script := range map[string]string{
		"a child that runs":      "while :; do :; done & wait",
		"a grandchild that runs": "(while :; do :; done & wait) & wait",
		"a child that has ended": "i=0; (while [ $i -lt 200000 ]; do i=$((i+1)); done); sleep 60",
		"the process of the id":  "while :; do :; done",
	} {
		cmd := exec.Command("sh", "-c", script)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		testkit.Eventually(t, name+" has used a processor for 30 ms", func() bool {
			times := TimesOf(cmd.Process.Pid)
			return times.Ran+times.Ended >= 30*time.Millisecond && times.Waiting(times) >= times.Waited
		})
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
	}
}

func TestTheThreadsOfAProcessCount(t *testing.T) {
	stop := make(chan struct{})
	defer close(stop)
	for range 2 {
		go func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
			}
		}()
	}
	before := TimesOf(os.Getpid())
	testkit.Eventually(t, "this process has used 30 ms more", func() bool {
		return TimesOf(os.Getpid()).Ran-before.Ran >= 30*time.Millisecond
	})
}

func TestAProcessThatDoesNotExistHasNoTimes(t *testing.T) {
	cmd := exec.Command("true")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	if times := TimesOf(cmd.Process.Pid); times != (Times{}) {
		t.Errorf("%+v", times)
	}
}
