package run

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// remoteCall is a process that a resident interpreter has forked. The interpreter reports how it ends.
type remoteCall struct {
	id       string
	python   *python
	read     []byte // status bytes that are not yet parsed
	lost     bool   // the interpreter ended before the call
	signaled bool
}

// startLine is the pipe on which a forked process waits for its start.
type startLine struct{ r, w int }

// start lets the process begin.
func (l *startLine) start() { _, _ = unix.Write(l.w, []byte{'g'}) }

// takeBack withdraws the start. It returns true if the process had not received the start, and will therefore not
// begin.
func (l *startLine) takeBack() bool {
	closeFD(&l.w) // the reader then gets EOF
	for {
		n, err := unix.Read(l.r, make([]byte, 1))
		if err != unix.EINTR {
			return n == 1
		}
	}
}

func (l *startLine) close() {
	closeFD(&l.w)
	closeFD(&l.r)
}

// await waits until the process leads its group. If the process has not received its start in time, the start is
// withdrawn; if the process has received the start, await waits longer.
func (r *remoteCall) await(q *process, start *startLine) beginning {
	until, late := time.Now().Add(warmReady), false
	for {
		line, eof := r.line(q.pidfd, until)
		switch {
		case line == "l":
			return newList
		case strings.HasPrefix(line, "p"):
			pid, err := strconv.Atoi(line[1:])
			if q.pid = pid; err != nil {
				return outOfDate
			}
			return begun
		case line != "" || eof:
			return outOfDate
		case !time.Now().Before(until):
			if late || start.takeBack() {
				return outOfDate
			}
			until, late = time.Now().Add(warmLate), true
		}
	}
}

// line reads a line of the status. It returns "" if no line is complete before the time until.
func (r *remoteCall) line(fd int, until time.Time) (line string, eof bool) {
	for {
		if text, rest, ok := bytes.Cut(r.read, []byte("\n")); ok {
			r.read = rest
			return string(text), false
		}
		one := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		n, err := unix.Poll(one, milliseconds(until))
		if err == unix.EINTR {
			continue
		}
		if err != nil || n == 0 {
			return "", err != nil
		}
		buffer := make([]byte, 512)
		n, err = unix.Read(fd, buffer)
		if n <= 0 && err != unix.EINTR {
			return "", true
		}
		r.read = append(r.read, buffer[:max(n, 0)]...)
	}
}

// signal sends a signal to the group of the process, unless it is gone.
func (r *remoteCall) signal(s syscall.Signal) {
	r.signaled = true
	_ = r.python.send(fmt.Sprintf("kill\x00%s\x00%d", r.id, int(s)), nil, 0)
}

// status returns how the process ended. If the interpreter ended first, status kills the rest of the call and returns
// SIGKILL.
func (r *remoteCall) status(q *process) syscall.WaitStatus {
	line, _ := r.line(q.pidfd, time.Now().Add(warmReady))
	if strings.HasPrefix(line, "f") { // "f": the process is about to end
		if r.signaled { // the interpreter then kills the group of the process
			line, _ = r.line(q.pidfd, time.Now().Add(warmReady))
		} else {
			r.python.told.add(r.id)
		}
	}
	code, err := strconv.Atoi(line[min(1, len(line)):])
	if err != nil {
		r.lost = true
		_ = syscall.Kill(-q.pid, syscall.SIGKILL)
		return syscall.WaitStatus(syscall.SIGKILL)
	}
	return syscall.WaitStatus(code)
}

// ids collects the ids of calls.
type ids struct {
	mu  sync.Mutex
	all []string
}

func (l *ids) add(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, id)
}

// handOver passes all ids to send, separated by commas, and removes them if send returns no error. Therefore the
// interpreter gets the id of an ended call before any later call.
func (l *ids) handOver(send func(told string) error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	err := send(strings.Join(l.all, ","))
	if err == nil {
		l.all = l.all[:0]
	}
	return err
}
