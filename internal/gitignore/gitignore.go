// Package gitignore finds the files of a repository that its .gitignore files exclude, by the rules of git.
//
// It does not read .git/info/exclude and the user's own exclude file, which belong to one clone and one user.
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

// Tree holds the ignore rules of one repository. A nil Tree has no rules.
//
// A .gitignore file is read once, when it is first needed. A Tree may be used
// from many goroutines at once.
type Tree struct {
	root string

	mu    sync.Mutex
	rules map[string][]rule // by the directory of the file, relative to root
	left  steps             // the remaining steps, for all paths together
}

// mostSteps limits the comparisons of a Tree. They take less than half a second; a hundred rules and a
// hundred files need about a hundred thousand comparisons.
const mostSteps steps = 50_000_000

// Open returns the Tree of the repository that contains dir, an absolute path: it searches for an entry .git
// from dir upwards. It returns nil if there is none.
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

// Ignores reports whether the rules exclude a path, or a directory above it. It returns false for a path
// outside the repository, and for every path once the limit of comparisons is reached; see [Tree.Spent].
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
			return true // a file below an excluded directory cannot be included again
		}
	}
	return false
}

// Spent reports whether the limit of comparisons was reached, so that later paths were not compared.
func (t *Tree) Spent() bool {
	if t == nil {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.left < 0
}

// excludes compares the path with the .gitignore files from its own directory up to the root. In the first
// file with a matching rule, the last such rule decides.
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
	readStep = 100       // steps that each byte of a file costs, since a rule needs forty times its text in memory
)

// read returns the rules of a directory; a missing, unreadable or irregular file has no rules. A file that is too large
// uses up all steps.
func (t *Tree) read(dir string) []rule {
	rules, known := t.rules[dir]
	if !known {
		text, err := bounded.ReadFile(
			context.Background(),
			filepath.Join(t.root, filepath.FromSlash(dir), ".gitignore"),
			maxFile,
		)
		if large := new(bounded.SizeError); errors.As(err, &large) {
			t.left.take(int(t.left) + 1) // more steps than are left: take panics
		}
		t.left.take(readStep * len(text))
		rules = parse(string(text))
		t.rules[dir] = rules
	}
	return rules
}

// rule is one line of a .gitignore file.
type rule struct {
	segments []string // the parts of the pattern between slashes
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

// trimEnd removes the spaces at the end of a line, except one after a backslash.
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

// matches tests a path relative to the directory of the rule's file.
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

// path tests a pattern segment by segment. Two asterisks match any number of names, at least one if they come last.
func (s *steps) path(pattern, names []string) bool {
	again, from := -1, 0 // positions from which ** takes one more name; -1: there is no **
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
