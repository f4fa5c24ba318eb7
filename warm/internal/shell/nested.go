package shell

import (
	"maps"

	"mvdan.cc/sh/v3/syntax"

	"github.com/snaphook-go/snaphook/internal/inprocess"
)

// Nested is a script that another one runs in a bash of its own.
type Nested struct {
	Text   string
	File   string // the file that Text is read from; "": Text is given
	Name   string // $0
	Params []string

	ErrExit, NoUnset, PipeFail bool // the options -e and -u, and -o pipefail
}

// Script runs another script of bash in this process, with the variables that the running script exports.
func (p *Process) Script(of Nested) (status int) {
	s := p.s
	if s.Env["BASH_ENV"] != "" {
		p.GiveUp("$BASH_ENV")
	}
	if of.File != "" {
		own(s.path(of.File))
		of.Text = string(s.open(of.File).data)
	}
	s.spend(len(of.Text))
	body, err := s.tools.kept(of.Text, false)
	if err != nil {
		p.GiveUp("%s: %v", of.Name, err)
	}
	s.deeper()
	call := &inprocess.Call{Env: s.exports(), Params: of.Params, Dir: s.dir, Name: of.Name, File: of.File, Alone: s.Alone}
	nested := &run{
		Call: call, tools: s.tools, left: s.left,
		files: s.files, dirs: s.dirs, piping: s.piping, reading: s.reading,
	}
	for _, file := range []string{s.file, s.File} {
		if file != "" {
			nested.reading = append(nested.reading[:len(nested.reading):len(nested.reading)], s.path(file))
		}
	}
	shell := &state{
		run: nested, vars: map[string]variable{}, params: of.Params, dir: s.dir, pwd: s.pwd, file: of.File,
		in: s.in, out: s.out, err: s.err, piped: s.piped, depth: s.depth,
		errexit: of.ErrExit, nounset: of.NoUnset, pipefail: of.PipeFail,
	}
	shell.whole(body)
	s.left, s.files, s.dirs, s.piping, s.depth = nested.left, nested.files, nested.dirs, nested.piping, s.depth-1
	return shell.status
}

// exports returns the environment of the programs that the script starts.
func (s *state) exports() map[string]string {
	s.spend(64 * (len(s.Env) + len(s.vars)))
	if s.hidesExported() {
		panic(cold("a local variable that hides one that is exported"))
	}
	env, own := s.Env, false
	for name, v := range s.vars {
		if _, set := s.Env[name]; !set && !v.exported {
			continue
		}
		if !own {
			env, own = maps.Clone(s.Env), true
		}
		if delete(env, name); v.exported && !v.unset {
			env[name] = v.text
		}
	}
	return env
}

// hidesExported reports whether a local variable, of this shell or of its parent shell, hides an
// exported one.
func (s *state) hidesExported() bool {
	for _, frame := range s.frames {
		for name, hidden := range frame {
			if _, set := s.Env[name]; set || hidden.exported {
				return true
			}
		}
	}
	return s.hides
}

// temporary compiles the assignments before a command, which apply to that command alone: VAR=value bash script.
func (c *compiler) temporary(n *syntax.CallExpr, command builtin) builtin {
	if len(n.Assigns) == 0 {
		return command
	}
	values := make([]text, len(n.Assigns))
	for i, a := range n.Assigns {
		if a.Name == nil || !assignable(a.Name.Value) || a.Append || a.Index != nil || a.Array != nil {
			c.refuse(n, "an assignment before a command")
		}
		if a.Value != nil {
			syntax.Walk(a.Value, func(part syntax.Node) bool {
				switch part := part.(type) {
				case *syntax.CmdSubst, *syntax.ProcSubst: // a subshell, which changes nothing here
					return false
				case *syntax.ArithmExp:
					c.refuse(n, "arithmetic in an assignment before a command")
				case *syntax.ParamExp:
					assigns := part.Exp != nil &&
						(part.Exp.Op == syntax.AssignUnset || part.Exp.Op == syntax.AssignUnsetOrNull)
					if assigns || part.Index != nil || part.Slice != nil {
						c.refuse(n, "${x:=word} in an assignment before a command")
					}
				}
				return true
			})
		}
		values[i] = c.value(a)
	}
	return func(s *state, args []string, noFields bool) int {
		s.spend(64 * (1 + len(s.vars)))
		was := maps.Clone(s.vars)
		for i, a := range n.Assigns {
			name := a.Name.Value
			s.set(name, values[i](s))
			v := s.vars[name]
			v.exported = true
			s.vars[name] = v
		}
		status := command(s, args, noFields)
		s.vars = was
		return status
	}
}
