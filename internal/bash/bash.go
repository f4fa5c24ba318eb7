// Package bash finds the programs that a shell text runs. Permission rules, placeholders, trust, lint and the
// in-process shell use it.
//
// Call the parser of mvdan.cc/sh/v3/syntax only through [Parse], [ParseComments], [ParseAs] and [Stmts]: they refuse
// text that is too long or has too many brackets before the parser starts, and turn the parser's panics into errors.
// [Calls] finds the commands of a text, and [Walk] visits all of its nodes. [Text] reads words, and [SyntaxContext]
// describes the quotes around them. [Wrappers] and [Interpreters] list the programs that run another program or a text
// that is a program, and their options.
//
// Nothing here runs a command, reads a file or expands a variable. All functions may be used from many
// goroutines at once.
package bash

import (
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"

	"github.com/snaphook-go/snaphook/internal/bounded"
)

// ErrSyntax reports a text for which the parser panicked.
var ErrSyntax = errors.New("it is not shell syntax")

// Parse returns the syntax of a script for bash, without its comments.
//
// The error is a [*bounded.Error] for a text that is too long or has too many brackets, a [syntax.ParseError]
// or [syntax.LangError] with line and column, or [ErrSyntax].
func Parse(script string) (*syntax.File, error) { return parse(&plain, script) }

// ParseComments does the same as Parse, and keeps the comments.
func ParseComments(script string) (*syntax.File, error) { return parse(&commented, script) }

// ParseAs does the same as ParseComments for another shell.
func ParseAs(script string, shell syntax.LangVariant) (*syntax.File, error) {
	pool := sync.Pool{New: newParser(syntax.Variant(shell), syntax.KeepComments(true))}
	return parse(&pool, script)
}

var (
	plain     = sync.Pool{New: newParser(syntax.Variant(syntax.LangBash))}
	commented = sync.Pool{New: newParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true))}
)

func newParser(options ...syntax.ParserOption) func() any {
	return func() any { return syntax.NewParser(options...) }
}

func parse(parsers *sync.Pool, script string) (file *syntax.File, err error) {
	if err := bounded.Shell(script); err != nil {
		return nil, err
	}
	defer func() {
		if p := recover(); p != nil { // a parser that has panicked is not reused
			file, err = nil, fmt.Errorf("%w: %v", ErrSyntax, p)
		}
	}()
	parser := parsers.Get().(*syntax.Parser)
	file, err = parser.Parse(strings.NewReader(script), "")
	parsers.Put(parser)
	if err != nil {
		return nil, err
	}
	return file, nil
}

// Stmts returns the statements of a script for bash up to the first mistake, because a shell also runs the commands
// before a mistake. The last pair has the mistake and a nil statement. The sequence parses to the end of the script
// even if its consumer stops, and passes on panics of its consumer.
func Stmts(script string) iter.Seq2[*syntax.Stmt, error] {
	return func(yield func(*syntax.Stmt, error) bool) {
		if err := bounded.Shell(script); err != nil {
			yield(nil, err)
			return
		}
		stmts, err := collect(script)
		for _, stmt := range stmts {
			if !yield(stmt, nil) {
				return
			}
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

// collect parses all statements first: the parser panics if a loop over its sequence ends early.
func collect(script string) (stmts []*syntax.Stmt, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", ErrSyntax, p)
		}
	}()
	for stmt, wrong := range syntax.NewParser(syntax.Variant(syntax.LangBash)).StmtsSeq(strings.NewReader(script)) {
		if err == nil {
			if err = wrong; wrong == nil {
				stmts = append(stmts, stmt)
			}
		}
	}
	return stmts, err
}

// Text returns the literal text of a word without its quotes. ok is false for a word with an expansion, or
// with an escape in $'…'; a file pattern, a brace or a tilde outside quotes is not expanded.
func Text(w *syntax.Word) (text string, ok bool) {
	if w == nil {
		return "", false
	}
	var out strings.Builder
	for _, part := range w.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			out.WriteString(Unescape(p.Value, false))
		case *syntax.SglQuoted:
			if p.Dollar && strings.Contains(p.Value, `\`) {
				return "", false
			}
			out.WriteString(p.Value)
		case *syntax.DblQuoted:
			for _, inner := range p.Parts {
				lit, is := inner.(*syntax.Lit)
				if !is {
					return "", false
				}
				out.WriteString(Unescape(lit.Value, true))
			}
		default:
			return "", false
		}
	}
	return out.String(), true
}

// Unescape removes the backslashes that a shell removes: before any character or, if quoted is true, before the
// characters that are special in double quotes. A backslash before a line end is removed with the line end.
func Unescape(text string, quoted bool) string {
	if strings.IndexByte(text, '\\') < 0 {
		return text
	}
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) || quoted && strings.IndexByte("$`\"\\\n", text[i+1]) < 0 {
			out.WriteByte(text[i])
			continue
		}
		if i++; text[i] != '\n' {
			out.WriteByte(text[i])
		}
	}
	return out.String()
}

// Variable returns the name of a plain $NAME or ${NAME}, and "" for every other part of a word.
func Variable(part syntax.WordPart) string {
	p, ok := part.(*syntax.ParamExp)
	if !ok || p.Param == nil || p.Exp != nil || p.Slice != nil || p.Repl != nil || p.Index != nil || p.Length ||
		p.Excl || p.Width {
		return ""
	}
	return p.Param.Value
}

// Call returns the simple command of a statement, or nil if the statement is another kind of command.
func Call(s *syntax.Stmt) *syntax.CallExpr {
	if s == nil {
		return nil
	}
	call, _ := s.Cmd.(*syntax.CallExpr)
	return call
}

// Base returns the last element of a path with slashes of either kind.
func Base(path string) string { return path[strings.LastIndexAny(path, `/\`)+1:] }
