//go:build unix

package run

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/snaphook-go/snaphook/hook"
)

// Under the name "probe" the test program tells what it was started with.
func init() {
	if filepath.Base(os.Args[0]) != "probe" {
		return
	}
	stdin, _ := io.ReadAll(os.Stdin)
	dir, _ := syscall.Getwd()
	env := os.Environ()
	if raw, err := os.ReadFile("/proc/self/environ"); err == nil { // os.Environ hides oddities
		env = strings.Split(string(raw), "\x00")
	}
	slices.Sort(env)
	fmt.Printf("argv %q\nstdin %q\ndir %q\nleads %v\nenv %q\n", os.Args, stdin, dir, os.Getpid() == syscall.Getpgrp(), env)
	os.Exit(3)
}

// workplace is a directory full of programs, some of which cannot be started.
func workplace(t *testing.T) (dir string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{"bin", "hidden", "a b", "bin/folder", "hidden/probe"} {
		if err := os.Mkdir(filepath.Join(dir, folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{"probe": self, "bin/probe": self, "a b/probe": self, "link": dir, "dangling": "gone"} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []struct {
		name, text string
		mode       os.FileMode
	}{
		{"guard.sh", "#!/bin/sh\necho \"$0 $# $*\"; cat; echo no >&2; exit 2\n", 0o700},
		{"guard.bash", "#!/usr/bin/env bash\necho \"$0 $# $* $BASH_SUBSHELL\"; env | sort\n", 0o700},
		{"plain", "echo \"plain $0 $*\"; exit 4\n", 0o700},
		{"empty", "", 0o700},
		{"nobody.sh", "#!/no/such/shell\n", 0o700},
		{"locked.sh", "#!/bin/sh\n", 0o600},
		{"binary", "\x7fELF\x00\x01\x02", 0o700},
		{"killed.sh", "#!/bin/sh\nkill -KILL $$\n", 0o700},
		{"ended.sh", "#!/bin/sh\nkill -TERM $$\n", 0o700},
		{"bin/locked.sh", "#!/bin/sh\n", 0o600},
		{"bin/named", "#!/bin/sh\necho \"named $0 $_\"\n", 0o700},
		{"hidden/named", "not a program\n", 0o600},
	} {
		if err := os.WriteFile(filepath.Join(dir, file.name), []byte(file.text), file.mode); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// pair is a script's two forms with one environment.
func pair(t *testing.T, script string, vars map[string]string, env []string) (shell, direct *Command) {
	t.Helper()
	argv, ok := Direct(script, vars)
	if !ok {
		t.Errorf("%s: not direct, want argv", script)
	}
	environ := func(hook.Call) []string { return env }
	names := make([]string, 0, len(vars))
	for name := range vars {
		names = append(names, name)
	}
	form := Shell(QuoteVars(script, names...))
	return &Command{Argv: form, Environ: environ}, &Command{Argv: form, Direct: argv, Environ: environ}
}

// seen is all that can be seen of a run.
func seen(t *testing.T, run runFunc, c *Command, call hook.Call) string {
	t.Helper()
	reply, err := c.run(t.Context(), call, run)
	return fmt.Sprintf("exit %d, signal %v, error %v\n--stdout\n%s--stderr\n%s", reply.Exit, reply.Signal, err, reply.Stdout, reply.Stderr)
}

func compare(t *testing.T, script string, vars map[string]string, env []string, call hook.Call) {
	t.Helper()
	both(t, func(t *testing.T, run runFunc) {
		shell, direct := pair(t, script, vars, env)
		if diff := cmp.Diff(seen(t, run, shell, call), seen(t, run, direct, call)); diff != "" {
			t.Errorf("%s (-shell +direct):\n%s", script, diff)
		}
	})
}

// The third column says whether the program starts without a shell at all;
// where it cannot, bash tells why.
var directScripts = []struct {
	name, script string
	bare         bool
}{
	{"a program of the project", `$DIR/guard.sh`, true},
	{"with arguments", `$DIR/guard.sh --strict -n 5 a=b x:y,z@w +1 %s`, true},
	{"in double quotes", `"$DIR/guard.sh" --strict`, true},
	{"half in double quotes", `"$DIR"/guard.sh --strict`, true},
	{"in braces and double quotes", `"${DIR}/guard.sh"`, true},
	{"in braces", `${DIR}/guard.sh`, true},
	{"a variable in an argument", `./probe $DIR/x "$DIR" a$DIR:$DIR ${DIR}x`, true},
	{"a value with a blank", `./probe $BLANK "$BLANK" "x${BLANK}y"`, true},
	{"a value with a star", `./probe $STAR "$STAR"x`, true},
	{"an empty value", `./probe $NONE "$NONE" x$NONE`, true},
	{"a value with a backslash", `./probe $SLASH "$SLASH"`, true},
	{"a variable in single quotes", `./probe '$DIR' \$DIR "\$DIR"`, true},
	{"blanks around", "  \t./probe\ta   b \t ", true},
	{"single quotes", `./probe 'a b' '' 'a"b' 'a\b' 'a*b' '$(x)' 'a;b|c&d<e>f#g'`, true},
	{"double quotes", `./probe "a b" "" "a'b" "a*b?[c]" "~" "{a,b}" "!x" "a;b|c&d<e>f#g"`, true},
	{"escapes in double quotes", `./probe "a\"b" "a\\b" "a\$b" "a\x\n" "\*" "\'"`, true},
	{"escapes", `./probe a\ b \* \~ \{a,b\} \# \\ \' \" \; \| \$x \! \[ \(`, true},
	{"quotes that join", `./probe a'b'"c"d\ e''`, true},
	{"text beyond ASCII", `./probe 'Zürich – 東京' "🙂 é"`, true},
	{"words that are options", `./probe - -- -e -c +x`, true},
	{"words that would be reserved in front", `./probe if then time in esac`, true},
	{"a comment", `./probe a # it's $(x) "`, true},
	{"a path with a blank", `./"a b"/probe x`, true},
	{"a blank that is escaped", `./a\ b/probe x`, true},
	{"a quoted program", `"./probe" x`, true},
	{"a program in PATH", `probe x`, true},
	{"a script in PATH", `named x`, true},
	{"a quoted program in PATH", `'probe' x`, true},
	{"a builtin's name with a folder", `/bin/echo a b`, true},
	{"cat", `cat`, true},
	{"an absolute program", `/bin/sh -c 'echo "$0 $@ $SHLVL"; exit 5' a "b c"`, true},
	{"another bash", `bash -c 'echo "$0 $@ $SHLVL $PWD $OLDPWD"; exit 6' a "b c"`, true},
	{"a script that env finds the interpreter for", `./guard.bash 1 2`, true},
	{"another folder", `./link/guard.sh`, true},
	{"env", `env -i A=1 ./probe`, true},
	{"a program that fails", `/bin/false`, true},
	{"a killed program", `./killed.sh`, true},
	{"a program that ends by SIGTERM", `./ended.sh`, true},
	{"a word that looks like an assignment", `./probe A=1 B+=2 1=3`, true},
	{"a long argument", `./probe ` + strings.Repeat("x", 60000), true},

	{"no such program", `no-such-program x`, false},
	{"no such file", `./no-such-file x`, true},
	{"no such absolute file", `/no/such/file`, true},
	{"a file below a file", `./guard.sh/x`, true},
	{"a dangling link", `./dangling`, true},
	{"a folder", `./bin`, true},
	{"a folder with a slash", `./bin/`, true},
	{"a folder in PATH", `folder`, false},
	{"the folder above", `..`, false},
	{"a file that is no program", `./locked.sh x`, true},
	{"a file in PATH that is no program", `locked.sh x`, false},
	{"a missing interpreter", `./nobody.sh x`, true},
	{"a script without a first line", `./plain a 'b c'`, true},
	{"an empty script", `./empty`, true},
	{"a broken binary", `./binary`, true},
	{"a dollar in a name", `'no$such' x`, false},
	{"a blank in a name", `'no such' x`, false},
}

func TestDirectLooksLikeTheShell(t *testing.T) {
	dir := workplace(t)
	vars := map[string]string{"DIR": dir, "BLANK": "a b", "STAR": "*", "NONE": "", "SLASH": `a\b`}
	env := []string{"PATH=" + dir + "/hidden:" + dir + "/bin/:/usr/bin:/bin", "HOME=/", "PWD=" + dir, "OLDPWD=/", "SHLVL=2", "_=/usr/bin/me", "A=1", "EMPTY=", "TWO=a\nb=c"}
	for name, value := range vars {
		env = append(env, name+"="+value)
	}
	call := hook.Call{Dir: dir, Payload: []byte("{\"a\":\x00 \xff}\n")}
	for _, test := range directScripts {
		t.Run(test.name, func(t *testing.T) {
			compare(t, test.script, vars, env, call)
			_, direct := pair(t, test.script, vars, env)
			if got := slices.Equal(direct.Starts(call), direct.Direct); got != test.bare {
				t.Errorf("starts %q; want without a shell: %v", direct.Starts(call), test.bare)
			}
		})
	}
}

func TestDirectGivesTheSameEnvironment(t *testing.T) {
	dir := workplace(t)
	const path = "PATH=/usr/bin:/bin"
	for _, test := range []struct {
		name string
		env  []string
		bare bool
	}{
		{"nothing", nil, true},
		{"a PATH", []string{path}, true},
		{"no shell level", []string{path, "PWD=" + dir}, true},
		{"a shell level", []string{path, "SHLVL=1"}, true},
		{"a deep shell level", []string{path, "SHLVL=899"}, true},
		{"too deep a shell level", []string{path, "SHLVL=1000"}, false},
		{"a shell level that is odd", []string{path, "SHLVL=03"}, false},
		{"a shell level that is none", []string{path, "SHLVL=x"}, false},
		{"an empty shell level", []string{path, "SHLVL="}, false},
		{"a negative shell level", []string{path, "SHLVL=-1"}, false},
		{"the directory by another name", []string{path, "PWD=" + dir + "/link"}, true},
		{"the directory by an odd name", []string{path, "PWD=" + dir + "/bin/../."}, true},
		{"another directory", []string{path, "PWD=/"}, true},
		{"a relative directory", []string{path, "PWD=."}, true},
		{"no directory", []string{path, "PWD=/no/such"}, true},
		{"an empty directory", []string{path, "PWD="}, true},
		{"an old directory", []string{path, "OLDPWD=" + dir + "/link"}, true},
		{"an old directory that is gone", []string{path, "OLDPWD=/no/such"}, false},
		{"an old directory that is a file", []string{path, "OLDPWD=" + dir + "/plain"}, false},
		{"an empty old directory", []string{path, "OLDPWD="}, false},
		{"a relative old directory", []string{path, "OLDPWD=bin"}, false},
		{"prompts", []string{path, "PS1=$ ", "PS2=> ", "PS3=x"}, true},
		{"variables of bash", []string{path, "IFS=x", "OPTIND=7", "PS4=x", "RANDOM=1", "LINENO=3", "PPID=1", "UID=77"}, false},
		{"bash's version", []string{path, "BASH_VERSION=1"}, false},
		{"shell options", []string{path, "SHELLOPTS=xtrace"}, false},
		{"other shell options", []string{path, "BASHOPTS=extglob"}, false},
		{"POSIX", []string{path, "POSIXLY_CORRECT=1"}, false},
		{"a startup file", []string{path, "BASH_ENV=" + dir + "/plain"}, false},
		{"another startup file", []string{path, "ENV=" + dir + "/plain"}, false},
		{"a function", []string{path, "BASH_FUNC_probe%%=() { /bin/echo function; }"}, false},
		{"a function with a path", []string{path, "BASH_FUNC_./probe%%=() { /bin/echo function; }"}, false},
		{"a remote session", []string{path, "HOME=" + dir, "SSH_CLIENT=1 2 3"}, false},
		{"a shell of a remote session", []string{path, "HOME=" + dir, "SSH_CLIENT=1 2 3", "SHLVL=1"}, true},
		{"names that are none", []string{path, "a-b=1", "1=2"}, false},
		{"an entry without a value", []string{path, "A"}, false},
		{"an entry without a name", []string{path, "=x"}, false},
		{"an empty entry", []string{path, ""}, false},
		{"a name that is there twice", []string{path, "A=1", "A=2"}, false},
		{"an unknown locale", []string{path, "LC_ALL=xx_YY.UTF-8"}, false},
		{"a locale that is a path", []string{path, "LC_ALL=../locale"}, false},
		{"a plain locale", []string{path, "LC_ALL=C", "LANG=xx", "LC_CTYPE=yy"}, true},
		{"values of all kinds", []string{path, "A=\xff\x01\n", "B==", "C=() { :; }; echo pwned", "D=$(echo)", "LONG=" + strings.Repeat("x", 100000)}, true},
		{"a value that is too long", []string{path, "LONG=" + strings.Repeat("x", 200000)}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, call := range []hook.Call{{Dir: dir}, {Dir: dir + "/link"}} {
				compare(t, "./probe x", nil, test.env, call)
				_, direct := pair(t, "./probe x", nil, test.env)
				if got := slices.Equal(direct.Starts(call), direct.Direct); got != test.bare {
					t.Errorf("starts %q; want without a shell: %v", direct.Starts(call), test.bare)
				}
			}
		})
	}
}

func TestDirectSearchesPathAsTheShell(t *testing.T) {
	dir := workplace(t)
	for _, path := range []string{
		"PATH=" + dir + "/bin", "PATH=" + dir + "/bin/", "PATH=" + dir + "//bin//", "PATH=" + dir + "/hidden:" + dir + "/link/bin",
		"PATH=", "PATH=:", "PATH=.", "PATH=bin", "PATH=./bin", "PATH=/no:bin", "PATH=/no::", "PATH=~/bin", "PATH=/usr/bin:" + dir + "/plain:" + dir + "/bin", "NOPATH=1",
	} {
		for _, script := range []string{"probe x", "named", "locked.sh", "folder", "no-such"} {
			compare(t, script, nil, []string{path, "HOME=" + dir, "SHLVL=1"}, hook.Call{Dir: dir})
		}
	}
}

func TestDirectInheritsWhatTheShellInherits(t *testing.T) {
	if runtime.GOOS != "linux" {
		return // no /proc
	}
	for _, script := range []string{
		`grep -E '^(Sig|Shd|Umask|Threads|Seccomp|NoNewPrivs|Cap)' /proc/self/status`, `cat /proc/self/limits`, `ls /proc/self/fd`, `cat /proc/self/oom_score_adj`,
	} {
		compare(t, script, nil, []string{"PATH=/usr/bin:/bin"}, hook.Call{Dir: "/"})
	}
}

func TestDirectWaitsForAFileOpenForWriting(t *testing.T) {
	both(t, func(t *testing.T, run runFunc) {
		file := filepath.Join(t.TempDir(), "x.sh")
		busy, err := os.OpenFile(file, os.O_CREATE|os.O_WRONLY, 0o700)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := busy.WriteString("#!/bin/sh\necho ok\n"); err != nil {
			t.Fatal(err)
		}
		closed := time.AfterFunc(20*time.Millisecond, func() { _ = busy.Close() })
		defer closed.Stop()
		c := &Command{Argv: Shell("exit 9"), Direct: []string{file}}
		if got, err := c.run(t.Context(), hook.Call{}, run); err != nil || string(got.Stdout) != "ok\n" {
			t.Errorf("got %q, status %d, %v; want ok", got.Stdout, got.Exit, err)
		}
	})
}

func TestDirectEndsWithItsContext(t *testing.T) {
	both(t, func(t *testing.T, run runFunc) {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		c := &Command{Argv: Shell("exec sleep 30"), Direct: []string{"sleep", "30"}}
		if got, err := c.run(ctx, hook.Call{}, run); err != context.DeadlineExceeded || got.Signal != syscall.SIGTERM {
			t.Errorf("got %v, %v; want %v, %v", got.Signal, err, syscall.SIGTERM, context.DeadlineExceeded)
		}
	})
}

func TestDirectRunsOnce(t *testing.T) {
	both(t, func(t *testing.T, run runFunc) {
		dir := t.TempDir()
		calls := 0
		c := &Command{Argv: Shell("echo shell >>ran"), Direct: []string{"/bin/sh", "-c", "echo direct >>ran; exit 127"}, Environ: func(hook.Call) []string {
			calls++
			return []string{"PATH=/bin"}
		}}
		got, err := c.run(t.Context(), hook.Call{Dir: dir}, run)
		if ran, _ := os.ReadFile(filepath.Join(dir, "ran")); err != nil || got.Exit != 127 || string(ran) != "direct\n" || calls != 1 {
			t.Errorf("got status %d, %v; %q ran, environment asked for %d times; want 127, direct, 1", got.Exit, err, ran, calls)
		}
	})
}

func TestDirectIsOnlyWhatNeedsNoShell(t *testing.T) {
	vars := map[string]string{"DIR": "/x", "BLANK": "a b", "STAR": "*", "NONE": "", "SLASH": `a\b`, "ECHO": "echo", "CONTROL": "a\x01", "BROKEN": "\xff"}
	for _, script := range []string{
		"", " ", "#", "# x", "x # y\nz", "x;", "x; y", "x && y", "x || y", "x | y", "x |& y", "x &", "! x", "(x)", "{ x; }",
		"x >y", "x <y", "x 2>&1", "x &>y", "x <<E\ny\nE", "x <<<y", ">y", "A=1", "A=1 x", "A+=1 x", "a[0]=1", "1=2", "'A=1' x",
		"x\n", "\nx", "x\ny", "x\r", "x\r\n", "x \\\ny", "x\x00", "x\x01", "x '\x7f'", "x '\xff'", "x \\", "x '", `x "`, "x `y`", "x $(y)", `x "$(y)"`, "x \"`y`\"",
		"x $HOME", `x "$HOME"`, "x ${HOME}", "x $DIRX", "x ${DIRX}", "x ${DIR:-y}", "x ${DIR%/*}", "x ${#DIR}", "x ${!DIR}", "x ${DIR[0]}", "x ${DIR:1}", "x ${DIR@Q}", "x ${DIR^}",
		"x ${BLANK}", "x ${STAR}", "x ${NONE}", "x a${NONE}", "x ${SLASH}", "x $CONTROL", "x $BROKEN", "x $1", "x $@", "x \"$@\"", "x $?", "x $$", "x $", `x "$"`, "x $((1))", "x $[1]",
		"$NONE x", "'' x", `"" x`, "$ECHO x", "$NONE", "%1", "%", "x *", "x a?", "x [a]", "x a]", "x {a,b}", "x a{1..3}", "x {}", "x ~", "x ~/y", "x a=~", "x a:~", "x !(a)", "x @(a)", "x +(a)", "x a^b",
		"x $'a'", `x $"a"`, `x "a"$'b'`, "x <(y)", "x >(y)", "[[ x ]]", "((1))", "let x", "x() { y; }", "function x { y; }", "if x; then y; fi", "for x in y; do z; done",
		"while x; do y; done", "case x in y) ;; esac", "select x in y; do z; done", "coproc x", "time x", "declare x", "export x=y", "local x", "x Zürich", "Zürich", "x a\u00a0b", "x \\é",
		`"echo" x`, `\echo x`, `'[' x ]`, `ec"ho" x`, "exec x", "command x", "eval x", ". x", "source x", "if", "then", "{", "}", "!", "]]", "in",
		"x " + strings.Repeat("y", 1<<16), "[ x ]", "test x", ": x", "cd x", "exit", "exit 2", "true", "echo '{}'", `printf '{}'`, "read x", "kill x", "type x", "trap x y", "wait",
	} {
		if argv, ok := Direct(script, vars); ok || argv != nil {
			t.Errorf("%q became %q, want a shell", script, argv)
		}
	}
}

func TestDirectKnowsTheWordsOfBash(t *testing.T) {
	words, err := exec.Command(Shell("")[0], "-c", "compgen -b; compgen -k").Output()
	if err != nil {
		t.Fatal(err)
	}
	for word := range strings.FieldsSeq(string(words)) {
		for _, script := range []string{word + " x", "'" + word + "' x", `\` + word} {
			if argv, ok := Direct(script, nil); ok && len(argv[0]) > 0 && argv[0] == word {
				t.Errorf("%s became %q, want a shell", script, argv)
			}
		}
	}
}

func TestDirectNeedsBash(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if argv, ok := Direct("/bin/x", nil); ok {
		t.Errorf("got %q without bash, want a shell", argv)
	}
}

var controls = regexp.MustCompile(`[\x00-\x08\x0a-\x1f\x7f]`)

func FuzzDirect(f *testing.F) {
	for _, test := range directScripts {
		f.Add(test.script)
	}
	for _, seed := range []string{`x a\`, `x "\`, "x ''$D", "x $D$D'$D'", `x "${D}\$D"$DD`, "x ~$D", "x {$D,b}", "x \"$D\"[0]", "x $D[0]", `x \$D`, `x \\$D`, "x é", "x a#b", "x a=b~", "x\t\"\t\""} {
		f.Add(seed)
	}
	const value = `a b*~"\$'`
	names := []string{"D", "DIR", "BLANK", "STAR", "NONE", "SLASH"}
	vars := map[string]string{}
	env := []string{"PATH=/usr/bin:/bin"}
	for _, name := range names {
		vars[name], env = value, append(env, name+"="+value)
	}
	bash := Shell("")[0]
	f.Fuzz(func(t *testing.T, script string) {
		argv, ok := Direct(script, vars)
		if !ok {
			return
		}
		if controls.MatchString(script) {
			t.Fatalf("%q has control characters", script)
		}
		cmd := exec.Command(bash, "-c", `printf '%s\0' `+QuoteVars(script, names...))
		cmd.Env, cmd.Dir = env, t.TempDir()
		got, err := cmd.Output()
		if want := strings.Join(argv, "\x00") + "\x00"; err != nil || !bytes.Equal(got, []byte(want)) {
			t.Fatalf("%q became %q; bash reads %q, %v", script, argv, got, err)
		}
	})
}
