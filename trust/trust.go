// Package trust records a user's consent to run the hooks of a project: the hooks, and the bytes of the files that they
// run. Trust covers exactly these; when one changes, the user has to consent again.
//
//	covered, err := trust.Cover(ctx, dir, hooks, trust.Options{})  // the hooks that would run
//	…                                                              // the user agrees
//	digests := map[string]string{"llxprt": covered.Digest}
//	err = store.Decide(ctx, dir, trust.Decision{State: trust.Granted, Digests: digests, Guards: covered.Guards})
//	…
//	all, err := store.Read(ctx)
//	state := all.State(dir, digests)
//	sys := pipeline.NewSystem(pipeline.Config{
//		Wrap:    covered.Wrap, // only covered bytes run
//		Granted: all.Guards,   // a missing guard is noticed
//	})
//	ses, err := sys.NewSession(ctx, pipeline.SessionConfig{Dir: dir, Untrusted: state != trust.Trusted})
//
// Cover runs nothing of the project. It finds the files of a command from its words: files of the project that they
// name, through variables, cd and patterns; files that these run in turn, if they are shell scripts; the imports of
// scripts in Python and Node; and the interpreters. A program, an option or an import makes a hook unclear unless Cover
// knows that it loads nothing else: the hook is marked, and trust then covers all files of the project, including files
// of submodules, files below symbolic links, and files that git does not track.
package trust

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/go-json-experiment/json"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/policy"
)

// State is the state of a user's trust in the hooks of a directory.
type State string

// The states.
const (
	Trusted   State = "trusted"
	Untrusted State = "untrusted" // revoked
	Unknown   State = "unknown"   // the user has not decided
	Changed   State = "changed"   // granted, but hooks or files have changed since
)

// File is a file that a hook runs, or may run.
type File struct {
	File   string `json:"file"` // absolute; in the digest relative to the project, if the file is below it
	SHA256 string `json:"sha256"`
}

// Hook is a hook with everything that trust in the hook covers.
type Hook struct {
	*hook.Hook
	Files []File // in the order in which they were found

	// Unclear is the reason why the words of the hook do not show all files that it runs; it is empty if they do. For
	// an unclear hook Files has all files of the project, and Unclear also reports if these are too many to cover.
	Unclear string

	absent  []string  // missing files that the hook would run
	folders []*folder // folders that the hook searches, in which no file may appear
	python  bool      // the hook runs Python with modules of the project
}

// Covered lists the hooks and files that trust in a directory covers.
type Covered struct {
	Hooks  []Hook
	Digest string // "sha256:…"; empty if there is nothing to cover

	// Guards are the hooks that can block, by dialect, for the decision: see [Decision].
	Guards map[string][]hook.Guard

	// Overlay is the project's overlay without white space; empty if there is none.
	Overlay string

	places  map[hookKey]int // index in Hooks, by hook
	dir     string
	environ []string
	sums    map[string]string // by file, with links resolved
	stamps  map[string]stamp  // by file, as hooks name it
}

// hookKey identifies a hook in a project.
type hookKey struct{ dialect, id string }

// Options holds facts that only the host knows.
type Options struct {
	// Reaching lists settings of the project that affect more than its own hooks, in any form that stays the same while
	// the settings are unchanged.
	Reaching []string

	// Files returns the files of a hook that is not a command, such as a module. Nil means no files.
	Files func(ctx context.Context, h *hook.Hook) ([]string, error)

	// Environ are the variables of commands; nil means the process's environment.
	Environ []string

	// Policy is the source of the project's overlay, which the digest covers too; nil means the
	// file .snaphook.json in dir. Pass the same Source, after [policy.Source.Once], to the engine:
	// the file then cannot change between the two reads.
	Policy *policy.Source
}

// Cover collects the files that trust in hooks covers, and computes the digest. dir is absolute, without symbolic
// links. The digest depends on the hooks in their order, on the bytes of their files, on the overlay and on
// [Options.Reaching], and not on the places of hooks in settings.
//
// Cover reads every file once, at most 20 000 files and 512 MiB in total. It returns an error if hooks name more files,
// because an uncovered file could change unnoticed. If an unclear hook's project has more files, Unclear reports that.
func Cover(ctx context.Context, dir string, hooks []*hook.Hook, opt Options) (*Covered, error) {
	c := newCollector(ctx, dir, opt.Environ)
	covered := &Covered{dir: dir, environ: opt.Environ, sums: c.sums, stamps: c.stamps, places: map[hookKey]int{}}
	for _, h := range hooks {
		found, err := c.hook(h, opt.Files)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", h.Position, err)
		}
		key := hookKey{h.Dialect, h.ID}
		if _, twice := covered.places[key]; !twice { // of two hooks with one ID the first counts
			covered.places[key] = len(covered.Hooks)
		}
		covered.Hooks = append(covered.Hooks, found)
	}
	for i := range covered.Hooks { // after the files that hooks name, because the number of files is limited
		if err := c.project(&covered.Hooks[i]); err != nil {
			return nil, fmt.Errorf("%s: %w", covered.Hooks[i].Position, err)
		}
	}
	if err := covered.overlay(dir, hooks, &opt); err != nil {
		return nil, err
	}
	if len(hooks)+len(opt.Reaching) == 0 {
		return covered, nil
	}
	all := struct {
		Hooks    []digested
		Reaching []string
	}{covered.digests(), opt.Reaching}
	text := sha256.New()
	if json.MarshalWrite(text, all, json.Deterministic(true)) != nil {
		// JSON cannot represent invalid UTF-8; this form can, and it differs for any two hooks.
		text.Reset()
		fmt.Fprintf(text, "%#v", all)
	}
	covered.Digest = "sha256:" + hex.EncodeToString(text.Sum(nil))
	return covered, nil
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
		slices.SortFunc(files, func(a, b File) int { return compare(a.File, b.File) })
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

func compare(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func sum(text []byte) string {
	s := sha256.Sum256(text)
	return hex.EncodeToString(s[:])
}
