package bash

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// SyntaxContext describes how a shell reads the text at a node, derived from the nodes around it. A [Walk]
// starts with SyntaxContext{Bare: true}.
type SyntaxContext struct {
	Bare     bool // inserted double quotes would begin a quoted text
	Backtick bool // the text is in backticks, where a backslash is read twice
	Number   bool // the text is arithmetic, where names are variables and subscripts may run commands
	Quoted   bool // the text is in double quotes or in a here-document

	Document *syntax.Word // the text of the here-document if the node is in its redirection, otherwise nil
}

// Inside returns the context of the children of a node whose own context is p.
func (p SyntaxContext) Inside(node syntax.Node) SyntaxContext {
	switch n := node.(type) {
	case *syntax.CmdSubst: // a substitution begins quotes of its own, even inside quotes
		return SyntaxContext{Bare: true, Backtick: p.Backtick || n.Backquotes}
	case *syntax.ProcSubst:
		return SyntaxContext{Bare: true, Backtick: p.Backtick, Quoted: p.Quoted}
	case *syntax.DblQuoted:
		p.Bare, p.Quoted = false, true
	case *syntax.ArithmExp, *syntax.ArithmCmd, *syntax.LetClause, *syntax.CStyleLoop:
		p.Bare, p.Number = false, true
	case *syntax.BinaryTest:
		p.Number = p.Number || n.Op >= syntax.TsEql && n.Op <= syntax.TsGtr
	case *syntax.Redirect:
		p.Bare, p.Document = p.Bare && n.Op != syntax.Hdoc && n.Op != syntax.DashHdoc, n.Hdoc
	case *syntax.Word:
		p.Quoted = p.Quoted || n == p.Document
	case *syntax.ParamExp: // a subscript or an offset is arithmetic
		if n.Index != nil || n.Slice != nil {
			p.Bare, p.Number = false, true
		}
	case *syntax.Assign: // a value is not split; only a subscript changes the context
		if n.Index != nil {
			p.Bare, p.Number = false, true
		}
	case *syntax.ArrayElem:
		if n.Index != nil {
			p.Bare, p.Number = false, true
		}
	case *syntax.DeclClause:
		p.Number = p.Number || declaresNumbers(n)
	}
	return p
}

// declaresNumbers reports whether a declare command gives its variables the integer attribute.
func declaresNumbers(n *syntax.DeclClause) bool {
	for _, a := range n.Args {
		if a.Naked && a.Value != nil {
			if flags := a.Value.Lit(); strings.HasPrefix(flags, "-") && strings.Contains(flags, "i") {
				return true
			}
		}
	}
	return false
}
