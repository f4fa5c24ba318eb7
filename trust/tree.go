package trust

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/snaphook-go/snaphook/internal/bounded"
)

// project covers all files of the project for the hook at hand.
func (c *collector) project() error {
	if c.all == nil {
		found, has := c.found, c.has
		c.found, c.has, c.whole = []File{}, map[string]bool{}, true
		err := c.tree()
		c.all, c.found, c.has, c.whole = c.found, found, has, false
		if err != nil {
			return err
		}
	}
	for _, f := range c.all {
		if !c.has[f.File] {
			c.has[f.File] = true
			c.found = append(c.found, f)
		}
	}
	return nil
}

// tree covers all files of the project: those that git tracks, or all there are.
func (c *collector) tree() error {
	if tracked, ok := c.tracked(); ok {
		return c.addAll(tracked)
	}
	return c.walk(c.dir, func(path string) error {
		_, err := c.add(path)
		return err
	})
}

// walk visits the files below a directory, but those of git itself.
func (c *collector) walk(dir string, visit func(path string) error) error {
	seen := 0
	return filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if !c.whole {
			c.looks++
		}
		if err := c.spent(); err != nil && !(c.whole && errors.Is(err, errSpent)) {
			return err
		}
		if seen++; seen > 4*mostFiles {
			return fmt.Errorf(
				"%s holds too many files for trust to cover: more than %d; name the script that the hook runs by its path",
				dir,
				4*mostFiles,
			)
		}
		switch {
		case err != nil:
			return nil // what cannot be listed cannot be run by its name either
		case entry.IsDir() && entry.Name() == ".git":
			return fs.SkipDir
		case entry.IsDir():
			return nil
		}
		return visit(path)
	})
}

const maxIndex = 64 << 20

// tracked returns the files in git's index, if the project is the top of a
// repository and its index is one that this can read.
func (c *collector) tracked() (files []string, ok bool) {
	index, err := bounded.ReadFile(c.ctx, filepath.Join(c.dir, ".git", "index"), maxIndex)
	if err != nil {
		return nil, false
	}
	names, err := indexed(index)
	if err != nil {
		return nil, false
	}
	for _, name := range names {
		if name = filepath.FromSlash(name); filepath.IsLocal(name) {
			files = append(files, filepath.Join(c.dir, name))
		}
	}
	return files, len(files) > 0
}

var errIndex = errors.New("not an index of version 2 or 3")

// indexed returns the names in an index of git (gitformat-index, versions 2 and
// 3): entries of 62 bytes, two more if a flag says so, and a name that NUL ends,
// padded to a multiple of eight.
func indexed(index []byte) (names []string, err error) {
	if len(index) < 12 || !bytes.HasPrefix(index, []byte("DIRC")) {
		return nil, errIndex
	}
	version, count := binary.BigEndian.Uint32(index[4:]), binary.BigEndian.Uint32(index[8:])
	if version != 2 && version != 3 {
		return nil, errIndex
	}
	for at := 12; count > 0; count-- {
		if len(index) < at+64 {
			return nil, errIndex
		}
		start := at + 62
		if binary.BigEndian.Uint16(index[at+60:])&0x4000 != 0 {
			start += 2
		}
		end := bytes.IndexByte(index[min(start, len(index)):], 0)
		if end < 0 {
			return nil, errIndex
		}
		names = append(names, string(index[start:start+end]))
		at += (start + end - at + 8) / 8 * 8
	}
	return names, nil
}
