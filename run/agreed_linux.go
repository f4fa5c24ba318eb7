package run

import (
	"os"
	"strconv"
)

// descriptor returns a path by which the kernel finds an open file.
func descriptor(f *os.File) string { return "/proc/self/fd/" + strconv.Itoa(int(f.Fd())) }
