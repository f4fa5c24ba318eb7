package run

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
)

// knownCall has the members that hooks of any event look at.
const knownCall = `{"session_id":"s-1","hook_event_name":"PreToolUse","tool_name":"Write","prompt":"fix the tests","cwd":"DIR",` +
	`"tool_input":{"command":"git push --force","file_path":"notes.md","path":".env","content":"KEY-123"},"tool_response":"ok"}` + "\n"

// The hooks in the test archives of the command line and of its checks do the same cold and warm. These hooks resemble
// published hooks.
func TestHooksOfOtherTestsAreTheSame(t *testing.T) {
	programs := map[string]string{".py": need(t, "python3", "/usr/bin/python3"), ".js": need(t, "node", "/usr/bin/node")}
	programs[".mjs"] = programs[".js"]
	total := map[string]int{}
	for _, pattern := range []string{"../testdata/script/claude_*.txtar", "../testdata/script/t*.txtar", "../cmd/snaphook/internal/lint/testdata/corpus/*.txtar"} {
		archives, _ := filepath.Glob(pattern)
		for _, archive := range archives {
			files := archived(t, archive)
			for _, name := range slices.Sorted(maps.Keys(files)) {
				program := programs[filepath.Ext(name)]
				if program == "" {
					continue
				}
				total[filepath.Ext(name)]++
				t.Run(filepath.Base(archive)+"/"+name, func(t *testing.T) {
					t.Parallel()
					knownSame(t, []string{program, name, "--all", "words:"}, files)
				})
			}
		}
	}
	if total[".py"] < 20 || total[".js"]+total[".mjs"] < 10 {
		t.Errorf("the archives have %v programs, want at least 20 of Python and 10 of Node", total)
	}
}

// archived reads the files of an archive: each follows a line "-- name --".
func archived(t *testing.T, path string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	files, name := map[string]string{}, ""
	for line := range strings.SplitAfterSeq(string(text), "\n") {
		if inner, ok := strings.CutPrefix(strings.TrimSpace(line), "-- "); ok && strings.HasSuffix(inner, " --") {
			name = strings.TrimSuffix(inner, " --")
			files[name] = ""
		} else if name != "" {
			files[name] += line
		}
	}
	return files
}

// knownSame checks that a hook does the same cold and warm, with its files in the directory.
func knownSame(t *testing.T, argv []string, files map[string]string) {
	t.Helper()
	dir := testkit.Outlived(t)
	fresh := func() {
		old, _ := os.ReadDir(dir)
		for _, entry := range old {
			os.RemoveAll(filepath.Join(dir, entry.Name()))
		}
		for name, text := range files {
			os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755)
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	env := []string{"PATH=/usr/bin:/bin", "HOME=" + dir, "LANG=C.UTF-8", "PWD=" + dir, "CLAUDE_PROJECT_DIR=" + dir}
	environ := func(hook.Call) []string { return env }
	call := hook.Call{
		Dir: dir, Hook: &hook.Hook{Identity: hook.Identity{Event: "PreToolUse"}}, Timeout: time.Minute,
		Payload: []byte(strings.ReplaceAll(knownCall, "DIR", dir)),
	}
	fresh()
	want := testkit.Leaves(&Command{Argv: argv, Environ: environ}, call)
	w := &Warm{Log: quietLog}
	defer w.Close()
	warm := &Command{Argv: argv, Environ: environ}
	if note := warm.SetWarm(w, WarmAuto, dir); note != "" {
		t.Fatal(note)
	}
	for i := range 4 {
		fresh()
		if got := testkit.Leaves(warm, call); !cmp.Equal(got, want) {
			t.Fatalf("call %d, %d of them warm:\n%s", i, w.ran.Load(), cmp.Diff(want, got))
		}
		w.starts.Wait()
	}
	if w.ran.Load() == 0 {
		t.Error("no call was warm")
	}
}
