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

// defaultPath is searched when the environment has no PATH, as shells do.
const defaultPath = "/usr/bin:/bin"

// lookup finds a program without a slash in the PATH of env.
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
	return "", fmt.Errorf(
		"cannot start %q: %w in the folders of PATH (%s); install it there, or write its whole path",
		name,
		problem,
		path,
	)
}

// runnable says what keeps a file from being executed. A folder counts as
// none at all.
func runnable(file string) syscall.Errno {
	err := unix.Access(file, unix.X_OK)
	if err != nil && err != unix.EACCES { // most folders of PATH: ask no more
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

// advice says what to do about the reasons for which a process cannot start.
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

// startError says which thing was wrong. The kernel has one answer for a
// missing program, a missing folder and a missing interpreter.
func startError(j *job, err error) error {
	var errno syscall.Errno
	if !errors.As(err, &errno) {
		return err
	}
	switch errno {
	case syscall.ENOENT, syscall.ENOTDIR, syscall.EACCES:
		if problem := enterable(j.dir); problem != nil {
			return fmt.Errorf(
				"cannot start %q in the working directory %q: %w; the directory has to exist and be open to the engine",
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

// enterable says what keeps a process from having dir as its directory.
func enterable(dir string) error {
	if dir == "" {
		return nil
	}
	if err := missing(dir); err != nil {
		return err
	}
	return unix.Access(dir, unix.X_OK)
}

// whileBusy calls start again, for about 100 ms, while the program is open for
// writing. The script may have closed it long ago: a process that
// another thread is just starting holds a copy of every descriptor.
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

// drain reads fd, which does not block, until it has most bytes or there is
// nothing more to read, and reports whether there never will be. A stream that
// a background child floods must not keep the reader for ever.
func drain(fd int, to *capture, most int) (eof bool) {
	for most > 0 {
		n, err := syscall.Read(fd, to.room())
		switch {
		case err == syscall.EINTR:
		case err == syscall.EAGAIN:
			return false
		case err != nil || n == 0:
			return true
		default:
			to.took(n)
			most -= n
		}
	}
	return false
}

// stuckError says that not even SIGKILL ended a process.
func stuckError(pid int, cause error) error {
	return fmt.Errorf("%w; process %d is still there %v after SIGKILL: the kernel holds it", cause, pid, killWait)
}
