package shell

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mvdan.cc/sh/v3/syntax"

	sh "github.com/snaphook-go/snaphook/internal/bash"

	"github.com/snaphook-go/snaphook/internal/inprocess"
)

// bash runs a script with bash, in an environment in which bash finds no program.
func bash(t *testing.T, dir, script string, stdin []byte, params []string) (r inprocess.Result) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/bin/bash", append([]string{"-c", script, "bash"}, params...)...)
	cmd.Dir, cmd.Stdin = dir, bytes.NewReader(stdin)
	for name, value := range fuzzEnv {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var ended *exec.ExitError
	switch {
	case errors.As(err, &ended):
		r.Exit = ended.ExitCode()
	case err != nil:
		t.Fatal(err)
	}
	r.Stdout, r.Stderr = stdout.Bytes(), stderr.Bytes()
	return r
}

var fuzzEnv = map[string]string{"PATH": "/nonexistent", "HOME": "/", "LANG": "C.UTF-8", "e": "a b", "E": ""}

// writes reports whether a script may write a file, which random scripts must not do.
func writes(script string) (may bool) {
	file, err := sh.Parse(script)
	if err != nil {
		return true
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		if r, ok := n.(*syntax.Redirect); ok {
			switch target := r.Word.Lit(); r.Op {
			case syntax.RdrIn, syntax.Hdoc, syntax.WordHdoc:
			case syntax.DplOut:
				may = may || target != "1" && target != "2"
			default:
				may = may || target != "/dev/null" && target != "/dev/stdout" && target != "/dev/stderr"
			}
		}
		return true
	})
	return may
}

// agree runs a script in this process and, if that is possible, with bash too, and compares the results. It runs only
// scripts that write no files.
func agree(t *testing.T, dir, script string, stdin []byte) (ran bool) {
	t.Helper()
	p, err := NewTools(nil).Compile(script)
	if err != nil || strings.Contains(script, "/proc") || writes(script) {
		return false
	}
	params := []string{"p1", "", "p 3"}
	got, _, ok := p.Run(&inprocess.Call{Stdin: stdin, Env: fuzzEnv, Params: params, Dir: dir, PWD: dir, Name: "bash"})
	if !ok {
		return false
	}
	want := bash(t, dir, script, stdin, params)
	same := func() bool {
		return got.Exit == want.Exit && bytes.Equal(got.Stdout, want.Stdout) && bytes.Equal(got.Stderr, want.Stderr)
	}
	if strings.Contains(script, "|") { // in bash the parts of a pipeline run side by side, and write in any order
		for try := 0; !same() && try < 30; try++ {
			want = bash(t, dir, script, stdin, params)
		}
	}
	if !same() {
		t.Errorf("the script\n%s\nended with %d, %q, %q here,\nand with %d, %q, %q in bash",
			script, got.Exit, got.Stdout, got.Stderr, want.Exit, want.Stdout, want.Stderr)
	}
	return true
}

func corpus(tb testing.TB) (scripts []string) {
	tb.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "testdata", "bash.txt"))
	if err != nil {
		tb.Fatal(err)
	}
	for part := range strings.SplitSeq("\n"+string(text), "\n=== ") {
		if _, script, ok := strings.Cut(part, "\n"); ok {
			scripts = append(scripts, script)
		}
	}
	return scripts
}

func needBash(tb testing.TB) {
	tb.Helper()
	out, err := exec.Command("/bin/bash", "-c", "echo ${BASH_VERSINFO[0]}").Output()
	if err != nil || strings.TrimSpace(string(out)) != "5" {
		tb.Skip("there is no bash 5 to compare with")
	}
}

// FuzzScript checks that every script that runs in this process ends as in bash.
func FuzzScript(f *testing.F) {
	needBash(f)
	for _, script := range corpus(f) {
		f.Add(script, []byte("a line\nand {\"more\": 1}\n"))
	}
	f.Add("a='1 2'; for w in x$a$ y; do echo \"<$w>\"; done", []byte{})      // a word that bash does not split
	f.Add("read -r a b; echo \"[$a][$b]\"", []byte("a lin\xcf\nand more\n")) // bash may read \n as a part of \xcf
	f.Fuzz(func(t *testing.T, script string, stdin []byte) {
		if len(script) > 2000 || len(stdin) > 2000 {
			return
		}
		agree(t, t.TempDir(), script, stdin)
	})
}

// FuzzMadeScript checks that random scripts of known commands end as in bash.
func FuzzMadeScript(f *testing.F) {
	needBash(f)
	for seed := range uint64(20) {
		f.Add(seed)
	}
	f.Add(uint64(469)) // a pipeline in which two parts write to one stream
	f.Fuzz(func(t *testing.T, seed uint64) {
		agree(t, t.TempDir(), madeScript(seed), []byte("one two\n three \n{\"a\": \"b\"}"))
	})
}

// Most scripts of the generator run in this process; otherwise FuzzMadeScript would prove
// nothing.
func TestMadeScriptsAreRun(t *testing.T) {
	needBash(t)
	ran := 0
	dir := t.TempDir()
	for seed := range uint64(150) {
		if agree(t, dir, madeScript(seed+1000), []byte("one two\n three \n")) {
			ran++
		}
	}
	if ran < 60 {
		t.Errorf("%d of 150 scripts were run in this process, want at least 60", ran)
	}
}

