package trust

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/snaphook-go/snaphook/internal/bounded"
)

// folder is a directory that a hook searches: the names in it determine which code runs.
type folder struct {
	dir    string
	use    string
	counts func(name string) bool // selects the relevant names; nil: all
	names  map[string]string      // the relevant names when Cover read the directory, with link targets
	looked stamp
}

// mostNames limits the names that are read from one directory.
const mostNames = 4 * mostFiles

// watch records a directory that is searched, if the path of the directory lies in the project. The path may contain a
// link. watch returns all names in the directory. use distinguishes different searches of one directory.
func (c *fileCollector) watch(dir, use string, counts func(name string) bool) []string {
	f := &folder{dir: filepath.Clean(dir), use: use, counts: counts, looked: stamp{at: time.Now()}}
	info, err := os.Stat(f.dir)
	if err != nil || !info.IsDir() {
		return nil
	}
	f.looked.info = info
	names, err := namesIn(f.dir)
	if err != nil {
		return nil
	}
	if key := use + "\x00" + f.dir; !c.watched[key] && c.below(f.dir) {
		c.watched[key] = true
		f.names = f.relevant(names)
		c.folders = append(c.folders, f)
	}
	return names
}

// namesIn returns the sorted names in a directory, or an error if there are mostNames or more.
func namesIn(dir string) ([]string, error) {
	d, err := bounded.OpenDir(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	names, err := d.Readdirnames(mostNames)
	if len(names) == mostNames {
		return nil, fmt.Errorf("%s has more than %d entries, the most that trust covers in a folder that a hook searches", dir, mostNames)
	}
	slices.Sort(names)
	if len(names) == 0 {
		return nil, nil //nolint:nilerr // io.EOF
	}
	return names, err
}

// relevant returns the relevant names, with the targets of symbolic links.
func (f *folder) relevant(names []string) map[string]string {
	all := map[string]string{}
	for _, name := range names {
		if f.counts == nil && name != ".git" || f.counts != nil && f.counts(name) {
			target, _ := os.Readlink(filepath.Join(f.dir, name)) // "" if it is not a link
			all[name] = target
		}
	}
	return all
}

// same returns an error if the folder has a new relevant name, if a link in the folder has a new target, or if the
// folder cannot be read. It lists the folder unless the folder's metadata shows that nothing has changed.
func (f *folder) same(ctx context.Context) error {
	info, err := os.Stat(f.dir)
	if err != nil {
		return hasChanged(f.dir)
	}
	if f.looked.shows(info) {
		return ctx.Err()
	}
	names, err := namesIn(f.dir)
	if err != nil {
		return err
	}
	for name, target := range f.relevant(names) {
		switch was, known := f.names[name]; {
		case !known:
			return notThere(filepath.Join(f.dir, name))
		case was != target:
			return hasChanged(filepath.Join(f.dir, name))
		}
	}
	return ctx.Err()
}
