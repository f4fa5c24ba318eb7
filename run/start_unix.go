//go:build unix

package run

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// defaultPath is searched when the environment has no PATH, as in shells.
const defaultPath = "/usr/bin:/bin"

// lookup finds a program by its name in the PATH of env. It returns a name with a slash unchanged.
func lookup(name string, env []string, dir string) (string, error) {
	if strings.Contains(name, "/") {
		return name, nil
	}
	path := defaultPath
	for _, entry := range env {
		if value, ok := strings.CutPrefix(entry, "PATH="); ok {
			path = value
		}
	}
	problem := syscall.ENOENT
	for folder := range strings.SplitSeq(path, ":") {
		if folder == "" {
			folder = "."
		}
		program := folder + "/" + name
		switch err := runnable(inDir(program, dir)); err {
		case 0:
			return program, nil
		case syscall.EACCES:
			problem = err
		}
	}
	return "", fmt.Errorf("cannot start %q: %w in the folders of PATH; install it there, or write its whole path", name, problem)
}

// runnable returns the error that prevents the execution of a file, or 0. A directory counts as missing.
func runnable(file string) syscall.Errno {
	err := unix.Access(file, unix.X_OK)
	if err != nil && err != unix.EACCES { // the usual case: most directories of PATH lack the file
		return syscall.ENOENT
	}
	var stat unix.Stat_t
	if unix.Stat(file, &stat) != nil || stat.Mode&unix.S_IFMT != unix.S_IFREG {
		return syscall.ENOENT
	}
	if err != nil {
		return syscall.EACCES
	}
	return 0
}

// advice maps an error of starting a process to a hint for the user.
var advice = map[syscall.Errno]string{
	syscall.ENOENT:  "check the path",
	syscall.ENOTDIR: "check the path",
	syscall.EACCES:  "it has to be a file that may be executed (chmod +x)",
	syscall.EPERM:   "the system forbids to execute it",
	syscall.ENOEXEC: "a script needs a first line such as #!/bin/sh",
	syscall.ETXTBSY: "a program still has the file open for writing",
	syscall.E2BIG:   "shorten the command or the environment; big data belongs on standard input",
	syscall.EINVAL:  "the arguments, the environment and the folder must not hold NUL bytes",
	syscall.EAGAIN:  "no more processes are allowed (ulimit -u)",
	syscall.ENOMEM:  "the machine is out of memory",
	syscall.EMFILE:  "the engine has too many files open (ulimit -n)",
	syscall.ENFILE:  "the machine has too many files open",
}

// startError explains an error of starting a process. The kernel's error is the same for a missing program, a missing
// directory and a missing interpreter; startError says which one is missing.
func startError(j *job, err error) error {
	var errno syscall.Errno
	if !errors.As(err, &errno) {
		return err
	}
	switch errno {
	case syscall.ENOENT, syscall.ENOTDIR, syscall.EACCES:
		if problem := enterable(j.dir); problem != nil {
			return fmt.Errorf(
				"cannot start %q in the working directory %q: %w; the directory has to exist, and the engine needs the right to enter it",
				j.argv[0],
				j.dir,
				problem,
			)
		}
		if errno == syscall.ENOENT && runnable(inDir(j.program, j.dir)) == 0 {
			return fmt.Errorf(
				"cannot start %q: the interpreter that its first line names: %w; correct the line",
				j.argv[0],
				errno,
			)
		}
	}
	if hint := advice[errno]; hint != "" {
		return fmt.Errorf("cannot start %q: %w; %s", j.argv[0], errno, hint)
	}
	return fmt.Errorf("cannot start %q: %w", j.argv[0], errno)
}

// enterable returns the error that prevents a process from starting in dir.
func enterable(dir string) error {
	if dir == "" {
		return nil
	}
	if err := missing(dir); err != nil {
		return err
	}
	return unix.Access(dir, unix.X_OK)
}

