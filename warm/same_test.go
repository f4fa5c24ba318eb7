package warm

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/snaphook-go/snaphook/internal/inprocess"
)

// scriptEnv is the environment of all scripts of the tests.
func scriptEnv(locale string) map[string]string {
	return map[string]string{"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "LANG": locale, "e": "a b"}
}

// inEveryInput is a script of bash that runs another script once for each input file, in a subshell.
const inEveryInput = `script_=$1 dir_=$2 n_=$3; set --
for ((i_ = 0; i_ < n_; i_++)); do
	(eval "$script_") <"$dir_/in.$i_" >"$dir_/out.$i_" 2>"$dir_/err.$i_"
	echo $? >"$dir_/exit.$i_"
done`

// realBash runs a script with bash and the installed programs for each input.
func realBash(t testing.TB, script, locale string, inputs []string) (all []inprocess.Result) {
	t.Helper()
	dir := t.TempDir()
	for i, in := range inputs {
		if err := os.WriteFile(fmt.Sprintf("%s/in.%d", dir, i), []byte(in), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/bin/bash", "-c", inEveryInput, "bash", script, dir, fmt.Sprint(len(inputs)))
	cmd.Dir = "/"
	for name, value := range scriptEnv(locale) {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("bash: %v, %s", err, out)
	}
	for i := range inputs {
		read := func(kind string) []byte {
			text, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("%s.%d", kind, i)))
			if err != nil {
				t.Fatal(err)
			}
			return text
		}
		r := inprocess.Result{Stdout: read("out"), Stderr: read("err")}
		fmt.Sscan(string(read("exit")), &r.Exit)
		all = append(all, r)
	}
	return all
}

// same runs a script here and in bash, and returns the number of inputs for which it ran here.
func same(t testing.TB, tools inprocess.Shell, script, locale string, inputs []string) (ran int, why string) {
	t.Helper()
	compiled, err := tools.Compile(script)
	if err != nil {
		return 0, err.Error()
	}
	var here []inprocess.Result
	var with []string
	for _, in := range inputs {
		r, reason, ok := compiled.Run(&inprocess.Call{Stdin: []byte(in), Env: scriptEnv(locale), Dir: "/", PWD: "/"})
		if !ok {
			why = reason
			continue
		}
		here, with = append(here, r), append(with, in)
	}
	if len(here) == 0 {
		return 0, why
	}
	for i, want := range realBash(t, script, locale, with) {
		got := here[i]
		if got.Exit != want.Exit || !bytes.Equal(got.Stdout, want.Stdout) || !bytes.Equal(got.Stderr, want.Stderr) {
			t.Errorf("in %s the script\n%s\nends for %.200q with %d, %.300q, %.200q here,\nand with %d, %.300q, %.200q in bash",
				locale, script, with[i], got.Exit, got.Stdout, got.Stderr, want.Exit, want.Stdout, want.Stderr)
		}
	}
	return len(here), why
}

// scripts reads the scripts of a file, by their names.
func scripts(t testing.TB, name string) map[string]string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for part := range strings.SplitSeq("\n"+string(text), "\n=== ") {
		if name, script, ok := strings.Cut(part, "\n"); ok && name != "" {
			if all[name] != "" {
				t.Fatalf("there are two scripts %q", name)
			}
			all[name] = script
		}
	}
	return all
}

func needPrograms(t testing.TB) {
	t.Helper()
	for _, name := range []string{"bash", "jq", "grep"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip(name + " is not installed")
		}
	}
	if out, _ := exec.Command("jq", "--version").Output(); strings.TrimSpace(string(out)) != "jq-1.6" {
		t.Skipf("jq is of another version: %s", out)
	}
}

// some returns the inputs for a script: the first two and every seventh, or all if SNAPHOOK_SAME is set, which takes
// minutes.
func some(name string) (inputs []string) {
	all := payloads()
	if os.Getenv("SNAPHOOK_SAME") != "" {
		return all
	}
	for i, in := range all {
		if i < 2 || (i+len(name))%7 == 0 {
			inputs = append(inputs, in)
		}
	}
	return inputs
}

// A script ends as in bash with the installed programs, for every input for which it runs in this process. Scripts
// whose names end in "is left" never run in this process.
func TestScriptsAreTheSame(t *testing.T) {
	needPrograms(t)
	tools := Tools()
	for name, script := range scripts(t, "scripts.txt") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			locale := "C.UTF-8"
			if len(name)%3 == 0 {
				locale = "C"
			}
			ran, why := same(t, tools, script, locale, some(name))
			if left := strings.HasSuffix(name, "is left"); (ran > 0) == left {
				t.Errorf("it ran here for %d of %d inputs (%s)", ran, len(some(name)), why)
			}
			t.Logf("%d of %d ran here; %s", ran, len(some(name)), why)
		})
	}
}
