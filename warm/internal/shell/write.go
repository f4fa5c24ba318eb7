package shell

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// Files are written when the script has ended: until then bash may have to run the whole script instead. A script
// that looks at a file that it has written is left to bash.

// mostFiles limits the files that a script writes.
const mostFiles = 16

// create returns the output for a file.
func (s *state) create(name string, more bool) *output {
	switch name {
	case "":
		panic(cold("a file without a name"))
	case "/dev/null":
		return &output{lost: true}
	case "/dev/stdout":
		return s.out
	case "/dev/stderr":
		return s.err
	}
	path := s.path(name)
	own(path)
	for _, f := range s.files {
		if f.file == path && more && !f.empty {
			return f
		}
	}
	var info fs.FileInfo
	err := fs.ErrNotExist
	if !slices.Contains(s.dirs, filepath.Dir(path)) {
		info, err = s.stat(path, true)
	}
	switch {
	case err == nil && (!info.Mode().IsRegular() || !more && info.Size() > mostFile || !mayWrite(path)):
		panic(cold("a write to a file that is not regular, is too large, or cannot be written"))
	case err != nil:
		dir, name := filepath.Split(path)
		if name == "" || name == "." || name == ".." || dir == "" {
			panic(cold("a file without a name"))
		}
		if slices.Contains(s.dirs, filepath.Clean(dir)) {
			break
		}
		at, err := s.stat(dir, true)
		if err != nil || !at.IsDir() || !mayWrite(dir) || !mayEnter(dir) {
			panic(cold("a folder that does not exist, or cannot be written to"))
		}
	}
	s.spend(1024)
	if s.isRead(path) {
		panic(cold("a file that is being read"))
	}
	if len(s.files) >= mostFiles {
		panic(cold("many files that are written"))
	}
	f := &output{file: path, empty: !more}
	s.files = append(s.files, f)
	return f
}

// isRead reports whether a file, even under another path, is the script itself, or standard input of a running
// command, or was opened in a pipe: bash might continue to read in the new text.
func (s *state) isRead(path string) bool {
	info, err := statFile(path, true)
	if err != nil {
		return false // a new file
	}
	same := func(name string) bool {
		other, err := statFile(name, true)
		return err != nil || os.SameFile(info, other)
	}
	for in := s.in; in != nil; in = in.outer {
		if in.path != "" && same(in.path) {
			return true
		}
	}
	if s.piped && slices.ContainsFunc(s.piping, same) {
		return true // the commands of a pipe run at the same time
	}
	if slices.ContainsFunc(s.reading, same) {
		return true
	}
	return s.file != "" && same(s.path(s.file)) || s.File != "" && same(s.path(s.File))
}

// makeFolders creates a folder and its missing parents when the script has ended.
func (s *state) makeFolders(name string) {
	path := filepath.Clean(s.path(name))
	if given := s.path(name); path != given && path+"/" != given || !filepath.IsAbs(path) {
		panic(cold("this path of a folder"))
	}
	own(path)
	var missing []string
	for ; !slices.Contains(s.dirs, path); path = filepath.Dir(path) {
		if slices.ContainsFunc(s.dirs, func(dir string) bool { return strings.HasPrefix(path, dir+"/") }) {
			missing = append(missing, path)
			continue
		}
		info, err := s.stat(path, true)
		if err == nil {
			if !info.IsDir() || len(missing) > 0 && (!mayWrite(path) || !mayEnter(path)) {
				panic(cold("a folder that cannot be made"))
			}
			break
		}
		if !errors.Is(err, fs.ErrNotExist) {
			panic(cold("a folder that cannot be made"))
		}
		missing = append(missing, path)
	}
	slices.Reverse(missing)
	if s.dirs = append(s.dirs, missing...); len(s.dirs) > mostFiles {
		panic(cold("many folders that are made"))
	}
	s.spend(1024 * (1 + len(missing)))
}

// stat describes a file like statFile, and gives the run up for a file that the script has written.
func (s *state) stat(path string, follow bool) (fs.FileInfo, error) {
	s.unwritten(path)
	return statFile(path, follow)
}

// unwritten gives the run up for a file or folder that the script has written or made, also by another path.
func (s *state) unwritten(path string) {
	for _, dir := range s.dirs {
		if filepath.Base(path) == filepath.Base(dir) || strings.HasPrefix(path, dir+"/") {
			panic(cold("a folder that the script has made"))
		}
	}
	if len(s.files) == 0 {
		return
	}
	info, err := statFile(path, true)
	for _, f := range s.files {
		same := filepath.Base(f.file) == filepath.Base(path)
		if err == nil && !same {
			there, err := statFile(f.file, true)
			same = err == nil && os.SameFile(info, there)
		}
		if same {
			panic(cold("a file that the script has written"))
		}
	}
}

// write makes all folders and writes all files. If it returns false, no file has changed.
func (s *state) write() bool {
	if len(s.files) == 0 && len(s.dirs) == 0 {
		return true
	}
	w := writing{}
	defer w.close()
	for _, dir := range s.dirs {
		if os.Mkdir(dir, 0o777) != nil {
			w.undo()
			return false
		}
		w.made = append(w.made, dir)
	}
	for _, f := range s.files {
		if !w.open(f) {
			w.undo()
			return false
		}
	}
	for i, f := range s.files {
		if !w.files[i].put(f) {
			w.undo()
			return false
		}
	}
	return true
}

// writing holds the files being written, and the steps to undo if one cannot be written.
type writing struct {
	files []*target
	made  []string // folders
}

// target is a file that is being written.
type target struct {
	*os.File
	made   bool
	size   int64  // before
	before []byte // the content that is replaced
}

func (w *writing) open(f *output) bool {
	of := &target{}
	var err error
	if of.File, err = os.OpenFile(f.file, os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o666); err == nil {
		of.made = true
	} else if of.File, err = os.OpenFile(f.file, os.O_WRONLY|os.O_APPEND|syscall.O_NONBLOCK, 0); err != nil {
		return false
	}
	w.files = append(w.files, of)
	info, err := of.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	of.size = info.Size()
	if f.empty && of.size > 0 {
		if of.before, err = os.ReadFile(f.file); err != nil || len(of.before) > mostFile {
			return false
		}
	}
	return true
}

func (f *target) put(out *output) bool {
	if out.empty && f.size > 0 && f.Truncate(0) != nil {
		return false
	}
	if len(out.data) == 0 {
		return true
	}
	_, err := f.Write(out.data)
	return err == nil
}

func (w *writing) undo() {
	for _, f := range w.files {
		if f.made {
			_ = os.Remove(f.Name())
			continue
		}
		if f.before == nil {
			_ = f.Truncate(f.size)
			continue
		}
		_ = f.Truncate(0)
		_, _ = f.Write(f.before)
	}
	for _, dir := range slices.Backward(w.made) {
		_ = os.Remove(dir)
	}
}

func (w *writing) close() {
	for _, f := range w.files {
		_ = f.Close()
	}
}
