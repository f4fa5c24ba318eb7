package run

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/snaphook-go/snaphook/hook"
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
	dir := outlived(t)
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
	want := leaves(&Command{Argv: argv, Environ: environ}, call)
	w := &Warm{Log: quietLog}
	defer w.Close()
	warm := &Command{Argv: argv, Environ: environ}
	if note := warm.SetWarm(w, WarmAuto, dir); note != "" {
		t.Fatal(note)
	}
	for i := range 4 {
		fresh()
		if got := leaves(warm, call); !cmp.Equal(got, want) {
			t.Fatalf("call %d, %d of them warm:\n%s", i, w.ran.Load(), cmp.Diff(want, got))
		}
		w.starts.Wait()
	}
	if w.ran.Load() == 0 {
		t.Error("no call was warm")
	}
}

// A script of the conformance cases that runs in this process does the same as in bash.
func TestScriptsOfConformanceCasesAreTheSame(t *testing.T) {
	need(t, "bash", "/bin/bash")
	scripts, inside := knownScripts(t), 0
	for text, c := range scripts {
		dir := shellDir(t)
		for name, other := range c.Scripts {
			os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755)
			if err := os.WriteFile(filepath.Join(dir, name), []byte(other), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, "hook.sh"), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
		p := newShellPair(t, []string{"bash", "-c", "./hook.sh"}, []string{"./hook.sh"}, dir)
		if p.note != "" { // bash runs the script
			continue
		}
		p.call.Payload = append(bytes.Clone(c.Input), '\n')
		before := filepath.Join(t.TempDir(), "before")
		if err := os.CopyFS(before, os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
		want := leaves(p.cold, p.call)
		if err := errors.Join(os.RemoveAll(dir), os.CopyFS(dir, os.DirFS(before))); err != nil {
			t.Fatal(err)
		}
		if got := leaves(p.warm, p.call); !cmp.Equal(got, want) {
			t.Errorf("%s\n%s", text, cmp.Diff(want, got))
		}
		inside += int(p.w.ran.Load())
	}
	if len(scripts) < 300 || inside < 30 {
		t.Errorf("%d of %d scripts ran in this process, want at least 30 of 300", inside, len(scripts))
	}
}

// knownCase holds the input and the other scripts that a script of a case needs.
type knownCase struct {
	Input   jsontext.Value    `json:"input"`
	Scripts map[string]string `json:"scripts"`
}

// knownScripts returns the scripts of all cases, each with a case that contains the script.
func knownScripts(t *testing.T) map[string]knownCase {
	t.Helper()
	all := map[string]knownCase{}
	files, _ := filepath.Glob("../conformance/*/cases/*.json")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var themed struct {
			Cases []jsontext.Value `json:"cases"`
		}
		if err := json.Unmarshal(text, &themed); err != nil || themed.Cases == nil {
			themed.Cases = []jsontext.Value{text}
		}
		for _, one := range themed.Cases {
			var c knownCase
			if json.Unmarshal(one, &c) != nil { // the scripts of this case have another form
				continue
			}
			for _, script := range c.Scripts {
				all[script] = c
			}
		}
	}
	return all
}
