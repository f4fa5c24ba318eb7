package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// mostSources limits how many sourced texts are kept compiled; mostSource the length of one.
const (
	mostSources = 64
	mostSource  = 64 << 10
)

// source compiles the builtins source and ".", for a file that is named by a path.
func (c *compiler) source(n *syntax.CallExpr) action {
	args, tools := c.fields(n.Args[1:]), c.tools
	return func(s *state) flow {
		list := args(s, nil)
		if len(list) != 1 || !strings.Contains(list[0], "/") || strings.HasPrefix(list[0], "-") {
			panic(cold("this source"))
		}
		text := string(s.open(list[0]).data)
		s.spend(4 * len(text))
		body, err := tools.sourced(text)
		if err != nil {
			panic(cold(list[0] + ": " + err.Error()))
		}
		s.deeper()
		file := s.file
		s.file, s.status = list[0], 0
		f := body(s)
		s.file, s.depth = file, s.depth-1
		if f == returns {
			return next
		}
		return f
	}
}

// sourced returns the compiled text of a file.
func (t *tools) sourced(text string) (action, error) {
	if len(text) > mostSource {
		return nil, refused{1, "a file of this length"}
	}
	if a, ok := t.sources.Load(text); ok {
		return a.(action), nil
	}
	a, err := compileSource(text, t)
	if err != nil {
		return nil, err
	}
	if t.kept.Add(1) > mostSources {
		t.sources.Clear()
		t.kept.Store(1)
	}
	t.sources.Store(text, a)
	return a, nil
}
