//go:build unix && !solaris && !aix

package record

import (
	"context"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/snaphook-go/snaphook/internal/bounded"
)

// nonBlocking keeps a pipe that no process reads from holding up those who open
// it.
const nonBlocking = unix.O_NONBLOCK

// lock is held by one process at a time, and by none that is gone.
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

func (l lock) release() { _ = l.f.Close() } // which unlocks it

// isRemoved reports whether an open file has no name any more.
func isRemoved(info os.FileInfo) bool {
	sys, ok := info.Sys().(*syscall.Stat_t)
	return ok && sys.Nlink == 0
}
