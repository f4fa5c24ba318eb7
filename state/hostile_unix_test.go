//go:build unix

package state_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/snaphook-go/snaphook/internal/bounded"
)

// A hook owns the directory of its session's state, and may put a file there that never ends. No
// operation waits for it.
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
		fine bool // the operation works all the same
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
			d := fresh(t)
			if err := d.Set("other", "1"); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(string(d), test.file)
			_ = os.Remove(path)
			if err := test.put(t, path); err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			_, err := d.Incr("n", 1)
			if took := time.Since(began); (err == nil) != test.fine || took > 2*bounded.MaxLock {
				t.Errorf("after %v: %v; want success: %v", took, err, test.fine)
			}
		})
	}
}
