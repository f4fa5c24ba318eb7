//go:build unix && !linux

package run

import "os"

// descriptor is a path by which the kernel finds an open file: no other system
// than Linux starts a program by one, and none but Linux has this format.
func descriptor(f *os.File) string { return f.Name() }
