package shell

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/snaphook-go/snaphook/internal/bounded"
)

// programFile identifies the content of a program's file.
type programFile struct {
	path          string
	device, inode uint64
	size          int64
	changed       int64 // nanoseconds
	wrote         int64
}

// installed leaves the script to bash unless bash would start the known program of that name.
func (t *tools) installed(s *state, name string, program Program) {
	for variable := range s.Env {
		changesPrograms(variable)
	}
	for variable := range s.vars { // the script may export it
		changesPrograms(variable)
	}
	if !certainLocale(s.Env) {
		panic(cold("a locale in which programs may sort and compare differently"))
	}
	if s.Alone {
		return
	}
	file := s.lookup(name)
	if file == "" {
		panic(cold(name + " is not there"))
	}
	id, ok := identify(file)
	if !ok {
		panic(cold(file + " is not a program of the system"))
	}
	is, tested := t.known.Load(id)
	if !tested {
		is = isBinary(file) && program.Known(file)
		t.known.Store(id, is)
	}
	if !is.(bool) {
		panic(cold("this version of " + name))
	}
}

// changesPrograms gives the run up for a variable that the loader, the C library or the programs themselves read.
func changesPrograms(variable string) {
	for _, prefix := range [...]string{"LD_", "GLIBC_", "GCONV_", "MALLOC_", "LOCPATH", "NLSPATH", "POSIX", "_POSIX", "JQ_", "GREP_"} {
		if strings.HasPrefix(variable, prefix) {
			panic(cold("$" + variable + ", which programs read"))
		}
	}
}

// certainLocale reports whether the locale is C, or one of UTF-8 in which the programs treat ASCII as in C.
func certainLocale(env map[string]string) bool {
	for _, name := range [...]string{"LC_ALL", "LC_CTYPE", "LC_COLLATE", "LANG"} {
		switch strings.ToLower(env[name]) {
		case "", "c", "posix", "c.utf-8", "c.utf8", "en_us.utf-8", "en_us.utf8", "en_gb.utf-8", "en_gb.utf8":
		default:
			return false
		}
	}
	return true
}

// lookup finds the file of a program as bash does; "" if there is none. It leaves the script to bash if bash might find
// another file.
func (s *state) lookup(name string) (file string) {
	if strings.HasPrefix(name, "/") {
		own(name)
		if info, err := s.stat(name, true); err != nil || !info.Mode().IsRegular() || info.Mode().Perm()&0o111 != 0o111 {
			panic(cold(name + ", which may be no program for this user"))
		}
		return name
	}
	path, set := s.Env["PATH"]
	if _, is := s.Env["BASH_FUNC_"+name+"%%"]; is || !set || path == "" {
		panic(cold(name + ", which may be a function, without PATH"))
	}
	for dir := range strings.SplitSeq(path, ":") {
		if !filepath.IsAbs(dir) {
			panic(cold("a relative folder in $PATH"))
		}
		s.spend(64)
		file := strings.TrimSuffix(dir, "/") + "/" + name
		own(file)
		info, err := s.stat(file, true)
		switch {
		case errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR):
			continue
		case err != nil || !info.Mode().IsRegular() || info.Mode().Perm()&0o111 != 0o111:
			panic(cold(file + ", which may be no program for this user")) // bash may continue its search, or stop here
		}
		return file
	}
	return ""
}

// isBinary reports whether a file is a compiled program and not a script.
func isBinary(path string) bool {
	f, _, err := bounded.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 4)
	_, err = f.Read(head)
	return err == nil && string(head) == "\x7fELF"
}
