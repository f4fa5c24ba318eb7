package shell

import "mvdan.cc/sh/v3/syntax"

func (c *compiler) ifClause(n *syntax.IfClause) action {
	then := c.list(n.Then)
	if len(n.Cond) == 0 { // else
		return then
	}
	cond, rest := c.list(n.Cond), action(succeed)
	if n.Else != nil {
		rest = c.ifClause(n.Else)
	}
	return func(s *state) flow {
		s.cond++
		f := cond(s)
		s.cond--
		switch {
		case f != next:
			return f
		case s.status == 0:
			return then(s)
		}
		return rest(s)
	}
}

func (c *compiler) while(n *syntax.WhileClause) action {
	c.loops++
	cond, body := c.list(n.Cond), c.list(n.Do)
	c.loops--
	return func(s *state) flow {
		for status := 0; ; status = s.status {
			s.spend(64)
			s.cond++
			f := cond(s)
			s.cond--
			if f == next {
				if (s.status == 0) == n.Until {
					s.status = status
					return next
				}
				f = body(s)
			}
			if f, leave := s.leave(f); leave {
				return f
			}
		}
	}
}

// leave reports whether a loop ends once its body has ended with the flow f, and returns the flow after the loop.
func (s *state) leave(f flow) (out flow, leave bool) {
	switch {
	case f == next:
		return next, false
	case f != breaks && f != continues:
		return f, true
	case s.levels > 1:
		s.levels--
		return f, true
	}
	return next, f == breaks
}

func (c *compiler) forClause(n *syntax.ForClause) action {
	loop, ok := n.Loop.(*syntax.WordIter)
	if !ok || n.Select || n.Braces || !assignable(loop.Name.Value) {
		c.refuse(n, "this loop")
	}
	words := c.fields(loop.Items)
	if !loop.InPos.IsValid() {
		words = func(s *state, into []string) []string { return append(into, s.params...) }
	}
	c.loops++
	body := c.list(n.Do)
	c.loops--
	return func(s *state) flow {
		items := words(s, nil)
		if len(items) == 0 {
			s.status = 0
		}
		for _, item := range items {
			s.set(loop.Name.Value, item)
			if f, leave := s.leave(body(s)); leave {
				return f
			}
		}
		return next
	}
}

func (c *compiler) caseClause(n *syntax.CaseClause) action {
	type branch struct {
		patterns []matcher
		body     action
	}
	subject := c.text(n.Word)
	var branches []branch
	for _, item := range n.Items {
		if item.Op != syntax.Break || n.Braces {
			c.refuse(item, "a branch that ends in %s", item.Op)
		}
		b := branch{body: succeed}
		if len(item.Stmts) > 0 {
			b.body = c.list(item.Stmts)
		}
		for _, p := range item.Patterns {
			b.patterns = append(b.patterns, c.pattern(p))
		}
		branches = append(branches, b)
	}
	return func(s *state) flow {
		text := subject(s)
		for _, b := range branches {
			for _, p := range b.patterns {
				if p(s).matches(s, text) {
					return b.body(s)
				}
			}
		}
		s.status = 0
		return next
	}
}
