//go:build unix

package run

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
)

// Under the name "probe" the test program prints its arguments, input, directory and environment.
func init() {
	if filepath.Base(os.Args[0]) != "probe" {
		return
	}
	stdin, _ := io.ReadAll(os.Stdin)
	dir, _ := syscall.Getwd()
	env := os.Environ()
	if raw, err := os.ReadFile("/proc/self/environ"); err == nil { // os.Environ leaves out repeated entries
		env = strings.Split(string(raw), "\x00")
	}
	slices.Sort(env)
	fmt.Printf("argv %q\nstdin %q\ndir %q\nleads %v\nenv %q\n", os.Args, stdin, dir, os.Getpid() == syscall.Getpgrp(), env)
	os.Exit(3)
}

// workplace is a directory full of programs, some of which cannot be started.
func workplace(t *testing.T) (dir string) {
	t.Helper()
	dir = testkit.Dir(t)
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
	if bash, err := exec.LookPath(form[0]); err == nil {
		form[0] = bash // the call's PATH may lack bash
	}
	return &Command{Argv: form, Environ: environ}, &Command{Argv: form, Direct: argv, Environ: environ}
}

// seen returns everything that can be observed of a run.
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
		`grep -E '^(Sig[A-Z][a-z]|Shd|Umask|Threads|Seccomp|NoNewPrivs|Cap)' /proc/self/status`, `cat /proc/self/limits`, `ls /proc/self/fd`, `cat /proc/self/oom_score_adj`,
	} {
		compare(t, script, nil, []string{"PATH=/usr/bin:/bin"}, hook.Call{Dir: "/"})
	}
}
