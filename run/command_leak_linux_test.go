package run

import (
	"bytes"
	"context"
	"errors"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/snaphook-go/snaphook/hook"
)

func TestManyAtOnceLeaveNothingBehind(t *testing.T) {
	both(t, func(t *testing.T, run runFunc) {
		run.script(t, "true", hook.Call{}) // package os opens some descriptors once
		before := descriptors(t)
		var all sync.WaitGroup
		for i := range 64 {
			all.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
				defer cancel()
				payload := bytes.Repeat([]byte{byte(i)}, 2000*i)
				got, err := (&Command{Argv: Shell("cat; echo $((1+1)) >&2; exit 7")}).run(ctx, hook.Call{Payload: payload}, run)
				if err != nil || !bytes.Equal(got.Stdout, payload) || string(got.Stderr) != "2\n" || got.Exit != 7 {
					t.Errorf("process %d: got %d bytes, %q, status %d, %v", i, len(got.Stdout), got.Stderr, got.Exit, err)
				}
				_, _ = (&Command{Argv: []string{"/no/such"}}).run(ctx, hook.Call{}, run)
			})
		}
		all.Wait()
		if after := descriptors(t); after != before {
			t.Errorf("%d descriptors are open, want %d", after, before)
		}
		if pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG|syscall.WUNTRACED, nil); err != syscall.ECHILD {
			t.Errorf("child %d is left (%v), want none", pid, err)
		}
	})
}

func descriptors(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/dev/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

func TestWithoutDescriptorsItIsAnErrorAndNoLeak(t *testing.T) {
	both(t, func(t *testing.T, run runFunc) {
		run.script(t, "true", hook.Call{})
		before := descriptors(t)
		var old syscall.Rlimit
		if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &old); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = syscall.Setrlimit(syscall.RLIMIT_NOFILE, &old) }()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		failed := 0
		for spare := range 16 {
			low := old
			low.Cur = uint64(before + spare - 1)
			if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &low); err != nil {
				t.Fatal(err)
			}
			_, err := (&Command{Argv: []string{"/bin/true"}}).run(ctx, hook.Call{Payload: make([]byte, 1<<17)}, run)
			if err != nil {
				failed++
				if !errors.Is(err, syscall.EMFILE) {
					t.Errorf("%d descriptors free: got %v, want %v", spare, err, syscall.EMFILE)
				}
			}
		}
		_ = syscall.Setrlimit(syscall.RLIMIT_NOFILE, &old)
		if after := descriptors(t); after != before || failed == 0 || failed == 16 {
			t.Errorf("%d descriptors are open, want %d; %d of 16 failed, want some", after, before, failed)
		}
	})
}

func TestHooksInTheBackgroundLeaveNothingBehind(t *testing.T) {
	both(t, func(t *testing.T, run runFunc) {
		run.script(t, "true", hook.Call{})
		before := descriptors(t)
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		var all sync.WaitGroup
		for i := range 32 {
			all.Go(func() {
				call, b := detached(ctx, hook.Call{Timeout: 30 * time.Second})
				if i%4 == 0 {
					call.Ask = thinks
				}
				c := &Command{Argv: Shell(asks("q") + `; echo '{"async":true}'; sleep 30 & wait`)}
				if i%4 != 0 {
					c.Argv = Shell(`echo '{"async":true}'; sleep 30 & wait`)
				}
				if _, err := c.run(t.Context(), call, run); !errors.Is(err, hook.ErrDetached) {
					t.Errorf("process %d: got %v, want %v", i, err, hook.ErrDetached)
				}
				if i == 31 {
					cancel(errTooSlow)
				}
				if b.wait(t); b.err != errTooSlow {
					t.Errorf("process %d: got %v in the background, want %v", i, b.err, errTooSlow)
				}
			})
		}
		all.Wait()
		if after := descriptors(t); after != before {
			t.Errorf("%d descriptors are open, want %d", after, before)
		}
		if pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG|syscall.WUNTRACED, nil); err != syscall.ECHILD {
			t.Errorf("child %d is left (%v), want none", pid, err)
		}
	})
}