// maker makes random scripts.
type maker struct {
	*rand.Rand
	depth int
	loop  bool
	fn    bool
}

func madeScript(seed uint64) string {
	m := maker{Rand: rand.New(rand.NewPCG(seed, 1))}
	start := m.pick("", "", "set -e\n", "set -u\n", "set -o pipefail\n", "set -euo pipefail\n")
	return start + "x=1 y='a b' z=\n" + m.list(2+m.IntN(4))
}

func (m maker) pick(all ...string) string { return all[m.IntN(len(all))] }

func (m maker) list(n int) string {
	var out strings.Builder
	for range n {
		out.WriteString(m.command() + "\n")
	}
	return out.String()
}

func (m maker) command() string {
	if m.depth++; m.depth > 4 {
		return m.simple()
	}
	inner, again := m, m
	inner.loop, inner.fn = false, false
	again.loop = true
	switch m.IntN(16) {
	case 0:
		return "if " + m.command() + "\nthen\n" + m.list(2) + m.pick("", "else\n"+m.list(1)) + "fi"
	case 1:
		return "for x in " + m.word() + " " + m.word() + "; do\n" + again.list(2) + "done" + m.redirect()
	case 2:
		return "while read -r x y; do\n" + again.list(1) + "done <<< " + m.quoted()
	case 3:
		return "case " + m.quoted() + " in " + m.pattern() + ") " + m.command() + " ;;\n" + m.pattern() + ") " +
			m.command() + ";; esac"
	case 4:
		return "{ " + m.command() + "\n" + m.command() + "\n}" + m.redirect()
	case 5:
		return "(" + inner.list(2) + ")" + m.redirect()
	case 6:
		return inner.command() + " | " + inner.command()
	case 7:
		return m.command() + m.pick(" && ", " || ") + m.command()
	case 8:
		return "! " + m.simple()
	case 9:
		f := m
		f.loop, f.fn = false, true
		name := m.pick("f", "g")
		return name + "() {\n" + f.list(2) + "}\n" + name + " " + m.word()
	}
	return m.simple()
}

func (m maker) simple() string {
	if m.loop && m.IntN(8) == 0 {
		return m.pick("break", "continue")
	}
	if m.fn && m.IntN(6) == 0 {
		return m.pick("return", "return 3", "local x="+m.quoted(), "local y")
	}
	switch m.IntN(12) {
	case 0:
		return m.pick("true", "false", ":", "shift", "read -r x", "read -r x y z", "unset z")
	case 1:
		return m.pick("x", "y", "z") + m.pick("=", "=", "+=") + m.quoted()
	case 2:
		return "[ " + m.quoted() + m.pick(" = ", " != ") + m.quoted() + " ]"
	case 3:
		return "[[ " + m.quoted() + m.pick(" == ", " != ") + m.pattern() + m.pick("", " && -n $x", " || ! -z $y") + " ]]"
	case 4:
		return m.pick("((x = 3))", "z=$((z + 2))", "((z > 2))", "((z++))", "[ \"$x\" ]", "[ -n $z ]", "echo $((1 + 2))")
	case 5:
		return "printf '%s|%s\\n' " + m.word() + " " + m.word() + m.redirect()
	case 6:
		return m.pick("false && trap x EXIT", "if ! :; then cd / && a=(1 \"$x\"); fi", "case $x in '') : ;; 3) eval \"$y\" & ;; esac",
			"exit 3", "(exit 4)", "exit", "x=$(exit 2)", "echo $?", "echo $? $#")
	}
	return "echo " + m.word() + " " + m.word() + m.redirect()
}

func (m maker) redirect() string {
	return m.pick("", "", "", " >&2", " 2>&1", " >/dev/null", " 2>/dev/null")
}

func (m maker) word() string {
	return m.pick(m.quoted(), "$x", "$y", "$z", "a$x", "$x$y\"\"", "$1", "\"$@\"", "$(echo $x)", "lit", "'q q'", "a\\ b")
}

func (m maker) quoted() string {
	v := m.pick("x", "y", "z", "1", "e", "E")
	op := m.pick("", "", ":-"+m.pick("d", "", "d d"), "-d", "+s", ":+s", "#"+m.trimmed(), "##"+m.trimmed(),
		"%"+m.trimmed(), "%%"+m.trimmed(), "/a/b", "//b", "^^", ",", ":1", ":0:2", ":"+fmt.Sprint(m.IntN(3))+":1")
	return m.pick("\"${"+v+op+"}\"", "\"$x-$y\"", "'a*b'", "\"$(echo \"$y\"; echo)\"", "\"a\\\"b\"", "\"${#"+v+"}\"", "w")
}

func (m maker) trimmed() string {
	return m.pick("a", "*", "*a", "a*", "?", "[ab]", "*[!a]", " *", "a* ")
}

func (m maker) pattern() string {
	return m.pick("*", "a*", "*b", "\"$x\"", "$x", "[ab]*", "?", "*' '*", "w", "\"a\"*b", "1|2")
}
