package run

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
)

// When a host is killed, neither a hook nor a process that the hook has started survives, however the hook was started.
func TestNoCommandOutlivesAHostThatIsKilled(t *testing.T) {
	if os.Getenv("SNAPHOOK_TEST_COLD_HOST") != "" {
		coldHost(t)
		return
	}
	for _, signal := range []syscall.Signal{syscall.SIGKILL, syscall.SIGQUIT} { // on SIGQUIT the Go runtime prints all goroutines first
		t.Run(signal.String(), func(t *testing.T) { testNoCommandOutlives(t, signal) })
	}
}

func testNoCommandOutlives(t *testing.T, signal syscall.Signal) {
	host := exec.Command(os.Args[0], "-test.run", "^TestNoCommandOutlivesAHostThatIsKilled$")
	host.Env = append(os.Environ(), "SNAPHOOK_TEST_COLD_HOST=1")
	out, err := host.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := host.Start(); err != nil {
		t.Fatal(err)
	}
	defer host.Wait()
	lines := bufio.NewScanner(out)
	for lines.Scan() && lines.Text() != "watched" {
	}
	family := descendants(host.Process.Pid)
	if want := 2*len(coldHooks()) + 1; len(family) < want {
		t.Errorf("the host has %d descendants, want a hook and its child of each kind, and the guardian: %d", len(family), want)
	}
	_ = host.Process.Signal(signal)
	for _, pid := range family {
		testkit.WaitForEnd(t, pid, 10*time.Second)
	}
}

// coldHooks are calls that run until they are killed.
func coldHooks() []hook.Call {
	background := func(time.Duration) (context.Context, func(hook.Reply, error)) {
		return context.Background(), func(hook.Reply, error) {}
	}
	return []hook.Call{{}, {Detach: background}, {Ask: thinks}, {Ask: thinks, Detach: background}}
}

// coldHost is a program that embeds hooks, until it is killed.
func coldHost(t *testing.T) {
	for _, call := range coldHooks() {
		go func() {
			c := &Command{Argv: Shell(`echo '{"async":true}'; trap '' TERM; sleep 600; true`)}
			_, _ = c.Run(context.Background(), call)
		}()
	}
	testkit.Eventually(t, "the guardian watches each hook, and each hook has started its child", func() bool {
		commands.mu.Lock()
		defer commands.mu.Unlock()
		return len(commands.groups) >= len(coldHooks()) && len(descendants(os.Getpid())) >= 2*len(coldHooks())+1
	})
	os.Stdout.WriteString("\nwatched\n")
	select {}
}

// A command survives the end of the host's thread that started it, although the kernel treats the end of this thread as
// the end of the parent. A thread ends when a goroutine that is locked to it ends.
func TestTheEndOfAThreadEndsNoCommand(t *testing.T) {
	both(t, func(t *testing.T, run runFunc) {
		dir := t.TempDir()
		call, b := detached(t.Context(), hook.Call{Dir: dir, Timeout: 30 * time.Second})
		c := &Command{Argv: Shell(`echo '{"async":true}'; until [ -e go ]; do sleep 0.01; done; echo done`)}
		if _, err := c.run(t.Context(), call, run); err != hook.ErrDetached {
			t.Fatalf("got %v, want a hook in the background", err)
		}
		for range 8 {
			ended := make(chan struct{})
			for range 16 { // more than there are threads
				go func() {
					runtime.LockOSThread()
					<-ended
				}()
			}
			close(ended)
			runtime.Gosched()
		}
		if err := os.WriteFile(dir+"/go", nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if b.wait(t); b.err != nil || b.reply.Signal != nil {
			t.Errorf("the hook ended with %v, %v", b.reply.Signal, b.err)
		}
	})
}

// A guardian that was killed is replaced when the next process starts.
func TestAGuardianThatIsKilledIsReplaced(t *testing.T) {
	g := guardian{brief: true}
	leader := exec.Command("sleep", "600")
	leader.SysProcAttr = boundTo(&syscall.SysProcAttr{Setpgid: true})
	if err := leader.Start(); err != nil {
		t.Fatal(err)
	}
	defer leader.Wait()
	g.watch(leader.Process.Pid)
	_ = g.proc.Kill()
	testkit.WaitForEnd(t, g.proc.Pid, 10*time.Second)
	g.watch(1 << 30) // not a process
	g.mu.Lock()
	_ = g.in.Close() // the end of this process would close the guardian's input too
	g.mu.Unlock()
	if testkit.WaitForEnd(t, leader.Process.Pid, 10*time.Second); g.proc == nil {
		t.Error("there is no guardian")
	}
	_, _ = g.proc.Wait()
	if file, err := os.Stat("/proc/" + strconv.Itoa(g.proc.Pid)); err == nil {
		t.Errorf("the guardian is left: %v", file)
	}
}
