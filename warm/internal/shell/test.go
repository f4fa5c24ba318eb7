package shell

import (
	"io/fs"

	"mvdan.cc/sh/v3/syntax"
)

func bracket(s *state, args []string, _ bool) int {
	if len(args) == 0 || args[len(args)-1] != "]" {
		panic(cold("[ without ]"))
	}
	return truth(s.test(args[:len(args)-1]))
}

// test is the builtin test, whose meaning depends on the number of its arguments.
func (s *state) test(args []string) bool {
	switch {
	case len(args) == 0:
		return false
	case len(args) == 1:
		return args[0] != ""
	case len(args) == 3 && isComparison[args[1]]:
		return s.compare(args[1], args[0], args[2])
	case args[0] == "!" && len(args) <= 4:
		return !s.test(args[1:])
	case len(args) == 2:
		return s.unaryTest(args[0], args[1])
	}
	panic(cold("this test"))
}

var isComparison = set("= == != -eq -ne -lt -le -gt -ge")

func (s *state) compare(op, a, b string) bool {
	switch op {
	case "=", "==":
		return a == b
	case "!=":
		return a != b
	}
	x, xOK := decimal(a)
	y, yOK := decimal(b)
	if !xOK || !yOK {
		panic(cold("a value that is not a plain number"))
	}
	switch op {
	case "-eq":
		return x == y
	case "-ne":
		return x != y
	case "-lt":
		return x < y
	case "-le":
		return x <= y
	case "-gt":
		return x > y
	}
	return x >= y
}

func (s *state) unaryTest(op, arg string) bool {
	switch op {
	case "-n":
		return arg != ""
	case "-z":
		return arg == ""
	case "-t":
		if n, ok := number(arg); !ok || n < 0 || n > 2 {
			panic(cold("this test"))
		}
		return false // the streams of a hook are pipes, and a script may only replace them by files
	}
	if !knownTest[op] {
		panic(cold("this test"))
	}
	if arg == "" {
		return false
	}
	path := s.path(arg)
	own(path)
	s.spend(256)
	info, err := s.stat(path, op != "-L" && op != "-h")
	there := err == nil
	if there && info.Mode()&(fs.ModeDevice|fs.ModeNamedPipe|fs.ModeSocket) != 0 {
		panic(cold("a device"))
	}
	switch op {
	case "-e":
		return there
	case "-f":
		return there && info.Mode().IsRegular()
	case "-d":
		return there && info.IsDir()
	case "-s":
		return there && info.Size() > 0
	case "-r", "-w", "-x":
		return there && access(path, op)
	case "-L", "-h":
		return there && info.Mode()&fs.ModeSymlink != 0
	}
	panic(cold("this test"))
}

type condition func(s *state) bool

func (c *compiler) testClause(n *syntax.TestClause) action {
	x := c.condition(n.X)
	return func(s *state) flow {
		s.spend(64)
		s.status = truth(x(s))
		return next
	}
}

func (c *compiler) condition(x syntax.TestExpr) condition {
	switch x := x.(type) {
	case *syntax.ParenTest:
		return c.condition(x.X)
	case *syntax.Word:
		t := c.text(x)
		return func(s *state) bool { return t(s) != "" }
	case *syntax.UnaryTest:
		return c.unaryCondition(x)
	case *syntax.BinaryTest:
		return c.binaryCondition(x)
	}
	c.refuse(x, "this test")
	return nil
}

func (c *compiler) unaryCondition(x *syntax.UnaryTest) condition {
	if x.Op == syntax.TsNot {
		inner := c.condition(x.X)
		return func(s *state) bool { return !inner(s) }
	}
	w, ok := x.X.(*syntax.Word)
	op := x.Op.String()
	if !ok || !knownTest[op] {
		c.refuse(x, "[[ %s ]]", op)
	}
	t := c.text(w)
	return func(s *state) bool { return s.unaryTest(op, t(s)) }
}

var knownTest = set("-n -z -e -f -d -s -L -h -r -w -x -t")

func (c *compiler) binaryCondition(x *syntax.BinaryTest) condition {
	switch x.Op {
	case syntax.AndTest, syntax.OrTest:
		a, b, and := c.condition(x.X), c.condition(x.Y), x.Op == syntax.AndTest
		return func(s *state) bool {
			if a(s) != and {
				return !and
			}
			return b(s)
		}
	}
	if x.Op == syntax.TsReMatch {
		return c.match(x)
	}
	left, ok := x.X.(*syntax.Word)
	right, also := x.Y.(*syntax.Word)
	op := x.Op.String()
	if !ok || !also || !isComparison[op] {
		c.refuse(x, "[[ %s ]]", op)
	}
	a := c.text(left)
	switch op {
	case "=", "==", "!=":
		p, want := c.pattern(right), op != "!="
		return func(s *state) bool {
			text := a(s)
			return p(s).matches(s, text) == want
		}
	}
	b := c.text(right)
	return func(s *state) bool {
		text := a(s)
		return s.compare(op, text, b(s))
	}
}
