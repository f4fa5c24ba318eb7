package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// call compiles a simple command.
func (c *compiler) call(n *syntax.CallExpr, redirects []redirect) action {
	if c.dash && appends(n.Assigns) {
		c.refuse(n, "this assignment")
	}
	if len(n.Args) == 0 {
		if len(redirects) > 0 {
			c.refuse(n, "a redirection of an assignment")
		}
		return c.assignments(n.Assigns)
	}
	n, by := c.prefix(n)
	name, quiet := n.Args[0].Lit(), c.quiet
	run, special := c.control(n, name)
	if special && by != "" {
		c.refuse(n, "%s %s", by, name)
	}
	if name != "[" && (name == "" || strings.ContainsAny(name, `\*?[{~`)) {
		c.refuse(n, "a command whose name is not written out")
	}
	args := c.fields(n.Args[1:])
	switch {
	case special && (name == "source" || name == "."):
		return redirected(redirects, run)
	case special && len(redirects) > 0:
		c.refuse(n, "a redirection of %s", name)
	case special:
		return run
	}
	c.usesPWD = c.usesPWD || name == "pwd" || name == "cd"
	c.quiet = quiet
	command := c.command(n, name, by)
	return func(s *state) flow {
		s.spend(64)
		list := args(s, nil)
		in, out, err := s.in, s.out, s.err
		for _, r := range redirects {
			r(s)
		}
		f := command(s, list)
		s.in, s.out, s.err = in, out, err
		return f
	}
}

// prefix removes the first word of a simple command if the word is builtin, command or exec. by is the removed word.
func (c *compiler) prefix(n *syntax.CallExpr) (rest *syntax.CallExpr, by string) {
	by = n.Args[0].Lit()
	if by != "builtin" && by != "command" && by != "exec" || c.functions[by] || len(n.Args) < 2 {
		return n, ""
	}
	name := n.Args[1].Lit()
	if by == "command" && name == "-v" {
		return n, ""
	}
	isBuiltin, isProgram := known(name) && !c.dash, c.tools.programOf(name) != nil
	if c.sources || len(n.Assigns) > 0 || strings.HasPrefix(name, "-") ||
		by == "builtin" && !isBuiltin || by == "exec" && !isProgram || by == "command" && !isBuiltin && !isProgram {
		c.refuse(n, "this %s", by)
	}
	without := *n
	without.Args = n.Args[1:]
	return &without, by
}

// command returns the code that runs a function of the script, a builtin, or a program of the tools. by is the word
// builtin, command or exec before the name, if any; after such a word functions are skipped.
func (c *compiler) command(n *syntax.CallExpr, name, by string) func(s *state, args []string) flow {
	builtin, mayBeFunction := c.builtin(name), by == "" && c.functions[name]
	if by == "exec" {
		builtin = nil
	}
	noFields := builtin != nil && c.noFields(n)
	if builtin == nil && !mayBeFunction {
		if builtin = c.tools.command(c, n, name); builtin != nil && !c.dash {
			builtin = c.temporary(n, builtin)
		}
	}
	if (builtin == nil || c.dash && !noFields) && len(n.Assigns) > 0 {
		c.refuse(n, "an assignment before a command")
	}
	if builtin == nil && !mayBeFunction && !c.sources {
		c.refuse(n, "%s, which is not a known builtin", name)
	}
	assigns := len(n.Assigns) > 0
	return func(s *state, args []string) flow {
		if f := s.funcs[name]; f != nil && by == "" {
			if assigns {
				panic(cold("an assignment before a function"))
			}
			return s.invoke(f, args)
		}
		if builtin == nil {
			panic(cold(name + ", which is not a known builtin"))
		}
		s.status = builtin(s, args, noFields)
		if name == "exit" || by == "exec" {
			return exits
		}
		return next
	}
}

// noFields reports whether the command is preceded by IFS=, which is allowed for read. It refuses other
// assignments before a command.
func (c *compiler) noFields(n *syntax.CallExpr) bool {
	for _, a := range n.Assigns {
		if a.Name == nil || a.Name.Value != "IFS" || a.Append || a.Index != nil || a.Array != nil ||
			a.Value != nil && !isEmpty(a.Value) || n.Args[0].Lit() != "read" {
			c.refuse(n, "an assignment before a command")
		}
	}
	return len(n.Assigns) > 0
}

