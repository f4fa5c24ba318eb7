package run

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// missing returns an error unless dir is a directory.
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

// elsewhere moves a job whose directory is missing to the first existing directory of Fallback.
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
