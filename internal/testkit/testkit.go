// Package testkit helps the tests of several packages: it makes projects with files, a home directory without
// hooks, and logs; it waits for processes and for changes that nothing signals. Only tests import it.
package testkit

import (
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/samber/lo"
)

// Quiet discards every record.
var Quiet = slog.New(slog.DiscardHandler)

// Write writes files below dir, by their slash-separated paths, with the mode 0755: a hook
// among them can be started. Directories are made as they are needed. Write returns dir.
func Write(t testing.TB, dir string, files map[string]string) string {
	t.Helper()
	for name, text := range files {
		WriteFile(t, filepath.Join(dir, filepath.FromSlash(name)), text, 0o755)
	}
	return dir
}

// WriteFile writes one file, and makes its directory.
func WriteFile(t testing.TB, path, text string, mode fs.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// Dir makes an empty directory, and returns its path without symbolic links, as programs that run there see it.
func Dir(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// Home sets an empty home directory for the duration of the test: hook systems do not find the settings of
// the user who runs it. A test that calls it cannot run in parallel.
func Home(t testing.TB) string {
	t.Helper()
	home := t.TempDir()
	for _, name := range []string{"HOME", "USERPROFILE", "CLAUDE_CONFIG_DIR", "XDG_CONFIG_HOME"} {
		t.Setenv(name, home)
	}
	return home
}

// Project makes a directory with files, and an empty [Home].
func Project(t testing.TB, files map[string]string) string {
	t.Helper()
	Home(t)
	return Write(t, t.TempDir(), files)
}

// Outlived makes a directory in which a process may still write after the test: each attempt to remove the directory
// can find another file.
func Outlived(t testing.TB) (dir string) {
	t.Helper()
	made, err := os.MkdirTemp("", "warm-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for range 100 {
			if err = os.RemoveAll(made); err == nil {
				return
			}
		}
		t.Error(err)
	})
	if dir, err = filepath.EvalSymlinks(made); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Canonical returns JSON text in one form, for comparisons; text that is not JSON stays as it is.
func Canonical(text string) string {
	var v any
	if json.Unmarshal([]byte(text), &v) != nil {
		return text
	}
	b, _ := json.Marshal(v, json.Deterministic(true))
	return string(b)
}

// Timed skips a test that measures time, unless the variable SNAPHOOK_TIMES is set: such a
// test takes seconds, and fails on a machine that does other things too. The gate (.ci/run
// costs) sets it, and finds the tests by this call.
func Timed(t testing.TB) {
	t.Helper()
	if !Whole() {
		t.Skip("it measures time; SNAPHOOK_TIMES=1 runs it, as the gate does")
	}
}

// Whole reports whether a test takes all of its cases, which needs the variable SNAPHOOK_TIMES. Without it, a test with
// thousands of cases, or with cases that take seconds, takes a part of them. The gate (.ci/run costs) sets the
// variable, and finds the tests by this call.
func Whole() bool { return os.Getenv("SNAPHOOK_TIMES") != "" }

// Part returns every n-th of the cases of a test, or all cases if [Whole] reports true or the variable SNAPHOOK_CASES
// names the cases. It is for cases that another test takes through a cheaper way in any run.
func Part[T any](cases []T, n int) []T {
	if Whole() || os.Getenv("SNAPHOOK_CASES") != "" {
		return cases
	}
	return lo.Filter(cases, func(_ T, i int) bool { return i%n == 0 })
}