// isEmpty reports whether a word is an empty quoted text.
func isEmpty(w *syntax.Word) bool {
	for _, p := range w.Parts {
		single, ok := p.(*syntax.SglQuoted)
		double, also := p.(*syntax.DblQuoted)
		if !(ok && single.Value == "") && !(also && len(double.Parts) == 0) {
			return false
		}
	}
	return true
}

func (c *compiler) assignments(list []*syntax.Assign) action {
	all := make([]func(s *state), len(list))
	for i, a := range list {
		if a.Name == nil || !assignable(a.Name.Value) {
			c.refuse(a, "this assignment")
		}
		all[i] = c.assignment(a)
	}
	return func(s *state) flow {
		s.subst = 0
		for _, assign := range all {
			assign(s)
		}
		s.status = s.subst
		return next
	}
}

// appends reports whether an assignment has the form name+=value.
func appends(list []*syntax.Assign) bool {
	return slices.ContainsFunc(list, func(a *syntax.Assign) bool { return a.Append })
}

// assignment compiles one assignment.
func (c *compiler) assignment(a *syntax.Assign) func(s *state) {
	name, more := a.Name.Value, a.Append
	switch {
	case a.Array != nil:
		return c.arrayAssignment(a)
	case a.Index != nil:
		return c.elementAssignment(a)
	}
	value := c.value(a)
	return func(s *state) {
		before := ""
		if more {
			before, _ = s.get(name)
		}
		s.set(name, before+value(s))
	}
}

// control compiles set; source of bash; export and local of dash; and the commands whose meaning depends on their
// position: break, continue and return. ok is false for any other command.
func (c *compiler) control(n *syntax.CallExpr, name string) (run action, ok bool) {
	flows := map[string]flow{"break": breaks, "continue": continues, "return": returns}
	f, ok := flows[name]
	switch {
	case name == "set":
		return c.set(n), true
	case c.dash && (name == "export" || name == "local"):
		return c.declareWords(n, name), true
	case !c.dash && (name == "source" || name == "."):
		return c.source(n), true
	case !ok:
		return nil, false
	case f == returns && !c.inFunc && !c.sourced || f != returns && c.loops == 0 || len(n.Args) > 2:
		c.refuse(n, "this %s", name)
	}
	if f == returns {
		args := c.fields(n.Args[1:])
		return func(s *state) flow {
			s.status = s.exitStatus(args(s, nil))
			return returns
		}, true
	}
	levels := 1
	if len(n.Args) == 2 {
		if levels, ok = number(n.Args[1].Lit()); !ok || levels < 1 || levels > c.loops {
			c.refuse(n, "this %s", name)
		}
	}
	return func(s *state) flow {
		s.levels, s.status = levels, 0
		return f
	}, true
}

// set compiles the builtin set with the supported options.
func (c *compiler) set(n *syntax.CallExpr) action {
	var changes []func(s *state)
	for i := 1; i < len(n.Args); i++ {
		arg := n.Args[i].Lit()
		on := strings.HasPrefix(arg, "-")
		if len(arg) < 2 || !on && arg[0] != '+' {
			c.refuse(n, "this set")
		}
		for _, letter := range arg[1:] {
			switch letter {
			case 'e':
				changes = append(changes, func(s *state) { s.errexit = on })
			case 'u':
				changes = append(changes, func(s *state) { s.nounset = on })
			case 'o':
				if i++; c.dash || i >= len(n.Args) || n.Args[i].Lit() != "pipefail" {
					c.refuse(n, "this set -o")
				}
				changes = append(changes, func(s *state) { s.pipefail = on })
			default:
				c.refuse(n, "this set")
			}
		}
	}
	if len(changes) == 0 {
		c.refuse(n, "this set")
	}
	return func(s *state) flow {
		for _, change := range changes {
			change(s)
		}
		s.status = 0
		return next
	}
}
