package command

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/snaphook-go/snaphook/internal/testkit"
)

// For every mistake of the corpus, --fix changes nothing that check without a flag has not reported. Each fixed
// finding is in the text of check. --diff writes nothing, and prints the files that --fix would change.
func TestFixChangesWhatCheckHasSaid(t *testing.T) {
	corpus, err := filepath.Glob(filepath.Join("..", "internal", "lint", "testdata", "corpus", "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	fixed := map[string]bool{}
	for _, file := range corpus {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for name, files := range mistakesOf(archive) {
			dir := t.TempDir()
			for path, text := range files {
				mode := fs.FileMode(0o755)
				if strings.Contains(string(archive.Comment), name+" mode: "+path+" 0644") {
					mode = 0o644
				}
				testkit.WriteFile(t, filepath.Join(dir, path), text, 0o644)
				if err := os.Chmod(filepath.Join(dir, path), mode); err != nil {
					t.Fatal(err)
				}
			}
			_, said, err := execute(t, "check", "--dir", dir)
			if err != nil {
				t.Fatal(err)
			}
			before := modes(t, dir)
			_, diff, err := execute(t, "check", "--dir", dir, "--fix", "--diff")
			if err != nil || !maps.Equal(before, modes(t, dir)) {
				t.Errorf("%s: --diff has changed files, or failed: %v", name, err)
			}
			_, out, err := execute(t, "check", "--dir", dir, "--fix")
			if err != nil {
				t.Fatal(err)
			}
			after := modes(t, dir)
			for path, text := range after {
				if named := strings.Contains(diff, "diff --git a/"+path+" b/"+path+"\n"); named != (text != before[path]) {
					t.Errorf("%s: %s was changed: %v, and is in the diff: %v\n%s", name, path, text != before[path], named, diff)
				}
			}
			lines := 0
			for _, m := range regexp.MustCompile(`(?m)^(.*:\d+): fixed: (.* \[([a-z0-9-]+)\])$`).FindAllStringSubmatch(out, -1) {
				lines++
				fixed[m[3]] = true
				if !regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(m[1]) + `: (error|warning): ` + regexp.QuoteMeta(m[2]) + `$`).MatchString(said) {
					t.Errorf("%s: %s is fixed, and check did not say it:\n%s", name, m[0], said)
				}
			}
			if changed := !maps.Equal(before, after); changed != (lines > 0) {
				t.Errorf("%s: files were changed: %v, and the text names %d findings\n%s", name, changed, lines, out)
			}
		}
	}
	if len(fixed) < 9 {
		t.Errorf("findings of %d rules were fixed: %v", len(fixed), fixed)
	}
}

// mistakesOf returns the files of each case of a corpus, with its mistake.
func mistakesOf(archive *txtar.Archive) map[string]map[string]string {
	cases := map[string]map[string]string{}
	for _, f := range archive.Files {
		name, rest, _ := strings.Cut(f.Name, "/")
		side, path, _ := strings.Cut(rest, "/")
		if cases[name] == nil {
			cases[name] = map[string]string{}
		}
		if side != "clean" {
			cases[name][path] = strings.ReplaceAll(string(f.Data), `\r`+"\n", "\r\n")
		}
	}
	return cases
}

// modes returns the text and the mode of each file below a directory.
func modes(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		below, _ := filepath.Rel(dir, path)
		all[filepath.ToSlash(below)] = info.Mode().String() + string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
