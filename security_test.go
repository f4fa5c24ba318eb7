package snaphook_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Every row of SECURITY.md names an existing test of its package, or an existing script.
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

// dirOf returns the folder of a package; some rows abbreviate it.
func dirOf(name string) string {
	if name == "snaphook" {
		return "."
	}
	for _, prefix := range []string{"", "events/xcsh/", "events/", "internal/"} {
		if info, err := os.Stat(prefix + name); err == nil && info.IsDir() {
			return prefix + name
		}
	}
	return name
}

// declares reports whether a test file of a folder declares the function.
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

// changesProcess matches calls that change state of the whole process. The test lists every use:
// each package except main may run inside another program, and must leave its process unchanged.
var changesProcess = regexp.MustCompile(`\b(debug\.Set\w+|os\.(Setenv|Unsetenv|Clearenv|Chdir)|` +
	`\w+\.(Umask|Setrlimit|Setpriority|Chroot|Setuid|Mlockall)|signal\.(Notify|NotifyContext|Ignore|Reset)|log\.(SetOutput|SetFlags)|` +
	`slog\.SetDefault|rand\.Seed|flag\.Parse|expvar\.Publish|http\.Handle(Func)?|otel\.Set\w+)\(|` +
	`runtime\.GOMAXPROCS\([^0]|` +
	`\b(http\.Default(Transport|Client)|os\.(Std(in|out|err)|Args)|time\.Local) = `)

func TestNoPackageChangesItsProcess(t *testing.T) {
	allowed := map[string][]string{
		"cmd/snaphook/internal/project/input.go":   {"debug.SetGCPercent("},             // restored
		"cmd/snaphook/command/main.go":             {"log.SetFlags(", "log.SetOutput("}, // in the command's main function
		"cmd/snaphook/internal/cli/keep_status.go": {"signal.Notify("},                  // only for the command snaphook fire
		"cmd/snaphook/command/signals.go":          {"signal.Notify(", "signal.Reset("}, // in the command's main function
		"cmd/snaphook/internal/systems/model.go":   {"os.Unsetenv("},                    // in the command's main function
		"internal/adaptertest/adaptertest.go":      {"os.Setenv("},                      // of tests
	}
	seen, ofTests := 0, []string{"internal/adaptertest/adaptertest.go", "internal/testkit/testkit.go"}
	stays := regexp.MustCompile(`os\.(MkdirTemp|CreateTemp)\(("|os\.TempDir)`) // files that remain after the process is killed; see internal/scratch
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (strings.HasPrefix(entry.Name(), ".") && path != "." || entry.Name() == "testdata" || entry.Name() == "node_modules"):
			return filepath.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil || strings.Contains(string(text), "\npackage main\n") || strings.HasPrefix(string(text), "package main\n") {
			return err
		}
		seen++
		if !stays.Match(text) && !changesProcess.Match(text) {
			return nil
		}
		for line := range strings.Lines(string(text)) {
			code, _, _ := strings.Cut(line, "//")
			if stays.MatchString(code) && !slices.Contains(ofTests, filepath.ToSlash(path)) {
				t.Errorf("%s: temporary files are for internal/scratch to make", path)
			}
			for _, call := range changesProcess.FindAllString(code, -1) {
				if !slices.Contains(allowed[filepath.ToSlash(path)], call) {
					t.Errorf("%s: %s changes the process of who imports the package", path, strings.TrimSpace(call))
				}
			}
		}
		return nil
	})
	if err != nil || seen < 200 {
		t.Errorf("%d files, %v", seen, err)
	}
}
