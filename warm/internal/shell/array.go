package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// mostElements limits the elements of an array.
const mostElements = 10_000

// setList sets a variable to an array.
func (s *state) setList(name string, list []string) {
	s.spend(64 + 16*len(list))
	if len(list) > mostElements {
		panic(cold("an array with many elements"))
	}
	if s.vars[name].readonly {
		panic(cold("a variable that is read-only"))
	}
	s.vars[name] = variable{array: true, list: list}
}

// elements returns the elements of an array, or the value of any other variable as the only element.
func (s *state) elements(name string) []string {
	if v, ok := s.vars[name]; ok && v.array {
		s.spend(16 * len(v.list))
		return v.list
	}
	if text, set := s.get(name); set {
		return []string{text}
	}
	return nil
}

// take counts the work of copying a list before the copy takes memory.
func (s *state) take(list []string) []string {
	s.spend(16 * len(list))
	return list
}

// join returns the elements with blanks between them.
func (s *state) join(list []string) string {
	for _, text := range list {
		s.spend(len(text) + 1)
	}
	return strings.Join(list, " ")
}

// arrayAssignment compiles name=(…) and name+=(…).
func (c *compiler) arrayAssignment(a *syntax.Assign) func(s *state) {
	if a.Index != nil {
		c.refuse(a, "this assignment")
	}
	words := make([]*syntax.Word, len(a.Array.Elems))
	for i, e := range a.Array.Elems {
		if e.Index != nil || e.Value == nil {
			c.refuse(a, "this assignment")
		}
		words[i] = e.Value
	}
	name, more, fields := a.Name.Value, a.Append, c.fields(words)
	return func(s *state) {
		if !more {
			if v, ok := s.vars[name]; ok && !v.array && !v.unset { // bash may keep the scalar value as an element
				panic(cold("a variable that becomes an array"))
			}
			s.setList(name, fields(s, nil))
			return
		}
		v, known := s.vars[name]
		if known && !v.array || !known && s.Env[name] != "" {
			panic(cold("a variable that becomes an array"))
		}
		s.setList(name, fields(s, v.list[:len(v.list):len(v.list)]))
	}
}

// elementAssignment compiles name[i]=value, where no element before i is missing.
func (c *compiler) elementAssignment(a *syntax.Assign) func(s *state) {
	if a.Append {
		c.refuse(a, "this assignment")
	}
	name, index, value := a.Name.Value, c.arithmetic(a.Index), c.value(a)
	return func(s *state) {
		text := value(s)
		i := index(s)
		v := s.vars[name]
		if !v.array || i < 0 || i > int64(len(v.list)) {
			panic(cold("an element of an array with gaps"))
		}
		list := append(make([]string, 0, len(v.list)+1), v.list...)
		if i == int64(len(list)) {
			list = append(list, "")
		}
		list[i] = text
		s.setList(name, list)
	}
}

// isAll reports whether an index is @ or *.
func isAll(index syntax.ArithmExpr) (which string, is bool) {
	w, ok := index.(*syntax.Word)
	if !ok || w.Lit() != "@" && w.Lit() != "*" {
		return "", false
	}
	return w.Lit(), true
}

// wholeArray compiles "$@" and "${name[@]}" to their elements. It returns nil for any other part.
func (c *compiler) wholeArray(part syntax.WordPart) func(s *state) []string {
	if isParams(part, "@") {
		return func(s *state) []string { return s.params }
	}
	p, ok := part.(*syntax.ParamExp)
	if !ok || p.Index == nil || !isPlainIndex(p) || p.Length {
		return nil
	}
	name := p.Param.Value
	if which, all := isAll(p.Index); !all || which != "@" || !assignable(name) {
		return nil
	}
	return func(s *state) []string { return s.elements(name) }
}

// spread compiles double quotes with one "$@" or "${name[@]}" among other parts, which becomes several words.
func (c *compiler) spread(q *syntax.DblQuoted) func(s *state) []string {
	at := -1
	var list func(s *state) []string
	for i, p := range q.Parts {
		if l := c.wholeArray(p); l != nil {
			if at >= 0 {
				c.refuse(q, "several lists in one word")
			}
			at, list = i, l
		}
	}
	if at < 0 || q.Dollar {
		return nil
	}
	if c.dash && len(q.Parts) > 1 {
		c.refuse(q, `"$@" with something beside it`)
	}
	if len(q.Parts) == 1 {
		return list
	}
	before, after := c.quoted(q.Parts[:at], "$`\"\\"), c.quoted(q.Parts[at+1:], "$`\"\\")
	return func(s *state) []string {
		first := before(s)
		all := append([]string(nil), s.take(list(s))...)
		last := after(s)
		if len(all) == 0 {
			return []string{first + last}
		}
		all[0] = first + all[0]
		all[len(all)-1] += last
		for _, text := range all {
			s.spend(len(text))
		}
		return all
	}
}

// isPlainIndex reports whether an expansion has no operator other than an index and the length.
func isPlainIndex(p *syntax.ParamExp) bool {
	return p.Param != nil && p.Exp == nil && p.Slice == nil && p.Repl == nil && !p.Excl && !p.Width && !p.IsSet &&
		p.Flags == nil && p.NestedParam == nil && len(p.Modifiers) == 0 && p.Names == 0
}

// indexed compiles ${name[…]} and ${#name[…]}.
func (c *compiler) indexed(p *syntax.ParamExp, quoted bool) text {
	if p.Param != nil && p.Param.Value == "BASH_SOURCE" {
		return c.sourceFile(p)
	}
	if !isPlainIndex(p) || !assignable(p.Param.Value) {
		c.refuse(p, "this expansion")
	}
	name := p.Param.Value
	which, all := isAll(p.Index)
	switch {
	case all && p.Length:
		return func(s *state) string {
			if s.nounset && !s.vars[name].array {
				panic(cold("the length of a variable that is not an array"))
			}
			return decimalOf(len(s.elements(name)))
		}
	case all && (which == "*" || !quoted):
		return func(s *state) string { return s.join(s.elements(name)) }
	case all || p.Length:
		c.refuse(p, "this expansion")
	}
	index := c.arithmetic(p.Index)
	return func(s *state) string {
		list, i := s.elements(name), index(s)
		if i < 0 {
			i += int64(len(list))
		}
		if i < 0 || i >= int64(len(list)) && s.nounset {
			panic(cold("an array element that is not set"))
		}
		if i >= int64(len(list)) {
			return ""
		}
		return list[i]
	}
}

// sourceFile compiles ${BASH_SOURCE[0]}, also with :-$0.
func (c *compiler) sourceFile(p *syntax.ParamExp) text {
	if w, ok := p.Index.(*syntax.Word); p.Index != nil && (!ok || w.Lit() != "0") || c.inFunc && c.sourced {
		c.refuse(p, "this expansion")
	}
	inFunc := c.inFunc
	plain := *p
	plain.Index = nil
	get := func(s *state) (string, bool) {
		if inFunc { // a function that a sourced file may call
			if s.File == "" {
				panic(cold("$BASH_SOURCE in a function"))
			}
			return s.File, true
		}
		return s.file, s.file != ""
	}
	switch {
	case p.Length || p.Slice != nil || p.Repl != nil || p.Excl:
		c.refuse(p, "this expansion")
	case p.Exp != nil:
		return c.operator(&plain, "BASH_SOURCE", get, false)
	}
	return c.must(p, "BASH_SOURCE", get)
}
