//go:build unix

package run

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
)

var errTooSlow = errors.New("too slow")

// The group gets SIGTERM and, after Grace, SIGKILL (rule L24).
func TestTheEndOfTheContextKillsTheWholeGroup(t *testing.T) {
	const soon = 4 * time.Second
	for _, test := range []struct {
		name, script, stdout string
		grace, least, most   time.Duration
		signal               os.Signal
	}{
		{"exec", "echo early; echo $$ >pid; echo >started; exec sleep 30", "early\n", Grace, 0, soon, syscall.SIGTERM},
		{"a compound command", "true; sh -c 'echo $$ >pid; echo >started; sleep 30; true'; true", "", Grace, 0, soon, syscall.SIGTERM},
		{"a grandchild that ignores SIGTERM", "(trap '' TERM; echo $BASHPID >pid; echo >started; sleep 30; sleep 30) & wait", "", Grace, 0, soon, syscall.SIGTERM},
		{"a script that ends well", "trap 'echo bye; exit 0' TERM; echo $$ >pid; echo >started; sleep 30 & wait", "bye\n", Grace, 0, soon, nil},
		{"SIGTERM ignored", "trap '' TERM; echo $$ >pid; echo >started; while :; do sleep 1; done", "", 100 * time.Millisecond, 100 * time.Millisecond, soon, syscall.SIGKILL},
		{"SIGTERM ignored, with the real grace", "trap '' TERM; echo $$ >pid; echo >started; while :; do sleep 1; done", "", 0, Grace, Grace + soon, syscall.SIGKILL},
		{"a stopped script", "trap '' TERM; echo $$ >pid; echo >started; kill -STOP $$", "", 100 * time.Millisecond, 100 * time.Millisecond, soon, syscall.SIGKILL},
		{"a flood", "echo $$ >pid; echo >started; exec cat /dev/zero", "", Grace, 0, soon, syscall.SIGTERM},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			both(t, func(t *testing.T, run runFunc) {
				t.Parallel()
				dir := t.TempDir()
				ctx, at := cancelledOnceStarted(t, dir)
				got, err := (&Command{Argv: Shell(test.script), Grace: test.grace}).run(ctx, hook.Call{Dir: dir}, run)
				took := time.Since(<-at)
				if err != errTooSlow || got.Signal != test.signal || test.stdout != "" && string(got.Stdout) != test.stdout {
					t.Errorf("got %v, %v, %q; want %v, %v, %q", err, got.Signal, got.Stdout, errTooSlow, test.signal, test.stdout)
				}
				if took < test.least || took > test.most {
					t.Errorf("took %v, want between %v and %v", took, test.least, test.most)
				}
				testkit.WaitForEnd(t, pidIn(t, dir), 4*time.Second)
			})
		})
	}
}

// cancelledOnceStarted returns a context that ends when a script writes to the file "started" in
// dir, and a channel with the time of the end.
func cancelledOnceStarted(t *testing.T, dir string) (ctx context.Context, at <-chan time.Time) {
	t.Helper()
	started := testkit.Pipe(t, dir, "started")
	ctx, cancel := context.WithCancelCause(t.Context())
	when := make(chan time.Time, 1)
	go func() {
		_, _ = started.Read(make([]byte, 1))
		when <- time.Now()
		cancel(errTooSlow)
	}()
	return ctx, when
}

func TestATimeoutIsTheErrorOfItsContext(t *testing.T) {
	both(t, func(t *testing.T, run runFunc) {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		start := time.Now()
		_, err := (&Command{Argv: Shell("exec sleep 30")}).run(ctx, hook.Call{}, run)
		if took := time.Since(start); !errors.Is(err, context.DeadlineExceeded) || took > 4*time.Second {
			t.Errorf("got %v after %v, want %v after 50ms", err, took, context.DeadlineExceeded)
		}
	})
}

func TestAContextThatIsOverStartsNothing(t *testing.T) {
	both(t, func(t *testing.T, run runFunc) {
		dir := t.TempDir()
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(errTooSlow)
		if _, err := (&Command{Argv: Shell("echo >ran")}).run(ctx, hook.Call{Dir: dir}, run); err != errTooSlow {
			t.Errorf("got %v, want %v", err, errTooSlow)
		}
		if _, err := os.Stat(filepath.Join(dir, "ran")); err == nil {
			t.Error("it ran although the context was over")
		}
	})
}

func TestTheTimeoutOfACallEndsItsProcess(t *testing.T) {
	both(t, func(t *testing.T, run runFunc) {
		const timeout = 300 * time.Millisecond
		start := time.Now()
		got, err := (&Command{Argv: Shell("echo early; exec sleep 30")}).run(t.Context(), hook.Call{Timeout: timeout}, run)
		var late *hook.TimeoutError
		if took := time.Since(start); !errors.As(err, &late) || late.After != timeout || took < timeout {
			t.Errorf("got %v after %v; want a timeout after %v", err, took, timeout)
		}
		if string(got.Stdout) != "early\n" || got.Signal != syscall.SIGTERM {
			t.Errorf("got %q and signal %v; want what was captured, and SIGTERM", got.Stdout, got.Signal)
		}
	})
}
