package trust

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// hold keeps others from writing to a compiled program as long as it is open:
// who opens it to write waits. A script need not be held, for its text is read
// once. Where the file system has no leases, and for files of others, what is
// left is the time between reading it and starting it.
func hold(f *os.File) error {
	var magic [4]byte
	if _, err := f.ReadAt(magic[:], 0); err != nil || string(magic[:]) != "\x7fELF" {
		return nil //nolint:nilerr // an empty file is no program
	}
	// Who is to let go gets a signal, which would end a program that knows none of it.
	_, _ = unix.FcntlInt(f.Fd(), unix.F_SETSIG, int(unix.SIGURG))
	for pause := time.Millisecond; ; pause *= 2 {
		_, err := unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_RDLCK)
		if !errors.Is(err, syscall.EAGAIN) {
			return nil
		}
		if pause > 64*time.Millisecond {
			return fmt.Errorf("%s is being written to: no one can say what would run", f.Name())
		}
		time.Sleep(pause)
	}
}

// changed is when a file, or what is known of it, was changed last.
func changed(info fs.FileInfo) (at time.Time, known bool) {
	stat, known := info.Sys().(*syscall.Stat_t)
	if !known {
		return at, false
	}
	return time.Unix(stat.Ctim.Unix()), true
}
