package lint

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/snaphook-go/snaphook/internal/bounded"
)

// NotFixed is a finding that was not fixed, with the reason.
type NotFixed struct {
	Finding
	Why string
}

// Apply passes the changes that fix findings to use, such as [Change.Write], one file after the other. It passes only
// changes of files that files lists, and of files that are below a directory of within after links are resolved: a
// project's settings may name any file of the user.
//
// An error is an error of the file system or of use, or reports a file that changed meanwhile; earlier fixes
// remain.
func Apply(
	ctx context.Context, found []Finding, within, files []string, use func(Change) error,
) (fixed []Finding, left []NotFixed, err error) {
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
		changed, done, err := changeOf(ctx, target, found, byFile[file])
		if err == nil && changed.changes() {
			err = use(changed)
		}
		errs = append(errs, err)
		for n, i := range byFile[file] {
			switch {
			case err != nil:
				left = append(left, NotFixed{found[i], err.Error()})
			case done[n]:
				fixed = append(fixed, found[i])
			default:
				left = append(left, NotFixed{found[i], "its change overlaps the change of another finding; run the command again"})
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

// changeOf returns the changes of one file, and which of the findings they fix.
func changeOf(ctx context.Context, file string, found []Finding, which []int) (c Change, done []bool, err error) {
	c = Change{File: file}
	if c.Old, err = bounded.ReadFile(ctx, file, maxSettings); err != nil {
		return c, nil, err
	}
	info, err := os.Stat(file)
	if err != nil {
		return c, nil, err
	}
	c.OldMode, c.NewMode = info.Mode().Perm(), info.Mode().Perm()
	done = make([]bool, len(which))
	var changes []change
	var owner []int
	for n, i := range which {
		for _, one := range found[i].edit {
			if !bytes.Equal(one.seen, c.Old) {
				return c, nil, fmt.Errorf("%s was changed while check read it; run check --fix again", file)
			}
			if one.executable {
				c.NewMode |= c.NewMode & 0o444 >> 2 // users who may read the file may also execute it
				done[n] = true
				continue
			}
			changes, owner = append(changes, one), append(owner, n)
		}
	}
	text, made := applyTo(c.Old, changes)
	all := map[int]bool{}
	for k, ok := range made {
		was, seen := all[owner[k]]
		all[owner[k]] = ok && (was || !seen)
	}
	for n, ok := range all {
		done[n] = ok
	}
	c.New = text
	return c, done, nil
}
