package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/samber/lo"
)

// ShortPath returns a path relative to the current directory if the file is below
// it, as compilers do.
func ShortPath(path string) string {
	wd, err := os.Getwd()
	if err != nil {
		return path
	}
	if below, err := filepath.Rel(wd, path); err == nil && filepath.IsLocal(below) {
		return filepath.ToSlash(below)
	}
	return path
}

// WantDir returns an error for a path that is not a directory.
func WantDir(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("there is no such directory; give the path of an existing directory")
	case err != nil:
		return err
	case !info.IsDir():
		return errors.New("this is not a directory; give the path of a directory")
	}
	return nil
}

// WantFile returns an error for an empty path, for a file that does not exist, with similar names in its directory, and
// for a file that cannot be looked up. It does not open the file.
func WantFile(path string) error {
	if path == "" {
		return errors.New("the name of the file is missing")
	}
	_, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no such file%s; give the path of an existing file", similarFiles(path))
	}
	return err
}

// similarFiles proposes files of the same directory with similar names. It returns "" if there is no such file.
func similarFiles(path string) string {
	dir, name := filepath.Split(path)
	entries, err := os.ReadDir(filepath.Join(".", dir))
	if filepath.IsAbs(path) {
		entries, err = os.ReadDir(dir)
	}
	if err != nil {
		return ""
	}
	names := lo.FilterMap(entries, func(e os.DirEntry, _ int) (string, bool) { return e.Name(), !e.IsDir() })
	return DidYouMean(filepath.ToSlash(dir), name, names)
}
