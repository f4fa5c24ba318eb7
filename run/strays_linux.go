package run

import (
	"bytes"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// mostStrays limits the search, which a process that keeps starting others could otherwise prolong forever.
const mostStrays = 1000

// strays finds the descendants of a process that have left its group, as with setsid(1), and returns a pidfd of each.
// It follows parents to children: it does not find a process that has lost its parent, and finds none on a kernel
// without lists of children.
func strays(leader int) (pidfds []int) {
	family := []int{leader}
	for i := 0; i < len(family) && i < mostStrays; i++ {
		for _, child := range offspring(family[i]) {
			fd, err := unix.PidfdOpen(child, 0)
			if err != nil {
				continue // the process is gone, or no descriptor is free
			}
			// Another process may have got the id meanwhile. If the process is still a child of family[i], the
			// descriptor belongs to it and not to another process.
			group, err := unix.Getpgid(child)
			if err != nil || parent(child) != family[i] {
				closeFD(&fd)
				continue
			}
			family = append(family, child)
			if group == leader {
				closeFD(&fd)
				continue
			}
			pidfds = append(pidfds, fd)
		}
	}
	return pidfds
}

// offspring returns the children of all threads of a process.
func offspring(pid int) (children []int) {
	tasks := "/proc/" + strconv.Itoa(pid) + "/task/"
	threads, _ := os.ReadDir(tasks)
	for _, thread := range threads {
		list, _ := os.ReadFile(tasks + thread.Name() + "/children")
		for word := range strings.FieldsSeq(string(list)) {
			if child, err := strconv.Atoi(word); err == nil {
				children = append(children, child)
			}
		}
	}
	return children
}

// parent returns the parent of a process, or 0 if the process is gone.
func parent(pid int) int {
	stat, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:]) // the program's name may contain any bytes
	if len(fields) < 2 {
		return 0
	}
	ppid, _ := strconv.Atoi(string(fields[1]))
	return ppid
}

// signalAll sends a signal to each pidfd.
func signalAll(pidfds []int, signal unix.Signal) {
	for _, fd := range pidfds {
		_ = unix.PidfdSendSignal(fd, signal, nil, 0)
	}
}
