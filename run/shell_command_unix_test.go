//go:build unix

package run

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/snaphook-go/snaphook/hook"
)

func TestBashIsBash(t *testing.T) {
	both(t, func(t *testing.T, run runFunc) {
		got, err := (&Command{Argv: Bash(`printf "%s|%s\n" x y | cat; echo "$0 $#"; exit 2`)}).run(t.Context(), hook.Call{}, run)
		if err != nil || string(got.Stdout) != "x|y\nbash 0\n" || got.Exit != 2 {
			t.Errorf("got %q, status %d, %v; want a pipe, $0 as bash, and 2", got.Stdout, got.Exit, err)
		}
	})
}

func TestWithoutBashAScriptRunsInSh(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	got, err := (&Command{Argv: Bash(`echo "$0 $#"`)}).Run(t.Context(), hook.Call{})
	if err != nil || string(got.Stdout) != "sh 0\n" || HasBash() {
		t.Errorf("got %q, %v, bash: %v; want /bin/sh to have run it", got.Stdout, err, HasBash())
	}
}

func TestAPrefixGetsTheWholeCommand(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a b")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	wrap := filepath.Join(dir, "wrap.sh")
	if err := os.WriteFile(wrap, []byte("#!/bin/sh\necho $# $1\nshift $(($# - 1))\nexec /bin/sh -c \"$1\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	both(t, func(t *testing.T, run runFunc) {
		for _, test := range []struct{ prefix, script, want string }{
			{"'" + wrap + "' x", `echo 'it'\''s' "$((1+1))" '$HOME'`, "2 x\nit's 2 $HOME\n"},
			{`"$DIR"/wrap.sh x y`, "echo a\ncat <<'E'\n\\b\nE\n# '", "3 x\na\n\\b\n"},
			{"", "echo a", "a\n"},
			{" ", "echo a", "a\n"},
		} {
			c := &Command{Argv: PrefixShell(test.prefix, test.script)}
			got, err := c.run(t.Context(), hook.Call{Env: []string{"DIR=" + dir}}, run)
			if err != nil || string(got.Stdout) != test.want {
				t.Errorf("%s %s: got %q, %q, %v; want %q", test.prefix, test.script, got.Stdout, got.Stderr, err, test.want)
			}
		}
	})
}

func TestPowerShellIsFoundInThePathOfTheCall(t *testing.T) {
	both(t, func(t *testing.T, run runFunc) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "pwsh"), []byte("#!/bin/sh\necho \"$1 $2 $3\"; exit 2\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		got, err := (&Command{Argv: PowerShell("x")}).run(t.Context(), hook.Call{Env: []string{"PATH=" + dir + ":/bin"}}, run)
		if err != nil || string(got.Stdout) != "-NoProfile -NonInteractive -Command\n" || got.Exit != 2 {
			t.Errorf("got %q, status %d, %v; want the pwsh of PATH", got.Stdout, got.Exit, err)
		}
	})
}
