package snaphook_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// codeWidth is the longest line of Go; one with a text in it may be longer, since texts are not cut.
const codeWidth = 120

// unclear maps words that a reader of this project has to look up to the words to write instead.
var unclear = map[string]string{
	"nobody": "no user, no process, not", "somebody": "a user, a process", "whoever": "the user who, the code that",
	"misfit": "input error", "behind": "after", "heed": "take into account", "underway": "in flight", "herald": "async marker", "mourning": "waiting for its end",
	"gives": "returns, has, passes", "lane": "shard", "veto": "deny",
}

// tailed is the end of a call that is broken over lines, and more after it.
var tailed = regexp.MustCompile(`(?m)^\t*\), \S`)

// Lines of Go fit beside another file, and no word has to be looked up. Tests may
// hold longer lines, for their tables.
func TestLinesAndWords(t *testing.T) {
	words := regexp.MustCompile(`(?i)\b(` + strings.Join(keys(unclear), "|") + `)\b`)
	for _, path := range tracked(t, "*.go", "*.md") {
		text, test := read(t, path), strings.HasSuffix(path, "_test.go")
		checkLines(t, path, text)
		if test || path == "CHANGELOG.md" {
			continue
		}
		for _, at := range words.FindAllStringIndex(text, -1) {
			word := text[at[0]:at[1]]
			t.Errorf("%s:%d: %q: write %q", path, lineAt(text, at[0]), word, unclear[strings.ToLower(word)])
		}
		if strings.HasSuffix(path, ".go") {
			for _, at := range tailed.FindAllStringIndex(text, -1) {
				const what = "an expression follows the end of one that is broken over lines: write each on its own"
				t.Errorf("%s:%d: %s", path, lineAt(text, at[1]), what)
			}
		}
	}
}

func lineAt(text string, offset int) int { return 1 + strings.Count(text[:offset], "\n") }

func checkLines(t *testing.T, path, text string) {
	t.Helper()
	if strings.HasSuffix(path, ".md") || strings.HasSuffix(path, "_test.go") {
		return
	}
	for i, line := range strings.Split(text, "\n") {
		if width := utf8.RuneCountInString(line); width > codeWidth && !strings.ContainsAny(line, "\"`") {
			t.Errorf("%s:%d: %d characters", path, i+1, width)
		}
	}
}

// No file in the repository is large: build output is not committed, and neither is anything else
// that would slow down every clone.
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
			continue // removed, and not yet committed
		}
		if seen++; info.Size() > most {
			t.Errorf("%s: %d bytes; want %d at most: remove it, and add it to .gitignore if it is built", path, info.Size(), most)
		}
	}
	if seen < 500 {
		t.Errorf("only %d files were looked at", seen)
	}
}

// tracked are the files of the checkout that match a pattern of Git.
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

func keys(m map[string]string) (all []string) {
	for k := range m {
		all = append(all, k)
	}
	return all
}
