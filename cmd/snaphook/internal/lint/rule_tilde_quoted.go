package lint

import (
	"fmt"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

var ruleTildeQuoted = Rule{
	ID: "tilde-quoted", Severity: Error, look: tildeQuoted,
	Doc:     "A path that begins with ~/ is in quotes.",
	Why:     "A shell expands a tilde only outside quotes; the program is not found.",
	Mistake: `{"type": "command", "command": "\"~/hooks/guard.sh\""}`,
	Fix:     `{"type": "command", "command": "\"$HOME/hooks/guard.sh\""}`,
}

func tildeQuoted(v *hookView) {
	shell := !v.entry.Get("args").Exists()
	for _, c := range v.calls {
		_, script, _, ok := c.interpreted()
		if !ok {
			script = c.program()
		}
		if !shell && strings.HasPrefix(script, "~/") {
			v.add(*v.report("tilde-quoted", c.at, "write the whole path", "no shell reads \"args\", so %s is not found", script))
			continue
		}
		if strings.HasPrefix(script, "~/") && strings.ContainsAny(v.h.Command, `"'`) {
			v.add(*v.report("tilde-quoted", c.at, fmt.Sprintf("write \"$HOME/%s\"", script[2:]),
				"the shell does not expand ~ in quotes, so %s is not found", script))
		}
	}
	for _, s := range v.scripts {
		if s.ast != nil {
			tildeFiles(v, s)
		}
	}
}

// tildeFiles looks for quoted paths with ~/ that name files which a script writes, reads or creates.
func tildeFiles(v *hookView, s *hookScript) {
	look := func(w *syntax.Word) {
		if text, ok := literal(w); ok && strings.HasPrefix(text, "~/") && isQuoted(w) {
			f := v.report("tilde-quoted", s.pos(w.Pos()), fmt.Sprintf("write \"$HOME/%s\"", text[2:]),
				"the shell does not expand ~ in quotes, so %s names a file in a directory called ~", text)
			f.Severity = Warning
			v.add(*f)
		}
	}
	syntax.Walk(s.ast, func(node syntax.Node) bool {
		switch n := node.(type) {
		case *syntax.Redirect:
			if n.Op != syntax.Hdoc && n.Op != syntax.DashHdoc && n.Op != syntax.WordHdoc && n.Word != nil {
				look(n.Word)
			}
		case *syntax.CallExpr:
			if slices.Contains([]string{"mkdir", "touch", "source", ".", "cd"}, name(n)) {
				for _, w := range n.Args[1:] {
					look(w)
				}
			}
		}
		return true
	})
}

func isQuoted(w *syntax.Word) bool {
	switch w.Parts[0].(type) {
	case *syntax.SglQuoted, *syntax.DblQuoted:
		return true
	}
	return false
}
