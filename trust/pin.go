package trust

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/run"
)

// Wrap returns a Runner of a hook that runs the covered bytes, or fails. Before each call it checks every file that
// trust in the hook covers. Scripts run from the bytes that were compared; see [run.Command.Pin]. A covered hook that
// differs from the hook given to Cover, and a project's hook that was not covered, get a Runner that always fails;
// other hooks keep their own. Each of these failures has the class [hook.ClassUntrusted] and blocks an event that can
// block, so that changing a guard does not disable it. With the zero Covered no hook of the project runs.
//
// Pass Wrap in the Config of an engine, which calls it once for each hook:
//
//	sys := pipeline.NewSystem(pipeline.Config{Wrap: covered.Wrap})
func (c *Covered) Wrap(h *hook.Hook, r hook.Runner) hook.Runner {
	switch at, covered := c.places[hookKey{h.Dialect, h.ID}]; {
	case covered && reflect.DeepEqual(digestedOf(c.Hooks[at].Hook), digestedOf(h)):
		if c.Hooks[at].python {
			withoutBytecode(r)
		}
		return run.Pinned(r, &agreed{c, &c.Hooks[at]})
	case covered || h.Source == hook.Project || h.Source == hook.Local:
		return uncoveredRunner{fmt.Errorf("the hook at %s, or a file that it runs, has changed since trust was granted; look at it, and grant trust again", h.Position)}
	}
	return r
}

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

// isProject reports whether a path refers to the project's directory.
func (c *Covered) isProject(dir string) bool {
	info, err := os.Stat(dir)
	if err != nil {
		return false
	}
	project, err := os.Stat(c.dir)
	return err == nil && os.SameFile(info, project)
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

// spellings returns the paths under which a file may have been covered: the path itself, and the path with links to the
// project resolved.
func (c *Covered) spellings(path string) []string {
	all := []string{filepath.Clean(path)}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		all = append(all, filepath.Join(dir, filepath.Base(path)))
	}
	for dir := filepath.Dir(all[0]); ; dir = filepath.Dir(dir) {
		if real, err := filepath.EvalSymlinks(dir); err == nil && real == c.dir {
			below, _ := filepath.Rel(dir, all[0]) // Rel cannot fail: dir contains all[0]
			return append(all, filepath.Join(c.dir, below))
		}
		if dir == filepath.Dir(dir) {
			return all
		}
	}
}

// holds reports whether a path is in the project, or refers to it.
func (c *Covered) holds(path string) bool {
	for _, path := range c.spellings(path) {
		if rel, err := filepath.Rel(c.dir, path); err == nil && filepath.IsLocal(rel) {
			return true
		}
	}
	return false
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

// same returns an error if a file has changed, is missing, or has ceased to be executable.
func (c *Covered) same(ctx context.Context, file File) error {
	info, err := os.Stat(file.File)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return hasChanged(file.File)
	case err != nil:
		return err
	case c.stamps[file.File].couldRun() && info.Mode()&0o111 == 0: // a guard that is not executable would fail open
		return hasChanged(file.File)
	case c.stamps[file.File].shows(info):
		return nil
	}
	f, _, err := opened(ctx, file)
	if err != nil {
		return err
	}
	return f.Close()
}
