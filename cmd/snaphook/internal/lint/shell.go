package lint

import (
	"mvdan.cc/sh/v3/syntax"

	"github.com/snaphook-go/snaphook/internal/bash"
)

// ParseShell parses a text in the syntax of one shell.
func ParseShell(text string, lang syntax.LangVariant) (*syntax.File, error) {
	if lang == syntax.LangBash {
		return bash.ParseComments(text)
	}
	return bash.ParseAs(text, lang)
}

// literal returns the unquoted text of a word without expansions; ok is false for any other word.
func literal(w *syntax.Word) (text string, ok bool) { return bash.Text(w) }

// unescaped removes the backslashes that a shell removes outside of quotes.
func unescaped(s string) string { return bash.Unescape(s, false) }

// name returns the literal program of a call; empty if it is not literal.
func name(call *syntax.CallExpr) string {
	if call == nil || len(call.Args) == 0 {
		return ""
	}
	text, _ := literal(call.Args[0])
	return base(text)
}

// base returns the last element of a path with either kind of slash.
func base(path string) string { return bash.Base(path) }

// callOf returns the call of a statement; nil if the statement is not a call.
func callOf(s *syntax.Stmt) *syntax.CallExpr { return bash.Call(s) }

// plainVar returns the name in $NAME or ${NAME}; empty for anything else.
func plainVar(part syntax.WordPart) string { return bash.Variable(part) }
