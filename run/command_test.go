//go:build unix

package run

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/snaphook-go/snaphook/hook"
)

// both runs a test with each implementation for this system.
func both(t *testing.T, test func(t *testing.T, run runFunc)) {
	t.Run("own", func(t *testing.T) { test(t, execute) })
	if runtime.GOOS == "linux" {
		t.Run("portable", func(t *testing.T) { test(t, executePortable) })
	}
}

// everywhere also runs a test with the implementation for systems other than Unix. Behavior that all implementations
// share must not depend on signals.
func everywhere(t *testing.T, test func(t *testing.T, run runFunc)) {
	both(t, test)
	t.Run("anywhere", func(t *testing.T) { test(t, executeAnywhere) })
}

type runFunc = executor

// script runs a shell script, and fails the test if there is no Reply.
func (r runFunc) script(t *testing.T, script string, call hook.Call) hook.Reply {
	t.Helper()
	reply, err := (&Command{Argv: Shell(script)}).run(t.Context(), call, r)
	if err != nil {
		t.Fatalf("%s: %v", script, err)
	}
	return reply
}

func TestEndsAsTheProgramEnds(t *testing.T) {
	both(t, func(t *testing.T, run runFunc) {
		for _, test := range []struct {
			script, stdout, stderr string
			exit                   int
			signal                 os.Signal
		}{
			{script: "exit 0"},
			{script: "exit 1", exit: 1},
			{script: "echo no >&2; exit 2", stderr: "no\n", exit: 2},
			{script: "echo out; /dev/null 2>&-", stdout: "out\n", exit: 126},
			{script: "no-such-program 2>&-", exit: 127},
			{script: "exit 255", exit: 255},
			{script: "echo out; kill -9 $$", stdout: "out\n", exit: -1, signal: syscall.SIGKILL},
			{script: "kill -TERM $$", exit: -1, signal: syscall.SIGTERM},
			{script: "echo a; echo b >&2; echo c; echo d >&2", stdout: "a\nc\n", stderr: "b\nd\n"},
			{script: `printf 'a\0\377b'`, stdout: "a\x00\xffb"},
			{script: `printf '\342\202'; sleep 0.05; printf '\254'`, stdout: "€"},
			{script: "for i in 1 2 3 4 5; do echo $i; sleep 0.02; done", stdout: "1\n2\n3\n4\n5\n"},
			{script: "exec >&- 2>&-; sleep 0.05; exit 3", exit: 3},
		} {
			t.Run(test.script, func(t *testing.T) {
				got := run.script(t, test.script, hook.Call{})
				if string(got.Stdout) != test.stdout || string(got.Stderr) != test.stderr || got.Exit != test.exit || got.Signal != test.signal || got.Truncated != 0 {
					t.Errorf("got %+v (%q, %q), want %+v", got, got.Stdout, got.Stderr, test)
				}
			})
		}
	})
}

func TestStdinIsThePayloadThenTheEnd(t *testing.T) {
	everywhere(t, func(t *testing.T, run runFunc) {
		for _, size := range []int{0, 1, 495, 4096, 64<<10 - 1, 64 << 10, 64<<10 + 1, 1 << 20, 7 << 20} {
			payload := bytes.Repeat([]byte("é\x00\n\xff7"), size/6+1)[:size]
			if got := run.script(t, "cat", hook.Call{Payload: payload}); !bytes.Equal(got.Stdout, payload) {
				t.Errorf("%d bytes: %d came back, want the same", size, len(got.Stdout))
			}
			for _, ignorant := range []string{"echo ok", "exec <&-; echo ok", "head -c 1 >/dev/null; echo ok"} {
				if got := run.script(t, ignorant, hook.Call{Payload: payload}); string(got.Stdout) != "ok\n" || got.Exit != 0 {
					t.Errorf("%d bytes to %s: got %q, status %d", size, ignorant, got.Stdout, got.Exit)
				}
			}
		}
		got := run.script(t, "read -r a; read -r b; cat >&2; echo $a-$b", hook.Call{Payload: append([]byte("1\n2\n"), make([]byte, 1<<17)...)})
		if string(got.Stdout) != "1-2\n" || len(got.Stderr) != 1<<17 {
			t.Errorf("got %q and %d bytes more, want 1-2 and %d", got.Stdout, len(got.Stderr), 1<<17)
		}
	})
}

