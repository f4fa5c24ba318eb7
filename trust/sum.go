package trust

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/snaphook-go/snaphook/internal/bounded"
)

// add covers a regular file, and reports whether it is new.
func (c *fileCollector) add(path string) (isNew bool, err error) {
	path = filepath.Clean(path)
	if c.has[path] {
		return false, nil
	}
	digest, looked, err := c.sum(path)
	if err != nil || digest == "" {
		return false, err
	}
	c.has[path], c.stamps[path] = true, looked
	c.found = append(c.found, File{path, digest})
	return true, nil
}

// sum returns the digest of a regular file, and the size and times of the file. For a missing file, or one that is not
// regular, digest is "".
func (c *fileCollector) sum(path string) (digest string, looked stamp, err error) {
	if !c.whole {
		c.looks += 8 // the cost of opening a file, and of examining some of its directories
	}
	real, err := c.real(path)
	if err != nil {
		// c.stat finds the file, c.real did not: the file has just appeared, or vanished after an earlier c.stat
		if _, missing := c.stat(path); missing == nil {
			c.absent(path, false)
		}
		return "", looked, nil //nolint:nilerr // an absent file runs nothing
	}
	if digest, known := c.sums[real]; known {
		return digest, c.seen[real], nil
	}
	looked.at = time.Now()
	f, info, err := bounded.Open(real)
	switch {
	case errors.Is(err, bounded.ErrDirectory) || errors.Is(err, bounded.ErrNotRegular):
		return "", looked, nil
	case errors.Is(err, fs.ErrNotExist): // the file has vanished since c.real found it
		c.absent(path, false)
		return "", looked, nil
	case err != nil:
		return "", looked, err
	}
	defer f.Close()
	if looked.info = info; info.Size() > mostBytes-c.bytes || len(c.sums) >= mostFiles {
		return "", looked, tooMany(path)
	}
	hash := sha256.New()
	err = bounded.Copy(c.ctx, f, mostBytes-c.bytes, func(part []byte) {
		c.bytes += int64(len(part))
		hash.Write(part)
	})
	if large := new(bounded.SizeError); errors.As(err, &large) {
		return "", looked, tooMany(path)
	}
	if err != nil {
		return "", looked, err
	}
	c.seen[real], c.sums[real] = looked, hex.EncodeToString(hash.Sum(nil))
	return c.sums[real], looked, nil
}

// errMany ends the text of an error about more files than trust covers, and identifies that error for errors.Is.
var errMany = errors.New("name the script that the hook runs by its path")

func tooMany(path string) error {
	return fmt.Errorf(
		"trust covers %d files and %d MiB, and the hooks of the project may run more than that: %s; %w",
		mostFiles, mostBytes>>20, path, errMany)
}
