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

// hold keeps others from writing to a compiled program while it is open: a process that opens the file for writing
// waits. Scripts need no hold, because their text is read once. On file systems without leases, and for files of other
// users, a write between the check and the start is not prevented.
func hold(f *os.File) error {
	var magic [4]byte
	if _, err := f.ReadAt(magic[:], 0); err != nil || string(magic[:]) != "\x7fELF" {
		return nil //nolint:nilerr // an empty file is not a program
	}
	// A process that holds a lease gets a signal when it has to release it; the default signal would end the program.
	_, _ = unix.FcntlInt(f.Fd(), unix.F_SETSIG, int(unix.SIGURG))
	for pause := time.Millisecond; ; pause *= 2 {
		_, err := unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_RDLCK)
		if !errors.Is(err, syscall.EAGAIN) {
			return nil
		}
		if pause > 64*time.Millisecond {
			return fmt.Errorf("%s is being written to, and may change before it runs", f.Name())
		}
		time.Sleep(pause)
	}
}

// changed returns the time of the last change of a file or of its metadata.
func changed(info fs.FileInfo) (at time.Time, known bool) {
	stat, known := info.Sys().(*syscall.Stat_t)
	if !known {
		return at, false
	}
	return time.Unix(stat.Ctim.Unix()), true
}
