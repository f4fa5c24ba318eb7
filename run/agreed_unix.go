//go:build unix

package run

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/snaphook-go/snaphook/hook"
)

// pin returns a job that does not open the checked files again. ok is false if the job may run unchanged.
func (c *Command) pin(ctx context.Context, j job) (pinned job, ok bool, err error) {
	j, ok = j.withoutShell(c)
	if !ok {
		return j, false, nil
	}
	if at := j.script(); at > 0 {
		f, text, err := c.opened(ctx, &j, j.argv[at])
		if errors.Is(err, fs.ErrNotExist) && !strings.Contains(j.argv[at], "/") {
			return j, false, nil // a shell would then search PATH for the script
		}
		if f == nil || err != nil {
			return j, false, err
		}
		_ = f.Close() // already read
		pinned, ok = j.asText(j.program, j.argv[:at:at], text, j.argv[at:])
		return pinned, ok, nil
	}
	f, text, err := c.opened(ctx, &j, j.program)
	if f == nil || err != nil {
		return j, false, err
	}
	if isProgram(f) {
		j.program, j.held = descriptor(f), f
		return j, true, nil
	}
	_ = f.Close() // already read
	if runnable(inDir(j.program, j.dir)) == syscall.EACCES {
		// No other way of starting the file is tried, because the file may change.
		return j, false, startError(&j, syscall.EACCES)
	}
	program, before, ok := j.interpreter(text)
	if ok {
		pinned, ok = j.asText(program, before, text, append([]string{j.program}, j.argv[1:]...))
	}
	return pinned, ok, nil
}

// opened opens a file that is about to run. It returns a nil file if the path is outside the project.
func (c *Command) opened(ctx context.Context, j *job, path string) (*os.File, []byte, error) {
	f, text, err := c.agreed.Open(ctx, inDir(path, j.dir))
	if errors.Is(err, fs.ErrNotExist) { // the file was missing at the check too; it must not run if it appears
		return nil, nil, &hook.ClassError{
			Class: hook.ClassMissing,
			Err:   fmt.Errorf("cannot start %q: there is no %s; check the path", j.argv[0], path),
		}
	}
	if err != nil {
		return nil, nil, notAgreed(err)
	}
	return f, text, nil
}

// withoutShell returns the process that a call would start without a shell.
func (j job) withoutShell(c *Command) (direct job, ok bool) {
	if direct, ok := j.direct(c); ok {
		return direct, true
	}
	if len(c.Direct) > 0 {
		return j, false
	}
	_, err := c.locate(&j)
	return j, err == nil
}

// agreedShells lists the shells whose options the engine knows.
var agreedShells = map[string]bool{"sh": true, "dash": true, "bash": true}

// script returns the index of the script among the arguments of a shell; 0 if the job is not a
// shell with a script.
func (j *job) script() int {
	if !agreedShells[filepath.Base(j.argv[0])] {
		return 0
	}
	for at, arg := range j.argv[1:] {
		if !isLetters(arg) {
			if arg == "" || arg[0] == '-' || arg[0] == '+' {
				return 0
			}
			return at + 1
		}
	}
	return 0
}

// isLetters reports whether an argument has only shell options that mean the same for a script file and for a text.
func isLetters(arg string) bool {
	return len(arg) > 1 && arg[0] == '-' && strings.Trim(arg[1:], "aefhmnuvxCEPTB") == ""
}

// interpreter returns the shell named on a script's first line, and the arguments before the script.
func (j *job) interpreter(text []byte) (program string, before []string, ok bool) {
	line, ok := shebangOf(text)
	program, option, _ := strings.Cut(line, " ")
	option = strings.TrimSpace(option)
	switch {
	case !ok || !filepath.IsAbs(program):
		return "", nil, false
	case filepath.Base(program) != "env":
		ok = agreedShells[filepath.Base(program)] && (option == "" || isLetters(option))
		before = []string{program}
		if option != "" {
			before = append(before, option)
		}
		return program, before, ok
	case !agreedShells[option]:
		return "", nil, false
	}
	found, err := lookup(option, j.env, j.dir)
	return found, []string{program, option}, err == nil
}

// shebangOf returns the text after #! on the first line of a script.
func shebangOf(text []byte) (line string, ok bool) {
	head, whole := strings.CutPrefix(string(text[:min(len(text), mostShebang)]), "#!")
	line, _, ended := strings.Cut(head, "\n")
	return strings.Trim(line, " \t"), whole && ended && !strings.ContainsAny(line, "\t\r\x00")
}

// asText returns a job that passes the text of a script to a shell in place of its file. args are the script, as named,
// and its arguments.
func (j job) asText(shell string, before []string, text []byte, args []string) (job, bool) {
	script, ok := string(text), len(text) > 0 && len(text) < mostArgument && text[0] != '-' && text[0] != '+'
	if !ok || strings.ContainsRune(script, 0) {
		return j, false
	}
	real, err := filepath.EvalSymlinks(inDir(shell, j.dir))
	if err != nil {
		return j, false
	}
	switch filepath.Base(real) {
	case "dash":
	case "bash":
		if script, ok = bashText(script); !ok || len(script) >= mostArgument {
			return j, false
		}
		j.unset = true
	default:
		return j, false
	}
	if len(before) > 1 && before[1] == filepath.Base(shell) && filepath.Base(before[0]) == "env" {
		j.program = before[0]
	} else {
		j.program = shell
	}
	j.argv = append(append(before[:len(before):len(before)], "-c", script), args...)
	j.text, j.reader = text, before[len(before)-1]
	return j, true
}

// mostArgument is the longest argument that Linux accepts, including the final NUL, in bytes.
const mostArgument = 128 << 10

// isProgram reports whether a file is compiled: the kernel starts it, and no interpreter opens it again.
func isProgram(f *os.File) bool {
	var magic [4]byte
	_, err := f.ReadAt(magic[:], 0)
	return err == nil && string(magic[:]) == "\x7fELF"
}
