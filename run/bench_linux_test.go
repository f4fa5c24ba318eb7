package run

import (
	"context"
	"os"
	"syscall"
	"testing"

	"github.com/snaphook-go/snaphook/hook"
)

// BenchmarkCommand compares execute and executePortable with bare, which does the minimum of work.
func BenchmarkCommand(b *testing.B) {
	payload := make([]byte, 495)
	for _, program := range []struct {
		name string
		argv []string
	}{
		{"true", []string{"/bin/true"}},
		{"sh", []string{"/bin/sh", "-c", "read -r x; echo '{}'"}},
		{"bash", []string{"bash", "-c", "cat >/dev/null; echo '{}'"}},
	} {
		for _, way := range []struct {
			name string
			run  runFunc
		}{{"own", execute}, {"portable", executePortable}, {"forkexec", bare}} {
			b.Run(program.name+"/"+way.name, func(b *testing.B) {
				c := &Command{Argv: program.argv, Environ: func(hook.Call) []string { return environ }}
				ctx, cancel := context.WithCancel(b.Context())
				defer cancel()
				b.ReportAllocs()
				for b.Loop() {
					if _, err := c.run(ctx, hook.Call{Dir: "/tmp", Payload: payload}, way.run); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

var environ = os.Environ()

// bare is the reference: fork, exec and raw pipes. It cannot be cancelled, and waits for children in the background.
func bare(_ context.Context, j job) (reply hook.Reply, started bool, err error) {
	stdin, err := readable(j.stdin)
	if err != nil {
		return reply, false, err
	}
	var stdout, stderr [2]int
	if err := syscall.Pipe2(stdout[:], syscall.O_CLOEXEC); err != nil {
		return reply, false, err
	}
	if err := syscall.Pipe2(stderr[:], syscall.O_CLOEXEC); err != nil {
		return reply, false, err
	}
	pid, err := syscall.ForkExec(j.program, j.argv, &syscall.ProcAttr{Dir: j.dir, Env: j.env, Files: []uintptr{uintptr(stdin), uintptr(stdout[1]), uintptr(stderr[1])}})
	for _, fd := range [...]int{stdin, stdout[1], stderr[1]} {
		_ = syscall.Close(fd)
	}
	if err == nil {
		var buffer [4096]byte
		for _, fd := range [...]int{stdout[0], stderr[0]} {
			for n := 1; n > 0; {
				n, _ = syscall.Read(fd, buffer[:])
			}
		}
		_, err = syscall.Wait4(pid, nil, 0, nil)
	}
	_ = syscall.Close(stdout[0])
	_ = syscall.Close(stderr[0])
	return reply, true, err
}

func TestARunAllocatesLittle(t *testing.T) { // not parallel: AllocsPerRun counts the whole process
	c := &Command{Argv: []string{"/bin/sh", "-c", "read -r x; echo '{}'"}, Environ: func(hook.Call) []string { return environ }}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	call := hook.Call{Dir: t.TempDir(), Payload: []byte("{}\n")}
	got := testing.AllocsPerRun(20, func() {
		if reply, err := c.Run(ctx, call); err != nil || string(reply.Stdout) != "{}\n" {
			t.Errorf("got %q, %v; want {}", reply.Stdout, err)
		}
	})
	t.Logf("%v allocations", got)
	if got > 15 && !raceEnabled {
		t.Errorf("%v allocations a run, want at most 15", got)
	}
}
