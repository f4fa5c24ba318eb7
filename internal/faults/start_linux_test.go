package faults

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/wire"
)

// bash reports why a program cannot start, in its own words and with its own status: the engine
// runs bash whenever a start without it has failed.
func TestAProgramThatCannotStartFailsOpen(t *testing.T) {
	for _, test := range []struct {
		name, command string
		exit          int
		message       string
	}{
		{"a missing program", "./no-such", 127, "No such file or directory"},
		{"a missing program of PATH", "no-such-program --flag", 127, "command not found"},
		{"a file that may not be executed", "./plain", 126, "Permission denied"},
		{"a folder", "./folder", 126, "Is a directory"},
		{"a missing interpreter", "./nobody.sh", 127, "nobody.sh"},
		{"an interpreter that is a folder", "./folder.sh", 126, "bad interpreter"},
		{"a program of another machine", "./alien", 126, "cannot execute binary file"},
		{"a link to itself", "./loop", 126, "Too many levels of symbolic links"},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, f := range forms {
				t.Run(f.name, func(t *testing.T) {
					leavesNothing(t)
					w := open(t, setup{commands: []string{test.command}, shell: f.shell})
					broken(t, w.dir)
					res := w.fire(t)
					want := want{err: "exit status 12", exit: test.exit, message: test.message}
					if r := res.Reports[0].Reply; test.name == "a missing interpreter" && r != nil && r.Exit == 126 {
						want.exit = 126 // the status before bash 5.2
					}
					w.check(t, res, want)
					w.alive(t)
				})
			}
		})
	}
}

// A command that bash cannot parse ends with status 2: it blocks, and bash's message is the reason.
// Everything else that happens to end with status 2 blocks too.
func TestACommandThatIsNoShellTextBlocks(t *testing.T) {
	for _, test := range []struct{ command, reason string }{
		{"{", "syntax error: unexpected end of file"}, {"echo '", "unexpected EOF"}, {".", "filename argument required"}, {"if true; then", "syntax error"}, {"exit 2 )", "syntax error"},
	} {
		t.Run(test.command, func(t *testing.T) {
			leavesNothing(t)
			w := open(t, setup{commands: []string{test.command}})
			w.check(t, w.fire(t), want{blocked: true, reason: test.reason, exit: 2})
			w.alive(t)
		})
	}
}

// broken fills a directory with programs that cannot start.
func broken(t *testing.T, dir string) {
	t.Helper()
	for name, text := range map[string]string{
		"nobody.sh": "#!/no/such/shell\n", "folder.sh": "#!" + dir + "\n", "alien": "\x7fELF\x02\x01\x01" + strings.Repeat("\x00", 57),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	err := errors.Join(os.WriteFile(filepath.Join(dir, "plain"), nil, 0o644), os.Mkdir(filepath.Join(dir, "folder"), 0o755), os.Symlink("loop", filepath.Join(dir, "loop")))
	if err != nil {
		t.Fatal(err)
	}
}

// A script that is open for writing cannot be started. Without a shell the engine repeats the attempt for about a tenth
// of a second. Bash does not repeat it: with a shell the hook fails.
func TestAScriptThatIsBeingWritten(t *testing.T) {
	const answer = `echo '{"decision":"deny","reason":"written"}'`
	busy := want{err: "exit status 126", exit: 126, message: "Text file busy"}
	for _, test := range []struct {
		name  string
		after time.Duration // until it is closed
		shell bool
		want  want
	}{
		{"closed meanwhile", 20 * time.Millisecond, false, want{blocked: true, reason: "written"}},
		{"closed meanwhile, through bash", 200 * time.Millisecond, true, busy},
		{"never closed", time.Hour, false, busy},
	} {
		t.Run(test.name, func(t *testing.T) {
			leavesNothing(t)
			file := executable(t, answer)
			w := open(t, setup{commands: []string{file}, shell: test.shell})
			writer, err := os.OpenFile(file, os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer writer.Close()
			closing := time.AfterFunc(test.after, func() { writer.Close() })
			defer closing.Stop()
			w.check(t, w.fire(t), test.want)
			w.alive(t)
		})
	}
}

// The first hook of a chain deletes the program of the second: by then the plan
// is made.
func TestAScriptThatIsDeletedAfterThePlan(t *testing.T) {
	leavesNothing(t)
	for _, f := range forms {
		t.Run(f.name, func(t *testing.T) {
			second := executable(t, "exit 2")
			w := open(t, setup{commands: []string{"rm " + second, second}, sequential: true, shell: f.shell})
			res := w.fire(t)
			if len(res.Reports) != 2 || !res.Reports[0].OK() {
				t.Fatalf("reports %+v, want two", res.Reports)
			}
			var exit *hook.ExitError
			if r := res.Reports[1]; !errors.As(r.Err, &exit) || exit.Reply.Exit != 127 || res.Blocked() || w.sys.FailedOpen() != 1 {
				t.Errorf("error %v, blocked %v, failed open %d; want status 127", r.Err, res.Blocked(), w.sys.FailedOpen())
			}
			w.alive(t)
		})
	}
}

// A script that deletes itself runs on, because it has been started. The script deletes its file by name, because $0 is
// bash if bash gets the script as text.
func TestAScriptThatDeletesItself(t *testing.T) {
	leavesNothing(t)
	for _, f := range forms {
		t.Run(f.name, func(t *testing.T) {
			w := open(t, setup{commands: []string{"./itself.sh"}, shell: f.shell})
			file := filepath.Join(w.dir, "itself.sh")
			if err := os.WriteFile(file, []byte("#!/bin/bash\nrm ./itself.sh\necho '{\"decision\":\"deny\",\"reason\":\"gone\"}'\n"), 0o755); err != nil {
				t.Fatal(err)
			}
			w.check(t, w.fire(t), want{blocked: true, reason: "gone"})
			if _, err := os.Stat(file); err == nil {
				t.Error("the script is still there")
			}
		})
	}
}

func TestADirectoryThatIsDeleted(t *testing.T) {
	eachForm(t, "exit 2", setup{}, func(t *testing.T, w *world) {
		leavesNothing(t)
		if err := os.Remove(w.dir); err != nil {
			t.Fatal(err)
		}
		w.check(t, w.fire(t), want{err: "the directory has to exist", is: syscall.ENOENT, unstarted: true})
		if err := os.WriteFile(w.dir, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if res := w.fire(t); res.Blocked() || !errors.Is(res.Reports[0].Err, syscall.ENOTDIR) {
			t.Errorf("a file in its place: error %v, want %v", res.Reports[0].Err, syscall.ENOTDIR)
		}
		if err := errors.Join(os.Remove(w.dir), os.Mkdir(w.dir, 0o755)); err != nil {
			t.Fatal(err)
		}
		w.alive(t)
	})
}

func TestWhatDoesNotFitIntoAProcess(t *testing.T) {
	huge := make([]string, 80)
	for i := range huge {
		huge[i] = fmt.Sprintf("HUGE_%d=%s", i, strings.Repeat("x", 120<<10))
	}
	nul, err := strconv.Unquote(`"echo a\u0000b; exit 2"`)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, command string
		environ       []string
		want          want
	}{
		{"an environment of 10 MB", "/bin/true", huge, want{err: "shorten the command or the environment", is: syscall.E2BIG, unstarted: true}},
		{"one huge variable", "/bin/true", []string{"HUGE=" + strings.Repeat("x", 1<<20)}, want{err: "shorten the command", is: syscall.E2BIG, unstarted: true}},
		{"a command with a NUL", nul, nil, want{err: "must not hold NUL bytes", is: syscall.EINVAL, unstarted: true}},
		{"a variable with a NUL", "exit 2", []string{"BAD=a\x00b"}, want{err: "must not hold NUL bytes", is: syscall.EINVAL, unstarted: true}},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, f := range forms {
				t.Run(f.name, func(t *testing.T) {
					leavesNothing(t)
					w := open(t, setup{commands: []string{test.command}, environ: test.environ, shell: f.shell})
					w.check(t, w.fire(t), test.want)
					open(t, setup{}).alive(t)
				})
			}
		})
	}
}

