//go:build unix

package run

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
)

// remembered holds the texts of files as they were when the user agreed to them; the files may
// have changed since.
type remembered struct {
	dir     string
	texts   map[string]string
	changed error // returned by Same
}

func (r *remembered) Same(context.Context, string) error { return r.changed }

func (r *remembered) Open(_ context.Context, path string) (*os.File, []byte, error) {
	text, ok := r.texts[filepath.Clean(path)]
	if rel, err := filepath.Rel(r.dir, path); !ok && err == nil && filepath.IsLocal(rel) {
		return nil, nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	} else if !ok {
		return nil, nil, nil
	}
	f, err := os.Open(path)
	return f, []byte(text), err
}

// everyday holds typical scripts. A shell has to do the same with the text as with the file. A script with stays set
// runs from its file, and not from the text.
var everyday = []struct {
	name, text string
	stays      bool // runs from its file
}{
	{"#!/bin/sh\n", "echo \"$0 $# $*\"; cat; exit 2\n", false},
	{"#!/bin/bash\n", "echo \"$0 $1 $LINENO\"; cat\nfalse\n", false},
	{"#!/usr/bin/env bash\n", "echo \"$0\" >&2\nexit 2\n", false},
	{"#! /bin/bash -eu\n", "echo a; false; echo b\n", false},
	{"#!/bin/bash\n", "set -euo pipefail\necho \"$no_such_variable\"\n", false},
	{"#!/bin/sh\n", "set -eu\necho \"$no_such_variable\"\n", false},
	{"#!/bin/sh\n", "here=$(cd \"$(dirname \"$0\")\" && pwd); . \"$here/lib\"; value\n", false},
	{"#!/bin/bash\n", "here=$(cd \"$(dirname \"${BASH_SOURCE[0]}\")\" && pwd); source \"$here/lib\"; value\n", false},
	{"#!/bin/bash\n", "main() { echo main; }\nif [[ \"${BASH_SOURCE[0]}\" == \"${0}\" ]]; then main; fi\n", false},
	{"#!/bin/bash\n", "[[ $BASH_SOURCE = \"$0\" ]] && echo \"${BASH_SOURCE%/*} ${BASH_SOURCE[0]##*/} ${BASH_SOURCE:-none} ${#BASH_SOURCE}\"\n", false},
	{"#!/bin/bash\n", "f() { echo \"$BASH_SOURCE[0] ${BASH_SOURCE[0]}\"; }; f; cat <<E\n${BASH_SOURCE[0]}\nE\n", false},
	{"#!/bin/bash\n", "f() { echo \"${FUNCNAME[0]} ${BASH_SOURCE[0]}\"; }; f\n", true},
	{"#!/bin/bash\n", "echo '$BASH_SOURCE' \"${BASH_SOURCE[@]}\"\n", true},
	{"#!/bin/bash\n", "f() { caller; }; f\n", true},
	{"#!/bin/bash\n", "(return 0 2>/dev/null) && echo sourced || echo run\n", false},
	{"#!/bin/bash\n", "trap 'echo bye $?' EXIT\nexit 2\n", false},
	{"#!/bin/bash\n", "trap 'echo bye' EXIT\ncat\n", false},
	{"#!/bin/sh\n", "trap 'echo bye' EXIT\nls no-such-file 2>/dev/null\n", false},
	{"#!/bin/bash\n", "cat <<E\n$0\nE\nread -r x <<<here; echo \"$x\"\n", false},
	{"#!/bin/bash\n", "nosuchcommand; echo $?\n", false},
	{"#!/bin/sh\n", "nosuchcommand\n", false},
	{"#!/bin/bash\n", "kill -TERM $$\nsleep 5\n", false},
	{"#!/bin/bash\n", "sed -n '/^__DATA__$/,$p' \"$0\" | wc -l; exit 0\n__DATA__\n)(\n", false},
	{"#!/bin/bash\n", "while read -r line; do echo \"> $line\"; done\n", false},
	{"#!/bin/bash\n", "exec 3<\"$0\"; exec >&2; echo err\n", false},
	{"#!/bin/bash\n", "set -- a b; shift; echo \"$1\"; set -o pipefail; false | true\n", false},
	{"#!/bin/bash\n", "x=$(echo \"a\\\"b\"); [[ $x =~ ^a ]] && echo \"${BASH_REMATCH[0]} ${x^^}\"\n", false},
	{"#!/bin/bash\n", "if true; then echo yes; fi # no newline at the end", false},
	{"#!/bin/bash\n", "echo one\nif\n", false},
	{"#!/bin/bash\n", strings.Repeat("# long\n", 20_000) + "echo long\n", true},
	{"#!/bin/bash --norc\n", "echo option\n", true},
	{"#!/bin/bash\n", "", false},
	{"", "echo \"no first line: $0\"\n", true},
	{"#!/usr/bin/env -S bash -e\n", "echo split\n", true},
	{"#!lib\n", "", true},
}

