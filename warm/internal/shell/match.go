package shell

import (
	"strings"
	"sync/atomic"

	"mvdan.cc/sh/v3/syntax"

	"github.com/snaphook-go/snaphook/warm/internal/posix"
)

// special lists the characters with a special meaning in an extended regular expression.
const special = `.[()*+?{|^$\`

// match compiles [[ text =~ expression ]]. A script that reads BASH_REMATCH is left to bash.
func (c *compiler) match(x *syntax.BinaryTest) condition {
	left, ok := x.X.(*syntax.Word)
	right, also := x.Y.(*syntax.Word)
	if !ok || !also {
		c.refuse(x, "[[ =~ ]]")
	}
	text, expression := c.text(left), c.expression(right)
	var last atomic.Pointer[compiled1]
	return func(s *state) bool {
		v, re := []byte(text(s)), expression(s)
		s.spend(len(v) + len(re))
		known := last.Load()
		if known == nil || known.text != re {
			compiled, err := posix.Compile(re, posix.Options{})
			if err != nil {
				panic(cold(err.Error()))
			}
			s.spend(len(re) * costOfExpression)
			known = &compiled1{re, compiled}
			last.Store(known)
		}
		if !known.re.Certain(v) || !certainLocale(s.Env) {
			panic(cold("characters beyond ASCII"))
		}
		s.spend(known.re.Work(len(v)))
		return known.re.Match(v)
	}
}

// costOfExpression is the work of compiling one byte of a regular expression. The unit is the work of reading one byte.
const costOfExpression = 32

// compiled1 is the regular expression that a condition used last.
type compiled1 struct {
	text string
	re   *posix.Regexp
}

// expression compiles a word as a regular expression, in which quoted text is literal.
func (c *compiler) expression(w *syntax.Word) text {
	var all []text
	brackets, quotes := false, false
	for i, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			v := c.unquotedExpression(p, i == 0)
			brackets = brackets || strings.Contains(v, "[")
			all = append(all, constant(v))
		case *syntax.SglQuoted:
			quotes = true
			all = append(all, constant(quoteExpression(c.single(p))))
		case *syntax.DblQuoted:
			t := c.double(p)
			quotes = true
			all = append(all, func(s *state) string { return quoteExpression(t(s)) })
		default:
			quotes = true
			all = append(all, c.expansion(p, false))
		}
	}
	if brackets && quotes {
		c.refuse(w, "brackets beside quotes in [[ =~ ]]")
	}
	return joined(all)
}

// unquotedExpression returns the expression of an unquoted text.
func (c *compiler) unquotedExpression(lit *syntax.Lit, first bool) string {
	v := lit.Value
	if first && strings.HasPrefix(v, "~") {
		c.refuse(lit, "a tilde")
	}
	var out strings.Builder
	for i := 0; i < len(v); i++ {
		if v[i] == '\\' {
			i++
			switch {
			case i < len(v) && v[i] == ' ':
			case i < len(v) && strings.IndexByte(special, v[i]) >= 0 && strings.IndexByte(v, '[') < 0:
				out.WriteByte('\\')
			default:
				c.refuse(lit, "this backslash in [[ =~ ]]")
			}
		}
		out.WriteByte(v[i])
	}
	return out.String()
}

func quoteExpression(text string) string {
	if !hasAny(text, special) {
		return text
	}
	var out strings.Builder
	for i := range len(text) {
		if strings.IndexByte(special, text[i]) >= 0 {
			out.WriteByte('\\')
		}
		out.WriteByte(text[i])
	}
	return out.String()
}
