package run

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// missing returns the error that prevents a path from being a directory, or nil.
func missing(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return errors.Unwrap(err) // the errno; the caller names the path
	}
	if !info.IsDir() {
		return syscall.ENOTDIR
	}
	return nil
}

// elsewhere moves a job whose directory is gone to the first of Fallback that
// exists.
func (c *Command) elsewhere(j *job) bool {
	if len(c.Fallback) == 0 || j.dir == "" {
		return false
	}
	if err := missing(j.dir); !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
		return false
	}
	for _, dir := range c.Fallback {
		if missing(dir) == nil {
			j.dir = dir
			return true
		}
	}
	return false
}
