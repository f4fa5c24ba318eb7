//go:build !linux

package run

// Size returns 0: the memory of a process is not known on this system.
func (r *Resident) Size() int64 { return 0 }
