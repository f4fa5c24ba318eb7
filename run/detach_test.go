//go:build unix

package run

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
)

// behind holds the result of a hook that has gone to the background.
type behind struct {
	wish  time.Duration
	calls int
	reply hook.Reply
	err   error
	ended chan struct{}
}

// detached returns a call whose hook may go to the background under ctx.
func detached(ctx context.Context, call hook.Call) (hook.Call, *behind) {
	b := &behind{ended: make(chan struct{})}
	call.Detach = func(wish time.Duration) (context.Context, func(hook.Reply, error)) {
		b.wish = wish
		b.calls++
		return ctx, func(reply hook.Reply, err error) {
			b.reply, b.err = reply, err
			close(b.ended) // a second call panics
		}
	}
	return call, b
}

func (b *behind) wait(t *testing.T) {
	t.Helper()
	select {
	case <-b.ended:
	case <-time.After(20 * time.Second):
		t.Fatal("done was not called")
	}
}

func TestAHookGoesToTheBackgroundWhileItRuns(t *testing.T) {
	everywhere(t, func(t *testing.T, run runFunc) {
		for _, test := range []struct {
			script string
			wish   time.Duration
		}{
			{`echo '{"async":true}'; until [ -e go ]; do sleep 0.01; done; echo later; echo err >&2; exit 3`, 0},
			{`echo ' { "async" : true , "asyncTimeout" : 1500.5, "x": 1 } '; until [ -e go ]; do sleep 0.01; done; echo later; echo err >&2; exit 3`, 1500500 * time.Microsecond},
			{`printf '{"asy'; sleep 0.1; printf 'nc":true}\r\nla'; until [ -e go ]; do sleep 0.01; done; echo ter; echo err >&2; exit 3`, 0},
		} {
			for form, c := range map[string]*Command{
				"shell":  {Argv: Shell(test.script)},
				"direct": {Argv: Shell("exit 9"), Direct: []string{"/bin/sh", "-c", test.script}},
			} {
				dir := t.TempDir()
				call, b := detached(t.Context(), hook.Call{Dir: dir, Timeout: 30 * time.Second})
				reply, err := c.run(t.Context(), call, run)
				select {
				case <-b.ended:
					t.Errorf("%s, %s: Run waited for the end", test.script, form)
				default:
				}
				if !errors.Is(err, hook.ErrDetached) || len(reply.Stdout) > 0 {
					t.Errorf("%s, %s: got %q, %v; want %v alone", test.script, form, reply.Stdout, err, hook.ErrDetached)
					continue
				}
				if err := os.WriteFile(filepath.Join(dir, "go"), nil, 0o600); err != nil {
					t.Fatal(err)
				}
				b.wait(t)
				first, rest, _ := strings.Cut(string(b.reply.Stdout), "\n")
				if b.calls != 1 || b.wish != test.wish || b.err != nil || b.reply.Exit != 3 || !strings.Contains(first, "async") || rest != "later\n" || string(b.reply.Stderr) != "err\n" {
					t.Errorf("%s, %s: wish %v in %d calls, then %+v (%q, %q), %v", test.script, form, b.wish, b.calls, b.reply, b.reply.Stdout, b.reply.Stderr, b.err)
				}
			}
		}
	})
}

func TestOnlyADeclarationInTheFirstLineCounts(t *testing.T) {
	everywhere(t, func(t *testing.T, run runFunc) {
		for _, script := range []string{
			`echo x; echo '{"async":true}'`,
			`echo; echo '{"async":true}'`,
			`echo '{'; echo '"async":true}'`,
			`echo '{"async":false}'`,
			`echo '{"async":"true"}'`,
			`echo '{"Async":true}'`,
			`echo '{"x":{"async":true}}'`,
			`echo '[{"async":true}]'`,
			`echo '{"async":true} {}'`,
			`echo '{"async":true}' >&2`,
			`printf '{"async":true}'`,
			`printf '{"async":true,"x":"%070000d"}\n' 0`,
			`true`,
		} {
			call, b := detached(t.Context(), hook.Call{})
			reply, err := (&Command{Argv: Shell(script + "; sleep 0.05; exit 3")}).run(t.Context(), call, run)
			if err != nil || reply.Exit != 3 || b.calls != 0 {
				t.Errorf("%s: got status %d, %v, after %d calls; want 3 and none", script, reply.Exit, err, b.calls)
			}
		}
		got := run.script(t, `echo '{"async":true}'`, hook.Call{})
		if string(got.Stdout) != "{\"async\":true}\n" {
			t.Errorf("a call that cannot be detached: got %q, want the line", got.Stdout)
		}
	})
}

