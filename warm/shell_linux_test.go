package warm

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/run"
	"github.com/snaphook-go/snaphook/warm/internal/shell"
)

func TestShellScriptsAreTheSame(t *testing.T) {
	needBash(t)
	all := scripts(t, "bash.txt")
	if len(all) < 60 {
		t.Errorf("%d scripts, want at least 60", len(all))
	}
	for name, text := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := projectOf(t)
			newPair(t, []string{"bash", "-c", text}, nil, dir).same(true)
			inner := "bash -c '" + strings.ReplaceAll(text, "'", `'\''`) + "' name 'b c'"
			newPair(t, []string{"/bin/sh", "-c", inner, "sh"}, []string{"bash", "-c", text, "name", "b c"}, dir).same(true)
			if err := os.WriteFile(filepath.Join(dir, "hook.sh"), []byte("#!/bin/bash\n"+text), 0o755); err != nil {
				t.Fatal(err)
			}
			newPair(t, []string{"bash", "-c", "./hook.sh a 'b c'"}, []string{"./hook.sh", "a", "b c"}, dir).same(true)
			newPair(t, []string{"bash", "-c", "bash hook.sh '' '*'"}, []string{"bash", "hook.sh", "", "*"}, dir).same(true)
		})
	}
}

// Each script here needs bash: bash runs it as a whole, and the note says why.
func TestShellScriptsThatBashRuns(t *testing.T) {
	needBash(t)
	for text, note := range map[string]string{
		"cat":                        "cat, which is not a known builtin",
		"echo a\necho b | jq .":      "line 2: bash alone runs jq",
		"echo x 3> out":              "this redirection",
		"echo x >| out; umask 0":     "umask",
		"x=$$":                       "$$",
		"x=$RANDOM":                  "$RANDOM",
		"echo *":                     "a pattern for files",
		"echo ~root":                 "a tilde",
		"sleep 0 & wait":             "in the background",
		"eval 'echo x'":              "eval, which is not a known builtin",
		"exec 2>&1; echo x":          "exec",
		"trap 'echo bye' EXIT":       "trap",
		"pushd /; pwd":               "pushd",
		"umask 077; umask":           "umask",
		"a=([2]=x); echo ${a[2]}":    "this assignment",
		"$X":                         "whose name is not written out",
		"echo `echo x`":              "command substitution",
		"[[ a -nt b ]]":              "[[ -nt ]]",
		"X=1 true":                   "an assignment before a command",
		"IFS=:; x=a:b; echo $x":      "this assignment",
		"echo {a,b}":                 "a pattern for files or words",
		"echo x; fi":                 "",
		"echo 'a":                    "",
		"select x in a; do :; done":  "this loop",
		"{ time true; } 2>/dev/null": "TimeClause",
		"return 3":                   "this return",
		"break; echo x":              "this break",
	} {
		t.Run(text, func(t *testing.T) {
			dir := projectOf(t)
			p := newPair(t, []string{"bash", "-c", text}, nil, dir)
			if p.note == "" || !strings.Contains(p.note, note) {
				t.Errorf("note %q, want one with %q", p.note, note)
			}
			p.same(false)
		})
	}
}

// If only a run shows that a script needs bash, bash runs the script from its beginning.
func TestShellScriptsThatAreGivenUp(t *testing.T) {
	needBash(t)
	for _, text := range []string{
		"echo a; read -t 1 x; echo $x",
		"echo a; x='*'; echo $x",
		"echo a; set -u; echo $nothing; echo b",
		"echo a; exit many",
		"echo a; source ./x",
		"echo a > out; read -t 1 x; echo $x",
		"echo a; [ a -eq 1 ]; echo $?",
		"echo a; echo -e '\\x41'",
		"echo a; printf '%5s|' b",
		"echo a; x=é; echo ${#x}",
		"echo a; x='a\\b'; echo $x",
		"echo a; read x <<< 'a\\b'; echo $x",
		"echo a; f; f() { :; }",
		"echo a; f() { f; }; x=0; [ $x = 0 ] || f; read y < nothing; echo b",
		"echo a; read y < nothing; echo b",
		"echo a; i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; echo $i",
		"echo a; echo $((1/EMPTY))",
		"echo a; x=010; echo $((x))",
		"echo a; [ a -a b ]; [ a = b -o c ]; echo $?",
		"read -r x; y=$(</dev/stdin); echo \"$x|$y\"",
	} {
		t.Run(text, func(t *testing.T) {
			p := newPair(t, []string{"bash", "-c", text}, nil, projectOf(t))
			if p.note != "" {
				t.Errorf("note %q", p.note)
			}
			p.same(false)
		})
	}
}

