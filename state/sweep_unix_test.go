//go:build unix

package state_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/snaphook-go/snaphook/state"
)

// A sweep does not remove a session in use. If a session is removed while a writer waits for its lock, the writer
// writes into the new session.
func TestASweepLosesNothingThatIsAcknowledged(t *testing.T) {
	home, old := t.TempDir(), time.Now().Add(-state.Stale-time.Hour)
	d := state.Of(home, "/p", "s")
	sweep := func() int {
		t.Helper()
		if err := os.Chtimes(string(d), old, old); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(home, "swept"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		n, err := state.Sweep(home)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if err := d.Set(t.Context(), "k", "old"); err != nil {
		t.Fatal(err)
	}
	lock, err := os.OpenFile(filepath.Join(string(d), "lock"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	if n := sweep(); n != 0 {
		t.Errorf("%d sessions were removed while one was in use", n)
	}
	wrote := make(chan error, 1)
	go func() { wrote <- d.Set(t.Context(), "k", "new") }()
	if err := os.Rename(string(d), filepath.Join(home, "gone-x")); err != nil { // as another sweep would do
		t.Fatal(err)
	}
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_UN); err != nil {
		t.Fatal(err)
	}
	if err := <-wrote; err != nil {
		t.Error(err)
	}
	if v, ok, err := d.Get(t.Context(), "k"); v != "new" || !ok || err != nil {
		t.Errorf("what was acknowledged is %q, %v, %v", v, ok, err)
	}
	if n := sweep(); n != 1 {
		t.Errorf("%d sessions were removed, want the one that nothing uses", n)
	}
	if entries, err := os.ReadDir(home); len(entries) != 1 || err != nil {
		t.Errorf("%d entries are left, %v; want the mark alone", len(entries), err)
	}
}

// A session's state is as old as the newest of its sources, and in use if any of them is.
func TestASweepLeavesASessionWhoseSourceIsInUse(t *testing.T) {
	home, old := t.TempDir(), time.Now().Add(-state.Stale-time.Hour)
	d := state.Of(home, "/p", "s")
	user := d.ForSource("user")
	if err := user.Set(t.Context(), "k", "v"); err != nil {
		t.Fatal(err)
	}
	sweep := func(dirs ...state.Dir) int {
		t.Helper()
		for _, dir := range dirs {
			if err := os.Chtimes(string(dir), old, old); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(home, "swept"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		n, err := state.Sweep(home)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := sweep(d); n != 0 {
		t.Error("a session was removed of which a source has changed today")
	}
	lock, err := os.OpenFile(filepath.Join(string(user), "lock"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	if n := sweep(user, d); n != 0 {
		t.Error("a session was removed of which a source was in use")
	}
	lock.Close()
	// a file with the prefix of a source is not a source
	if err := os.WriteFile(filepath.Join(string(d), "by-x"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if n := sweep(user, d); n != 1 {
		t.Errorf("%d sessions were removed, want the one that nothing uses", n)
	}
	if _, ok, err := user.Get(t.Context(), "k"); ok || err != nil {
		t.Errorf("the value of a source outlived its session: %v, %v", ok, err)
	}
}
