package scratch

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// names lists a folder.
func names(t *testing.T, folder string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		all = append(all, entry.Name())
	}
	return all
}

func in(t *testing.T) (folder string) {
	t.Helper()
	folder = t.TempDir()
	t.Setenv("TMPDIR", folder)
	t.Setenv("TMP", folder)
	return folder
}

func dir(t *testing.T) string {
	t.Helper()
	path, err := Dir("x-")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(path, "file"), []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestTheLastDirectoryTakesThatOfTheProcessWithIt(t *testing.T) {
	folder := in(t)
	first, second := dir(t), dir(t)
	if first == second || filepath.Dir(first) != filepath.Dir(second) || len(names(t, folder)) != 1 {
		t.Fatalf("%s and %s in %v", first, second, names(t, folder))
	}
	for i, path := range []string{first, second} {
		if err := Remove(path); err != nil {
			t.Fatal(err)
		}
		if left := len(names(t, folder)); left != 1-i {
			t.Errorf("%d directories are left after %d were removed", left, i+1)
		}
	}
	if runtime.GOOS == "windows" {
		return // no other program can remove the directory: the file with the lock is open
	}
	again := dir(t)
	if err := os.RemoveAll(filepath.Dir(again)); err != nil { // programs that clean up temporary files do this
		t.Fatal(err)
	}
	if another := dir(t); another == again || Remove(another) != nil || len(names(t, folder)) != 0 {
		t.Errorf("%s, and %v is left", another, names(t, folder))
	}
}

func TestManyGoroutinesHaveDirectories(t *testing.T) {
	folder := in(t)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 50 {
				path, err := Dir("x-")
				if err == nil {
					err = Remove(path)
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if left := names(t, folder); len(left) != 0 {
		t.Errorf("%v is left", left)
	}
}

// The next start removes the directories of a process that was killed, and no other file.
func TestWhatAKilledProcessHasLeftIsRemoved(t *testing.T) {
	if os.Getenv("SNAPHOOK_TEST_SCRATCH") != "" {
		os.Stdout.WriteString("\n" + dir(t) + "\n")
		_, _ = io.Copy(io.Discard, os.Stdin) // until it is killed, or its parent has ended
		os.Exit(1)
	}
	folder := in(t)
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, owner), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	other := func(path string) { // makes a directory that belongs to no process and is not one of this package
		if err := os.MkdirAll(filepath.Join(folder, path), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	other("snaphook-other")
	other(prefix + "has-no-owner")
	other(prefix + "owner-is-a-directory/owner")
	want := []string{"snaphook-other", prefix + "has-no-owner", prefix + "owner-is-a-directory"}
	if err := os.Symlink(outside, filepath.Join(folder, prefix+"link")); err == nil {
		want = append(want, prefix+"link")
	}
	other(prefix + "owner-is-a-link")
	if err := os.Symlink(filepath.Join(outside, owner), filepath.Join(folder, prefix+"owner-is-a-link", owner)); err == nil {
		want = append(want, prefix+"owner-is-a-link")
	}
	if os.Getuid() == 0 && runtime.GOOS != "windows" {
		other(prefix + "another-users")
		path := filepath.Join(folder, prefix+"another-users", owner)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(path, 12345, 12345); err != nil {
			t.Skip("no other users here: ", err)
		}
		want = append(want, prefix+"another-users")
	}

	killed, kill := child(t)
	lives, end := child(t)
	if err := os.Symlink(outside, filepath.Join(killed, "link")); err != nil && runtime.GOOS != "windows" {
		t.Fatal(err)
	}
	kill()
	mine := dir(t)
	if _, err := os.Stat(killed); err == nil {
		t.Errorf("%s is left", killed)
	}
	for _, there := range []string{mine, filepath.Join(lives, "file"), filepath.Join(outside, owner)} {
		if _, err := os.Stat(there); err != nil {
			t.Error(err)
		}
	}
	end()
	if err := Remove(mine); err != nil {
		t.Error(err)
	}
	Sweep(folder)
	got := names(t, folder)
	for _, name := range want {
		if !strings.Contains(strings.Join(got, " ")+" ", name+" ") {
			t.Errorf("%s is gone", name)
		}
	}
	if len(got) != len(want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// child starts another process, which makes a directory. It returns the path of the directory, and a function that
// kills the process.
func child(t *testing.T) (path string, kill func()) {
	t.Helper()
	c := exec.Command(os.Args[0], "-test.run", "^TestWhatAKilledProcessHasLeftIsRemoved$")
	c.Env = append(os.Environ(), "SNAPHOOK_TEST_SCRATCH=1")
	_, err := c.StdinPipe() // stays open until the process has ended
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(out); path == "" && lines.Scan(); {
		path = lines.Text()
	}
	if _, err := os.Stat(path); err != nil || path == "" {
		t.Fatalf("%q: %v", path, err)
	}
	return path, func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	}
}
