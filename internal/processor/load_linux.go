package processor

import (
	"bytes"
	"runtime"
	"strconv"
)

// Load returns the number of threads of the machine that run or are ready to run, without the caller's, for each
// processor of the machine. Load returns 0 if the kernel does not tell the number.
func Load() float64 {
	r := reader{buffer: make([]byte, 128)}
	ready := others(r.read("/proc/loadavg"))
	return ready / float64(max(online(r.read("/sys/devices/system/cpu/online")), runtime.NumCPU()))
}

// others returns the number of threads in a text of /proc/loadavg that run or are ready to run, without the caller's.
func others(text []byte) float64 { return max(ready(text)-1, 0) }

// ready reads the number of threads from the fourth field of /proc/loadavg, which is "ready/all".
func ready(text []byte) float64 {
	fields := bytes.Fields(text)
	if len(fields) < 4 {
		return 0
	}
	first, _, _ := bytes.Cut(fields[3], []byte("/"))
	n, _ := strconv.Atoi(string(first))
	return float64(n)
}

// online returns the number of processors in a list such as "0-3,8"; 0 if the list cannot be read.
func online(list []byte) (n int) {
	for part := range bytes.SplitSeq(bytes.TrimSpace(list), []byte(",")) {
		first, last, several := bytes.Cut(part, []byte("-"))
		if !several {
			last = first
		}
		a, err := strconv.Atoi(string(first))
		b, err2 := strconv.Atoi(string(last))
		if err != nil || err2 != nil {
			return 0
		}
		n += b - a + 1
	}
	return n
}
