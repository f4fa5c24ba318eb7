package snaphook_test

import (
	"fmt"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// codeWidth limits the length of Go lines. A line with a string literal may be longer, since literals are not split.
const codeWidth = 120

// tailed matches an expression that follows the closing parenthesis of a call of several lines.
var tailed = regexp.MustCompile(`(?m)^\t*\), \S`)

// Lines of Go are short enough to show two files side by side. Tests may have longer lines, for their tables.
func TestLinesFit(t *testing.T) {
	for _, path := range tracked(t, "*.go") {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		text := read(t, path)
		checkLines(t, path, text)
		for _, at := range tailed.FindAllStringIndex(text, -1) {
			const what = "an expression follows the end of one that is broken over lines: write each on its own"
			t.Errorf("%s:%d: %s", path, lineAt(text, at[1]), what)
		}
	}
}

// Comments say "X does Y"; a clause with "what" leaves out the name of X or Y.
func TestCommentsAreSentences(t *testing.T) {
	const most = 0.02 // limit for the share of comment lines with such a clause
	clause := regexp.MustCompile(`(?i)\bwhat\b`)
	lines, found := 0, []string{}
	for _, path := range tracked(t, "*.go") {
		var s scanner.Scanner
		text := []byte(read(t, path))
		file := token.NewFileSet().AddFile(path, -1, len(text))
		s.Init(file, text, nil, scanner.ScanComments)
		for {
			at, tok, comment := s.Scan()
			if tok == token.EOF {
				break
			}
			if tok != token.COMMENT || strings.HasPrefix(comment, "//go:") {
				continue
			}
			for i, line := range strings.Split(comment, "\n") {
				lines++
				if clause.MatchString(line) {
					found = append(found, fmt.Sprintf("%s:%d: %s", path, file.Line(at)+i, line))
				}
			}
		}
	}
	if share := float64(len(found)) / float64(max(lines, 1)); lines < 5000 || share > most {
		t.Errorf("%d of %d lines of comments have a clause with \"what\", want %.0f %% at most:\n%s",
			len(found), lines, 100*most, strings.Join(found, "\n"))
	}
}

func lineAt(text string, offset int) int { return 1 + strings.Count(text[:offset], "\n") }

func checkLines(t *testing.T, path, text string) {
	t.Helper()
	for i, line := range strings.Split(text, "\n") {
		if width := utf8.RuneCountInString(line); width > codeWidth && !strings.ContainsAny(line, "\"`") {
			t.Errorf("%s:%d: %d characters", path, i+1, width)
		}
	}
}

// No file in the repository is large: build output, and anything else that would slow down every
// clone, is not committed.
func TestNoFileIsLarge(t *testing.T) {
	const most = 256 << 10
	out, err := exec.CommandContext(t.Context(), "git", "ls-files", "-z").Output()
	if err != nil {
		t.Skipf("this is no checkout: %v", err)
	}
	seen := 0
	for path := range strings.SplitSeq(string(out), "\x00") {
		info, err := os.Lstat(path)
		if err != nil {
			continue // deleted, not yet committed
		}
		if seen++; info.Size() > most {
			t.Errorf("%s: %d bytes; want %d at most: remove it, and add it to .gitignore if it is built", path, info.Size(), most)
		}
	}
	if seen < 500 {
		t.Errorf("only %d files were looked at", seen)
	}
}

// tracked lists the files of the checkout that match a Git pattern.
func tracked(t *testing.T, patterns ...string) []string {
	args := append([]string{"ls-files", "--cached", "--others", "--exclude-standard", "--"}, patterns...)
	out, err := exec.CommandContext(t.Context(), "git", args...).Output()
	if err != nil {
		t.Skipf("this is no checkout: %v", err)
	}
	var files []string
	for path := range strings.Lines(string(out)) {
		path = strings.TrimSpace(path)
		if _, err := os.Stat(path); err == nil && !strings.Contains(filepath.ToSlash(path), "/testdata/") {
			files = append(files, path)
		}
	}
	return files
}

// Each package of the engine and of the command line fails its tests if they leave goroutines behind.
func TestEveryPackageLooksForLeaks(t *testing.T) {
	folders := map[string]bool{} // whether a test of the folder looks for leaks
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "testdata" || strings.HasPrefix(entry.Name(), ".") && path != "."):
			return filepath.SkipDir
		case entry.IsDir() && path != "." && path != "cmd" && path != filepath.Join("cmd", "snaphook"):
			if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil {
				return filepath.SkipDir // a module of its own, which does not require goleak
			}
			return nil
		case !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		folder := filepath.ToSlash(filepath.Dir(path))
		folders[folder] = folders[folder] || strings.Contains(string(text), "goleak.")
		return nil
	})
	if err != nil || len(folders) < 30 {
		t.Fatalf("%d folders with tests, %v", len(folders), err)
	}
	for folder, looks := range folders {
		if !looks {
			t.Errorf("%s has tests without goleak; give it a TestMain with goleak.VerifyTestMain", folder)
		}
	}
}
