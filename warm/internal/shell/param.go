package shell

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// param compiles $NAME and ${NAME…}.
func (c *compiler) param(p *syntax.ParamExp, quoted bool) text {
	if p.Param == nil || p.Flags != nil || p.Excl || p.Width || p.IsSet || p.NestedParam != nil ||
		len(p.Modifiers) > 0 || p.Names != 0 || p.Split != 0 || p.GlobSubst != 0 || p.RcExpand != 0 {
		c.refuse(p, "this expansion")
	}
	if p.Index != nil || p.Param.Value == "BASH_SOURCE" {
		return c.indexed(p, quoted)
	}
	name := p.Param.Value
	get := c.parameter(p, name, quoted)
	switch {
	case p.Length:
		if name == "@" || name == "*" || name == "#" || name == "?" {
			c.refuse(p, "this expansion")
		}
		v := c.must(p, name, get)
		return func(s *state) string { return strconv.Itoa(s.characters(v(s))) }
	case p.Slice != nil:
		return c.slice(p, c.must(p, name, get))
	case p.Repl != nil:
		return c.replace(p, c.must(p, name, get), quoted)
	case p.Exp != nil:
		return c.operator(p, name, get, quoted)
	}
	return c.must(p, name, get)
}

// parameter compiles the lookup of a parameter's value, which also reports whether it is set.
func (c *compiler) parameter(p *syntax.ParamExp, name string, quoted bool) func(s *state) (string, bool) {
	plain := p.Exp == nil && p.Slice == nil && p.Repl == nil && !p.Length
	n, err := strconv.Atoi(name)
	switch {
	case err == nil && n > 0 && strconv.Itoa(n) == name:
		return func(s *state) (string, bool) {
			if n > len(s.params) {
				return "", false
			}
			return s.params[n-1], true
		}
	case name == "0":
		return func(s *state) (string, bool) {
			if s.Name == "" {
				panic(cold("$0"))
			}
			return s.Name, true
		}
	case name == "#" && plain:
		return func(s *state) (string, bool) { return strconv.Itoa(len(s.params)), true }
	case name == "?" && plain:
		return func(s *state) (string, bool) { return strconv.Itoa(s.status), true }
	case name == "*" && plain && quoted:
		return func(s *state) (string, bool) { return s.join(s.params), true }
	case !readable(name):
		c.refuse(p, "$%s", name)
	}
	c.usesPWD = c.usesPWD || name == "PWD"
	return func(s *state) (string, bool) { return s.get(name) }
}

// must compiles the value of a parameter, which is "" if the parameter is unset. Under nounset, an unset parameter ends
// the shell with a message.
func (c *compiler) must(p *syntax.ParamExp, name string, get func(s *state) (string, bool)) text {
	line, shown := c.line, name
	if p.Short && name[0] >= '0' && name[0] <= '9' {
		shown = "$" + name
	}
	return func(s *state) string {
		v, set := get(s)
		if !set && s.nounset {
			s.fail(line, shown+": unbound variable")
		}
		return v
	}
}

// characters returns the number of characters of v, and gives the run up unless v is ASCII.
func (s *state) characters(v string) int {
	s.spend(len(v))
	s.plain(v)
	return len(v)
}

// plain gives the run up for text whose characters depend on the locale: bash then runs the script.
func (s *state) plain(v string) {
	for i := range len(v) {
		if v[i] >= 0x80 {
			panic(cold("characters beyond ASCII"))
		}
	}
}

func (c *compiler) slice(p *syntax.ParamExp, v text) text {
	if p.Slice.Offset == nil {
		c.refuse(p, "this expansion")
	}
	offset, length := c.arithmetic(p.Slice.Offset), func(*state) int64 { return 1 << 40 }
	if p.Slice.Length != nil {
		length = c.arithmetic(p.Slice.Length)
	}
	return func(s *state) string {
		value := v(s)
		from, n := offset(s), length(s)
		size := int64(s.characters(value))
		if from < 0 {
			from += size
		}
		if from < 0 || n < 0 {
			panic(cold("an offset outside of the value"))
		}
		from = min(from, size)
		return value[from:min(from+n, size)]
	}
}