// A script that runs in this process does not change the process, and a call has no effect on later calls, even if many
// run at once.
func TestShellCallsAreApart(t *testing.T) {
	needBash(t)
	const script = "echo \"[$x][$SECRET][$PWD]\"; x=$SECRET; export SECRET=changed; f() { :; }; read -r x; echo \"$x\""
	dir := projectOf(t)
	p := newPair(t, []string{"bash", "-c", script}, nil, dir)
	p.same(true)
	here, _ := os.Getwd()
	environ := os.Environ()
	var wg sync.WaitGroup
	for i := range 200 {
		wg.Go(func() {
			call := p.call
			id := strconv.Itoa(i)
			call.Env, call.Payload = []string{"SECRET=" + id}, []byte(id+"\n")
			want := "[][" + id + "][" + dir + "]\n" + id + "\n"
			if reply, err := p.warm.Run(context.Background(), call); err != nil || string(reply.Stdout) != want {
				t.Errorf("call %d printed %q, %v; want %q", i, reply.Stdout, err, want)
			}
		})
	}
	wg.Wait()
	if now, _ := os.Getwd(); now != here || !slices.Equal(os.Environ(), environ) {
		t.Error("the directory or the environment of this process has changed")
	}
}

// Scripts that run for long or print much are left to bash; the timeout, the signals and the limits of a process then
// apply to them.
func TestShellScriptsThatRunForLong(t *testing.T) {
	needBash(t)
	p := newPair(t, []string{"bash", "-c", "echo begun; while :; do :; done"}, nil, projectOf(t))
	p.call.Timeout = 300 * time.Millisecond
	var late *hook.TimeoutError
	if reply, err := p.warm.Run(context.Background(), p.call); !errors.As(err, &late) || late.After != p.call.Timeout ||
		reply.Signal != syscall.SIGTERM || p.ran.Load() > 0 {
		t.Errorf("signal %v, err %v; want bash ended by its timeout", reply.Signal, err)
	}
	p = newPair(t, []string{"bash", "-c", "while echo 'many words that nothing keeps'; do :; done"}, nil, projectOf(t))
	ctx, cancel := context.WithTimeoutCause(context.Background(), 300*time.Millisecond, hook.ErrNotNeeded)
	defer cancel()
	if reply, err := p.warm.Run(ctx, p.call); !errors.Is(err, hook.ErrNotNeeded) || reply.Signal != syscall.SIGTERM ||
		len(reply.Stdout) > run.MaxStdout {
		t.Errorf("%d bytes, signal %v, err %v", len(reply.Stdout), reply.Signal, err)
	}
}

// Each call runs the current text of the script. If the environment or the bash in PATH is another one, that bash runs
// the script.
func TestShellScriptsThatChange(t *testing.T) {
	bash := needBash(t)
	dir := projectOf(t)
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write("hook.sh", "#!/usr/bin/env bash\necho one\n")
	p := newPair(t, []string{"bash", "-c", "./hook.sh"}, []string{"./hook.sh"}, dir)
	p.same(true)
	write("hook.sh", "#!/usr/bin/env bash\necho another\n")
	p.same(true)
	write("hook.sh", "#!/usr/bin/env bash\necho $BASH_VERSION | tr a b\n")
	p.same(false)
	write("hook.sh", "#!/usr/bin/env bash\necho again\n")
	p.same(true)
	os.Chmod(filepath.Join(dir, "hook.sh"), 0o644)
	p.same(false)
	os.Chmod(filepath.Join(dir, "hook.sh"), 0o755)
	p.same(true)
	for _, variable := range []string{"BASH_ENV=/dev/null", "LC_ALL=xx_XX", "PATH=" + dir, "SHELLOPTS=errexit", "LANG=ja_JP.SJIS"} {
		p.call.Env = []string{variable}
		p.same(false)
	}
	write("bash", "#!"+bash+"\necho another shell\n")
	p.call.Env = []string{"PATH=" + dir + ":/usr/bin:/bin"}
	p.same(false)
	p.call.Env = nil
	os.RemoveAll(dir)
	if _, err := p.warm.Run(t.Context(), p.call); err == nil {
		t.Error("no error although the directory is gone")
	}
}

