// Package gitignore finds the files that the .gitignore files of a repository leave out, by the
// rules of git.
//
// It does not read the exclude file of the repository and of the user: these belong to one
// person's git.
package gitignore

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/snaphook-go/snaphook/internal/bounded"
)

// Tree answers for the files of one repository. A nil Tree is no repository,
// and leaves nothing out.
//
// A .gitignore file is read once, when it is first needed. A Tree may be used
// from many goroutines at once.
type Tree struct {
	root string

	mu    sync.Mutex
	rules map[string][]rule // by the directory of the file, relative to root
	left  steps             // for all paths together
}

// mostSteps take less than half a second. A hundred rules and a hundred files need some
// hundred thousand.
const mostSteps steps = 50_000_000

// Open returns the repository that dir, an absolute path, is part of: its nearest
// directory with an entry .git, from dir itself upwards. It is nil if there is
// none.
func Open(dir string) *Tree {
	for dir = filepath.Clean(dir); ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return &Tree{root: dir, rules: map[string][]rule{}, left: mostSteps}
		}
		if dir == filepath.Dir(dir) {
			return nil
		}
	}
}

// Ignores reports whether the rules leave out a path, which is a directory or
// not: by a rule for it, or because a directory above it is left out. A path
// outside the repository is not, and none is any more when too much was compared: see
// [Tree.Spent].
func (t *Tree) Ignores(path string, isDir bool) (is bool) {
	if t == nil {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	defer func() {
		if failed := recover(); failed == errSpent {
			is = false
		} else if failed != nil {
			panic(failed)
		}
	}()
	rel, err := filepath.Rel(t.root, path)
	if err != nil || rel == "." || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return false
	}
	names := strings.Split(filepath.ToSlash(rel), "/")
	for i := range names {
		if t.excludes(names[:i+1], isDir || i < len(names)-1) {
			return true // a file below a directory that is left out cannot come back
		}
	}
	return false
}

// Spent reports whether the rules are so many, or so long, that they were not all compared.
func (t *Tree) Spent() bool {
	if t == nil {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.left < 0
}

// excludes asks the files from the one next to the path up to the root: the
// last matching rule of the first file that has one decides.
func (t *Tree) excludes(names []string, isDir bool) bool {
	for depth := len(names) - 1; depth >= 0; depth-- {
		rules := t.read(strings.Join(names[:depth], "/"))
		for i := len(rules) - 1; i >= 0; i-- {
			if rules[i].matches(&t.left, names[depth:], isDir) {
				return !rules[i].negated
			}
		}
	}
	return false
}

const (
	maxFile  = 128 << 10 // bytes of a .gitignore file
	readStep = 100       // steps for each of them: a rule takes forty times its text in memory
)

// read returns the rules of a directory. A file that cannot be read, or is no
// regular file, has none; one that is too large is too much to compare.
func (t *Tree) read(dir string) []rule {
	rules, known := t.rules[dir]
	if !known {
		text, err := bounded.ReadFile(
			context.Background(),
			filepath.Join(t.root, filepath.FromSlash(dir), ".gitignore"),
			maxFile,
		)
		if large := new(bounded.SizeError); errors.As(err, &large) {
			t.left.take(int(t.left) + 1) // as if it had been compared
		}
		t.left.take(readStep * len(text))
		rules = parse(string(text))
		t.rules[dir] = rules
	}
	return rules
}

// rule is one line of a file.
type rule struct {
	segments []string // of the pattern, between slashes
	anywhere bool     // the pattern is for a name in any directory
	negated  bool
	dirOnly  bool
}

func parse(text string) (rules []rule) {
	for line := range strings.SplitSeq(strings.TrimPrefix(text, "\ufeff"), "\n") {
		if r, ok := parseLine(strings.TrimSuffix(line, "\r")); ok {
			rules = append(rules, r)
		}
	}
	return rules
}

func parseLine(line string) (r rule, ok bool) {
	if strings.HasPrefix(line, "#") {
		return r, false
	}
	line = trimEnd(line)
	line, r.negated = strings.CutPrefix(line, "!")
	line, r.dirOnly = strings.CutSuffix(line, "/")
	r.anywhere = !strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	r.segments = strings.Split(line, "/")
	return r, line != ""
}

// trimEnd removes the spaces at the end, up to one that a backslash keeps.
func trimEnd(line string) string {
	end := 0
	for i := 0; i < len(line); i++ {
		switch {
		case line[i] == '\\' && i+1 < len(line):
			i++
			end = i + 1
		case line[i] != ' ':
			end = i + 1
		}
	}
	return line[:end]
}

// matches tests a path relative to the file of the rule.
func (r *rule) matches(left *steps, names []string, isDir bool) bool {
	left.take(1)
	if r.dirOnly && !isDir {
		return false
	}
	if r.anywhere {
		return left.glob(r.segments[0], names[len(names)-1])
	}
	return left.path(r.segments, names)
}

// path tests a pattern segment by segment. Two asterisks stand for any number
// of names, at the end for at least one.
func (s *steps) path(pattern, names []string) bool {
	again, from := -1, 0 // where the last two asterisks take one name more
	p, n := 0, 0
	for n < len(names) || p < len(pattern) {
		s.take(1)
		switch {
		case p < len(pattern) && pattern[p] == "**" && (p < len(pattern)-1 || n < len(names)):
			if p == len(pattern)-1 {
				return true
			}
			p, again, from = p+1, p+1, n
		case p < len(pattern) && n < len(names) && s.glob(pattern[p], names[n]):
			p, n = p+1, n+1
		case again >= 0 && from < len(names):
			from++
			p, n = again, from
		default:
			return false
		}
	}
	return true
}
