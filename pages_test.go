package snaphook_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Each piece of Go code on a page is, line by line, in one Go file of the repository: the file
// compiles, therefore the code on the page does. Pieces end at blank lines and at lines "…".
// Indentation and comments at the end of a line may differ. A whole program, below a line
// "<!-- file PATH -->", is left to the test that runs the page.
func TestGoCodeOfPagesIsCompiledCode(t *testing.T) {
	var files []string
	pages := []string{"README.md"}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && strings.HasPrefix(d.Name(), ".") && path != ".":
			return fs.SkipDir
		case strings.HasSuffix(path, ".go"):
			files = append(files, "\n"+strings.Join(codeLines(read(t, path)), "\n")+"\n")
		case strings.HasSuffix(path, ".md") && strings.HasPrefix(path, "docs"+string(os.PathSeparator)):
			pages = append(pages, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, page := range pages {
		blocks := strings.Split(read(t, page), "```go\n")
		for i, block := range blocks[1:] {
			before := strings.TrimSpace(blocks[i])
			if strings.HasPrefix(before[strings.LastIndex(before, "\n")+1:], "<!-- file ") {
				continue
			}
			code, _, _ := strings.Cut(block, "```")
			for _, piece := range pieces(code) {
				seen++
				if !containsAny(files, "\n"+piece+"\n") {
					t.Errorf("%s shows code that no Go file has:\n%s", page, piece)
				}
			}
		}
	}
	if seen < 20 {
		t.Errorf("the pages have %d pieces of Go code; want at least 20", seen)
	}
}

// pieces splits code at blank lines and at lines "…".
func pieces(code string) (all []string) {
	var lines []string
	for line := range strings.SplitSeq(code+"\n\n", "\n") {
		if line = strings.TrimSpace(line); line != "" && line != "…" {
			lines = append(lines, line)
			continue
		}
		if lines = codeLines(strings.Join(lines, "\n")); len(lines) > 0 {
			all = append(all, strings.Join(lines, "\n"))
		}
		lines = nil
	}
	return all
}

// codeLines returns the lines of code without indentation, comments and blank lines. A comment begins
// with "//" after a space or at the beginning of a line.
func codeLines(code string) (lines []string) {
	for line := range strings.SplitSeq(code, "\n") {
		if line, _, _ = strings.Cut(" "+strings.ReplaceAll(line, "\t", " "), " //"); strings.TrimSpace(line) != "" {
			lines = append(lines, strings.Join(strings.Fields(line), " "))
		}
	}
	return lines
}

func containsAny(texts []string, piece string) bool {
	for _, text := range texts {
		if strings.Contains(text, piece) {
			return true
		}
	}
	return false
}
