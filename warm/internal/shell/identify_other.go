//go:build !linux

package shell

// identify knows no program on this system.
func identify(string) (id programFile, ok bool) { return id, false }
