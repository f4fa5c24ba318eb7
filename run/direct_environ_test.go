//go:build unix

package run

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
)

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
		{"a function that bash exported", []string{path, exported(t, "which() { (alias; eval ${x}) | /usr/bin/which --a \"$@\"; }; export -f which")}, true},
		{"a function that bash exported in other words", []string{path, "BASH_FUNC_which%%=() { /bin/which; }"}, false},
		{"a function that is none", []string{path, "BASH_FUNC_which%%=() {"}, false},
		{"a function for what is not found", []string{path, exported(t, "command_not_found_handle() { echo handled $1; }; export -f command_not_found_handle")}, true},
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
				if call.Dir != dir && !testkit.Whole() {
					continue
				}
				compare(t, "./probe x", nil, test.env, call)
				_, direct := pair(t, "./probe x", nil, test.env)
				if got := slices.Equal(direct.Starts(call), direct.Direct); got != test.bare {
					t.Errorf("starts %q; want without a shell: %v", direct.Starts(call), test.bare)
				}
			}
		})
	}
}

// exported returns the variable in which bash exports a function.
func exported(t *testing.T, script string) string {
	t.Helper()
	cmd := exec.Command(Shell("")[0], "-c", script+"; exec env -0")
	cmd.Env = []string{"PATH=/usr/bin:/bin"}
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for entry := range strings.SplitSeq(string(out), "\x00") {
		if strings.HasPrefix(entry, "BASH_FUNC_") {
			return entry
		}
	}
	t.Fatalf("no function in %q", out)
	return ""
}

func TestDirectLeavesToTheShellWhatAFunctionDoes(t *testing.T) {
	dir := workplace(t)
	for _, script := range []string{"probe x", "no-such x", "which x"} {
		for _, function := range []string{"probe", "command_not_found_handle"} {
			env := []string{"PATH=" + dir + "/bin:/usr/bin:/bin", exported(t, function+"() { /bin/echo function $*; }; export -f "+function)}
			compare(t, script, nil, env, hook.Call{Dir: dir})
		}
	}
}
