package bounded

import (
	"os"
	"slices"
	"syscall"
)

// kernels lists the file systems whose files are reported as regular, but are generated while they are read:
// reading /proc/kmsg never ends.
var kernels = []int64{
	0x9fa0,     // proc
	0x62656572, // sysfs
	0x64626720, // debugfs
	0x74726163, // tracefs
	0x63677270, // cgroup2
	0x27e0eb,   // cgroup
	0xcafe4a11, // bpf
}

// isKernels reports whether a file lies in one of the file systems in kernels.
func isKernels(f *os.File) bool {
	var stat syscall.Statfs_t
	raw, err := f.SyscallConn()
	if err != nil {
		return false
	}
	_ = raw.Control(func(fd uintptr) { err = syscall.Fstatfs(int(fd), &stat) })
	return err == nil && slices.Contains(kernels, int64(stat.Type))
}
