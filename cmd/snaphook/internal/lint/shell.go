package lint

import (
	"mvdan.cc/sh/v3/syntax"

	"github.com/snaphook-go/snaphook/internal/bash"
)

// ParseShell reads a text in a dialect of shell syntax.
func ParseShell(text string, lang syntax.LangVariant) (*syntax.File, error) {
	if lang == syntax.LangBash {
		return bash.ParseComments(text)
	}
	return bash.ParseAs(text, lang)
}

// literal is the text of a word without expansions, unquoted; ok is false for
// any other word.
func literal(w *syntax.Word) (text string, ok bool) { return bash.Text(w) }

// unescaped takes the backslashes out that a shell removes outside of quotes.
func unescaped(s string) string { return bash.Unescape(s, false) }

// name returns the literal program of a call; empty if it is not literal.
func name(call *syntax.CallExpr) string {
	if call == nil || len(call.Args) == 0 {
		return ""
	}
	text, _ := literal(call.Args[0])
	return base(text)
}

// base is the last element of a path with either slash.
func base(path string) string { return bash.Base(path) }

// callOf is the call that a statement is.
func callOf(s *syntax.Stmt) *syntax.CallExpr { return bash.Call(s) }

// plainVar is the name of a $NAME or ${NAME}; empty for anything else.
func plainVar(part syntax.WordPart) string { return bash.Variable(part) }
