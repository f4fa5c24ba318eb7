//go:build (!unix && !windows) || solaris || aix

package record

import (
	"context"
	"errors"
	"os"
)

// openShared opens a file for appending.
func openShared(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o600)
}

// lock does nothing on these systems: acquire always fails, and records are not rotated.
type lock struct{}

func acquire(context.Context, string) (lock, error) { return lock{}, errors.ErrUnsupported }

func (lock) release() {}

// isRemoved returns false: on these systems the package does not find out whether a file has been removed.
func isRemoved(*os.File) bool { return false }
