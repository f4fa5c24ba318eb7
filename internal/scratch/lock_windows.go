package scratch

import (
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// mine reports whether a file belongs to the user of this process: the folder for
// temporary files is the user's own.
func mine(fs.FileInfo) bool { return true }

// tryLock takes the lock of a file if it is free. The lock ends with the process.
func tryLock(f *os.File) bool {
	const now = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	return windows.LockFileEx(windows.Handle(f.Fd()), now, 0, 1, 0, new(windows.Overlapped)) == nil
}
