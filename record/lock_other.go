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

// lock does nothing on this system: files open in other processes cannot be renamed, and records are not rotated.
type lock struct{}

func acquire(context.Context, string) (lock, error) { return lock{}, errors.ErrUnsupported }

func (lock) release() {}

// isRemoved returns false: an open file cannot be removed.
func isRemoved(*os.File) bool { return false }
