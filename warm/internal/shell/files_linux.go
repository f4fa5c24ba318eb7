package shell

import (
	"errors"
	"io/fs"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// openFile opens a file as bash would. It leaves the script to bash if the path refers to a file of this process, such
// as /proc/self/fd/0, because in bash that is another file.
func openFile(path string, flags int) (*os.File, error) {
	how := unix.OpenHow{Flags: uint64(flags) | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_MAGICLINKS}
	fd, err := unix.Openat2(unix.AT_FDCWD, path, &how)
	for errors.Is(err, unix.EINTR) || errors.Is(err, unix.EAGAIN) {
		fd, err = unix.Openat2(unix.AT_FDCWD, path, &how)
	}
	if err == nil {
		var of unix.Statfs_t
		if err := unix.Fstatfs(fd, &of); err != nil || ofProcess(int64(of.Type)) {
			_ = unix.Close(fd)
			panic(cold("a file of this process, or a device"))
		}
		return os.NewFile(uintptr(fd), path), nil
	}
	if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, unix.ENOTDIR) && !errors.Is(err, unix.EACCES) {
		panic(cold("a path that cannot be followed here"))
	}
	if _, lost := os.Lstat(path); lost == nil && flags&unix.O_NOFOLLOW == 0 {
		panic(cold("a link whose target does not exist, or is closed to this user"))
	}
	if at := strings.LastIndexByte(strings.TrimRight(path, "/"), '/'); at > 0 { // the folder must not show different files to each process either
		if dir, err := openFile(path[:at], unix.O_PATH); err == nil {
			_ = dir.Close()
		}
	}
	return nil, &fs.PathError{Op: "open", Path: path, Err: err}
}

// ofProcess reports whether a kind of file system shows different files to each process.
func ofProcess(kind int64) bool {
	return kind == unix.PROC_SUPER_MAGIC || kind == unix.DEVPTS_SUPER_MAGIC || kind == unix.SYSFS_MAGIC
}

// access runs the tests -r, -w and -x for a file.
func access(path, op string) bool {
	mode := map[string]uint32{"-r": unix.R_OK, "-w": unix.W_OK, "-x": unix.X_OK}[op]
	return unix.Faccessat(unix.AT_FDCWD, path, mode, unix.AT_EACCESS) == nil
}

// mayEnter reports whether this process may change to a directory.
func mayEnter(dir string) bool { return unix.Access(dir, unix.X_OK) == nil }

// mayWrite reports whether this process may write to a file, or make one in a folder.
func mayWrite(path string) bool { return unix.Access(path, unix.W_OK) == nil }

// statFile describes a file, or a link itself if follow is false.
func statFile(path string, follow bool) (fs.FileInfo, error) {
	flags := unix.O_PATH
	if !follow {
		flags |= unix.O_NOFOLLOW
	}
	f, err := openFile(path, flags)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Stat()
}
