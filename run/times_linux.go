package run

import (
	"bytes"
	"os"
	"strconv"
	"time"
)

// processorTimes are the times of a process and its living descendants since they began.
type processorTimes struct {
	ran    time.Duration // on a processor
	waited time.Duration // ready to run, while no processor was free
	ended  time.Duration // on a processor, of descendants that have ended; counted in ticks of 10 ms
}

// waiting returns the time of waiting, with an estimate for the descendants that have ended, of which the kernel
// keeps only the processor time: they waited as long for it as the others did for theirs.
func (t processorTimes) waiting() time.Duration {
	if t.ran <= 0 {
		return t.waited
	}
	return t.waited + time.Duration(float64(t.ended)*float64(t.waited)/float64(t.ran))
}

// timesOf reads the processor times of a process and its descendants. They are zero on a kernel that does not keep
// them.
func timesOf(leader int) (all processorTimes) {
	family := []int{leader}
	for i := 0; i < len(family) && i < mostStrays; i++ {
		all.add(family[i])
		family = append(family, offspring(family[i])...)
	}
	return all
}

// add adds the times of the threads of one process.
func (t *processorTimes) add(pid int) {
	dir := "/proc/" + strconv.Itoa(pid)
	threads, _ := os.ReadDir(dir + "/task")
	for _, thread := range threads {
		text, _ := os.ReadFile(dir + "/task/" + thread.Name() + "/schedstat")
		if fields := bytes.Fields(text); len(fields) >= 2 {
			t.ran += units(fields[0], time.Nanosecond)
			t.waited += units(fields[1], time.Nanosecond)
		}
	}
	// After the name, which may contain any bytes, cutime and cstime are the fields 14 and 15.
	stat, _ := os.ReadFile(dir + "/stat")
	if fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:]); len(fields) >= 15 {
		t.ended += units(fields[13], tick) + units(fields[14], tick)
	}
}

// tick is the unit of times in /proc/PID/stat.
const tick = 10 * time.Millisecond

// units returns a count of units; 0 if text is not a number.
func units(text []byte, unit time.Duration) time.Duration {
	n, _ := strconv.ParseInt(string(text), 10, 64)
	return time.Duration(n) * unit
}