func TestKeepsTheFirstPartOfAFlood(t *testing.T) {
	everywhere(t, func(t *testing.T, run runFunc) {
		for _, test := range []struct {
			script         string
			stdin          int
			stdout, stderr int
			want           hook.Streams
		}{
			{"head -c 20971520 /dev/zero | tee /dev/stderr", 0, MaxStdout, MaxStderr, hook.Stdout | hook.Stderr},
			{"head -c 8388608 /dev/zero; head -c 1048576 /dev/zero >&2", 0, MaxStdout, MaxStderr, 0},
			{"head -c 8388609 /dev/zero; echo", 0, MaxStdout, 0, hook.Stdout},
			{"cat", 10 << 20, MaxStdout, 0, hook.Stdout},
			{"head -c 10485760 /dev/zero; cat >/dev/null", 10 << 20, MaxStdout, 0, hook.Stdout},
		} {
			var before, after runtime.MemStats
			payload := make([]byte, test.stdin)
			runtime.ReadMemStats(&before)
			got := run.script(t, test.script, hook.Call{Payload: payload})
			runtime.ReadMemStats(&after)
			if len(got.Stdout) != test.stdout || len(got.Stderr) != test.stderr || got.Truncated != test.want {
				t.Errorf("%s: got %d and %d bytes, truncated %b; want %+v", test.script, len(got.Stdout), len(got.Stderr), got.Truncated, test)
			}
			if used := after.TotalAlloc - before.TotalAlloc; used > 2*(MaxStdout+MaxStderr)+1<<20 {
				t.Errorf("%s: took %d bytes of memory, want at most twice the limits", test.script, used)
			}
		}
	})
}

func TestABackgroundChildDelaysNothing(t *testing.T) {
	everywhere(t, func(t *testing.T, run runFunc) {
		for _, test := range []struct {
			script, stdout string
			atMost         time.Duration
		}{
			{"echo answer; sleep 5 & echo $! >pid", "answer\n", time.Second},
			{"sleep 5 & echo $! >pid", "", time.Second},
			{"(trap '' PIPE; while echo more; do :; done 2>/dev/null) & echo $! >pid", "", 2 * time.Second},
		} {
			dir := t.TempDir()
			start := time.Now()
			got := run.script(t, test.script, hook.Call{Dir: dir})
			if took := time.Since(start); took > test.atMost {
				t.Errorf("%s: took %v, want less than %v", test.script, took, test.atMost)
			}
			if test.stdout != "" && string(got.Stdout) != test.stdout {
				t.Errorf("%s: got %q, want %q", test.script, got.Stdout, test.stdout)
			}
			if pid := pidIn(t, dir); pid > 0 {
				if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !strings.Contains(test.script, "more") {
					t.Errorf("%s: the child in the background is gone: %v", test.script, err)
				}
			}
		}
	})
}

func TestAScriptThatRedirectsItselfIsHeard(t *testing.T) {
	both(t, func(t *testing.T, run runFunc) {
		// The subshell that copies is running when the script ends, but a busy machine may delay it for longer than Run
		// waits.
		const script = `mkfifo up; exec 3>&1 > >(echo >up; while read -r line; do echo "copied $line" >&3; done); exec 3>&-; read -r <up; echo answer`
		var got hook.Reply
		for range 5 {
			got = run.script(t, script, hook.Call{Dir: t.TempDir()})
			if string(got.Stdout) == "copied answer\n" {
				return
			}
		}
		t.Errorf("got %q, %q; want the copied answer", got.Stdout, got.Stderr)
	})
}

func pidIn(t *testing.T, dir string) (pid int) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "pid"))
	if _, scan := fmt.Sscan(string(text), &pid); err != nil || scan != nil {
		t.Fatalf("no pid in %q: %v %v", text, err, scan)
	}
	return pid
}

func TestSaysWhatCannotBeStarted(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	write("plain", "#!/bin/sh\n", 0o600)
	write("nobody.sh", "#!/no/such/shell\n", 0o700)
	write("garbage", "garbage", 0o700)
	environ := func(path string) func(hook.Call) []string {
		return func(hook.Call) []string { return []string{"PATH=" + path} }
	}
	for _, test := range []struct {
		name  string
		c     *Command
		dir   string
		errno error
		words string
	}{
		{"a missing program", &Command{Argv: []string{"/no/such"}}, dir, fs.ErrNotExist, `"/no/such"`},
		{"a missing relative program", &Command{Argv: []string{"./no"}}, dir, syscall.ENOENT, `"./no"`},
		{"a program not in PATH", &Command{Argv: []string{"no-such"}, Environ: environ("/bin:/usr/bin")}, dir, syscall.ENOENT, "in the folders of PATH; install it there"},
		{"a file in PATH that is no program", &Command{Argv: []string{"plain"}, Environ: environ(dir)}, dir, fs.ErrPermission, `"plain"`},
		{"a missing directory", &Command{Argv: []string{"/bin/sh"}}, dir + "/gone", fs.ErrNotExist, "working directory"},
		{"a directory that is a file", &Command{Argv: []string{"/bin/sh"}}, dir + "/plain", syscall.ENOTDIR, "working directory"},
		{"no permission", &Command{Argv: []string{"./plain"}}, dir, fs.ErrPermission, "chmod +x"},
		{"a folder as program", &Command{Argv: []string{dir}}, dir, fs.ErrPermission, "file"},
		{"a missing interpreter", &Command{Argv: []string{"./nobody.sh"}}, dir, syscall.ENOENT, "interpreter"},
		{"a file that is no program", &Command{Argv: []string{"./garbage"}}, dir, syscall.ENOEXEC, "#!/bin/sh"},
		{"an argument that is too long", &Command{Argv: []string{"/bin/echo", strings.Repeat("x", 1<<20)}}, dir, syscall.E2BIG, "standard input"},
		{"a NUL in an argument", &Command{Argv: []string{"/bin/echo", "a\x00b"}}, dir, syscall.EINVAL, "NUL"},
		{"no program", &Command{}, dir, nil, "Argv is empty"},
	} {
		t.Run(test.name, func(t *testing.T) {
			both(t, func(t *testing.T, run runFunc) {
				reply, err := test.c.run(t.Context(), hook.Call{Dir: test.dir}, run)
				if err == nil || test.errno != nil && !errors.Is(err, test.errno) || !strings.Contains(err.Error(), test.words) {
					t.Errorf("got %+v, %v; want %v and the words %q", reply, err, test.errno, test.words)
				}
			})
		})
	}
}

