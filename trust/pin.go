package trust

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/run"
)

// uncoveredRunner is the Runner of a hook that was not covered, or has changed since. It always fails.
type uncoveredRunner struct{ why error }

// Run fails.
func (r uncoveredRunner) Run(context.Context, hook.Call) (hook.Reply, error) {
	return hook.Reply{}, &hook.ClassError{Class: hook.ClassUntrusted, Err: r.why}
}

// agreed checks that the files and folders of one hook are still as they were when the user agreed.
type agreed struct {
	covered *Covered
	hook    *Hook
}

// withoutBytecode keeps Python from writing compiled modules next to its scripts, where they would be new files in a
// folder that a hook searches.
func withoutBytecode(r hook.Runner) {
	c, ok := hook.RunnerAs[*run.Command](r)
	if !ok || c.Environ == nil {
		return
	}
	environ := c.Environ
	c.Environ = func(call hook.Call) []string {
		return append(slices.Clip(environ(call)), "PYTHONDONTWRITEBYTECODE=1")
	}
}

var _ run.Agreed = (*agreed)(nil)

// Same implements [run.Agreed].
func (a *agreed) Same(ctx context.Context, dir string) error {
	for _, file := range a.hook.Files {
		if err := a.covered.same(ctx, file); err != nil {
			return err
		}
	}
	for _, path := range a.hook.absent {
		if _, err := os.Lstat(path); err == nil {
			return notThere(path)
		}
	}
	for _, f := range a.hook.folders {
		if err := f.same(ctx); err != nil {
			return err
		}
	}
	return a.sameIn(ctx, dir)
}

// sameIn returns an error if a command that does not start in the project's directory runs a file that is not covered:
// a relative path then names another file. An unclear hook is not checked here, because trust in it covers all files of
// the project.
func (a *agreed) sameIn(ctx context.Context, dir string) error {
	if dir == "" || dir == a.covered.dir || a.hook.Hook.Type != "command" || a.hook.Unclear != "" {
		return nil
	}
	if a.covered.isProject(dir) {
		return nil
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		real = dir // a missing directory: no process starts there, and nothing in it can be looked up
	}
	c := newCollector(ctx, a.covered.dir, a.covered.environ)
	c.workDirs, c.environ["PWD"] = slices.Compact([]string{filepath.Clean(dir), real}), shellPath(dir)
	found, err := c.hook(a.hook.Hook, nil)
	if err != nil {
		return err
	}
	if found.Unclear != "" {
		return fmt.Errorf("in the working directory %s the files that the hook runs are not known: %s", dir, found.Unclear)
	}
	for _, f := range found.Files {
		if !slices.ContainsFunc(a.hook.Files, func(was File) bool { return was.File == f.File }) {
			return fmt.Errorf("in the working directory %s the hook may run %s, which was not read when its trust was checked", dir, f.File)
		}
	}
	return nil
}

// Open implements [run.Agreed].
func (a *agreed) Open(ctx context.Context, path string) (f *os.File, text []byte, err error) {
	for _, path := range a.covered.spellings(path) {
		for _, file := range a.hook.Files {
			if file.File == path {
				return opened(ctx, file)
			}
		}
	}
	if !a.covered.holds(path) {
		return nil, nil, nil
	}
	if _, err := os.Stat(path); err != nil {
		return nil, nil, err
	}
	return nil, nil, notThere(path)
}

func notThere(path string) error {
	return fmt.Errorf("%s did not exist when its trust was checked", path)
}

func hasChanged(path string) error {
	return fmt.Errorf("%s has changed since its trust was checked; look at it, and grant trust again", path)
}

// stamp holds the metadata of a file when it was hashed.
type stamp struct {
	info fs.FileInfo
	at   time.Time
}

// settled is the age that a file must have when it is hashed. Otherwise a change soon after the hashing could leave the
// times of the file as they are, because the clocks of file systems tick slowly.
const settled = 2 * time.Second

// shows reports whether info proves that the file has not changed since it was hashed.
func (s stamp) shows(info fs.FileInfo) bool {
	if s.info == nil || !os.SameFile(s.info, info) || s.info.Size() != info.Size() ||
		!s.info.ModTime().Equal(info.ModTime()) {
		return false
	}
	was, known := changed(s.info)
	is, _ := changed(info)
	return known && was.Equal(is) && s.at.Sub(was) > settled
}

// couldRun reports whether the file was executable.
func (s stamp) couldRun() bool { return s.info != nil && s.info.Mode()&0o111 != 0 }
