package record

import (
	"context"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"

	"github.com/snaphook-go/snaphook/internal/bounded"
)

// openShared opens a file for appending so that other programs, and other processes with the record, may rename and
// remove it meanwhile, as on Unix; [os.OpenFile] forbids both. Without the right FILE_WRITE_DATA, the system appends
// each write to the file.
func openShared(path string) (*os.File, error) {
	const (
		access = windows.GENERIC_READ | windows.FILE_APPEND_DATA | windows.SYNCHRONIZE | windows.FILE_WRITE_ATTRIBUTES
		share  = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE
	)
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	handle, err := windows.CreateFile(name, access, share, nil, windows.OPEN_ALWAYS, windows.FILE_ATTRIBUTE_NORMAL, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(handle), path), nil
}

// lock is a file lock: one process holds it at a time, and the system releases it when the process ends.
type lock struct{ f *os.File }

func acquire(ctx context.Context, path string) (lock, error) {
	f, err := bounded.OpenLock(path, 0o600)
	if err != nil {
		return lock{}, err
	}
	try := func(f *os.File) bool { return lockFile(f, windows.LOCKFILE_FAIL_IMMEDIATELY) == nil }
	wait := func(f *os.File) error { return lockFile(f, 0) }
	if err := bounded.Lock(ctx, f, try, wait); err != nil {
		return lock{}, err
	}
	return lock{f}, nil
}

func lockFile(f *os.File, flags uint32) error {
	flags |= windows.LOCKFILE_EXCLUSIVE_LOCK
	return windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, new(windows.Overlapped))
}

func (l lock) release() { _ = l.f.Close() } // closing releases the lock

// isRemoved reports whether an open file has been removed, or cannot be examined.
func isRemoved(f *os.File) bool {
	var info windows.ByHandleFileInformation
	err := windows.GetFileInformationByHandle(windows.Handle(f.Fd()), &info)
	return err != nil || info.NumberOfLinks == 0
}
