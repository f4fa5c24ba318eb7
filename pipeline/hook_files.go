package pipeline

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"sync"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/scratch"
)

// hookFiles holds the files of a session's hooks: exported variables, and texts that are too long to pass on.
type hookFiles struct {
	mu     sync.Mutex
	dir    string // the directory for the files; empty until one is needed
	named  int    // number of names created below dir
	closed bool
	vars   []*varsDir
}

// newPath returns a new path below the directory for the files of s, with a number in its name that was not used
// before.
func (f *hookFiles) newPath(s *Session, name string) (path string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return "", hook.ErrClosed // too late for Close to remove the file
	}
	if f.dir == "" {
		if f.dir, err = s.host.newScratch(); err != nil {
			return "", err
		}
		s.sys.scratches.add(f.dir)
		runtime.AddCleanup(s, s.sys.scratches.drop, f.dir) // for a session that is collected without Close
	}
	f.named++
	return filepath.Join(f.dir, strconv.Itoa(f.named)+"-"+name), nil
}

// replaceVars adds the directory of a fire's variables, and removes the directory of the event's previous fire.
func (f *hookFiles) replaceVars(d *varsDir) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.forget(func(old *varsDir) bool { return old.event == d.event })
	f.vars = append(f.vars, d)
}

// forgetVars removes all variables.
func (f *hookFiles) forgetVars() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.forget(func(*varsDir) bool { return true })
}

// forget removes some variables, under the lock.
func (f *hookFiles) forget(gone func(*varsDir) bool) {
	f.vars = slices.DeleteFunc(f.vars, func(d *varsDir) bool {
		if !gone(d) {
			return false
		}
		d.stale = true
		d.clean()
		return true
	})
}

// useVars changes the number of users of d by more; d may be nil.
func (f *hookFiles) useVars(d *varsDir, more int) {
	if d == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	d.users += more
	d.clean()
}

// exported returns the files in which hooks have exported variables.
func (f *hookFiles) exported() (files []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, d := range f.vars {
		for i := range d.hooks {
			if info, err := os.Stat(varsFile(d.path, i)); err == nil && info.Mode().IsRegular() && info.Size() > 0 {
				files = append(files, varsFile(d.path, i))
			}
		}
	}
	return files
}

// close makes later calls of newPath fail.
func (f *hookFiles) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
}

// remove removes the files.
func (f *hookFiles) remove(all *scratches) {
	f.mu.Lock()
	defer f.mu.Unlock()
	all.drop(f.dir)
	f.dir, f.vars = "", nil
}

// scratches holds the directories in which the sessions of a system have left files.
type scratches struct {
	mu   sync.Mutex
	dirs map[string]struct{}
}

func (s *scratches) add(dir string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dirs == nil {
		s.dirs = map[string]struct{}{}
	}
	s.dirs[dir] = struct{}{}
}

// drop removes a directory if it is still listed.
func (s *scratches) drop(dir string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, kept := s.dirs[dir]; kept {
		delete(s.dirs, dir)
		_ = scratch.Remove(dir)
	}
}

// remove removes all listed directories.
func (s *scratches) remove() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for dir := range s.dirs {
		_ = scratch.Remove(dir)
	}
	s.dirs = nil
}
