package processor

import (
	"os/exec"
	"runtime"
	"testing"

	"github.com/snaphook-go/snaphook/internal/testkit"
)

func TestTheReadyThreadsOfTheMachineAreRead(t *testing.T) {
	for text, want := range map[string]float64{
		"0.20 0.18 0.12 3/80 11206\n": 3,
		"0.20 0.18 0.12 12\n":         12,
		"0.20 0.18 0.12 x/80 1\n":     0,
		"0.20":                        0,
		"":                            0,
	} {
		if got := ready([]byte(text)); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
		if got := others([]byte(text)); got != max(want-1, 0) {
			t.Errorf("%q: %v without the caller, want %v", text, got, max(want-1, 0))
		}
	}
}

func TestThreadsThatComputeLoadTheMachine(t *testing.T) {
	all := reader{buffer: make([]byte, 128)}
	n := 2*max(online(all.read("/sys/devices/system/cpu/online")), runtime.NumCPU()) + 1
	if n > 64 {
		t.Skipf("%d processors: too many processes", n/2)
	}
	for range n {
		cmd := exec.Command("sh", "-c", "while :; do :; done")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		})
	}
	testkit.Eventually(t, "two threads for each processor are ready", func() bool { return Load() >= 2 })
}

func TestTheProcessorsOfTheMachineAreCounted(t *testing.T) {
	for text, want := range map[string]int{"0\n": 1, "0-63\n": 64, "0-3,8,10-11\n": 7, "": 0, "x": 0, "0-": 0} {
		if got := online([]byte(text)); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}