func TestSearchesThePathOfTheCall(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "bin", "guard"), 0o700); err != nil { // a folder is not a program
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "guard"), []byte("#!/bin/sh\necho \"$0 $1 $WHO\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	both(t, func(t *testing.T, run runFunc) {
		for path, want := range map[string]string{dir + "/bin:" + dir: dir + "/guard now me\n", "bin:.": "./guard now me\n", "": "./guard now me\n"} {
			c := &Command{Argv: []string{"guard", "now"}, Environ: func(hook.Call) []string { return []string{"WHO=me", "PATH=" + path} }}
			got, err := c.run(t.Context(), hook.Call{Dir: dir}, run)
			if err != nil || string(got.Stdout) != want {
				t.Errorf("PATH %q: got %q, %v; want %q", path, got.Stdout, err, want)
			}
		}
	})
}

func TestAHostileDirectoryIsOnlyAName(t *testing.T) {
	both(t, func(t *testing.T, run runFunc) {
		dir := filepath.Join(t.TempDir(), `a b;$(touch pwned)"'*`)
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "x.sh"), []byte("echo $#; pwd -P\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		real, _ := filepath.EvalSymlinks(dir)
		for _, script := range []string{`sh $DIR/x.sh $DIR`, `sh "$DIR/x.sh" $DIR`, `echo "$(sh $DIR/x.sh $DIR)"`} {
			c := &Command{Argv: Shell(QuoteVars(script, "DIR")), Environ: func(call hook.Call) []string { return append(os.Environ(), "DIR="+call.Dir) }}
			got, err := c.run(t.Context(), hook.Call{Dir: dir}, run)
			if want := "1\n" + real + "\n"; err != nil || string(got.Stdout) != want {
				t.Errorf("%s: got %q, %q, %v; want %q", script, got.Stdout, got.Stderr, err, want)
			}
		}
		if _, err := os.Stat(filepath.Join(dir, "pwned")); err == nil {
			t.Error("the name of the directory was executed")
		}
	})
}

func TestAFileOpenForWritingIsTriedAgain(t *testing.T) {
	both(t, func(t *testing.T, run runFunc) {
		file := filepath.Join(t.TempDir(), "x.sh")
		busy, err := os.OpenFile(file, os.O_CREATE|os.O_WRONLY, 0o700)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := busy.WriteString("#!/bin/sh\necho ok\n"); err != nil {
			t.Fatal(err)
		}
		c := &Command{Argv: []string{file}}
		if _, err := c.run(t.Context(), hook.Call{}, run); runtime.GOOS == "linux" && !errors.Is(err, syscall.ETXTBSY) {
			t.Errorf("got %v, want %v", err, syscall.ETXTBSY)
		}
		closed := time.AfterFunc(20*time.Millisecond, func() { _ = busy.Close() })
		defer closed.Stop()
		if got, err := c.run(t.Context(), hook.Call{}, run); err != nil || string(got.Stdout) != "ok\n" {
			t.Errorf("closed meanwhile: got %q, %v; want ok", got.Stdout, err)
		}
	})
}

// In a script $0 is not the path of the shell: a script that deletes or runs $0 must not delete or run the shell.
func TestTheShellGoesByItsName(t *testing.T) {
	both(t, func(t *testing.T, run runFunc) {
		if got := run.script(t, `echo "$0"`, hook.Call{Dir: t.TempDir()}); string(got.Stdout) != "bash\n" {
			t.Errorf("$0 is %q, want bash", got.Stdout)
		}
	})
}
