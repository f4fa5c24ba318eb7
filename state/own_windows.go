package state

import (
	"fmt"
	"os"

	"golang.org/x/sys/windows"
)

// own makes a directory. No other user can write below a user's profile.
func own(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return owned(dir)
}

// owned checks that there is a directory.
func owned(dir string) error {
	info, err := os.Lstat(dir)
	if err == nil && !info.IsDir() {
		return fmt.Errorf("%s is not a directory; remove it, or choose another path", dir)
	}
	return err
}

func lockFile(f *os.File) error {
	return windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK, 0, 1, 0, new(windows.Overlapped))
}

// tryLock takes a lock only if it is free.
func tryLock(f *os.File) bool {
	const now = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	return windows.LockFileEx(windows.Handle(f.Fd()), now, 0, 1, 0, new(windows.Overlapped)) == nil
}
