//go:build unix

package run

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
)

func TestTheVariablesOfACallReplaceThoseOfTheCommand(t *testing.T) {
	shared := slices.Grow([]string{"PATH=/usr/bin:/bin", "A=1", "AB=2", "B=3"}, 8) // append could write into the capacity
	for _, test := range []struct {
		name string
		env  []string
		want string
	}{
		{"none", nil, "A=1 AB=2 B=3"},
		{"another", []string{"C=4"}, "A=1 AB=2 B=3 C=4"},
		{"one of a name", []string{"A=x=y"}, "A=x=y AB=2 B=3"},
		{"an empty one", []string{"B="}, "A=1 AB=2 B="},
		{"one twice", []string{"B=4", "C=5", "B=6"}, "A=1 AB=2 B=6 C=5"},
	} {
		t.Run(test.name, func(t *testing.T) {
			everywhere(t, func(t *testing.T, run runFunc) {
				c := &Command{Argv: []string{"/usr/bin/env"}, Environ: func(hook.Call) []string { return shared }}
				got, err := c.run(t.Context(), hook.Call{Env: test.env}, run)
				lines := strings.Fields(string(got.Stdout))
				slices.Sort(lines)
				if text := strings.Join(lines[:len(lines)-1], " "); err != nil || text != test.want { // PATH is last
					t.Errorf("got %q, %v; want %q", text, err, test.want)
				}
			})
		})
	}
	if extra := shared[:cap(shared)][len(shared)]; extra != "" {
		t.Errorf("%q was written into the Command's environment", extra)
	}
}

// The path of a program, and the environment that bash would make, are cached for calls with the
// same environment. A call with its own variables uses neither.
func TestWhatIsKeptIsNotForCallsWithVariables(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"one", "two"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name, "guard"), []byte("#!/bin/sh\necho "+name+" $WHO\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	env := []string{"PATH=" + dir + "/one:/usr/bin:/bin", "WHO=all"}
	environ := func(hook.Call) []string { return env }
	both(t, func(t *testing.T, run runFunc) {
		for what, c := range map[string]*Command{
			"argv":   {Argv: []string{"guard"}, Environ: environ},
			"direct": {Argv: []string{"bash", "-c", "guard"}, Direct: []string{"guard"}, Environ: environ},
			"path":   {Argv: []string{"bash", "-c", dir + "/one/guard"}, Direct: []string{dir + "/one/guard"}, Environ: environ},
		} {
			elsewhere := "two me\n"
			if what == "path" {
				elsewhere = "one me\n"
			}
			for _, call := range []struct {
				env  []string
				want string
			}{
				{nil, "one all\n"},
				{[]string{"WHO=me"}, "one me\n"},
				{[]string{"WHO=me", "PATH=" + dir + "/two:/usr/bin:/bin"}, elsewhere},
				{nil, "one all\n"},
			} {
				got, err := c.run(t.Context(), hook.Call{Env: call.env, Dir: dir}, run)
				if err != nil || string(got.Stdout) != call.want {
					t.Errorf("%s with %q: got %q, %v; want %q", what, call.env, got.Stdout, err, call.want)
				}
			}
		}
	})
}

func TestNothingStartsWithoutTheDirectoriesItNeeds(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	everywhere(t, func(t *testing.T, run runFunc) {
		for _, test := range []struct {
			needs []string
			errno error
		}{{[]string{dir}, nil}, {[]string{dir, dir + "/gone"}, fs.ErrNotExist}, {[]string{file}, syscall.ENOTDIR}} {
			_ = os.Remove(filepath.Join(dir, "ran"))
			c := &Command{Argv: Shell("echo >ran; exit 2"), Needs: test.needs}
			got, err := c.run(t.Context(), hook.Call{Dir: dir}, run)
			_, ran := os.Stat(filepath.Join(dir, "ran"))
			if test.errno == nil {
				if err != nil || got.Exit != 2 || ran != nil {
					t.Errorf("with all it needs: got status %d, %v, ran: %v; want 2", got.Exit, err, ran)
				}
				continue
			}
			last := test.needs[len(test.needs)-1]
			if !errors.Is(err, test.errno) || !strings.Contains(err.Error(), last) || !strings.Contains(err.Error(), "reinstall") || ran == nil {
				t.Errorf("needs %q: got %v, ran: %v; want %v, the directory and what to do, and nothing started", test.needs, err, ran == nil, test.errno)
			}
		}
	})
}

func TestWorksElsewhereIfTheDirectoryIsGone(t *testing.T) {
	dir := testkit.Dir(t)
	first, file, gone := filepath.Join(dir, "first"), filepath.Join(dir, "file"), filepath.Join(dir, "gone")
	if os.Mkdir(first, 0o700) != nil || os.WriteFile(file, nil, 0o600) != nil {
		t.Fatal("cannot prepare the directories")
	}
	env := []string{"PATH=/usr/bin:/bin"}
	both(t, func(t *testing.T, run runFunc) {
		for _, test := range []struct {
			name, dir string
			fallback  []string
			want      string
			errno     error
		}{
			{"it is there", dir, []string{first}, dir, nil},
			{"it is gone", gone, []string{gone, file, first, dir}, first, nil},
			{"it is a file", file, []string{first}, first, nil},
			{"it is below a file", file + "/x", []string{first}, first, nil},
			{"nothing is there", gone, []string{gone + "2"}, "", fs.ErrNotExist},
			{"there is no other", gone, nil, "", fs.ErrNotExist},
		} {
			for form, direct := range map[string][]string{"shell": nil, "direct": {"/bin/pwd"}} {
				c := &Command{Argv: Shell("/bin/pwd"), Direct: direct, Fallback: test.fallback, Environ: func(hook.Call) []string { return env }}
				for range 2 { // the second call finds the path of the program in its cache
					got, err := c.run(t.Context(), hook.Call{Dir: test.dir}, run)
					if strings.TrimSpace(string(got.Stdout)) != test.want || !errors.Is(err, test.errno) {
						t.Errorf("%s, %s: got %q, %v; want %q, %v", test.name, form, got.Stdout, err, test.want, test.errno)
					}
					if test.errno != nil && !strings.Contains(err.Error(), "working directory \""+test.dir) {
						t.Errorf("%s, %s: got %v, want the missing directory named", test.name, form, err)
					}
				}
			}
		}
	})
}

func TestAMissingProgramIsNotSearchedForElsewhere(t *testing.T) {
	both(t, func(t *testing.T, run runFunc) {
		dir, other := t.TempDir(), t.TempDir()
		if err := os.WriteFile(filepath.Join(other, "x"), []byte("#!/bin/sh\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		c := &Command{Argv: []string{"./x"}, Fallback: []string{other}}
		if _, err := c.run(t.Context(), hook.Call{Dir: dir}, run); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("got %v, want %v", err, fs.ErrNotExist)
		}
	})
}

func TestARelativeProgramIsBelowTheDirectoryOfTheCall(t *testing.T) {
	everywhere(t, func(t *testing.T, run runFunc) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "x"), []byte("#!/bin/sh\necho $#\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		for _, argv := range [][]string{{"./x"}, {"../" + filepath.Base(dir) + "/x", "$HOME `x`"}} {
			got, err := (&Command{Argv: argv}).run(t.Context(), hook.Call{Dir: dir}, run)
			if want := string(rune('0'+len(argv)-1)) + "\n"; err != nil || string(got.Stdout) != want {
				t.Errorf("%q: got %q, %v; want %q", argv, got.Stdout, err, want)
			}
		}
	})
}
