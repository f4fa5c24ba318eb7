//go:build unix && !linux

package run

import "os"

// descriptor returns the file's name: only Linux can start a program from its descriptor, and only
// Linux has this format.
func descriptor(f *os.File) string { return f.Name() }
