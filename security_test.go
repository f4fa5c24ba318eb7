package snaphook_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every row of SECURITY.md names a test of the package that it names, or a script.
func TestEveryAttackHasItsTest(t *testing.T) {
	text, err := os.ReadFile("SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(text), "| attack | what happens | test |\n|---|---|---|\n")
	if !found {
		t.Fatal("the table of attacks is not there")
	}
	table, _, _ = strings.Cut(table, "\n\n")
	rows := strings.Split(table, "\n")
	if len(rows) < 30 {
		t.Errorf("%d rows", len(rows))
	}
	script := regexp.MustCompile("`([a-z_]+\\.txtar)`")
	for _, row := range rows {
		cells := strings.Split(strings.Trim(row, "| "), " | ")
		if len(cells) != 3 {
			t.Errorf("not three columns: %s", row)
			continue
		}
		tests := cells[2]
		for _, of := range script.FindAllStringSubmatch(tests, -1) {
			if _, err := os.Stat(filepath.Join("testdata", "script", of[1])); err != nil {
				t.Errorf("%s: %v", cells[0], err)
			}
		}
		names := 0
		for part := range strings.SplitSeq(tests, ";") {
			folder, list, of := strings.Cut(part, ": ")
			if !of {
				continue
			}
			folder = dirOf(strings.Trim(folder, " `"))
			for name := range strings.SplitSeq(list, ",") {
				if name = strings.Trim(name, " `"); strings.HasSuffix(name, ".txtar") {
					continue
				}
				if names++; !declares(t, folder, name) {
					t.Errorf("%s: there is no %s in %s", cells[0], name, folder)
				}
			}
		}
		if names == 0 && !script.MatchString(tests) {
			t.Errorf("%s: no test in %q", cells[0], tests)
		}
	}
}

// dirOf is where a package lies: some rows shorten it.
func dirOf(name string) string {
	for _, prefix := range []string{"", "events/xcsh/", "events/", "internal/"} {
		if info, err := os.Stat(prefix + name); err == nil && info.IsDir() {
			return prefix + name
		}
	}
	return name
}

// declares reports whether a test file of a folder has a function of that name.
func declares(t *testing.T, folder, name string) bool {
	t.Helper()
	files, err := fs.Glob(os.DirFS(folder), "*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(filepath.Join(folder, file))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "\nfunc "+name+"(") {
			return true
		}
	}
	return false
}
