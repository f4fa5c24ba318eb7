package permission

import (
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
)

// foldsCase is set on systems whose file systems usually ignore the case of names: .ENV is .env.
var foldsCase = runtime.GOOS == "darwin" || runtime.GOOS == "windows"

const (
	maxPath  = 4 << 10 // bytes; the system does not open longer paths
	maxLinks = 40      // on the way to a file, as in Linux
)

// followed returns the file to which a path refers, as the system would resolve it: each symbolic link is followed, and
// a missing part is taken as a name. ok is false for a path by which no file could be opened. Each part of the path
// costs a system call of about a microsecond.
func followed(file, dir, home string) (real string, ok bool) {
	if runtime.GOOS == "windows" {
		if !isWindows(file) {
			file = filepath.Join(filepath.FromSlash(dir), file)
		}
		real, err := filepath.EvalSymlinks(file)
		return path.Clean(posix(real)), err == nil
	}
	switch {
	case file == "~", strings.HasPrefix(file, "~/"):
		file = home + file[1:]
	case !strings.HasPrefix(file, "/"):
		file = dir + "/" + file
	}
	if len(file) > maxPath || isWindows(file) || !strings.HasPrefix(file, "/") || strings.ContainsRune(file, 0) {
		return "", false
	}
	real = "/"
	for links := 0; file != ""; {
		var name string
		name, file, _ = strings.Cut(file, "/")
		switch next := path.Join(real, name); {
		case name == "..":
			real = path.Dir(real)
		case next != real:
			target, err := os.Readlink(next)
			if err != nil {
				real = next
				break
			}
			if links++; links > maxLinks || len(target)+len(file) > maxPath {
				return "", false
			}
			if file = target + "/" + file; strings.HasPrefix(target, "/") {
				real = "/"
			}
		}
	}
	return real, true
}
