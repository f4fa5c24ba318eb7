package processor

import (
	"bytes"
	"os"
	"strconv"
	"time"
)

// Known reports whether TimesOf reads times on this system.
const Known = true

// most limits the number of processes that TimesOf looks at.
const most = 1000

// TimesOf reads the times of a process and its descendants. They are zero if the kernel does not keep them.
func TimesOf(pid int) (all Times) {
	family := []int{pid}
	for i := 0; i < len(family) && i < most; i++ {
		family = append(family, all.add(family[i])...)
	}
	return all
}

// add adds the times of the threads of one process, and returns its children.
func (t *Times) add(pid int) (children []int) {
	dir := "/proc/" + strconv.Itoa(pid)
	threads, _ := os.ReadDir(dir + "/task")
	for _, thread := range threads {
		text, _ := os.ReadFile(dir + "/task/" + thread.Name() + "/schedstat")
		if fields := bytes.Fields(text); len(fields) >= 2 {
			t.Ran += units(fields[0], time.Nanosecond)
			t.Waited += units(fields[1], time.Nanosecond)
		}
		text, _ = os.ReadFile(dir + "/task/" + thread.Name() + "/children")
		for word := range bytes.FieldsSeq(text) {
			if child, err := strconv.Atoi(string(word)); err == nil {
				children = append(children, child)
			}
		}
	}
	// After the name, which may contain any bytes, cutime and cstime are the fields 14 and 15.
	stat, _ := os.ReadFile(dir + "/stat")
	if fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:]); len(fields) >= 15 {
		t.Ended += units(fields[13], tick) + units(fields[14], tick)
	}
	return children
}

// tick is the unit of times in /proc/PID/stat.
const tick = 10 * time.Millisecond

// units returns a count of units; 0 if text is not a number.
func units(text []byte, unit time.Duration) time.Duration {
	n, _ := strconv.ParseInt(string(text), 10, 64)
	return time.Duration(n) * unit
}
