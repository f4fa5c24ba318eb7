package run

import (
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// memfdFlags gives the flags with which this kernel makes a file in memory, or
// -1 if it lacks that or pidfds, so that the portable way has to be taken.
var memfdFlags = sync.OnceValue(func() int {
	pidfd, err := unix.PidfdOpen(os.Getpid(), 0)
	if err != nil {
		return -1
	}
	unix.Close(pidfd)
	// A hardened kernel refuses files that could be executed; one before 6.3
	// does not know how to ask for the others.
	for _, flags := range [...]int{unix.MFD_CLOEXEC | unix.MFD_NOEXEC_SEAL, unix.MFD_CLOEXEC} {
		if fd, err := unix.MemfdCreate("stdin", flags); err == nil {
			unix.Close(fd)
			return flags
		}
	}
	return -1
})

// stream is our end of a pipe; its fd is -1 after the end.
type stream struct {
	capture
	fd int
}

// read reads at least most bytes, or all there is, and returns the descriptor. A
// process with much to say gets a wider pipe, so that it is woken less often.
func (s *stream) read(most int) (fd int32) {
	before := len(s.kept)
	if s.fd >= 0 && drain(s.fd, &s.capture, most) {
		closeFD(&s.fd)
	}
	if s.fd >= 0 && before < much && len(s.kept) >= much {
		_, _ = unix.FcntlInt(uintptr(s.fd), unix.F_SETPIPE_SZ, 1<<20) // a user may have too many of them
	}
	return int32(s.fd)
}

// much is about what fits into a pipe.
const much = 60 << 10

// rest reads what is in the pipe.
func (s *stream) rest() {
	if s.fd < 0 {
		return
	}
	size, err := unix.FcntlInt(uintptr(s.fd), unix.F_GETPIPE_SZ, 0)
	if err != nil {
		size = 1 << 20
	}
	s.read(size)
}

// pipe makes a pipe for output. Only our end is non-blocking: the child could
// not cope if its own were.
func pipe() (ours, theirs int, err error) {
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_CLOEXEC); err != nil {
		return -1, -1, err
	}
	_, err = unix.FcntlInt(uintptr(ends[0]), unix.F_SETFL, unix.O_NONBLOCK)
	return ends[0], ends[1], err
}

// readable returns a descriptor from which data can be read, then EOF: a pipe
// that is filled already, or a file in memory if data does not fit into one.
func readable(data []byte) (fd int, err error) {
	if len(data) <= 64<<10 {
		fd, full, err := filledPipe(data)
		if full || err != nil {
			return fd, err
		}
	}
	fd, err = unix.MemfdCreate("stdin", memfdFlags())
	if err != nil {
		return -1, err
	}
	for done := 0; done < len(data) && err == nil; {
		var n int
		n, err = unix.Pwrite(fd, data[done:], int64(done)) // leaves the offset at the start
		if err == unix.EINTR {
			err = nil
		}
		done += max(n, 0)
	}
	if err != nil {
		closeFD(&fd)
	}
	return fd, err
}

// filledPipe returns the reading end of a pipe that holds data. It is not full,
// and no pipe, if the data does not fit: a user with many pipes gets small
// ones, of a single page.
func filledPipe(data []byte) (fd int, full bool, err error) {
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_CLOEXEC); err != nil {
		return -1, false, err
	}
	defer unix.Close(ends[1])
	if len(data) == 0 {
		return ends[0], true, nil
	}
	if _, err = unix.FcntlInt(uintptr(ends[1]), unix.F_SETFL, unix.O_NONBLOCK); err == nil {
		if n, _ := unix.Write(ends[1], data); n == len(data) {
			return ends[0], true, nil
		}
	}
	unix.Close(ends[0])
	return -1, false, err
}

func closeFD(fd *int) {
	if *fd >= 0 {
		_ = unix.Close(*fd)
		*fd = -1
	}
}
