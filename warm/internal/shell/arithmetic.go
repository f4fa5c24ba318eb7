package shell

import (
	"math"
	"strconv"

	"mvdan.cc/sh/v3/syntax"
)

type integer func(s *state) int64

// arithmetic compiles an expression of decimal numbers and variables.
func (c *compiler) arithmetic(x syntax.ArithmExpr) integer {
	if c.dash {
		c.plainArithmetic(x)
	}
	switch x := x.(type) {
	case *syntax.ParenArithm:
		return c.arithmetic(x.X)
	case *syntax.Word:
		return c.operand(x)
	case *syntax.UnaryArithm:
		return c.unary(x)
	case *syntax.BinaryArithm:
		switch x.Op {
		case syntax.Assgn, syntax.AddAssgn, syntax.SubAssgn, syntax.MulAssgn:
			return c.assign(x)
		}
		return c.binaryArithmetic(x)
	}
	c.refuse(x, "this arithmetic")
	return nil
}

// plainArithmetic refuses, for dash, all operators except those in operations and the minus sign before an operand.
func (c *compiler) plainArithmetic(x syntax.ArithmExpr) {
	switch x := x.(type) {
	case *syntax.UnaryArithm:
		if x.Op != syntax.Minus {
			c.refuse(x, "this arithmetic")
		}
	case *syntax.BinaryArithm:
		if operations[x.Op] == nil {
			c.refuse(x, "%s in arithmetic", x.Op)
		}
	}
}

// operand compiles a number, a name, or $name.
func (c *compiler) operand(w *syntax.Word) integer {
	if lit := w.Lit(); lit != "" {
		if n, ok := decimal(lit); ok && n >= 0 {
			return func(*state) int64 { return n }
		}
		name := c.numeric(w)
		return func(s *state) int64 { return s.integer(name) }
	}
	p, ok := w.Parts[0].(*syntax.ParamExp)
	if !ok || len(w.Parts) != 1 {
		c.refuse(w, "this arithmetic")
	}
	v := c.param(p, true)
	return func(s *state) int64 {
		n, ok := decimal(v(s))
		if !ok || n < 0 {
			panic(cold("a value that is not a plain number"))
		}
		return n
	}
}

// numeric returns the name of a variable in arithmetic.
func (c *compiler) numeric(x syntax.ArithmExpr) string {
	w, ok := x.(*syntax.Word)
	if !ok || !assignable(w.Lit()) {
		c.refuse(x, "this arithmetic")
	}
	return w.Lit()
}

func (s *state) integer(name string) int64 {
	v, set := s.get(name)
	if !set && s.nounset {
		panic(cold("$" + name + " is not set"))
	}
	n, ok := decimal(v)
	if !ok && (v != "" || s.dash) {
		panic(cold("a value that is not a plain number"))
	}
	return n
}

// decimal parses a decimal number, without the forms that bash reads as octal or hexadecimal.
func decimal(v string) (n int64, ok bool) {
	n, err := strconv.ParseInt(v, 10, 64)
	return n, err == nil && strconv.FormatInt(n, 10) == v
}

func (c *compiler) unary(x *syntax.UnaryArithm) integer {
	if x.Op == syntax.Inc || x.Op == syntax.Dec {
		name, by, post := c.numeric(x.X), int64(1), x.Post
		if x.Op == syntax.Dec {
			by = -1
		}
		return func(s *state) int64 {
			before := s.integer(name)
			s.set(name, strconv.FormatInt(before+by, 10))
			if post {
				return before
			}
			return before + by
		}
	}
	v := c.arithmetic(x.X)
	switch x.Op {
	case syntax.Not:
		return func(s *state) int64 { return one(v(s) == 0) }
	case syntax.Minus:
		return func(s *state) int64 { return -v(s) }
	case syntax.Plus:
		return v
	}
	c.refuse(x, "this arithmetic")
	return nil
}

func one(is bool) int64 {
	if is {
		return 1
	}
	return 0
}

func (c *compiler) assign(x *syntax.BinaryArithm) integer {
	name, v, op := c.numeric(x.X), c.arithmetic(x.Y), x.Op
	return func(s *state) int64 {
		n := int64(0)
		if op != syntax.Assgn {
			n = s.integer(name)
		}
		switch by := v(s); op {
		case syntax.MulAssgn:
			n *= by
		case syntax.SubAssgn:
			n -= by
		default:
			n += by
		}
		s.set(name, strconv.FormatInt(n, 10))
		return n
	}
}

var operations = map[syntax.BinAritOperator]func(a, b int64) int64{
	syntax.Add: func(a, b int64) int64 { return a + b },
	syntax.Sub: func(a, b int64) int64 { return a - b },
	syntax.Mul: func(a, b int64) int64 { return a * b },
	syntax.Quo: func(a, b int64) int64 { return a / divisor(a, b) },
	syntax.Rem: func(a, b int64) int64 { return a % divisor(a, b) },
	syntax.Eql: func(a, b int64) int64 { return one(a == b) },
	syntax.Neq: func(a, b int64) int64 { return one(a != b) },
	syntax.Lss: func(a, b int64) int64 { return one(a < b) },
	syntax.Gtr: func(a, b int64) int64 { return one(a > b) },
	syntax.Leq: func(a, b int64) int64 { return one(a <= b) },
	syntax.Geq: func(a, b int64) int64 { return one(a >= b) },
}

func divisor(a, b int64) int64 {
	if b == 0 || a == math.MinInt64 {
		panic(cold("this division"))
	}
	return b
}

func (c *compiler) binaryArithmetic(x *syntax.BinaryArithm) integer {
	operation := operations[x.Op]
	if operation == nil && x.Op != syntax.AndArit && x.Op != syntax.OrArit {
		c.refuse(x, "%s in arithmetic", x.Op)
	}
	a, b := c.arithmetic(x.X), c.arithmetic(x.Y)
	switch x.Op {
	case syntax.AndArit:
		return func(s *state) int64 { return one(a(s) != 0 && b(s) != 0) }
	case syntax.OrArit:
		return func(s *state) int64 { return one(a(s) != 0 || b(s) != 0) }
	}
	return func(s *state) int64 {
		left := a(s)
		return operation(left, b(s))
	}
}
