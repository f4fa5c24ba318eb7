package trust

import (
	"io/fs"
	"os"
	"path/filepath"
)

// The limits of lookUps.
const (
	mostRemembered = 1 << 16 // paths
	longestKept    = 256     // bytes of a path
)

// lookUps keeps the results of look-ups in the file system, by path: thousands of hooks name the same few programs. The
// checks before a hook runs do not use these results: they read the file system again, and therefore notice a file that
// has appeared or changed.
type lookUps struct {
	links map[string]resolved
	infos map[string]described
}

type resolved struct {
	path string
	err  error
}

type described struct {
	info fs.FileInfo
	err  error
}

// real returns a path with links resolved; see [filepath.EvalSymlinks].
func (l *lookUps) real(path string) (string, error) {
	if r, known := l.links[path]; known {
		return r.path, r.err
	}
	real, err := filepath.EvalSymlinks(path)
	if l.links == nil {
		l.links = map[string]resolved{}
	}
	if len(l.links) < mostRemembered && len(path) <= longestKept {
		l.links[path] = resolved{real, err}
	}
	return real, err
}

// stat returns the metadata of a file; see [os.Stat].
func (l *lookUps) stat(path string) (fs.FileInfo, error) {
	if d, known := l.infos[path]; known {
		return d.info, d.err
	}
	info, err := os.Stat(path)
	if l.infos == nil {
		l.infos = map[string]described{}
	}
	if len(l.infos) < mostRemembered && len(path) <= longestKept {
		l.infos[path] = described{info, err}
	}
	return info, err
}

// isDir reports whether a path refers to a directory.
func (l *lookUps) isDir(path string) bool {
	info, err := l.stat(path)
	return err == nil && info.IsDir()
}

// folderOf returns the folder of a file, as named and with links resolved.
func (l *lookUps) folderOf(path string) []string {
	dirs := []string{filepath.Dir(path)}
	if real, err := l.real(path); err == nil && filepath.Dir(real) != dirs[0] {
		dirs = append(dirs, filepath.Dir(real))
	}
	return dirs
}
