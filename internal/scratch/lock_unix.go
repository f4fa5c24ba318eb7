//go:build unix && !solaris && !aix

package scratch

import (
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// mine reports whether a file belongs to the user of this process.
func mine(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}

// tryLock takes the lock of a file if it is free. The lock ends with the process.
func tryLock(f *os.File) bool { return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil }
