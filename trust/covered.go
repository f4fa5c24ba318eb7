package trust

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/policy"
	"github.com/snaphook-go/snaphook/run"
)

// Covered lists the hooks and files that trust in a directory covers.
type Covered struct {
	Hooks  []Hook
	Digest string // "sha256:…"; empty if there is nothing to cover

	// Guards are the hooks that can block, by dialect, for the decision: see [Decision].
	Guards map[string][]hook.Guard

	// Overlay holds the project's overlay without white space. It is empty if the project has none.
	Overlay string

	places  map[hookKey]int // index in Hooks, by hook
	dir     string
	environ []string
	sums    map[string]string // by file, with links resolved
	stamps  map[string]stamp  // by file, as hooks name it
}

// hookKey identifies a hook in a project.
type hookKey struct{ dialect, id string }

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

// overlay reads the project's overlay, appends it to Reaching, and finds the hooks that are guards under the overlay.
func (c *Covered) overlay(dir string, hooks []*hook.Hook, opt *Options) error {
	source := opt.Policy
	if source == nil {
		source = &policy.Source{Files: map[policy.Level]string{policy.Project: filepath.Join(dir, policy.FileName)}}
	}
	v, set, err := source.Project(dir)
	if err != nil {
		return err
	}
	if v.Exists() {
		text := slices.Clone(v.JSON())
		_ = text.Compact() // the text has been parsed as JSON
		c.Overlay = string(text)
		opt.Reaching = append(slices.Clip(opt.Reaching), policy.FileName+": "+c.Overlay)
	}
	c.Guards = pipeline.Guards(dir, hooks, set)
	return nil
}

// Check returns an error if a file is not covered, or if text differs from the covered text. Code that reads files
// after Cover calls Check, such as the loader of modules.
func (c *Covered) Check(path string, text []byte) error {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	was, covered := c.sums[real]
	switch {
	case !covered:
		return notThere(path)
	case was != sum(text):
		return hasChanged(path)
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

// digested is the part of a hook that enters the digest: its behaviour, not its place in settings.
type digested struct {
	Event, Name, Type, Command   string
	Argv                         []string
	Source, Matcher, If          string
	Timeout                      int64 // nanoseconds
	Sequential, Once, FailClosed bool
	Background                   hook.Background
	Unclear                      bool
	Files                        []File
	Vars                         []string `json:",omitempty"`
	Entry                        string   `json:",omitempty"` // the sum of its entry in the settings
	// Executable lists the executable files of Files: a script that ceases to be executable may guard nothing
	Executable []string `json:",omitempty"`
}

func (c *Covered) digests() []digested {
	all := make([]digested, 0, len(c.Hooks))
	for _, h := range c.Hooks {
		files := slices.Clone(h.Files)
		for i := range files {
			if below, err := filepath.Rel(c.dir, files[i].File); err == nil && filepath.IsLocal(below) {
				files[i].File = filepath.ToSlash(below)
			}
		}
		d := digestedOf(h.Hook)
		for i := range h.Files { // files still has the order of h.Files
			if c.stamps[h.Files[i].File].couldRun() {
				d.Executable = append(d.Executable, files[i].File)
			}
		}
		slices.Sort(d.Executable)
		slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.File, b.File) })
		d.Unclear, d.Files = h.Unclear != "", files
		all = append(all, d)
	}
	return all
}

// digestedOf returns the digested part of a hook, without its files.
func digestedOf(h *hook.Hook) digested {
	entry := ""
	if h.EntrySum != [32]byte{} {
		entry = hex.EncodeToString(h.EntrySum[:])
	}
	return digested{
		h.Dialect + "." + h.Event, h.Name, h.Type, h.Command, h.Argv, h.Source.String(), h.Pattern, h.If,
		int64(h.Timeout), h.Sequential, h.Once, h.FailClosed, h.Background, false, nil, h.Vars, entry, nil,
	}
}
