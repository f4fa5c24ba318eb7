package trust

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/snaphook-go/snaphook/internal/bounded"
)

// project covers all files of the project for a hook that is unclear.
func (c *fileCollector) project(h *Hook) error {
	if h.Unclear == "" {
		return nil
	}
	if c.all == nil {
		c.found, c.has, c.folders, c.watched, c.whole = []File{}, map[string]bool{}, nil, map[string]bool{}, true
		err := c.tree()
		c.all, c.allFolders, c.whole = c.found, c.folders, false
		if err != nil {
			return err
		}
	}
	has := map[string]bool{}
	for _, f := range h.Files {
		has[f.File] = true
	}
	for _, f := range c.all {
		if !has[f.File] {
			h.Files = append(h.Files, f)
		}
	}
	h.folders = append(h.folders, c.allFolders...)
	if c.partial {
		h.Unclear += fmt.Sprintf(
			"; the project has more than the %d files and %d MiB that trust covers: a change to any further file is not noticed",
			mostFiles, mostBytes>>20)
	}
	return c.count(*h)
}

// tree covers all files of the project, including files of submodules, files below symbolic links, and files that git
// does not track. If there are too many, the tracked files come first.
func (c *fileCollector) tree() error {
	add := func(path string) error {
		_, err := c.add(path)
		if errors.Is(err, errMany) { // one file that is too large does not keep the others from being covered
			c.partial = true
			return nil
		}
		return err
	}
	tracked, _ := c.tracked()
	for _, path := range tracked {
		if err := add(path); err != nil {
			return err
		}
	}
	err := c.walk(c.dir, add)
	if errors.Is(err, errMany) {
		c.partial = true
		return nil
	}
	return err
}

// walk visits the files below a directory, also through symbolic links, except those in directories named .git. It also
// covers the list of names in each directory.
func (c *fileCollector) walk(dir string, visit func(path string) error) error {
	w := treeWalker{c: c, visit: visit, been: map[string]bool{}}
	return w.dir(dir)
}

// treeWalker visits each directory once, however many links lead to it.
type treeWalker struct {
	c     *fileCollector
	visit func(path string) error
	been  map[string]bool
	seen  int
}

func (w *treeWalker) dir(dir string) error {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil || w.been[real] {
		return nil //nolint:nilerr // a hook cannot find the files of a directory that cannot be listed
	}
	w.been[real] = true
	names := w.c.watch(dir, "all", nil)
	for _, name := range names {
		if !w.c.whole {
			w.c.looks++
		}
		if err := w.c.spent(); err != nil && !(w.c.whole && errors.Is(err, errSpent)) {
			return err
		}
		if w.seen++; w.seen > 4*mostFiles {
			return tooMany(dir)
		}
		path := filepath.Join(dir, name)
		info, err := os.Stat(path)
		switch {
		case err != nil:
		case info.IsDir() && name == ".git":
		case info.IsDir():
			if err := w.dir(path); err != nil {
				return err
			}
		default:
			if err := w.visit(path); err != nil {
				return err
			}
		}
	}
	return nil
}

const maxIndex = 64 << 20

// tracked returns the files in git's index. ok is false unless the project is the top of a repository, and its index
// lists files in a form that indexed can read.
func (c *fileCollector) tracked() (files []string, ok bool) {
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

// indexed returns the names in a git index (gitformat-index, versions 2 and 3): entries of 62
// bytes, two more if a flag is set, and a name with a final NUL, padded to a multiple of eight.
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
