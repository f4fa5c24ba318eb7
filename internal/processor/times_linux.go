package processor

import (
	"bytes"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// Known reports whether TimesOf reads times on this system.
const Known = true

// most limits the number of processes that TimesOf looks at.
const most = 1000

// TimesOf reads the times of a process and its descendants. The times are zero if the kernel does not keep them.
// TimesOf has one file open at a time.
func TimesOf(pid int) Times {
	r := reader{buffer: make([]byte, 4<<10)}
	family := []int{pid}
	for i := 0; i < len(family) && i < most; i++ {
		family = append(family, r.add(family[i])...)
	}
	return r.all
}

// reader adds up the times of processes.
type reader struct {
	all    Times
	buffer []byte
}

// add adds the times of the threads of one process, and returns its children.
func (r *reader) add(pid int) (children []int) {
	dir := "/proc/" + strconv.Itoa(pid)
	for _, thread := range r.threads(dir + "/task") {
		if fields := bytes.Fields(r.read(dir + "/task/" + thread + "/schedstat")); len(fields) >= 2 {
			r.all.Ran += units(fields[0], time.Nanosecond)
			r.all.Waited += units(fields[1], time.Nanosecond)
		}
		r.all.Ready = r.all.Ready || runs(r.read(dir+"/task/"+thread+"/stat"))
		for word := range bytes.FieldsSeq(r.read(dir + "/task/" + thread + "/children")) {
			if child, err := strconv.Atoi(string(word)); err == nil {
				children = append(children, child)
			}
		}
	}
	// After the name cutime and cstime are the fields 14 and 15.
	if fields := afterName(r.read(dir + "/stat")); len(fields) >= 15 {
		r.all.Ended += units(fields[13], tick) + units(fields[14], tick)
	}
	return children
}

// runs reports whether a thread runs or is ready to run, by the text of its file stat.
func runs(stat []byte) bool {
	fields := afterName(stat)
	return len(fields) > 0 && fields[0][0] == 'R'
}

// afterName returns the fields of a file stat after the name, which may contain any bytes; the first is the state.
func afterName(stat []byte) [][]byte { return bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:]) }

// read returns the text of a file, or the part that could be read. The text is valid until the next call. read does not
// use package os, which would open two more descriptors for its poller, although reads of these files never wait.
func (r *reader) read(path string) []byte {
	fd, err := open(path, 0)
	if err != nil {
		return nil
	}
	defer unix.Close(fd)
	for size := 0; ; {
		if size == len(r.buffer) {
			r.buffer = append(r.buffer, make([]byte, size)...)
		}
		n, err := unix.Read(fd, r.buffer[size:])
		if err == unix.EINTR {
			continue
		}
		if n <= 0 {
			return r.buffer[:size]
		}
		size += n
	}
}

// threads returns the names in a directory of threads.
func (r *reader) threads(dir string) (names []string) {
	fd, err := open(dir, unix.O_DIRECTORY)
	if err != nil {
		return nil
	}
	defer unix.Close(fd)
	for {
		n, err := unix.ReadDirent(fd, r.buffer)
		if err == unix.EINTR {
			continue
		}
		if n <= 0 {
			return names
		}
		_, _, names = unix.ParseDirent(r.buffer[:n], -1, names)
	}
}

func open(path string, flags int) (fd int, err error) {
	for {
		if fd, err = unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC|flags, 0); err != unix.EINTR {
			return fd, err
		}
	}
}

// tick is the unit of times in /proc/PID/stat.
const tick = 10 * time.Millisecond

// units returns a count of units; 0 if text is not a number.
func units(text []byte, unit time.Duration) time.Duration {
	n, _ := strconv.ParseInt(string(text), 10, 64)
	return time.Duration(n) * unit
}