// A call takes less than 0.18 of the time that bash takes to start.
func TestShellCallsAreFast(t *testing.T) {
	needBash(t)
	p := newPair(t, []string{"bash", "-c", "read -r x\necho \"$x\""}, nil, projectOf(t))
	p.same(true)
	if ratio := p.ratio(21, p.one); ratio > 0.18 {
		t.Errorf("%.2f of a start, want at most 0.18", ratio)
	}
}

// Calls in turn and at once take less than 0.18 of the time that as many starts of bash take.
func TestShellCallsAtOnceAreFast(t *testing.T) {
	testkit.Timed(t)
	needBash(t)
	p := newPair(t, []string{"bash", "-c", "read -r x\necho \"$x\""}, nil, projectOf(t))
	for name, calls := range map[string]func(c *run.Command){
		"4 in turn": func(c *run.Command) {
			for range 4 {
				p.one(c)
			}
		},
		"8 at once": func(c *run.Command) {
			var wg sync.WaitGroup
			for range 8 {
				wg.Go(func() { p.one(c) })
			}
			wg.Wait()
		},
	} {
		best := 1.0
		for range 3 { // other programs make times worse, never better
			best = min(best, p.ratio(9, calls))
		}
		t.Logf("%s: %.3f of as many starts", name, best)
		if best > 0.18 {
			t.Errorf("%s: %.2f of as many starts, want at most 0.18", name, best)
		}
	}
}

