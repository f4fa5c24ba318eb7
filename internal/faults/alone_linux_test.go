package faults

import (
	"bytes"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

const aloneVar = "SNAPHOOK_FAULTS_ALONE"

// alone reports whether the test runs in a separate process. If not, alone runs the test in a new process. A test that
// changes its process, for example by using up its descriptors, then harms no other test. options change the process.
func alone(t *testing.T, options ...func(*exec.Cmd)) bool {
	t.Helper()
	if os.Getenv(aloneVar) == t.Name() {
		return true
	}
	cmd := exec.CommandContext(t.Context(), "/proc/self/exe", "-test.run=^"+t.Name()+"$", "-test.v", "-test.timeout="+left(t).String())
	cmd.Env = append(os.Environ(), aloneVar+"="+t.Name(), "GORACE=atexit_sleep_ms=0")
	for _, option := range options {
		option(cmd)
	}
	out, err := cmd.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("--- PASS: "+t.Name())) {
		t.Errorf("alone: %v\n%s", err, out)
	}
	t.Logf("%s", out)
	return false
}

// left returns the time that the test has left, which is the time limit of the separate process. 0 means no limit.
func left(t *testing.T) time.Duration {
	if end, limited := t.Deadline(); limited {
		return time.Until(end)
	}
	return 0
}

// asNobody runs the process as another user than root, for operations that the system does not
// deny root.
func asNobody(cmd *exec.Cmd) {
	cmd.Dir = "/"
	if os.Geteuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
}

// withEnv sets a variable.
func withEnv(entry string) func(*exec.Cmd) {
	return func(cmd *exec.Cmd) { cmd.Env = append(cmd.Env, entry) }
}

// limit sets a limit of this process, and returns a function that lifts it.
func limit(t *testing.T, resource int, n uint64) (lift func()) {
	t.Helper()
	var old syscall.Rlimit
	if err := syscall.Getrlimit(resource, &old); err != nil {
		t.Fatal(err)
	}
	low := old
	low.Cur = n
	if err := syscall.Setrlimit(resource, &low); err != nil {
		t.Fatal(err)
	}
	return func() { _ = syscall.Setrlimit(resource, &old) }
}
