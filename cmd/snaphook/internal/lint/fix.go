package lint

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2/maybe"

	"github.com/snaphook-go/snaphook/internal/bounded"
)

// NotFixed is a finding that was not fixed, with the reason.
type NotFixed struct {
	Finding
	Why string
}

// Apply makes the changes of findings that have any. It changes only files below one of the
// directories, after links are resolved, and those in files: a project's settings may name any file
// of the user. It replaces each file as a whole, and keeps its mode.
//
// An error is an error of the file system, or reports a file that changed meanwhile; earlier fixes
// remain.
func Apply(ctx context.Context, found []Finding, within, files []string) (fixed []Finding, left []NotFixed, err error) {
	byFile, order := map[string][]int{}, []string{}
	for i, f := range found {
		if f.edit == nil {
			continue
		}
		file := f.edit[0].file
		if byFile[file] == nil {
			order = append(order, file)
		}
		byFile[file] = append(byFile[file], i)
	}
	var errs []error
	for _, file := range order {
		target, why := allowed(file, within, files)
		if why != "" {
			for _, i := range byFile[file] {
				left = append(left, NotFixed{found[i], why})
			}
			continue
		}
		done, err := applyFile(ctx, target, found, byFile[file])
		errs = append(errs, err)
		for n, i := range byFile[file] {
			switch {
			case err != nil:
				left = append(left, NotFixed{found[i], err.Error()})
			case done[n]:
				fixed = append(fixed, found[i])
			default:
				left = append(left, NotFixed{found[i], "it overlaps another change; run it again"})
			}
		}
	}
	return fixed, left, errors.Join(errs...)
}

// allowed returns the file after links are resolved, or why it must not be changed.
func allowed(file string, within, files []string) (target, why string) {
	target, err := filepath.EvalSymlinks(file)
	if err == nil {
		target, err = filepath.Abs(target)
	}
	if err != nil {
		return "", err.Error()
	}
	for _, f := range files {
		if same, err := filepath.Abs(f); err == nil && same == target {
			return target, ""
		}
	}
	for _, dir := range within {
		root, err := filepath.EvalSymlinks(dir)
		if err != nil {
			continue
		}
		if below, err := filepath.Rel(root, target); err == nil && filepath.IsLocal(below) {
			return target, ""
		}
	}
	return "", "the file lies outside of the project; name it as an argument of check, or change it by hand"
}

// applyFile makes the changes of one file.
func applyFile(ctx context.Context, file string, found []Finding, which []int) (done []bool, err error) {
	text, err := bounded.ReadFile(ctx, file, maxSettings)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	mode, done := info.Mode().Perm(), make([]bool, len(which))
	var changes []change
	var owner []int
	for n, i := range which {
		for _, c := range found[i].edit {
			if !bytes.Equal(c.seen, text) {
				return nil, fmt.Errorf("%s was changed while it was looked at; run check --fix again", file)
			}
			if c.executable {
				mode |= mode & 0o444 >> 2 // users who may read it may execute it
				done[n] = true
				continue
			}
			changes, owner = append(changes, c), append(owner, n)
		}
	}
	changed, made := applyTo(text, changes)
	all := map[int]bool{}
	for k, ok := range made {
		was, seen := all[owner[k]]
		all[owner[k]] = ok && (was || !seen)
	}
	for n, ok := range all {
		done[n] = ok
	}
	if bytes.Equal(changed, text) {
		return done, os.Chmod(file, mode)
	}
	if err := maybe.WriteFile(file, changed, mode); err != nil {
		return nil, err
	}
	return done, os.Chmod(file, mode) // the umask does not apply to the file's own mode
}
