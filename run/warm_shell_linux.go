package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/inprocess"
)

// mostScript limits the size of a script file, in bytes.
const mostScript = 128 << 10

// After lostCalls consecutive calls that only bash could run, a script is tried in this process for only one of
// tryAgain calls: otherwise each call would lose the time of the attempt.
const (
	lostCalls = 8
	tryAgain  = 64
)

// shellScript is a script for bash or dash that runs in this process.
type shellScript struct {
	shell  string   // the program that would run the script
	dash   bool     // that program is dash
	params []string // $1, …
	file   string   // "" if the script is an argument
	name   string   // $0
	runs   bool     // the command executes the file itself
	first  string   // if runs is set, the text after #! on the file's first line
	tools  inprocess.Shell

	mu     sync.Mutex
	was    fileStamp
	script inprocess.Script // nil if only bash can run the current file
	text   string           // the checked bytes from which script was compiled; "": it was compiled from the file
	env    atomic.Pointer[shellEnv]
	lost   atomic.Uint32          // consecutive calls that the shell had to run after an attempt here
	left   atomic.Pointer[string] // why the shell ran the last attempted call; nil: this process ran it
	tested sync.Map               // by program and stamp: whether the program is the known shell
}

// shellEnv is the environment of the shell at its start.
type shellEnv struct {
	env   []string
	vars  map[string]string
	shell string // the program
	ok    bool
}

// shellOf finds the script of a process; note is the reason if the shell has to run it.
func shellOf(c *Command, w *Warm, j job) (s *shellScript, note string) {
	if w.Tools == nil {
		return nil, "this program has no shell of its own: its host links module warm for that"
	}
	if os.Geteuid() != os.Getuid() || os.Getegid() != os.Getgid() {
		return nil, "the program runs with the rights of another user or group (setuid or setgid)"
	}
	argv := j.argv
	if len(c.Direct) == 0 {
		argv = c.Argv
	}
	switch {
	case len(argv) > 2 && inShell[filepath.Base(argv[0])] && argv[1] == "-c":
		s = &shellScript{shell: argv[0], name: argv[0]}
		if len(argv) > 3 {
			s.name, s.params = argv[3], argv[4:]
		}
	case len(argv) > 1 && inShell[filepath.Base(argv[0])] && !strings.HasPrefix(argv[1], "-") && !strings.HasPrefix(argv[1], "+"):
		file := argv[1]
		if !strings.Contains(file, "/") {
			file = "./" + file
		}
		s = &shellScript{shell: argv[0], file: file, name: argv[1], params: argv[2:]}
	case strings.Contains(argv[0], "/"):
		if s, note = scriptOf(j); s == nil {
			return nil, cmp.Or(note, noScript)
		}
	default:
		return nil, noScript
	}
	s.tools = w.Tools
	if s.dash = filepath.Base(s.shell) != "bash"; s.dash {
		program, err := lookup(s.shell, j.env, j.dir)
		if err != nil || realShell(program) != "dash" {
			return nil, fmt.Sprintf("%s is not dash on this machine", s.shell)
		}
	}
	var err error
	if s.file != "" {
		_, err = s.compiled(j.dir)
	} else {
		s.script, err = s.compile(argv[2])
	}
	if err != nil {
		return nil, err.Error()
	}
	return s, ""
}

// inShell lists the names of the shells whose scripts may run in this process.
var inShell = map[string]bool{"bash": true, "sh": true, "dash": true}

// realShell returns the base name of the program behind all symbolic links, or "".
func realShell(program string) string {
	path, err := filepath.EvalSymlinks(program)
	if err != nil {
		return ""
	}
	return filepath.Base(path)
}

// compile compiles a script of bash or dash.
func (s *shellScript) compile(text string) (inprocess.Script, error) {
	if s.dash {
		return s.tools.CompileDash(text)
	}
	return s.tools.Compile(text)
}

// kind returns the name of the shell that would run the script.
func (s *shellScript) kind() string {
	if s.dash {
		return "dash"
	}
	return "bash"
}

// alone returns false: on this system bash or dash runs a script that this process cannot run.
func (s *shellScript) alone() bool { return false }