func TestAHookThatEndsAtOnceIsInTheBackgroundToo(t *testing.T) {
	everywhere(t, func(t *testing.T, run runFunc) {
		for range 20 {
			call, b := detached(t.Context(), hook.Call{})
			_, err := (&Command{Argv: []string{"/bin/echo", `{"async":true}`}}).run(t.Context(), call, run)
			if !errors.Is(err, hook.ErrDetached) || b.calls != 1 {
				t.Fatalf("got %v after %d calls, want %v after one", err, b.calls, hook.ErrDetached)
			}
			if b.wait(t); b.err != nil || string(b.reply.Stdout) != "{\"async\":true}\n" {
				t.Fatalf("got %q, %v; want the line", b.reply.Stdout, b.err)
			}
		}
	})
}

func TestTheBackgroundHasItsOwnTime(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, run runFunc) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		call, b := detached(context.Background(), hook.Call{Timeout: 2 * time.Second})
		c := &Command{Argv: Shell(`echo '{"async":true}'; sleep 2.2; echo later`)}
		_, err := c.run(ctx, call, run)
		cancel()
		if b.wait(t); !errors.Is(err, hook.ErrDetached) || b.err != nil || string(b.reply.Stdout) != "{\"async\":true}\nlater\n" {
			t.Errorf("got %v, then %q, %v; want it to outlive its timeout and its context", err, b.reply.Stdout, b.err)
		}
	})
}

func TestTheEndOfTheBackgroundKillsTheWholeGroup(t *testing.T) {
	both(t, func(t *testing.T, run runFunc) {
		for _, test := range []struct {
			name, trap string
			signal     syscall.Signal
			atOnce     bool
		}{{"SIGTERM", "", syscall.SIGTERM, false}, {"SIGKILL", "trap '' TERM; ", syscall.SIGKILL, false}, {"over before it began", "", syscall.SIGTERM, true}} {
			dir := t.TempDir()
			ctx, cancel := context.WithCancelCause(t.Context())
			if test.atOnce {
				cancel(errTooSlow)
			}
			call, b := detached(ctx, hook.Call{Dir: dir})
			c := &Command{Argv: Shell(test.trap + `sleep 30 & echo $! >pid; echo '{"async":true}'; wait; wait`), Grace: 100 * time.Millisecond}
			if _, err := c.run(t.Context(), call, run); !errors.Is(err, hook.ErrDetached) {
				t.Fatalf("%s: got %v, want %v", test.name, err, hook.ErrDetached)
			}
			cancel(errTooSlow)
			b.wait(t)
			if b.err != errTooSlow || b.reply.Signal != test.signal || string(b.reply.Stdout) != "{\"async\":true}\n" {
				t.Errorf("%s: got %v, %v, %q; want %v, %v and the line", test.name, b.err, b.reply.Signal, b.reply.Stdout, errTooSlow, test.signal)
			}
			testkit.WaitForEnd(t, pidIn(t, dir), 4*time.Second)
		}
	})
}

func TestAFloodInTheBackgroundIsDrained(t *testing.T) {
	everywhere(t, func(t *testing.T, run runFunc) {
		call, b := detached(t.Context(), hook.Call{})
		c := &Command{Argv: Shell(`echo '{"async":true}'; head -c 20000000 /dev/zero`)}
		_, err := c.run(t.Context(), call, run)
		if b.wait(t); !errors.Is(err, hook.ErrDetached) || b.err != nil || len(b.reply.Stdout) != MaxStdout || b.reply.Truncated != hook.Stdout {
			t.Errorf("got %v, then %d bytes, truncated %b, %v; want the first %d", err, len(b.reply.Stdout), b.reply.Truncated, b.err, MaxStdout)
		}
	})
}

// The context of a call may end at the moment when the call goes to the background, and must not be
// mistaken for the new context.
func TestTheOldContextMayEndWithTheChange(t *testing.T) {
	everywhere(t, func(t *testing.T, run runFunc) {
		for range 50 {
			ctx, cancel := context.WithCancelCause(context.Background())
			call, b := detached(context.Background(), hook.Call{})
			change := call.Detach
			call.Detach = func(wish time.Duration) (context.Context, func(hook.Reply, error)) {
				cancel(errTooSlow)
				return change(wish)
			}
			early := time.AfterFunc(time.Millisecond, func() { cancel(errTooSlow) })
			_, err := (&Command{Argv: []string{"/bin/sh", "-c", `echo '{"async":true}'; sleep 0.01; echo later`}}).run(ctx, call, run)
			early.Stop()
			if errors.Is(err, hook.ErrDetached) {
				if b.wait(t); b.err != nil || !strings.HasSuffix(string(b.reply.Stdout), "later\n") {
					t.Fatalf("got %q, %v in the background; want it to go on", b.reply.Stdout, b.err)
				}
			} else if err != errTooSlow || b.calls != 0 {
				t.Fatalf("got %v after %d calls, want %v", err, b.calls, errTooSlow)
			}
		}
	})
}
