package processor

import (
	"bytes"
	"runtime"
	"strconv"
)

// Load returns the number of threads of the machine that run or are ready to run, for each processor. The caller's
// thread counts. Load returns 0 if the kernel does not tell the number.
func Load() float64 {
	r := reader{buffer: make([]byte, 128)}
	return load(r.read("/proc/loadavg")) / float64(runtime.NumCPU())
}

// load reads the number of threads from the fourth field of /proc/loadavg, which is "ready/all".
func load(text []byte) float64 {
	fields := bytes.Fields(text)
	if len(fields) < 4 {
		return 0
	}
	ready, _, _ := bytes.Cut(fields[3], []byte("/"))
	n, _ := strconv.Atoi(string(ready))
	return float64(n)
}
