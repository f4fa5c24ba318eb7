package lint

import (
	"fmt"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/snaphook-go/snaphook/internal/bounded"
)

// ParseShell reads a text in a dialect of shell syntax. The parser gets nothing
// that it could not stand, and its panics are errors.
func ParseShell(text string, lang syntax.LangVariant) (file *syntax.File, err error) {
	if err := bounded.Shell(text); err != nil {
		return nil, err
	}
	defer func() {
		if p := recover(); p != nil {
			file, err = nil, fmt.Errorf("it is no shell syntax: %v", p)
		}
	}()
	return syntax.NewParser(syntax.Variant(lang), syntax.KeepComments(true)).Parse(strings.NewReader(text), "")
}

// literal is the text of a word without expansions, unquoted; ok is false for
// any other word.
func literal(w *syntax.Word) (text string, ok bool) {
	if w == nil {
		return "", false
	}
	return literalParts(w.Parts)
}

func literalParts(parts []syntax.WordPart) (string, bool) {
	var b strings.Builder
	for _, part := range parts {
		switch p := part.(type) {
		case *syntax.Lit:
			b.WriteString(unescaped(p.Value))
		case *syntax.SglQuoted:
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			inner, ok := literalParts(p.Parts)
			if !ok {
				return "", false
			}
			b.WriteString(inner)
		default:
			return "", false
		}
	}
	return b.String(), true
}

// unescaped takes the backslashes out.
func unescaped(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// name is the literal program of a call; empty if there is none.
func name(call *syntax.CallExpr) string {
	if call == nil || len(call.Args) == 0 {
		return ""
	}
	text, _ := literal(call.Args[0])
	return base(text)
}

// base is the last element of a path with either slash.
func base(path string) string { return path[strings.LastIndexAny(path, `/\`)+1:] }

// callOf is the call that a statement is.
func callOf(s *syntax.Stmt) *syntax.CallExpr {
	if s == nil {
		return nil
	}
	call, _ := s.Cmd.(*syntax.CallExpr)
	return call
}

// plainVar is the name of a $NAME or ${NAME}; empty for anything else.
func plainVar(part syntax.WordPart) string {
	p, ok := part.(*syntax.ParamExp)
	if !ok || p.Param == nil || p.Exp != nil || p.Slice != nil || p.Repl != nil || p.Index != nil || p.Length ||
		p.Excl || p.Width {
		return ""
	}
	return p.Param.Value
}
