package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// mostSources limits how many sourced texts are kept compiled; mostSource limits the length of each text.
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
		body, err := tools.kept(text, true)
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

// compiledText is a text that a script sources, or runs in a bash of its own.
type compiledText struct {
	text    string
	sourced bool
}

// kept returns the compiled form of a text, and keeps it for the next call.
func (t *tools) kept(text string, sourced bool) (action, error) {
	if len(text) > mostSource {
		return nil, refused{1, "a file of this length", "bash"}
	}
	key := compiledText{text, sourced}
	if a, ok := t.texts.Load(key); ok {
		return a.(action), nil
	}
	a, err := compileSource(text, sourced, t)
	if err != nil {
		return nil, err
	}
	if t.count.Add(1) > mostSources {
		t.texts.Clear()
		t.count.Store(1)
	}
	t.texts.Store(key, a)
	return a, nil
}
