package state_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/samber/lo"
	"go.uber.org/goleak"

	"github.com/snaphook-go/snaphook/internal/bounded"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/state"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv("STATE_TEST_DIR"); dir != "" {
		os.Exit(child(state.Dir(dir), os.Getenv("STATE_TEST_DOES")))
	}
	goleak.VerifyTestMain(m)
}

// child is a hook process: it counts, or it writes for ever and prints each acknowledged number.
func child(d state.Dir, does string) int {
	if does == "count" {
		if err := count(context.Background(), d); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return 0
	}
	for i := 1; ; i++ {
		if err := d.Set(context.Background(), "v", strings.Repeat(strconv.Itoa(i)+" ", 2000)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		fmt.Println(i)
	}
}

// count increments n as often as rounds returns. It repeats an increment that did not get the lock in 5 s, which can
// happen to one of 64 hooks on a busy machine. An increment without the lock must not have counted.
func count(ctx context.Context, d state.Dir) error {
	for done := 0; done < rounds(); {
		_, err := d.Incr(ctx, "n", 1)
		switch {
		case err == nil:
			done++
		case !errors.Is(err, bounded.ErrLocked):
			return err
		}
	}
	return nil
}

// rounds returns how often each hook increments.
func rounds() int {
	if os.Getenv("STATE_TEST_ROUNDS") == "" {
		return 100
	}
	n, _ := strconv.Atoi(os.Getenv("STATE_TEST_ROUNDS"))
	return n
}

func process(t *testing.T, d state.Dir, does string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), "STATE_TEST_DIR="+string(d), "STATE_TEST_DOES="+does)
	cmd.Stderr = os.Stderr
	return cmd
}

func fresh(t *testing.T) state.Dir { return state.Dir(filepath.Join(t.TempDir(), "below", "state")) }