func BenchmarkShell(b *testing.B) {
	env := os.Environ()
	for name, script := range map[string]string{
		"read and echo": "read -r x\necho \"$x\"\n",
		"guard":         "payload=$(</dev/stdin)\nrest=${payload#*'\"command\": \"'}\ncase \"${rest%%'\"'*}\" in *'rm -rf'*) echo no >&2; exit 2;; esac\n",
	} {
		for _, kind := range []string{run.WarmBash, run.WarmOff} {
			b.Run(name+"/"+kind, func(b *testing.B) {
				c := &run.Command{Argv: []string{"bash", "-c", script}, Environ: func(hook.Call) []string { return env }}
				w := &run.Warm{Log: testkit.Quiet, Tools: shell.NewTools(nil)}
				defer w.Close()
				if note := c.SetWarm(w, kind, "/tmp"); note != "" {
					b.Fatal(note)
				}
				call := hook.Call{Dir: "/tmp", Hook: &hook.Hook{Identity: hook.Identity{Event: "E"}}, Payload: []byte(`{"tool_name": "Bash", "tool_input": {"command": "go test ./..."}}` + "\n")}
				b.ReportAllocs()
				for b.Loop() {
					if _, err := c.Run(b.Context(), call); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// A script has the name and the folder that it has in bash, however it is started.
func TestShellScriptsKnowTheirNames(t *testing.T) {
	needBash(t)
	const text = "dir=$(cd \"${0%/*}\" && pwd); echo \"$0|${BASH_SOURCE[0]:-none}|$dir\"; . \"$PWD/lib.sh\"; show; f() { echo \"${BASH_SOURCE[0]}\"; }; [ -z \"$BASH_SOURCE\" ] || f"
	for _, first := range []string{"#!/bin/bash\n", "#!/usr/bin/env bash\n"} {
		dir := projectOf(t)
		for name, script := range map[string]string{"named.sh": first + text, "lib.sh": "echo \"lib $0 ${BASH_SOURCE[0]}\"; show() { echo \"of $0\"; }\n"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		newPair(t, []string{"bash", "-c", "./named.sh"}, []string{"./named.sh"}, dir).same(true)
		newPair(t, []string{"bash", "-c", dir + "/named.sh"}, []string{dir + "/named.sh"}, dir).same(true)
		newPair(t, []string{"bash", "-c", "bash ./named.sh"}, []string{"bash", "./named.sh"}, dir).same(true)
		newPair(t, []string{"bash", "-c", "bash " + dir + "//named.sh a"}, []string{"bash", dir + "//named.sh", "a"}, dir).same(true)
		newPair(t, []string{"bash", "-c", "echo \"$0\""}, nil, dir).same(true)
		newPair(t, []string{"bash", "-c", "echo \"$0 $1\"", "name", "one"}, nil, dir).same(true)
	}
}

const forDash = `read -r a b; echo -e "$a\n" $b; x=$(false; echo "$?"); echo "$x $? $0 $*"; printf '%s|' "$@" >&2; exit 3`

// Scripts of sh run in this process where sh is dash, however they are started.
func TestScriptsOfDashAreTheSame(t *testing.T) {
	dashes(t)
	dir := projectOf(t)
	for name, first := range map[string]string{"hook.sh": "#!/bin/sh\n", "env.sh": "#!/usr/bin/env sh\n", "dash.sh": "#!/usr/bin/dash\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(first+forDash), 0o755); err != nil {
			t.Fatal(err)
		}
		newPair(t, []string{"bash", "-c", "./" + name + " a 'b c'"}, []string{"./" + name, "a", "b c"}, dir).same(true)
		newPair(t, []string{"sh", name, "", "*"}, nil, dir).same(true)
	}
	for _, argv := range [][]string{{"/bin/sh", "-c", forDash}, {"sh", "-c", forDash, "name", "1"}, {"dash", "-c", forDash, "sh"}} {
		newPair(t, argv, nil, dir).same(true)
	}
}

// If this process cannot run a script as dash does, dash runs the script.
func TestScriptsThatDashRuns(t *testing.T) {
	dashes(t)
	for text, note := range map[string]string{
		"[[ a = a ]]; echo $?": "dash alone runs a command whose name is not written out", "x=(1)": "arrays are", "local x": "this local", "set -o pipefail": "this set -o",
		"trap 'echo x' EXIT": "trap", ". ./lib.sh": "dash alone runs .", "cat <<<x": "herestrings", "echo a\nexport x=$y": "line 2: dash alone runs export",
	} {
		p := newPair(t, []string{"/bin/sh", "-c", text}, nil, projectOf(t))
		if !strings.Contains(p.note, note) {
			t.Errorf("%s: note %q, want one with %q", text, p.note, note)
		}
		p.same(false)
	}
	for _, text := range []string{"echo a; shift; echo b", "echo a; cd nothing; echo b", "echo a; echo 'a\\0101'", "echo a; ( exit 300 ); echo $?", "echo a; [ a == a ]; echo $?", "echo a; set -u; echo $nothing"} {
		p := newPair(t, []string{"/bin/sh", "-c", text}, nil, projectOf(t))
		if p.note != "" {
			t.Errorf("%s: note %q", text, p.note)
		}
		p.same(false)
	}
}

// A shell counts as dash if its file, behind all links, has that name and answers as the known versions do.
func TestAnotherShellIsNotTakenForDash(t *testing.T) {
	dashes(t)
	bash, dir := needBash(t), projectOf(t)
	other := filepath.Join(dir, "sh")
	if err := os.Symlink(bash, other); err != nil {
		t.Fatal(err)
	}
	p := newPair(t, []string{other, "-c", "echo x"}, nil, dir)
	if want := other + " is not dash on this machine"; p.note != want {
		t.Errorf("note %q, want %q", p.note, want)
	}
	p.same(false)
	fake := filepath.Join(dir, "dash")
	if err := os.WriteFile(fake, []byte("#!"+bash+"\nshift; eval \"$1\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	p = newPair(t, []string{fake, "-c", "echo x"}, nil, dir)
	if p.note != "" {
		t.Errorf("note %q", p.note)
	}
	p.same(false)
}