// Arguments arrive as they were written, without a shell as well as with one.
func TestArgumentsArriveAsWritten(t *testing.T) {
	for _, test := range []struct{ command, want string }{
		{`printf '<%s>' "it's" 'say "x"' a\ b \$HOME '$(touch pwned)' '\' ""`, `<it's><say "x"><a b><$HOME><$(touch pwned)><\><>`},
		{"printf '<%s>' 'a\nb' \"c\nd\" e\\\nf", "<a\nb><c\nd><ef>"},
		{"printf '<%s>' 'a\tb' 'ü€😀' \"`echo x`\" $'\\n'", "<a\tb><ü€😀><x><\n>"},
		{`printf '<%s>' "a\"b\\c\d" 'x'"y"'z' "!!" '*' "~" \~`, `<a"b\c\d><xyz><!!><*><~><~>`},
		{"printf '<%s>' '-rf' '--' '; exit 2' '&& exit 2' '| exit 2' '#x'", "<-rf><--><; exit 2><&& exit 2><| exit 2><#x>"},
		{"/usr/bin/printf '<%s>' '$(exit 2)' '`exit 2`' \"\\$(exit 2)\"", "<$(exit 2)><`exit 2`><$(exit 2)>"},
	} {
		for _, f := range forms {
			t.Run(f.name, func(t *testing.T) {
				leavesNothing(t)
				w := open(t, setup{commands: []string{test.command}, shell: f.shell})
				res := w.fire(t)
				w.check(t, res, want{message: test.want})
				if res.Message != strings.TrimSpace(test.want) {
					t.Errorf("%s: got %q, want %q", test.command, res.Message, test.want)
				}
			})
		}
	}
}

// A tool's input reaches the hook unchanged: no text in it is executed.
func TestInputArrivesAsItIs(t *testing.T) {
	eachForm(t, "exec cat", setup{}, func(t *testing.T, w *world) {
		leavesNothing(t)
		odd := "a\nb\x00\x01 \"'`$(exit 2)` ü€😀\u2028\ufeff\\u0000</script>"
		c := llxprt.BeforeToolInput{Name: "odd\n\"tool\"", Input: wire.Object(nil).With(odd, wire.Quote(odd))}
		res, err := llxprt.BeforeTool.Fire(context.Background(), w.ses, &c)
		if err != nil || !res.OK() || res.Reports[0].Reply == nil {
			t.Fatal(err, res.Errs())
		}
		got := wire.Object(res.Reports[0].Reply.Stdout)
		if text := wire.Object(got.Get("tool_input")).Text(odd); text != odd || got.Text("tool_name") != c.Name {
			t.Errorf("the tool %q got %q; want %q and %q", got.Text("tool_name"), text, c.Name, odd)
		}
	})
}
