//go:build linux || darwin

package fleet

import (
	"log/slog"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// A hook that replaces a spool's lock by a pipe delays no other process.
func TestAPipeInTheLocksPlaceHoldsUpNoSpool(t *testing.T) {
	shared := t.TempDir()
	dir := filepath.Join(shared, "process-other")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, lockName), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := openSpool(shared, 1<<20, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.adopt(t.Context())
	}()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatal("the spool waits for a reader of the pipe")
	}
	if err := s.lock.Unlock(); err != nil {
		t.Error(err)
	}
}