func TestHooksAtTheSameTimeLoseNothing(t *testing.T) {
	each := lo.Ternary(testkit.Whole(), 32, 8) // processes, and as many hooks in Go
	d := fresh(t)
	var all sync.WaitGroup
	for range each {
		cmd := process(t, d, "count")
		all.Go(func() {
			if err := cmd.Run(); err != nil {
				t.Error(err)
			}
		})
		all.Go(func() {
			if err := count(t.Context(), d); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got, _, err := d.Get(t.Context(), "n"); got != strconv.Itoa(2*each*rounds()) || err != nil {
		t.Errorf("the counter is %s, err %v; want %d", got, err, 2*each*rounds())
	}
}

func TestWhatWasAcknowledgedSurvivesAKill(t *testing.T) {
	for range 20 {
		d := fresh(t)
		cmd := process(t, d, "write")
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines, last := bufio.NewScanner(out), 0
		for i := 0; i < 30 && lines.Scan(); i++ {
			last, _ = strconv.Atoi(lines.Text())
		}
		_ = cmd.Process.Kill()
		for lines.Scan() {
			last, _ = strconv.Atoi(lines.Text())
		}
		_, _ = io.Copy(io.Discard, out)
		_ = cmd.Wait()
		value, ok, err := d.Get(t.Context(), "v")
		first, _, _ := strings.Cut(value, " ")
		got, _ := strconv.Atoi(first)
		if !ok || err != nil || got < last || got > last+1 || value != strings.Repeat(first+" ", 2000) {
			t.Fatalf("after the kill the value is %.20q…, %v, %v; want all of number %d, or the one after it", value, ok, err, last)
		}
		if n, err := d.Incr(t.Context(), "n", 1); n != 1 || err != nil {
			t.Errorf("afterwards Incr is %d, %v; want the lock to be free", n, err)
		}
	}
}

func TestValues(t *testing.T) {
	d := fresh(t)
	if _, ok, err := d.Get(t.Context(), "k"); ok || err != nil {
		t.Errorf("a key that was never set: %v, %v", ok, err)
	}
	if _, err := os.Stat(string(d)); err == nil {
		t.Error("the directory was made although nothing was set")
	}
	for _, key := range []string{"k", "a/b", "..", ".", "k:1", "a b%", "ü", "K", "x.", "x ", "x", strings.Repeat("x", 150)} {
		if err := d.Set(t.Context(), key, "v of "+key); err != nil {
			t.Errorf("%q: %v", key, err)
		}
	}
	for _, key := range []string{"k", "a/b", "..", ".", "k:1", "a b%", "ü", "K", "x.", "x ", "x", strings.Repeat("x", 150)} {
		if v, ok, err := d.Get(t.Context(), key); v != "v of "+key || !ok || err != nil {
			t.Errorf("%q is %q, %v, %v", key, v, ok, err)
		}
	}
	for name, err := range map[string]error{"empty": d.Set(t.Context(), "", "v"), "long": d.Set(t.Context(), strings.Repeat("x", 500), "v"), "long to delete": d.Delete(t.Context(), strings.Repeat("x", 500))} {
		if err == nil {
			t.Errorf("a key that is %s is accepted", name)
		}
	}
	for _, step := range []struct {
		old, new string
		want     bool
	}{{"x", "y", false}, {"v of k", "y", true}, {"v of k", "z", false}, {"y", "z", true}} {
		if got, err := d.CompareAndSwap(t.Context(), "k", step.old, step.new); got != step.want || err != nil {
			t.Errorf("swap of %q: %v, %v; want %v", step.old, got, err, step.want)
		}
	}
	if got, err := d.CompareAndSwap(t.Context(), "none", "", "x"); got || err != nil {
		t.Errorf("swap of a key without a value: %v, %v", got, err)
	}
	if _, err := d.Incr(t.Context(), "k", 1); err == nil || !strings.Contains(err.Error(), `"z"`) {
		t.Errorf("counting a text: %v", err)
	}
	if n, err := d.Incr(t.Context(), "n", -5); n != -5 || err != nil {
		t.Errorf("got %d, %v, want -5", n, err)
	}
	if err := d.Set(t.Context(), "n", "9223372036854775807"); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Incr(t.Context(), "n", 1); err == nil {
		t.Error("the counter went round")
	}
	if err := errors.Join(d.Delete(t.Context(), "k"), d.Delete(t.Context(), "k")); err != nil {
		t.Error(err)
	}
	if _, ok, _ := d.Get(t.Context(), "k"); ok {
		t.Error("what was deleted is there")
	}
}

func TestASessionHasAMegabyte(t *testing.T) {
	d := fresh(t)
	if err := d.Set(t.Context(), "big", strings.Repeat("x", state.Most-1000)); err != nil {
		t.Fatal(err)
	}
	if err := d.Set(t.Context(), "more", strings.Repeat("x", 1000)); !errors.Is(err, state.ErrFull) || !strings.Contains(err.Error(), "1 MiB") {
		t.Errorf("err %v, want ErrFull with 1 MiB", err)
	}
	if err := d.Set(t.Context(), "big", strings.Repeat("y", state.Most-1000)); err != nil {
		t.Errorf("another value in its place: %v", err)
	}
}

func TestADirectoryIsForItsOwnerAlone(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no modes: below a user's profile no other user can write")
	}
	d := fresh(t)
	if err := d.Set(t.Context(), "k", "v"); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(string(d)); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("its mode is %v, %v; want 0700", info.Mode(), err)
	}
	link := state.Dir(filepath.Join(t.TempDir(), "link"))
	if err := os.Symlink(string(d), string(link)); err != nil {
		t.Skip("no links here:", err)
	}
	if err := link.Set(t.Context(), "k", "v"); err == nil {
		t.Error("a link to a directory is followed")
	}
	other := state.Dir(filepath.Join(t.TempDir(), "other"))
	if err := os.Mkdir(string(other), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(string(other), 12345, -1); err != nil {
		t.Skip("only root can give a directory to another user:", err)
	}
	if err := other.Set(t.Context(), "k", "v"); err == nil || !strings.Contains(err.Error(), "another user") {
		t.Errorf("the directory of another user: err %v, want it to be refused", err)
	}
}

func TestStaleSessionsAreRemoved(t *testing.T) {
	home, old := t.TempDir(), time.Now().Add(-state.Stale-time.Hour)
	stale := lo.Ternary(testkit.Whole(), 10_000, 2000)
	for i := range stale {
		dir := string(state.Of(home, "/p", strconv.Itoa(i)))
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if i%100 == 0 {
			if err := os.WriteFile(filepath.Join(dir, "k-x"), []byte("1"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chtimes(dir, old, old); err != nil {
			t.Fatal(err)
		}
	}
	live := state.Of(home, "/p", "live")
	if err := live.Set(t.Context(), "k", "v"); err != nil { // the first use of a session sweeps
		t.Fatal(err)
	}
	entries, err := os.ReadDir(home)
	if err != nil || len(entries) != 2 { // the live session, and the marker file of the sweep
		t.Errorf("%d entries are left, %v; want 2", len(entries), err)
	}
	if n, err := state.Sweep(home); n != 0 || err != nil {
		t.Errorf("a second sweep removed %d, %v; want it not to be due", n, err)
	}
	if v, _, _ := live.Get(t.Context(), "k"); v != "v" {
		t.Error("the live session has lost its value")
	}
}

func TestASessionThatIsTakenUpAgainHasItsState(t *testing.T) {
	a := state.Of("/h", "/p", "s-1")
	if a != state.Of("/h", "/p", "s-1") || a == state.Of("/h", "/q", "s-1") || a == state.Of("/h", "/p", "s-2") {
		t.Error("the directory of a session is not its own, or not always the same")
	}
}

func TestTheSourcesOfASessionShareNothing(t *testing.T) {
	session := state.Of(t.TempDir(), "/p", "s")
	all := map[string]state.Dir{}
	for _, name := range []string{"", "host", "user", "project", "by-user", "../project", "k-n", ".", "a/b"} {
		all[name] = session.ForSource(name)
	}
	for name, d := range all {
		if err := d.Set(t.Context(), "n", name); err != nil {
			t.Fatalf("%q: %v", name, err)
		}
		if in := filepath.Dir(string(d)); name != "" && in != string(session) || name == "" && d != session {
			t.Errorf("%q has %s, which is not in the session's directory", name, d)
		}
	}
	for name, d := range all {
		if v, ok, err := d.Get(t.Context(), "n"); v != name || !ok || err != nil {
			t.Errorf("%q has the value %q, %v, %v", name, v, ok, err)
		}
	}
	project, user := all["project"], all["user"]
	if err := project.Set(t.Context(), "big", strings.Repeat("x", state.Most-1000)); err != nil {
		t.Fatal(err)
	}
	if err := project.Set(t.Context(), "more", strings.Repeat("x", 1000)); !errors.Is(err, state.ErrFull) {
		t.Errorf("err %v, want ErrFull", err)
	}
	if err := user.Set(t.Context(), "more", strings.Repeat("x", 1000)); err != nil {
		t.Errorf("a project took the space of the user: %v", err)
	}
	if err := session.Remove(); err != nil {
		t.Fatal(err)
	}
	for name, d := range all {
		if _, ok, err := d.Get(t.Context(), "n"); ok || err != nil {
			t.Errorf("%q has a value after its session was removed: %v", name, err)
		}
	}
}

// A key is accepted only if its file can be created: some characters take three bytes in a file's name.
func TestAKeyIsTooLongIfItsFilesNameIs(t *testing.T) {
	for name, test := range map[string]struct {
		part string
		size int // bytes that part takes in a file's name
	}{
		"letters":           {"k", 1},
		"colons":            {":", 3},
		"spaces":            {" ", 3},
		"a letter and four": {"k::::", 13},
	} {
		t.Run(name, func(t *testing.T) {
			d := fresh(t)
			fits := strings.Repeat(test.part, 253/test.size)
			if err := d.Set(t.Context(), fits, "1"); err != nil {
				t.Errorf("a key of %d bytes: %v", len(fits), err)
			}
			err := d.Set(t.Context(), fits+test.part, "1")
			if err == nil || !strings.Contains(err.Error(), "is too long: its file's name has ") {
				t.Errorf("a key of %d bytes: %v; want an error of the check", len(fits+test.part), err)
			}
		})
	}
}