func (c *compiler) replace(p *syntax.ParamExp, v text, quoted bool) text {
	if p.Repl.Orig == nil || len(p.Repl.Orig.Parts) == 0 {
		c.refuse(p, "this expansion")
	}
	if lit, ok := p.Repl.Orig.Parts[0].(*syntax.Lit); ok && strings.HasPrefix(lit.Value, "#") ||
		ok && strings.HasPrefix(lit.Value, "%") {
		c.refuse(p, "this expansion")
	}
	c.unescaped(p.Repl.With)
	if quoted {
		c.plainPattern(p.Repl.Orig)
	}
	pattern, with, all := c.pattern(p.Repl.Orig), c.text(p.Repl.With), p.Repl.All
	return func(s *state) string {
		value := v(s)
		literal, ok := pattern(s).literal()
		by := with(s)
		if !ok || literal == "" || hasAny(by, `&\`) {
			panic(cold("this replacement"))
		}
		n := 1
		if all {
			n = strings.Count(value, literal)
		}
		s.spend(2*len(value) + n*len(by)) // counts the work before the new value takes memory
		return strings.Replace(value, literal, by, n)
	}
}

// unescaped refuses a word with quotes, backslashes, a tilde, braces or pattern characters, which have another meaning
// inside an expansion than outside.
func (c *compiler) unescaped(w *syntax.Word) {
	if w == nil {
		return
	}
	for _, part := range w.Parts {
		lit, ok := part.(*syntax.Lit)
		_, single := part.(*syntax.SglQuoted)
		_, double := part.(*syntax.DblQuoted)
		if single || double || ok && strings.ContainsAny(lit.Value, "\\~*?[{\"'") {
			c.refuse(w, "quotes in an expansion")
		}
	}
}

func (c *compiler) operator(
	p *syntax.ParamExp, name string, get func(s *state) (string, bool), quoted bool,
) text {
	switch op := p.Exp.Op; op {
	case syntax.RemSmallPrefix, syntax.RemLargePrefix, syntax.RemSmallSuffix, syntax.RemLargeSuffix:
		if quoted {
			c.plainPattern(p.Exp.Word)
		}
		v, pattern := c.must(p, name, get), c.pattern(p.Exp.Word)
		suffix := op == syntax.RemSmallSuffix || op == syntax.RemLargeSuffix
		large := op == syntax.RemLargePrefix || op == syntax.RemLargeSuffix
		return func(s *state) string { return pattern(s).trim(s, v(s), suffix, large) }
	case syntax.UpperAll, syntax.LowerAll, syntax.UpperFirst, syntax.LowerFirst:
		return c.changeCase(p, c.must(p, name, get))
	}
	return c.otherwise(p, name, get, quoted)
}

// fallback compiles the word of an expansion, such as w in ${x:-w}. If the expansion is in double quotes, the word is
// read as quoted text too.
func (c *compiler) fallback(w *syntax.Word, quoted bool) text {
	if !quoted || w == nil {
		c.unescaped(w)
		return c.text(w)
	}
	for _, part := range w.Parts {
		_, single := part.(*syntax.SglQuoted)
		_, double := part.(*syntax.DblQuoted)
		if single || double {
			c.refuse(w, "quotes in an expansion")
		}
	}
	return c.quoted(w.Parts, "$`\"\\")
}

// plainPattern refuses the pattern of an expansion in double quotes if quotes in the
// pattern could be taken for the quotes around the expansion.
func (c *compiler) plainPattern(w *syntax.Word) {
	if w == nil {
		return
	}
	for _, part := range w.Parts {
		lit, ok := part.(*syntax.Lit)
		if ok && strings.ContainsAny(strings.ReplaceAll(lit.Value, `\"`, ""), `'\`) {
			c.refuse(w, "quotes in an expansion")
		}
	}
}

func (c *compiler) changeCase(p *syntax.ParamExp, v text) text {
	op := p.Exp.Op
	if p.Exp.Word != nil {
		c.refuse(p, "this expansion")
	}
	return func(s *state) string {
		value := v(s)
		n := s.characters(value)
		if n > 0 && (op == syntax.UpperFirst || op == syntax.LowerFirst) {
			n = 1
		}
		if op == syntax.UpperAll || op == syntax.UpperFirst {
			return strings.ToUpper(value[:n]) + value[n:]
		}
		return strings.ToLower(value[:n]) + value[n:]
	}
}

// otherwise compiles ${NAME:-word}, ${NAME:=word}, ${NAME:+word} and ${NAME:?word}.
func (c *compiler) otherwise(
	p *syntax.ParamExp, name string, get func(s *state) (string, bool), quoted bool,
) text {
	word, op := c.fallback(p.Exp.Word, quoted), p.Exp.Op
	line, message := c.line, func(_ *state, colon bool) string {
		if colon {
			return "parameter null or not set"
		}
		return "parameter not set"
	}
	colon := op == syntax.DefaultUnsetOrNull || op == syntax.AssignUnsetOrNull ||
		op == syntax.AlternateUnsetOrNull || op == syntax.ErrorUnsetOrNull
	switch op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
	case syntax.AssignUnset, syntax.AssignUnsetOrNull:
		if !assignable(name) {
			c.refuse(p, "an assignment to $%s", name)
		}
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		if p.Exp.Word != nil {
			message = func(s *state, _ bool) string { return word(s) }
		}
	default:
		c.refuse(p, "this expansion (%s)", op)
	}
	return func(s *state) string {
		v, there := get(s)
		there = there && !(colon && v == "")
		switch op {
		case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
			if there {
				return word(s)
			}
			return ""
		case syntax.AssignUnset, syntax.AssignUnsetOrNull:
			if !there {
				v = word(s)
				s.set(name, v)
			}
			return v
		}
		switch {
		case there:
			return v
		case op == syntax.ErrorUnset || op == syntax.ErrorUnsetOrNull:
			s.fail(line, name+": "+message(s, colon))
		}
		return word(s)
	}
}

func decimalOf(n int) string { return strconv.Itoa(n) }
