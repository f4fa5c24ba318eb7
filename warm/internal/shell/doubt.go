package shell

import (
	"fmt"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	sh "github.com/snaphook-go/snaphook/internal/bash"
)

// A command that only bash can run leaves the script to bash when it is reached, not before: most guards end
// before their rare commands. This file, however, refuses a script that has, at any place, syntax that bash
// might read differently than the parser here.

// doubt refuses a script with syntax that bash might read differently.
func (c *compiler) doubt(file *syntax.File, text string) {
	everywhere(file, func(n syntax.Node, quoted bool) { c.doubtful(n, text, quoted) })
}

// everywhere calls check for each node of a script, and tells it whether the node is in double quotes or in a
// here-document.
func everywhere(file *syntax.File, check func(n syntax.Node, quoted bool)) {
	visit := func(n syntax.Node, around sh.SyntaxContext) (sh.SyntaxContext, bool) {
		if n != around.Document { // it is a word to the parser, but not to a shell
			check(n, around.Quoted)
		}
		return around.Inside(n), true
	}
	sh.Walk(file, sh.SyntaxContext{Bare: true}, visit)
}

func (c *compiler) doubtful(n syntax.Node, text string, quoted bool) {
	source := func() string { return text[n.Pos().Offset():min(int(n.End().Offset()), len(text))] }
	switch n := n.(type) {
	case *syntax.ForClause:
		if n.Select || n.Braces {
			c.refuse(n, "this loop")
		}
	case *syntax.CaseClause:
		if n.Braces {
			c.refuse(n, "this case")
		}
	case *syntax.DblQuoted:
		if n.Dollar {
			c.refuse(n, `$"…"`)
		}
	case *syntax.CmdSubst:
		if n.TempFile || n.ReplyVar || n.Backquotes && strings.Contains(source(), `\`) {
			c.refuse(n, "this command substitution")
		}
	case *syntax.ParamExp:
		if quoted && !n.Short {
			c.doubtfulOperands(n)
		}
	case *syntax.ArithmExp:
		if n.Bracket || n.Unsigned {
			c.refuse(n, "this arithmetic")
		}
	case *syntax.File, *syntax.Comment, *syntax.Stmt, *syntax.Redirect, *syntax.CallExpr, *syntax.Assign,
		*syntax.ArrayExpr, *syntax.ArrayElem, *syntax.Subshell, *syntax.Block, *syntax.IfClause,
		*syntax.WhileClause, *syntax.WordIter, *syntax.CStyleLoop, *syntax.BinaryCmd, *syntax.FuncDecl,
		*syntax.Word, *syntax.Lit, *syntax.SglQuoted, *syntax.ArithmCmd, *syntax.BinaryArithm,
		*syntax.UnaryArithm, *syntax.ParenArithm, *syntax.CaseItem, *syntax.TestClause, *syntax.BinaryTest,
		*syntax.UnaryTest, *syntax.ParenTest, *syntax.DeclClause, *syntax.ProcSubst, *syntax.BraceExp:
	default:
		c.refuse(n, "%s", strings.TrimPrefix(fmt.Sprintf("%T", n), "*syntax."))
	}
}

// doubtfulOperands refuses quotes within an expansion in double quotes, which bash may not treat as quotes.
func (c *compiler) doubtfulOperands(n *syntax.ParamExp) {
	var words []*syntax.Word
	if n.Exp != nil {
		words = append(words, n.Exp.Word)
	}
	if n.Repl != nil {
		words = append(words, n.Repl.Orig, n.Repl.With)
	}
	for _, w := range words {
		if w == nil {
			continue
		}
		for _, p := range w.Parts {
			lit, ok := p.(*syntax.Lit)
			_, single := p.(*syntax.SglQuoted)
			if single || ok && (strings.Contains(lit.Value, "'") || strings.Contains(lit.Value, `\}`)) {
				c.refuse(n, "quotes in an expansion")
			}
		}
	}
}

// lazy compiles a statement. A statement that only bash can run leaves the script to bash when it is reached.
func (c *compiler) lazy(stmt *syntax.Stmt) (a action) {
	loops, inFunc, line := c.loops, c.inFunc, c.line
	defer func() {
		switch why := recover().(type) {
		case nil:
		case refused:
			c.loops, c.inFunc, c.line = loops, inFunc, line
			c.refusals[stmt] = why
			reason := cold(why.Error())
			a = func(*state) flow { panic(reason) }
		default:
			panic(why)
		}
	}()
	return c.stmt(stmt)
}

// certain returns the refusal of a statement that is always reached, or nil. It ignores the statements after the first
// that may end the script.
func (c *compiler) certain(list []*syntax.Stmt) error {
	for _, stmt := range list {
		if err := c.certainOf(stmt); err != nil {
			return err
		}
		if c.mayEnd(stmt) {
			return nil
		}
	}
	return nil
}

func (c *compiler) certainOf(stmt *syntax.Stmt) error {
	if why, ok := c.refusals[stmt]; ok {
		return why
	}
	switch n := stmt.Cmd.(type) {
	case *syntax.CallExpr:
		return c.certainInWords(n)
	case *syntax.BinaryCmd:
		if err := c.certainOf(n.X); err != nil || n.Op == syntax.AndStmt || n.Op == syntax.OrStmt {
			return err
		}
		return c.certainOf(n.Y)
	case *syntax.Block:
		return c.certain(n.Stmts)
	case *syntax.Subshell:
		return c.certain(n.Stmts)
	case *syntax.IfClause:
		return c.certain(n.Cond)
	case *syntax.WhileClause:
		return c.certain(n.Cond)
	}
	return nil
}

// certainInWords looks into the command substitutions of a simple command.
func (c *compiler) certainInWords(n *syntax.CallExpr) (err error) {
	words := append([]*syntax.Word{}, n.Args...)
	for _, a := range n.Assigns {
		words = append(words, a.Value)
	}
	for _, w := range words {
		if w == nil {
			continue
		}
		parts := w.Parts
		if len(parts) == 1 {
			if q, ok := parts[0].(*syntax.DblQuoted); ok {
				parts = q.Parts
			}
		}
		for _, p := range parts {
			if sub, ok := p.(*syntax.CmdSubst); ok && err == nil {
				err = c.certain(sub.Stmts)
			}
		}
	}
	return err
}

// mayEnd reports whether a statement may end the script, or leave a function or a loop.
func (c *compiler) mayEnd(stmt *syntax.Stmt) bool {
	for call := range sh.Calls(stmt) {
		switch name := call.Args[0].Lit(); name {
		case "exit", "return", "break", "continue", "set":
			return true
		default:
			if c.functions[name] {
				return true
			}
		}
	}
	return false
}
