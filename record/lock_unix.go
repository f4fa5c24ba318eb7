//go:build unix && !solaris && !aix

package record

import (
	"context"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/snaphook-go/snaphook/internal/bounded"
)

// openShared opens a file for appending, and for reading its last byte. A pipe never blocks the call, even if no
// process reads it.
func openShared(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_RDWR|unix.O_NONBLOCK, 0o600)
}

// lock is a file lock: one process holds it at a time, and the system releases it when the process ends.
type lock struct{ f *os.File }

func acquire(ctx context.Context, path string) (lock, error) {
	f, err := bounded.OpenLock(path, 0o600)
	if err != nil {
		return lock{}, err
	}
	try := func(f *os.File) bool { return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil }
	if err := bounded.Lock(ctx, f, try, wait); err != nil {
		return lock{}, err
	}
	return lock{f}, nil
}

// wait takes the lock, however long that takes.
func wait(f *os.File) error {
	for {
		if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != unix.EINTR { //nolint:errorlint // a bare errno
			return err
		}
	}
}

func (l lock) release() { _ = l.f.Close() } // closing releases the lock

// isRemoved reports whether an open file has been removed, or cannot be examined.
func isRemoved(f *os.File) bool {
	info, err := f.Stat()
	if err != nil {
		return true
	}
	sys, ok := info.Sys().(*syscall.Stat_t)
	return ok && sys.Nlink == 0
}
