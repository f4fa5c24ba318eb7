//go:build unix

package state_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/snaphook-go/snaphook/internal/bounded"
	"github.com/snaphook-go/snaphook/state"
)

// A hook owns the directory of its session's state, and may replace a file by one that never ends. No operation waits
// for the file without a limit.
func TestWhatAHookPutsInTheStatesPlaceHoldsUpNoOperation(t *testing.T) {
	fifo := func(t *testing.T, path string) error { return unix.Mkfifo(path, 0o600) }
	zero := func(t *testing.T, path string) error { return os.Symlink("/dev/zero", path) }
	large := func(t *testing.T, path string) error {
		return errors.Join(os.WriteFile(path, nil, 0o600), os.Truncate(path, 1<<40))
	}
	held := func(t *testing.T, path string) error {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return err
		}
		t.Cleanup(func() { f.Close() })
		return unix.Flock(int(f.Fd()), unix.LOCK_EX)
	}
	for name, test := range map[string]struct {
		file string
		put  func(*testing.T, string) error
		fine bool // the operation still works
	}{
		"a lock that is a pipe":                    {"lock", fifo, false},
		"a lock that leads to a device":            {"lock", zero, false},
		"a lock that is held":                      {"lock", held, false},
		"a value that is a pipe":                   {"k-n", fifo, false},
		"a value that leads to a device":           {"k-n", zero, false},
		"a value without an end":                   {"k-n", large, false},
		"a new value's place that is a pipe":       {"new", fifo, true},
		"a new value's place that leads elsewhere": {"new", zero, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := state.Of(t.TempDir(), "/p", "s").ForSource("user")
			if err := d.Set(t.Context(), "other", "1"); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(string(d), test.file)
			_ = os.Remove(path)
			if err := test.put(t, path); err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			_, err := d.Incr(t.Context(), "n", 1)
			if took := time.Since(began); (err == nil) != test.fine || took > 2*bounded.MaxLock {
				t.Errorf("after %v: %v; want success: %v", took, err, test.fine)
			}
		})
	}
}

// A file that a hook puts at the path of another source's directory, before that source has a value, is not used.
func TestWhatAHookPutsInTheDirectorysPlaceOfAnotherSourceIsNotUsed(t *testing.T) {
	elsewhere := t.TempDir()
	for name, put := range map[string]func(path string) error{
		"a link":       func(path string) error { return os.Symlink(elsewhere, path) },
		"a broken one": func(path string) error { return os.Symlink("/nowhere", path) },
		"a pipe":       func(path string) error { return unix.Mkfifo(path, 0o600) },
		"a file":       func(path string) error { return os.WriteFile(path, nil, 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			session := state.Of(t.TempDir(), "/p", "s")
			theirs, ours := session.ForSource("project"), session.ForSource("user")
			if err := theirs.Set(t.Context(), "n", "1"); err != nil {
				t.Fatal(err)
			}
			if err := put(string(ours)); err != nil {
				t.Fatal(err)
			}
			if _, err := ours.Incr(t.Context(), "n", 1); err == nil || !strings.Contains(err.Error(), "is not a directory") {
				t.Errorf("err %v; want an error that it is not a directory", err)
			}
		})
	}
}

// Waiting for a lock that is held ends with the caller's context.
func TestAnOperationEndsWithItsContext(t *testing.T) {
	for _, d := range []state.Dir{fresh(t), state.Of(t.TempDir(), "/p", "s").ForSource("user")} {
		if err := d.Set(t.Context(), "n", "1"); err != nil {
			t.Fatal(err)
		}
		f, err := os.OpenFile(filepath.Join(string(d), "lock"), os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close() // ends the wait of the goroutine
		if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
			t.Fatal(err)
		}
		ended := errors.New("the turn is over")
		for name, do := range map[string]func(context.Context) error{
			"Get":            func(ctx context.Context) error { _, _, err := d.Get(ctx, "n"); return err },
			"Set":            func(ctx context.Context) error { return d.Set(ctx, "n", "2") },
			"Incr":           func(ctx context.Context) error { _, err := d.Incr(ctx, "n", 1); return err },
			"CompareAndSwap": func(ctx context.Context) error { _, err := d.CompareAndSwap(ctx, "n", "1", "2"); return err },
			"Delete":         func(ctx context.Context) error { return d.Delete(ctx, "n") },
		} {
			ctx, end := context.WithCancelCause(t.Context())
			began := time.Now()
			time.AfterFunc(time.Millisecond, func() { end(ended) })
			if err := do(ctx); !errors.Is(err, ended) || time.Since(began) > bounded.MaxLock/2 {
				t.Errorf("%s: after %v: %v; want %v at once", name, time.Since(began), err, ended)
			}
			if err := do(ctx); !errors.Is(err, ended) {
				t.Errorf("%s with an ended context: %v; want %v", name, err, ended)
			}
		}
	}
}
