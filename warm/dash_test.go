package warm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/snaphook-go/snaphook/internal/inprocess"
)

// dashes returns the programs with which scripts are compared: the installed dash, or the programs in SNAPHOOK_DASH,
// which are different versions of dash.
func dashes(tb testing.TB) []string {
	tb.Helper()
	if all := os.Getenv("SNAPHOOK_DASH"); all != "" {
		return strings.Split(all, ":")
	}
	real, err := filepath.EvalSymlinks("/bin/sh")
	if err != nil || filepath.Base(real) != "dash" {
		tb.Skip("/bin/sh is not dash")
	}
	return []string{real}
}

// outcome is the result of a script, and the files that it leaves.
type outcome struct {
	Exit           int
	Stdout, Stderr string
	Files          map[string]string
}

// String returns the result as text for messages of tests.
func (o outcome) String() string {
	return fmt.Sprintf("%d, %q, %q, files %q", o.Exit, o.Stdout, o.Stderr, o.Files)
}

// workshop is a folder in which scripts run, each from the same files.
type workshop struct{ dir string }

func (w workshop) fresh(t testing.TB) {
	t.Helper()
	old, err := os.ReadDir(w.dir)
	for _, entry := range old {
		err = errors.Join(err, os.RemoveAll(filepath.Join(w.dir, entry.Name())))
	}
	for name, text := range map[string]string{"a.txt": "one two\n  three \\ four\nlast", "lib/data.json": "{\"a\": [1, 2]}\n", "empty": "", "log": "x\n"} {
		err = errors.Join(err, os.MkdirAll(filepath.Dir(filepath.Join(w.dir, name)), 0o755),
			os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o644))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// files returns the contents of all files, and the names of all folders.
func (w workshop) files(t testing.TB) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(w.dir, func(path string, d fs.DirEntry, err error) error {
		name := strings.TrimPrefix(path, w.dir)
		if err != nil || d.IsDir() {
			all[name] = "a folder"
			return err
		}
		text, err := os.ReadFile(path)
		all[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func (w workshop) env(locale string) map[string]string {
	env := scriptEnv("")
	maps.Copy(env, map[string]string{"LC_ALL": locale, "HOME": w.dir, "PWD": w.dir, "E": ""})
	delete(env, "LANG")
	return env
}

var dashParams = []string{"p1", "", "p 3", "-n", "*"}

// here returns the outcome of a script in this process.
func (w workshop) here(t testing.TB, s inprocess.Script, in, locale string) (o outcome, why string, ok bool) {
	t.Helper()
	w.fresh(t)
	r, why, ok := s.Run(&inprocess.Call{Stdin: []byte(in), Env: w.env(locale), Params: dashParams, Dir: w.dir, PWD: w.dir, Name: "name"})
	if !ok {
		w.unchanged(t)
		return o, why, false
	}
	return outcome{r.Exit, string(r.Stdout), string(r.Stderr), w.files(t)}, "", true
}

// unchanged fails the test if a script that was given up has had an effect.
func (w workshop) unchanged(t testing.TB) {
	t.Helper()
	was := w.files(t)
	w.fresh(t)
	if now := w.files(t); !maps.Equal(was, now) {
		t.Errorf("a script that was given up has changed files: got %q, want %q", was, now)
	}
}

// dash runs a script with dash.
func (w workshop) dash(t testing.TB, program, script, in, locale string) outcome {
	t.Helper()
	w.fresh(t)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, append([]string{"-c", script, "name"}, dashParams...)...)
	cmd.Dir, cmd.Stdin = w.dir, strings.NewReader(in)
	for name, value := range w.env(locale) {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if ctx.Err() != nil {
		t.Fatalf("dash did not end in 2 minutes:\n%s", script)
	}
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		t.Fatal(err)
	}
	return outcome{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String(), w.files(t)}
}

// sameInDash runs a script here and with each dash, and returns the number of inputs for which it ran here.
func sameInDash(t testing.TB, judges []string, tools inprocess.Shell, script, locale string, inputs []string) (ran int, why string) {
	t.Helper()
	compiled, err := tools.CompileDash(script)
	if err != nil {
		return 0, err.Error()
	}
	w := workshop{t.TempDir()}
	for _, in := range inputs {
		got, reason, ok := w.here(t, compiled, in, locale)
		if !ok {
			why = reason
			continue
		}
		ran++
		for _, judge := range judges {
			want := w.dash(t, judge, script, in, locale)
			for try := 0; strings.Contains(script, "|") && !reflect.DeepEqual(got, want) && try < 5; try++ {
				want = w.dash(t, judge, script, in, locale) // repeated, because the parts of a pipeline write in any order
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("in %s the script\n%s\nends for %.200q with\n%.1500s here,\nand in %s with\n%.1500s",
					locale, script, in, got, judge, want)
				return ran, why
			}
		}
	}
	return ran, why
}

// dashScripts are the scripts of all files of tests, by their names.
func dashScripts(t testing.TB) map[string]string {
	all := scripts(t, "dash.txt")
	for name, script := range scripts(t, "scripts.txt") {
		all["bash, "+strings.TrimSuffix(name, " is left")] = script
	}
	for name, script := range scripts(t, "bash.txt") {
		all["bash, in run, "+name] = script
	}
	return all
}

// Scripts end here as in dash with the installed programs, for every input for which they run here. Scripts of dash.txt
// run here at least once, unless their names end in "is left".
func TestScriptsAreTheSameInDash(t *testing.T) {
	needPrograms(t)
	judges, tools := dashes(t), Tools()
	all := dashScripts(t)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			locale := "C.UTF-8"
			if len(name)%3 == 0 {
				locale = "C"
			}
			ran, why := sameInDash(t, judges, tools, all[name], locale, some(name))
			if left := strings.HasSuffix(name, "is left"); (ran > 0) == left && !strings.HasPrefix(name, "bash, ") {
				t.Errorf("it ran here for %d of %d inputs (%s)", ran, len(some(name)), why)
			}
			t.Logf("%d of %d ran here; %s", ran, len(some(name)), why)
		})
	}
}
