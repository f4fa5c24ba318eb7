package shell

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/snaphook-go/snaphook/internal/inprocess"
)

// Under set -u, the use of a parameter that is not set ends the shell with bash's message, or leaves the script to
// bash.
func TestUnsetParametersEndTheShellAsInBash(t *testing.T) {
	dir := t.TempDir()
	n := 0
	for line, inside := range map[string]bool{
		"x=$y":                                          true,
		"x=1 z=$y":                                      true,
		"echo a \"$y\" \"$1\"":                          true,
		"echo \"$3\"":                                   true,
		"echo ${12}":                                    true,
		"if [ -z \"$y\" ]; then echo q; fi":             true,
		"[[ -z $y ]]":                                   true,
		"[[ -n a &&\n-z $y ]]":                          false,
		"case $y in a) ;; esac":                         false,
		"for i in $y; do :; done":                       false,
		"x=$(echo $y); echo \"status $?\"":              true,
		"set -e; x=$(echo $y); echo \"status $?\"":      true,
		"x=\"$(cat /dev/null\necho $y)\"":               false,
		"{ echo a; echo $y; }":                          true,
		"echo a | echo $y; echo $?":                     true,
		"echo $y | echo b; echo $?":                     true,
		"if true\nthen\n  echo \"$y\"\nfi":              true,
		"(echo $y); echo \"sub $?\"":                    true,
		"(\necho a\necho $y\n)\necho \"sub $?\"":        true,
		"echo a &&\n  echo $y":                          true,
		"echo a |\n  echo $y\necho b":                   true,
		"echo \"a\nb $y\"":                              false,
		"while [ \"$y\" = a ]; do :; done":              true,
		"x=${y#a}":                                      true,
		"export x=$y":                                   true,
		"read -r x <<< $y":                              false,
		"read -r x <<E\n$y\nE":                          false,
		": ${y:?}":                                      true,
		": ${y?}":                                       true,
		"echo ${e:?the reason}; e=; : ${e?x} ${e:?}":    true,
		": \"${1:?one}\" \"${3:?usage: $0 $e}\"":        true,
		"echo ${#y}":                                    true,
		"echo ${y:-a} ${y-b} ${y:+c}; echo ${y:1}":      true,
		"! echo $y":                                     true,
		"f() { echo $y; }; f":                           true,
		"f() {\n  echo a\n  local x=$y\n}\nf":           true,
		"f() {\n  echo a\n  x=\"$1$2\"\n}\nf; echo b":   true,
		"f() {\n  [[ -n $y ]]\n}\nx=$(f a); echo $?":    true,
		"f() { echo $y; }; . /dev/null; f":              false,
		"echo $((y + 1))":                               false,
		"echo \"${list[0]}\"":                           false,
		"true || echo $y; [ -n \"${y:-}\" ] || echo $y": true,
		"set +u; echo $y; set -u; echo $y":              true,
	} {
		n++
		name := filepath.Join(dir, fmt.Sprintf("s%d.sh", n))
		text := "#!/bin/bash\nset -u\n\n" + line + "\necho end\n"
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		env := map[string]string{"PATH": "/usr/bin:/bin", "e": "set"}
		var got inprocess.Result
		ran := false
		p, err := NewTools(nil).Compile(text)
		if err == nil {
			got, _, ran = p.Run(&inprocess.Call{Env: env, Params: []string{"p1", ""}, Dir: dir, PWD: dir, Name: name, File: name})
		}
		if ran != inside {
			t.Errorf("%q ran in this process: %v (%v)", line, ran, err)
		}
		if !ran {
			continue
		}
		cmd := exec.CommandContext(t.Context(), "/bin/bash", name, "p1", "")
		cmd.Dir, cmd.Env = dir, []string{"PATH=/usr/bin:/bin", "e=set"}
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		_ = cmd.Run()
		if exit := cmd.ProcessState.ExitCode(); exit != got.Exit || out.String() != string(got.Stdout) || errs.String() != string(got.Stderr) {
			t.Errorf("%q ends with %d, %q, %q here,\nand with %d, %q, %q in bash",
				line, got.Exit, got.Stdout, got.Stderr, exit, out.String(), errs.String())
		}
	}
}
