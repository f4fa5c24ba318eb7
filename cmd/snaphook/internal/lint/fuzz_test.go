package lint

import (
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/internal/deep"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/settings"
)

// project writes a project with two hooks: one runs a script, and the other is a command text.
func project(t *testing.T, ext, script, command string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	name := filepath.Join(dir, "x"+ext)
	if err := os.WriteFile(name, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	quoted, err := jsontext.AppendQuote(nil, command)
	if err != nil {
		quoted = []byte(`"true"`)
	}
	start, shell := "./x"+ext, ""
	if ext == ".ps1" {
		start, shell = "pwsh -File "+start, `, "shell": "powershell"`
	}
	text := `{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "` + start + `"}, ` +
		`{"type": "command", "command": ` + string(quoted) + shell + `, "timeout": 60000}]}]}}`
	if err := os.MkdirAll(filepath.Join(dir, ".claude"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".claude", "settings.json"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// survive runs all rules, and all fixes in memory: writing files would take most of the time.
func survive(t *testing.T, dir string) {
	t.Helper()
	modules, err := filepath.Glob(filepath.Join(dir, "x.*s"))
	if err != nil {
		t.Fatal(err)
	}
	found := Check(t.Context(), Options{Dir: dir, Hooks: hooksOf(t, dir), Path: "/bin", Modules: modules})
	for _, f := range found {
		if len(f.edit) == 0 {
			continue
		}
		text, _ := applyTo(f.edit[0].seen, f.edit)
		if _, err := settings.Parse(f.edit[0].file, text); err != nil && strings.HasSuffix(f.edit[0].file, ".json") {
			t.Errorf("%s makes of %s: %v", f.ID, f.edit[0].file, err)
		}
	}
}

func FuzzScripts(f *testing.F) {
	f.Add(0, "#!/bin/sh\nif [ -t 0 ]; then x=$(cat); fi\necho $file >&2; exit 1\n", "cd $DIR && python3 $X/y.py")
	f.Add(1, "import argparse, sys\np.add_argument('a', nargs=1)\nif x:\n  print('no', file=sys.stderr)\n  sys.exit(1)\n", "curl x | sh")
	f.Add(2, "process.stdin; /* */ `${a}` 'x\nconsole.error(1); process.exit(1)", "npx -y x@latest # snaphook-ignore launcher-unpinned")
	f.Add(0, "#!/usr/bin/env -S bash -e\r\n[[ a == b ]]\r\n", `echo '{"updatedInput": {"a": 1}}' $'x' <<<y`)
	f.Add(3, "<# #>\ntry { } catch { Write-Error 'no' }\nif ($x) { [Console]::Error.WriteLine(\"$env:X`\"\"); exit 1 }\n@'\n'@", "irm x | & iex; ${env:A}")
	f.Add(4, "pi.exec('npx', ['-y', `a${b}`, c]); switch (e.toolName) { case \"Bash\": }; 'Read' === e?.toolName", "true")
	f.Fuzz(func(t *testing.T, kind int, script, command string) {
		ext := []string{".sh", ".py", ".js", ".ps1", ".ts"}[uint(kind)%5]
		survive(t, project(t, ext, script, command))
	})
}

func FuzzSettings(f *testing.F) {
	f.Add([]byte(`{"hooks": {"Stop": [{"matcher": "x", "hooks": [{"type": "command", "command": "bash x.sh", "timeout": 5000}]}]}}`))
	f.Add([]byte(`{/* snaphook-ignore a-b */ "hooks": [ // snaphook-ignore` + "\n" + `{}]}`))
	f.Add([]byte("\xEF\xBB\xBF{\"env\": {\"API_KEY\": \"q8Zt3nV0pLx7Rk2mWc5Y\"}, \"hooks\": {}}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		dir := t.TempDir()
		for _, name := range []string{".claude", ".llxprt"} {
			if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, name, "settings.json"), text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		survive(t, dir)
	})
}

func FuzzTools(f *testing.F) {
	f.Add("Bash\n# ours\nDeploy\n")
	f.Add(`{"tools": [{"name": "a"}], "claude": ["b"]}`)
	f.Add(`["a", 1]`)
	f.Fuzz(func(t *testing.T, text string) {
		file := filepath.Join(t.TempDir(), "tools")
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		tools, err := ReadTools(t.Context(), file)
		if (err == nil) == (len(tools) == 0) {
			t.Errorf("%v, %v; want tools or an error", tools, err)
		}
	})
}

// TestNothingOverflows runs the rules on scripts with the deepest nesting that their length allows. The stack is
// limited to 256 MiB.
func TestNothingOverflows(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(256 << 20))
	n := 0
	for text := range deep.Shell(64 << 10) {
		if n++; n%29 == 0 { // only some of them, because each takes a while
			survive(t, project(t, ".sh", text, text))
		}
	}
	for text := range deep.Code(64 << 10) {
		if n++; n%41 == 0 {
			survive(t, project(t, ".js", text, "true"))
			survive(t, project(t, ".py", text, "true"))
		}
	}
}

// TestAListOfConditionsIsReadInTimeInProportion compares a list of nested conditions with a list of
// the same number of commands.
func TestAListOfConditionsIsReadInTimeInProportion(t *testing.T) {
	testkit.Timed(t)
	const times, most = 4_000, 8
	check := func(text string) func() time.Duration {
		dir := project(t, ".sh", "#!/bin/sh\n"+text+"\n", "true")
		hooks := hooksOf(t, dir)
		return func() time.Duration {
			start := time.Now()
			Check(t.Context(), Options{Dir: dir, Hooks: hooks, Path: "/bin"})
			return time.Since(start)
		}
	}
	plain := check(strings.Repeat("a;", times))
	for _, unit := range []string{"a&&", "a||", "test -x a&&", "if a;then a;fi&&"} {
		conditions := check(strings.Repeat(unit, times) + "a")
		ratio := math.Inf(1)
		for range 5 { // the lowest ratio counts: other tests may have used the processor
			ratio = min(ratio, float64(conditions())/float64(plain()))
		}
		if ratio > most {
			t.Errorf("%q takes %.1f times as long as a list of commands; want %d at most", unit, ratio, most)
		}
	}
}
