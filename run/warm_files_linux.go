package run

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/snaphook-go/snaphook/internal/bounded"
)

// fileList lists the files that a resident interpreter has preloaded. A call has to start cold if a listed file has
// changed, or if a new file hides a listed one. The engine checks the list while the process of the call starts.
type fileList struct {
	id      string
	files   []listedFile
	folders []listedFolder
}

type listedFile struct {
	path string
	was  fileStamp // zero if the file did not exist
}

// listedFolder is a folder that the interpreter searches before its library.
type listedFolder struct {
	path   string
	hiding map[string]bool // names of modules that the folder must not have
}

// number returns the id by which the interpreter knows the list.
func (l *fileList) number() string {
	if l == nil {
		return "0"
	}
	return l.id
}

// holds reports whether all files are unchanged and no module is hidden, for a call in a directory. It returns true for
// a nil list, because the interpreter begins no call before its list was read.
func (l *fileList) holds(dir string) bool {
	if l == nil {
		return true
	}
	for i := range l.files {
		if f := &l.files[i]; stampOf(inDir(f.path, dir)) != f.was {
			return false
		}
	}
	for _, folder := range l.folders {
		if folder.hides(dir) {
			return false
		}
	}
	return true
}

// hides reports whether the folder has a file with the name of a loaded module. A folder that the engine cannot read
// cannot hide a module from the interpreter either.
func (l *listedFolder) hides(dir string) bool {
	f, err := bounded.OpenDir(cmp.Or(inDir(l.path, dir), "."))
	if err != nil {
		return false
	}
	defer f.Close()
	for {
		names, err := f.Readdirnames(1024) // in chunks: a project may have any number of files
		for _, name := range names {
			if stem, _, _ := strings.Cut(name, "."); l.hiding[stem] {
				return true
			}
		}
		if err != nil {
			return false
		}
	}
}

// parseList parses a list: items separated by NUL, each of which begins with a letter for its kind.
func parseList(text string) (*fileList, error) {
	l := &fileList{}
	all, script := map[string]bool{}, map[string]bool{}
	for item := range strings.SplitSeq(text, "\x00") {
		kind, rest := item[:min(1, len(item))], item[min(1, len(item)):]
		switch kind {
		case "l":
			l.id = rest
		case "n": // "n": a module that a file in any folder can hide
			all[rest], script[rest] = true, true
		case "c": // "c": a module that is imported before the folder of the script is searched
			all[rest] = true
		case "s":
			l.folders = append(l.folders, listedFolder{rest, script})
		case "d":
			l.folders = append(l.folders, listedFolder{rest, all})
		case "f":
			f, err := parseListed(rest)
			if err != nil {
				return nil, err
			}
			l.files = append(l.files, f)
		default:
			return nil, fmt.Errorf("unexpected entry %q in the list of loaded files", item)
		}
	}
	return l, nil
}

// parseListed reads "- path" or "time size inode device path".
func parseListed(item string) (f listedFile, err error) {
	if path, none := strings.CutPrefix(item, "- "); none {
		return listedFile{path: path}, nil
	}
	parts := strings.SplitN(item, " ", 5)
	if len(parts) < 5 {
		return f, fmt.Errorf("unexpected path %q in the list of loaded files", item)
	}
	var n [4]uint64
	for i := range n {
		if n[i], err = strconv.ParseUint(parts[i], 10, 64); err != nil {
			return f, err
		}
	}
	return listedFile{parts[4], fileStamp{unix.NsecToTimespec(int64(n[0])), int64(n[1]), n[2], n[3]}}, nil
}
