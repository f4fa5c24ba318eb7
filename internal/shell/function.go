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

// declare compiles local and export.
func (c *compiler) declare(n *syntax.DeclClause) action {
	local := n.Variant.Value == "local"
	if !local && n.Variant.Value != "export" || local && !c.inFunc {
		c.refuse(n, "%s", n.Variant.Value)
	}
	type declared struct {
		name  string
		value text
	}
	var all []declared
	for _, a := range n.Args {
		if a.Name == nil || a.Append || a.Index != nil || a.Array != nil || !assignable(a.Name.Value) {
			c.refuse(n, "this %s", n.Variant.Value)
		}
		d := declared{name: a.Name.Value}
		if !a.Naked {
			d.value = c.value(a)
		}
		all = append(all, d)
	}
	if len(all) == 0 {
		c.refuse(n, "%s alone", n.Variant.Value)
	}
	return func(s *state) flow {
		values := make([]string, len(all))
		for i, d := range all {
			if d.value != nil {
				values[i] = d.value(s)
			}
		}
		for i, d := range all {
			fresh := local && s.hide(d.name)
			if d.value != nil {
				s.set(d.name, values[i])
			} else if fresh {
				s.vars[d.name] = variable{unset: true}
			}
		}
		s.status = 0
		return next
	}
}

// hide keeps a variable until the function ends; false if it is local already.
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
