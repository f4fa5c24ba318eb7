package faults

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/samber/lo"
	"golang.org/x/sys/unix"

	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/run"
)

// generous is the most that a busy machine may add to any time.
const generous = 4 * time.Second

// timeout is long enough for a hook to print its first line.
const timeout = 400 * time.Millisecond

// late is the end of a hook that did not answer in time.
var late = want{err: "Hook timed out after 400ms", is: context.DeadlineExceeded, exit: -1}

// A hook that does not answer costs its timeout, and if it ignores SIGTERM also the five seconds of
// grace (L24). Its output is ignored, and no process of its group remains.
func TestAHookWithoutAnAnswerEndsWithItsTime(t *testing.T) {
	const deny = `echo '{"decision":"deny","reason":"too late"}'; `
	for _, test := range []struct {
		name, script string
		least        time.Duration
	}{
		{"that sleeps", deny + "exec sleep 60", timeout},
		{"that waits for a program", deny + "sleep 60; true", timeout},
		{"that waits for the end of a pipe that never comes", deny + "exec 3<>pipe; exec cat <&3", timeout},
		{"that stops itself", deny + "kill -STOP $$", timeout + run.Grace},
		{"that ignores SIGTERM", deny + "trap '' TERM; while :; do sleep 60; done", timeout + run.Grace},
		{"whose grandchild ignores SIGTERM", deny + "(trap '' TERM; sleep 60; sleep 60) & wait", timeout},
		{"that answers SIGTERM with success", "trap \"" + strings.ReplaceAll(deny, `"`, `\"`) + "exit 0\" TERM; sleep 60 & wait", timeout},
		{"that answers SIGTERM with status 2", "trap 'echo no; exit 2' TERM; sleep 60 & wait", timeout},
		{"that starts more and more", deny + "more() { while :; do sleep 1 & wait; done; }; more & more & more & wait", timeout},
		{"that prints without end", deny + "exec yes", timeout},
		{"that prints to both streams without end", deny + "yes >&2 & exec yes", timeout},
		{"that dribbles without end", deny + "while :; do echo x; read -t 0.01 <> <(:); done", timeout},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			eachForm(t, test.script, setup{timeout: timeout}, func(t *testing.T, w *world) {
				t.Parallel()
				if err := unix.Mkfifo(filepath.Join(w.dir, "pipe"), 0o600); err != nil {
					t.Fatal(err)
				}
				res := w.fire(t)
				w.check(t, res, late)
				if took := res.Reports[0].Elapsed; took < test.least || took > test.least+generous {
					t.Errorf("took %v, want %v", took, test.least)
				}
				w.leavesNoProcess(t)
				w.alive(t)
			})
		})
	}
}

// A child that has left the process group and the terminal's session is killed with the hook only while it is a
// descendant of the hook. Once its parent has ended, the system no longer records its origin: it is a daemon that the
// engine does not know, and therefore neither reports nor kills. To find daemons too, the engine would need a control
// group, or the prctl(2) that makes the agent the parent of every orphan.
func TestAChildInASessionOfItsOwn(t *testing.T) {
	const daemon = "whose parent has gone"
	for _, test := range []struct{ name, script string }{
		{"that the hook waits for", "echo x; setsid sleep 60; true"},
		{"in the background of a hook that hangs", "echo x; setsid sleep 60 & wait"},
		{"with a child of its own", "echo x; setsid bash -c 'sleep 60; true'; true"},
		{"that ignores SIGTERM", `echo x; setsid bash -c "trap '' TERM; sleep 60; sleep 60"; true`},
		{"two sessions deep", "echo x; setsid bash -c 'setsid sleep 60; true'; true"},
		{"of a hook that ignores SIGTERM", "echo x; trap '' TERM; setsid sleep 60; setsid sleep 60; sleep 60"},
		{daemon, "echo x; (setsid sleep 60 &); sleep 60"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			eachForm(t, test.script, setup{timeout: timeout}, func(t *testing.T, w *world) {
				t.Parallel()
				res := w.fire(t)
				w.check(t, res, late)
				if test.name == daemon {
					if n := lo.CountBy(w.kin(t), leadsASession); n != 1 {
						t.Errorf("%d processes are left in sessions of their own, want 1", n)
					}
					w.killKin(t)
				}
				w.leavesNoProcess(t)
				w.alive(t)
			})
		})
	}
}