// fails returns why every call of the script fails. It returns "" on this system, where the shell can run the script.
func (s *shellScript) fails() string { return "" }

// scriptOf reads the first line of a script that the command executes as a program.
func scriptOf(j job) (s *shellScript, note string) {
	line, _ := shebang(inDir(j.argv[0], j.dir))
	words := strings.Fields(line)
	switch {
	case len(words) == 1 && inShell[filepath.Base(words[0])] && filepath.IsAbs(words[0]):
		return &shellScript{shell: words[0], file: j.argv[0], name: j.argv[0], params: j.argv[1:], runs: true, first: line}, ""
	case len(words) == 2 && filepath.Base(words[0]) == "env" && inShell[words[1]]:
		return &shellScript{shell: words[1], file: j.argv[0], name: j.argv[0], params: j.argv[1:], runs: true, first: line}, ""
	case len(words) > 1 && inShell[filepath.Base(words[0])]:
		return nil, "the script's first line has options"
	}
	return nil, ""
}

var (
	errNotRegular    = errors.New("the script is not a regular file that can be read")
	errNotExecutable = errors.New("the script is not executable; run chmod +x")
	errOtherReader   = errors.New("the first line of the script names another shell than before, or an option")
)

// current returns the compiled script that a call runs: from the checked bytes if the job has them.
func (s *shellScript) current(j *job) (inprocess.Script, error) {
	switch {
	case s.file == "" || j.text == nil:
		return s.compiled(j.dir)
	case j.reader != s.shell:
		return nil, errOtherReader
	}
	return s.compiledText(j.text)
}

// compiledText returns the compiled script of checked bytes.
func (s *shellScript) compiledText(text []byte) (inprocess.Script, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.text == string(text) && s.script != nil {
		return s.script, nil
	}
	s.script, s.was, s.text = nil, fileStamp{}, string(text)
	var err error
	if s.script, err = s.compile(s.text); err != nil {
		return nil, err
	}
	s.lost.Store(0)
	return s.script, nil
}

// compiled returns the compiled script of the current file.
func (s *shellScript) compiled(dir string) (inprocess.Script, error) {
	if s.file == "" {
		return s.script, nil
	}
	path := inDir(s.file, dir)
	now := stampOf(path)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.runs && unix.Access(path, unix.X_OK) != nil {
		return nil, errNotExecutable
	}
	if now == s.was && s.script != nil && s.text == "" {
		return s.script, nil
	}
	s.script, s.text = nil, ""
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() > mostScript {
		return nil, errNotRegular
	}
	text := make([]byte, mostScript+1)
	n, _ := f.Read(text)
	if line, _ := firstLine(text[:n]); s.runs && line != s.first {
		return nil, errOtherReader
	}
	if s.script, err = s.compile(string(text[:n])); err != nil {
		return nil, err
	}
	s.lost.Store(0)
	if s.was = now; stampOf(path) != now {
		s.script = nil
		return nil, errNotRegular
	}
	return s.script, nil
}

// run runs a call in this process. ran is false if the shell has to run it.
func (s *shellScript) run(w *Warm, j job) (reply hook.Reply, ran bool, err error) {
	w.mu.Lock()
	closed := w.closed
	w.mu.Unlock()
	if n := s.lost.Load(); n >= lostCalls && n%tryAgain != 0 {
		s.lost.Add(1)
		return reply, false, nil
	}
	switch {
	case closed:
		return s.leave("the program is about to end")
	case j.ask != nil:
		return s.leave("the hook may ask the user")
	case j.dir != "" && !isDir(j.dir):
		return s.leave("the working directory of the hook does not exist")
	}
	script, failed := s.current(&j)
	if failed != nil {
		return s.leave(failed.Error())
	}
	env := s.environ(&j)
	switch {
	case !env.ok:
		return s.leave("a variable of the environment of the hook, or the locale, changes how a script runs")
	case !s.isKnown(env.shell):
		return s.leave("the behaviour of this version of " + s.kind() + " is not known")
	}
	in := inprocess.Call{Stdin: j.stdin, Env: env.vars, Params: s.params, Dir: j.dir, Name: s.name}
	if s.file != "" {
		in.File = s.name
	}
	if script.UsesPWD() {
		var ok bool
		if in.PWD, ok = workDir(env.vars, j.dir); !ok {
			return s.leave("the name of the hook's working directory is not certain")
		}
	}
	result, why, ok := script.Run(&in)
	if !ok {
		s.lost.Add(1)
		return s.leave(why)
	}
	s.lost.Store(0)
	if s.left.Load() != nil {
		s.left.Store(nil)
	}
	w.ran.Add(1)
	return hook.Reply{Exit: result.Exit, Stdout: result.Stdout, Stderr: result.Stderr}, true, nil
}

