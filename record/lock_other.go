//go:build !unix || solaris || aix

package record

import (
	"context"
	"errors"
	"os"
)

const nonBlocking = 0

// lock does nothing on this system: files that other processes have open cannot be renamed, and
// records are not rotated.
type lock struct{}

func acquire(context.Context, string) (lock, error) { return lock{}, errors.ErrUnsupported }

func (lock) release() {}

// isRemoved returns false: an open file cannot be removed.
func isRemoved(os.FileInfo) bool { return false }
