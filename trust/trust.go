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

	"github.com/go-json-experiment/json"

	"github.com/snaphook-go/snaphook/hook"
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

func sum(text []byte) string {
	s := sha256.Sum256(text)
	return hex.EncodeToString(s[:])
}
