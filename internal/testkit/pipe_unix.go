//go:build unix

package testkit

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Pipe makes a named pipe through which a program can send messages to the test, and receive some. It is open for
// reading and writing until the test ends: the program never waits for the other end. A read fails after a minute.
func Pipe(t testing.TB, dir, name string) *os.File {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	_ = f.SetReadDeadline(time.Now().Add(time.Minute))
	return f
}
