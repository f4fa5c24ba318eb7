//go:build unix && !solaris && !aix

package record

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// nonBlocking keeps a pipe that no process reads from holding up those who open
// it.
const nonBlocking = unix.O_NONBLOCK

// lock is held by one process at a time, and by none that is gone.
type lock struct{ f *os.File }

func acquire(path string) (lock, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return lock{}, err
	}
	for {
		if err = unix.Flock(int(f.Fd()), unix.LOCK_EX); err != unix.EINTR { //nolint:errorlint // a bare errno
			break
		}
	}
	if err != nil {
		_ = f.Close() // there is nothing in it
		return lock{}, err
	}
	return lock{f}, nil
}

func (l lock) release() { _ = l.f.Close() } // which unlocks it

// isRemoved reports whether an open file has no name any more.
func isRemoved(info os.FileInfo) bool {
	sys, ok := info.Sys().(*syscall.Stat_t)
	return ok && sys.Nlink == 0
}