// leave leaves a call to the shell.
func (s *shellScript) leave(why string) (reply hook.Reply, ran bool, err error) {
	s.left.Store(&why)
	return reply, false, nil
}

// lastLeft returns why the shell ran the last attempted call; "" if this process ran it, or there was none.
func (s *shellScript) lastLeft() string {
	if why := s.left.Load(); why != nil {
		return *why
	}
	return ""
}

// environ parses the environment of a call.
func (s *shellScript) environ(j *job) *shellEnv {
	if e := s.env.Load(); e != nil && j.shared && len(e.env) == len(j.env) && len(e.env) > 0 && &e.env[0] == &j.env[0] {
		return e
	}
	vars, _ := inherited(j.env, "")
	e := &shellEnv{env: j.env, vars: vars, ok: vars != nil && quietLocale(vars["LC_ALL"])}
	for name, value := range vars {
		e.ok = e.ok && !s.tools.Concerns(name)
		if name == "LANG" || strings.HasPrefix(name, "LC_") {
			lower := strings.ToLower(value)
			e.ok = e.ok && (value == "" || value == "C" || value == "POSIX" || strings.HasSuffix(lower, ".utf-8") ||
				strings.HasSuffix(lower, ".utf8"))
		}
	}
	if _, ok := shellLevel(vars); !ok {
		e.ok = false
	}
	var err error
	e.shell, err = lookup(s.shell, j.env, j.dir)
	e.ok = e.ok && err == nil && filepath.IsAbs(e.shell)
	if j.shared {
		s.env.Store(e)
	}
	return e
}

// isKnown reports whether the program is a shell of a known version.
func (s *shellScript) isKnown(program string) bool {
	type key struct {
		program string
		stamp   fileStamp
	}
	at := key{program, stampOf(program)}
	if ok, known := s.tested.Load(at); known {
		return ok.(bool)
	}
	ctx, cancel := context.WithTimeout(context.Background(), warmReady)
	defer cancel()
	args := []string{"--norc", "--noprofile", "-c", "exit $((BASH_VERSINFO[0] == 5 ? 77 : 1))"}
	if s.dash {
		args = []string{"-c", isKnownDash}
	}
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = []string{}
	var ended *exec.ExitError
	ok := errors.As(cmd.Run(), &ended) && ended.ExitCode() == probedStatus && (!s.dash || realShell(program) == "dash")
	s.tested.Store(at, ok)
	return ok
}

// isKnownDash exits with probedStatus in the versions of dash that the shell of this process imitates, 0.5.9 to 0.5.12.
// Later versions support pipefail.
const isKnownDash = `
[ "$(echo 'a\tb\q')" = 'a	b\q' ] || exit 1
[ "$(echo -e x)" = '-e x' ] || exit 1
[ "$(printf 'a\"')" = 'a\"' ] || exit 1
[ "$(printf '%s' $'a')" = '$a' ] || exit 1
[ "$(false; echo "$(true)$?")" = 1 ] || exit 1
[ "$(x=$(set -e; false; echo y); echo "<$x>$?")" = '<>1' ] || exit 1
[ "$(echo ' a b  c ' | { read -r x y; echo "<$x><$y>"; })" = '<a><b  c>' ] || exit 1
x=1
f() { local x; x=$x; [ "$x" = 1 ] || exit 1; }
f
command -v /nonexistent/program
[ $? = 127 ] || exit 1
(set -o pipefail) 2>/dev/null && exit 1
exit 77
`
