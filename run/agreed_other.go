//go:build unix && !linux

package run

import "os"

// descriptor returns the file's name, because only Linux can start a program from its descriptor.
func descriptor(f *os.File) string { return f.Name() }