// whileBusy calls start again, for about 100 ms, while the program is open for writing. The writer may have closed it
// long ago: a process that another thread is just starting has a copy of every descriptor.
func whileBusy(ctx context.Context, start func() error) error {
	for pause := time.Millisecond; ; pause *= 2 {
		err := start()
		if pause > 64*time.Millisecond || !errors.Is(err, syscall.ETXTBSY) {
			return err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// drain reads fd, which is non-blocking, until it has read limit bytes or nothing more is available, and reports
// whether the stream has ended. The limit keeps a child that floods its output from blocking the reader forever.
func drain(fd int, to *capture, limit int) (eof bool) {
	for limit > 0 {
		n, err := syscall.Read(fd, to.room())
		switch {
		case err == syscall.EINTR:
		case err == syscall.EAGAIN:
			return false
		case err != nil || n == 0:
			return true
		default:
			to.took(n)
			limit -= n
		}
	}
	return false
}

// stuckError returns the error for a process that SIGKILL did not end.
func stuckError(pid int, cause error) error {
	return fmt.Errorf("%w; process %d still exists %v after SIGKILL: the kernel does not end it", cause, pid, killWait)
}

// readied caches how a call starts. It is valid for calls with the same environment slice in the same directory.
type readied struct {
	env []string
	dir string

	program string
	made    []string // the environment as bash would pass it on
	old     string   // OLDPWD, which bash removes if the directory no longer exists
}

func (r *readied) fits(j *job) bool {
	return r != nil && r.dir == j.dir && len(r.env) == len(j.env) && len(j.env) > 0 && &r.env[0] == &j.env[0] &&
		(r.old == "" || isDir(r.old))
}

// direct returns the process that "bash -c" would turn into for c.Direct: the same file, with the same environment. ok
// is false if only bash can determine the file and the environment, or if the program does not exist.
func (j job) direct(c *Command) (direct job, ok bool) {
	if len(c.Direct) == 0 {
		return j, false
	}
	r := c.ready.Load()
	if !r.fits(&j) {
		var lasts bool
		if r, lasts = j.getReady(c.Direct[0]); r == nil {
			return j, false
		}
		if lasts && j.shared && !j.loading {
			c.ready.Store(r)
		}
	}
	j.program, j.argv, j.env = r.program, c.Direct, r.made
	return j, true
}

// inherited returns the variables of an environment. kept has the entries that bash passes on unchanged. vars is nil if
// any entry affects bash: an invalid name, a duplicate name, a variable of bash, or a function with the name of the
// program.
func inherited(env []string, program string) (vars map[string]string, kept []string) {
	vars, kept = make(map[string]string, len(env)), make([]string, 0, len(env)+3)
	for _, entry := range env {
		name, value, ok := strings.Cut(entry, "=")
		if _, twice := vars[name]; twice || !ok {
			return nil, nil
		}
		if (!isName(name) || concernsBash(name)) && !harmlessFunction(name, value, program) {
			return nil, nil
		}
		vars[name] = value
		switch name {
		case "PWD", "SHLVL", "_": // bash sets these variables itself
		case "PS1", "PS2": // set only in interactive shells
		default:
			kept = append(kept, entry)
		}
	}
	return vars, kept
}

func isName(s string) bool {
	for i := range len(s) {
		if c := s[i]; c != '_' && !(c >= 'A' && c <= 'Z') && !(c >= 'a' && c <= 'z') &&
			!(i > 0 && c >= '0' && c <= '9') {
			return false
		}
	}
	return s != ""
}

// concernsBash reports whether a variable affects bash at its start, or is given another value by bash. Examples are
// BASH_ENV, exported functions, and variables that make the dynamic loader print: with bash the loader would print
// twice.
func concernsBash(name string) bool {
	switch name {
	case "SHELLOPTS", "POSIXLY_CORRECT", "POSIX_PEDANTIC", "ENV", "EXECIGNORE", "IFS", "OPTIND", "OPTERR", "PS4",
		"COMP_WORDBREAKS", "DIRSTACK", "EPOCHREALTIME", "EPOCHSECONDS", "EUID", "FUNCNAME", "GROUPS", "HISTCMD",
		"LINENO", "LOCPATH", "PIPESTATUS", "PPID", "RANDOM", "SECONDS", "SRANDOM", "UID":
		return true
	}
	return strings.HasPrefix(name, "BASH") || strings.HasPrefix(name, "LD_") || strings.HasPrefix(name, "DYLD_")
}

func isDir(path string) bool {
	var stat unix.Stat_t
	return unix.Stat(path, &stat) == nil && stat.Mode&unix.S_IFMT == unix.S_IFDIR
}