func leadsASession(pid int) bool {
	session, err := unix.Getsid(pid)
	return err == nil && session == pid
}

func TestAHookThatSomebodyElseKillsFailsOpen(t *testing.T) {
	for _, signal := range []unix.Signal{unix.SIGKILL, unix.SIGSEGV, unix.SIGUSR1} {
		t.Run(signal.String(), func(t *testing.T) {
			eachForm(t, `echo '{"decision":"deny"}'; echo dying >&2; echo $$ >started; exec sleep 60`, setup{}, func(t *testing.T, w *world) {
				leavesNothing(t)
				started := testkit.Pipe(t, w.dir, "started")
				killed := make(chan error, 1)
				go func() {
					var pid int
					_, err := fmt.Fscan(started, &pid)
					if err == nil {
						err = unix.Kill(pid, signal)
					}
					killed <- err
				}()
				res := w.fire(t)
				if err := <-killed; err != nil {
					t.Fatal(err)
				}
				w.check(t, res, want{err: fmt.Sprintf("killed by signal %d (%v)", signal, signal), message: "Warning: dying", exit: -1, signal: signal})
				w.alive(t)
			})
		})
	}
}

// A child in the background that holds the streams open delays no answer: the
// engine waits for the hook, not for its output. The child is left alone, since
// a hook may start a server.
func TestADaemonThatHoldsTheStreamsDelaysNothing(t *testing.T) {
	const answer = `echo '{"decision":"deny","reason":"quick"}'`
	for name, daemon := range map[string]string{
		"a child in the background": "sleep 60 & " + answer,
		"a daemon":                  "(setsid sleep 60 &); " + answer,
	} {
		t.Run(name, func(t *testing.T) {
			for _, f := range forms {
				t.Run(f.name, func(t *testing.T) {
					normal := f.open(t, answer, setup{})
					slow := f.open(t, daemon, setup{})
					var usual, held []time.Duration
					for range 21 {
						usual = append(usual, firing(t, normal))
						held = append(held, firing(t, slow))
						if slow.killKin(t) == 0 {
							t.Error("nothing was in the background")
						}
					}
					// The quickest runs of both hooks are compared, because other work of the machine disturbs them
					// least.
					ratio := float64(slices.Min(held)) / float64(slices.Min(usual))
					t.Logf("%.2f times an ordinary hook's %v", ratio, slices.Min(usual))
					if ratio > 6 { // the slow hook starts two more processes
						t.Errorf("took %v, an ordinary hook %v: %.1f times as long, want at most 6", slices.Min(held), slices.Min(usual), ratio)
					}
					slow.alive(t)
				})
			}
		})
	}
}

// firing returns the time of a fire that a hook blocks.
func firing(t *testing.T, w *world) time.Duration {
	t.Helper()
	start := time.Now()
	res := w.fire(t)
	took := time.Since(start)
	if !res.Blocked() || res.Reason != "quick" || !res.OK() {
		t.Fatalf("blocked %v, reason %q, errors %v; want the hook's denial", res.Blocked(), res.Reason, res.Errs())
	}
	return took
}

// No output is an answer too, but while a process of the hook could still write, the engine waits a moment longer.
func TestASilentHookWithADaemonTakesAMoment(t *testing.T) {
	eachForm(t, "sleep 60 & exit 0", setup{}, func(t *testing.T, w *world) {
		leavesNothing(t)
		res := w.fire(t)
		w.check(t, res, want{})
		if took := res.Reports[0].Elapsed; took > time.Second {
			t.Errorf("took %v, want about 50ms", took)
		}
		if w.killKin(t) != 1 {
			t.Error("the child in the background is gone")
		}
		w.alive(t)
	})
}

// A flood from the background ends when the engine stops reading.
func TestAFloodFromTheBackgroundEndsWithTheHook(t *testing.T) {
	eachForm(t, `yes & yes >&2 & exit 2`, setup{}, func(t *testing.T, w *world) {
		leavesNothing(t)
		res := w.fire(t)
		if took := res.Reports[0].Elapsed; !res.Blocked() || took > generous {
			t.Errorf("blocked %v after %v, want at once", res.Blocked(), took)
		}
		w.leavesNoProcess(t)
		w.alive(t)
	})
}
