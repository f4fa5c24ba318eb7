package shell

import "mvdan.cc/sh/v3/syntax"

func (c *compiler) function(n *syntax.FuncDecl) action {
	block, ok := n.Body.Cmd.(*syntax.Block)
	if !ok || len(n.Body.Redirs) > 0 || n.Name == nil || !isName(n.Name.Value) || known(n.Name.Value) {
		c.refuse(n, "this function")
	}
	was := *c
	c.loops, c.inFunc = 0, true
	body := c.list(block.Stmts)
	was.usesPWD = c.usesPWD
	*c = was
	return func(s *state) flow {
		if s.funcs == nil {
			s.funcs = map[string]action{}
		}
		s.funcs[n.Name.Value], s.status = body, 0
		return next
	}
}

// invoke calls a function.
func (s *state) invoke(body action, args []string) flow {
	s.deeper()
	params := s.params
	s.params, s.frames = args, append(s.frames, nil)
	f := body(s)
	for name, old := range s.frames[len(s.frames)-1] {
		if old.was {
			s.vars[name] = old.variable
		} else {
			delete(s.vars, name)
		}
	}
	s.params, s.frames, s.depth = params, s.frames[:len(s.frames)-1], s.depth-1
	if f == returns {
		return next
	}
	return f
}

// declaration is one name of local, export, declare, typeset or readonly.
type declaration struct {
	name   string
	value  text           // nil: none
	assign func(s *state) // an array; nil: none
}

// declare compiles local, export, declare, typeset and readonly.
func (c *compiler) declare(n *syntax.DeclClause) action {
	kind, readonly := n.Variant.Value, n.Variant.Value == "readonly"
	local, export := kind != "export" && kind != "readonly" && c.inFunc, kind == "export"
	if kind == "local" && !local || kind == "nameref" {
		c.refuse(n, "%s", kind)
	}
	var all []declaration
	for _, a := range n.Args {
		if a.Name == nil && a.Naked && a.Value != nil {
			switch option := a.Value.Lit(); {
			case option == "-r" && kind != "export":
				readonly = true
				continue
			case option == "-a" && kind != "export":
				continue
			case option == "-x" && !local:
				export = true
				continue
			}
		}
		if a.Name == nil || a.Append || a.Index != nil || !assignable(a.Name.Value) || a.Array != nil && export {
			c.refuse(n, "this %s", kind)
		}
		d := declaration{name: a.Name.Value}
		switch {
		case a.Array != nil:
			d.assign = c.arrayAssignment(a)
		case !a.Naked:
			d.value = c.value(a)
		case kind == "declare" || kind == "typeset":
			c.refuse(n, "this %s", kind) // without a value, declare may list the variable or make an empty array
		}
		all = append(all, d)
	}
	if len(all) == 0 {
		c.refuse(n, "%s alone", kind)
	}
	return func(s *state) flow {
		s.declareAll(all, local, readonly)
		if export {
			s.export(all)
		}
		s.status = 0
		return next
	}
}

func (s *state) declareAll(all []declaration, local, readonly bool) {
	values := make([]string, len(all))
	for i, d := range all {
		if d.value != nil {
			values[i] = d.value(s)
		}
	}
	for i, d := range all {
		if s.vars[d.name].readonly {
			panic(cold("a variable that is read-only"))
		}
		fresh := local && s.hide(d.name)
		switch {
		case d.assign != nil && fresh:
			s.vars[d.name] = variable{array: true}
			d.assign(s)
		case d.assign != nil:
			d.assign(s)
		case d.value != nil && fresh:
			delete(s.vars, d.name)
			s.set(d.name, values[i])
		case d.value != nil:
			s.set(d.name, values[i])
		case fresh:
			s.vars[d.name] = variable{unset: true}
		}
		if readonly {
			v := s.vars[d.name]
			if _, known := s.vars[d.name]; !known || v.unset {
				panic(cold("this variable that is read-only"))
			}
			v.readonly = true
			s.vars[d.name] = v
		}
	}
}

// export marks variables as exported.
func (s *state) export(all []declaration) {
	for _, d := range all {
		v, known := s.vars[d.name]
		switch {
		case !known:
			if _, set := s.Env[d.name]; set {
				continue // a variable of the environment is exported already
			}
			v.unset = true
		case v.array:
			panic(cold("an array that is exported"))
		}
		v.exported = true
		s.vars[d.name] = v
	}
}

// hide saves a variable until the function ends. It returns false if the variable is local already.
func (s *state) hide(name string) bool {
	frame := s.frames[len(s.frames)-1]
	if _, is := frame[name]; is {
		return false
	}
	if frame == nil {
		frame = map[string]saved{}
		s.frames[len(s.frames)-1] = frame
	}
	old, was := s.vars[name]
	frame[name] = saved{old, was}
	return true
}
