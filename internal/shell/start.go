package shell

import (
	"path/filepath"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Start is a program that a script starts, as bash would start it.
type Start struct {
	Program   string // the file
	Argv, Env []string
	Dir       string
	Stdin     []byte
}

// Reads tells which programs only read, whatever they are given: bash may run a script from its beginning after
// such a program has run. ok is false if a program may do more with these arguments; input says what it does with
// standard input.
type Reads func(name string, args []string) (input Input, ok bool)

// Input is what a program does with its standard input.
type Input int

// The uses of standard input.
const (
	Ignored   Input = iota // it is not read
	Whole                  // it is read to its end
	Uncertain              // it may be left before its end
)

// mostStarts limits the programs that a script starts in one run.
const mostStarts = 32

// stopped is the panic of a run in which a program was stopped, by its time limit or because nobody waits.
type stopped struct{ error }

// starts reports whether a program may be started with arguments, of which some may not be known yet.
func (t *tools) starts(name string, args []*string) bool {
	if t.reads == nil || !isProgramName(name) || known(name) {
		return false
	}
	all := make([]string, len(args))
	for i, arg := range args {
		if arg == nil {
			return true
		}
		all[i] = *arg
	}
	_, ok := t.reads(name, all)
	return ok
}

// start starts a program that only reads, and waits for it.
func (t *tools) start(s *state, name string, args []string) int {
	input, ok := t.reads(name, args)
	if !ok || s.Start == nil || len(s.files) > 0 || len(s.dirs) > 0 {
		panic(cold(name + ", which bash alone starts with these arguments"))
	}
	if s.starts++; s.starts > mostStarts {
		panic(cold("it starts many programs"))
	}
	file := s.lookup(name)
	if file == "" {
		panic(cold(name + " is not there"))
	}
	if !ofSystem(file) {
		panic(cold(file + " is not a program of the system"))
	}
	request := &Start{Program: file, Argv: append([]string{name}, args...), Env: s.environ(file), Dir: s.dir}
	in := s.in
	if input != Ignored {
		if in.reopened {
			panic(cold("standard input, of which it is not certain how much is read"))
		}
		request.Stdin = in.data[in.at:]
	}
	s.spend(1024)
	r, err := s.Start(request)
	if err != nil {
		panic(stopped{err})
	}
	if r.Exit < 0 || s.out == s.err && len(r.Stdout) > 0 && len(r.Stderr) > 0 {
		panic(cold(name + ", which a signal has ended, or whose outputs are mixed"))
	}
	if input == Whole && (r.Exit == 0 || name == "grep" && r.Exit == 1) { // otherwise it may have ended before
		in.at = len(in.data)
	} else if input != Ignored && in.at < len(in.data) {
		in.reopened = true
	}
	s.out.write(string(r.Stdout))
	s.err.write(string(r.Stderr))
	return r.Exit
}

// environ returns the environment of a program.
func (s *state) environ(program string) []string {
	level, _ := strconv.Atoi(s.Env["SHLVL"])
	env := []string{"PWD=" + s.pwd, "SHLVL=" + strconv.Itoa(level+1), "_=" + program}
	for _, frame := range s.frames {
		for name := range frame {
			if s.exports(name) {
				panic(cold("a local variable that hides an exported one"))
			}
		}
	}
	for name, value := range s.Env {
		if _, changed := s.vars[name]; !changed && !notInherited[name] {
			env = append(env, name+"="+value)
		}
	}
	for name, v := range s.vars {
		if !s.exports(name) || v.unset {
			continue
		}
		if v.array {
			panic(cold("an array that is exported"))
		}
		env = append(env, name+"="+v.text)
	}
	if old, set := s.Env["OLDPWD"]; s.old != "" {
		env = append(env, "OLDPWD="+s.old)
	} else if set {
		env = append(env, "OLDPWD="+old)
	}
	return env
}

// notInherited lists the variables that bash sets itself.
var notInherited = set("PWD OLDPWD SHLVL _ PS1 PS2")

// exports reports whether programs get a variable.
func (s *state) exports(name string) bool {
	_, inherited := s.Env[name]
	return inherited || s.exported[name]
}

// ofSystem reports whether a file is a program of the system, also behind links of the system.
func ofSystem(file string) bool {
	at, err := filepath.EvalSymlinks(file)
	if err != nil || !strings.HasPrefix(file, "/usr/bin/") && !strings.HasPrefix(file, "/bin/") {
		return false
	}
	_, ok := identify(at)
	return ok
}

// startable returns the code of a program that is started; nil: it may do more than read.
func (t *tools) startable(c *compiler, n *syntax.CallExpr, name string) builtin {
	if !t.starts(name, writtenArgs(n)) {
		return nil
	}
	c.usesPWD = true
	return func(s *state, args []string, _ bool) int { return t.start(s, name, args) }
}

func writtenArgs(n *syntax.CallExpr) []*string {
	args := make([]*string, len(n.Args)-1)
	for i, w := range n.Args[1:] {
		if text, ok := written(w); ok {
			args[i] = &text
		}
	}
	return args
}

// here runs a program in this process; ok is false if it may end in another way than the installed one.
func (t *tools) here(s *state, name string, args []string, program Program) (status int, ok bool) {
	in, at, reopened, out, wrote := s.in, s.in.at, s.in.reopened, s.out, len(s.out.data)
	files, dirs := len(s.files), len(s.dirs)
	defer func() {
		why, is := recover().(cold)
		if !is {
			return
		}
		if s.Start == nil || t.reads == nil || len(s.files) != files || len(s.dirs) != dirs {
			panic(why)
		}
		in.at, in.reopened, out.data = at, reopened, out.data[:wrote]
		ok = false
	}()
	t.installed(s, name, program)
	return program.Run(&Process{Args: args, s: s}), true
}