const everydayForm = "./hooks/g.sh a 'b c'"

func TestAScriptOfTheProjectRunsAsItWasAgreedTo(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("this machine has no bash")
	}
	for i, script := range everyday {
		for _, form := range []string{everydayForm, "hooks/g.sh", "$P/hooks/g.sh x", "bash hooks/g.sh y", "sh -e hooks/g.sh"} {
			if i > 6 && form != everydayForm {
				continue // the first scripts cover the other forms
			}
			t.Run(fmt.Sprintf("%d %s", i, form), func(t *testing.T) { agree(t, form, script.name+script.text, script.stays) })
		}
	}
}

// agree compares a run of a script from its agreed text, after its file has changed, with a run
// from the file.
func agree(t *testing.T, form, text string, stays bool) {
	dir := testkit.Dir(t)
	file := filepath.Join(dir, "hooks", "g.sh")
	put := func(path, text string) {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	put(file, text)
	put(filepath.Join(dir, "hooks", "lib"), "value() { echo \"value of $0\"; }\n")
	direct, ok := Direct(form, map[string]string{"P": dir})
	if !ok {
		t.Fatalf("%s needs a shell", form)
	}
	runs := func(a Agreed) string {
		c := &Command{Argv: Shell("echo through a shell >&2; exit 9"), Direct: direct, Environ: func(hook.Call) []string { return []string{"PATH=" + os.Getenv("PATH")} }}
		if a != nil {
			c.Pin(a)
		}
		reply, err := c.Run(t.Context(), hook.Call{Dir: dir, Payload: []byte("input\n")})
		return fmt.Sprintf("%q %q %d %v %v", reply.Stdout, reply.Stderr, reply.Exit, reply.Signal, err)
	}
	want := runs(nil)
	all := &remembered{dir: dir, texts: map[string]string{file: text}}
	_, pinned, err := (&Command{Direct: direct, agreed: all}).pin(t.Context(), job{argv: direct, dir: dir, env: []string{"PATH=" + os.Getenv("PATH")}})
	if err != nil {
		t.Fatal(err)
	}
	if pinned == stays {
		t.Errorf("it does not open its file: %v; want %v", pinned, !stays)
	}
	if pinned && !strings.Contains(text, "__DATA__") { // a script with __DATA__ reads its own file
		put(file, "#!/bin/sh\necho swapped\n")
	}
	got := strings.ReplaceAll(runs(all), ": -c: line", ": line") // for a text, bash adds -c to the position of a syntax error
	if got != want {
		t.Errorf("it ran as\n%s\nwant\n%s", got, want)
	}
}

func TestWhatIsNoMoreWhatWasAgreedToDoesNotStart(t *testing.T) {
	dir := t.TempDir()
	mark := filepath.Join(dir, "ran")
	script := filepath.Join(dir, "g")
	if err := os.WriteFile(script, []byte("#!/bin/sh\n: >"+mark+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		agreed *remembered
		direct []string
		class  hook.Class
	}{
		"a file that has changed":       {&remembered{dir: dir, changed: errors.New("g has changed")}, []string{script}, hook.ClassUntrusted},
		"a program that was not there":  {&remembered{dir: dir}, []string{script}, hook.ClassMissing},
		"a script that was not there":   {&remembered{dir: dir}, []string{"sh", script}, hook.ClassMissing},
		"something else than a command": {&remembered{dir: dir, changed: errors.New("g has changed")}, nil, hook.ClassUntrusted},
	} {
		var r hook.Runner = &Command{Argv: Shell(script), Direct: test.direct}
		if test.direct == nil {
			r = callee{&Command{Argv: []string{script}}}
		}
		_, err := Pinned(r, test.agreed).Run(t.Context(), hook.Call{Dir: dir})
		if hook.ClassOf(err) != test.class {
			t.Errorf("%s: %v, class %q; want class %q", name, err, hook.ClassOf(err), test.class)
		}
		if _, err := os.Stat(mark); err == nil {
			t.Fatalf("%s has run", name)
		}
	}
}

// callee is a Runner without Unwrap.
type callee struct{ hook.Runner }

func TestACompiledProgramRunsFromItsDescriptor(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux starts a program by its descriptor")
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "guard")
	text, err := os.ReadFile("/bin/cat")
	if err == nil {
		err = os.WriteFile(program, text, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	c := &Command{Argv: Shell("exit 9"), Direct: []string{program}, Environ: func(hook.Call) []string { return []string{"PATH=/usr/bin:/bin"} }}
	c.Pin(&remembered{dir: dir, texts: map[string]string{program: ""}})
	reply, err := c.Run(t.Context(), hook.Call{Dir: dir, Payload: []byte("input")})
	if err != nil || string(reply.Stdout) != "input" || reply.Exit != 0 {
		t.Errorf("%q, %d, %v; want the input", reply.Stdout, reply.Exit, err)
	}
}
