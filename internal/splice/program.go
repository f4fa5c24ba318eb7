package splice

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/snaphook-go/snaphook/internal/bash"
)

// call finds the words of a command that are texts of programs.
func (w *scriptWalker) call(n *syntax.CallExpr) {
	l, at := w.interpreter(n)
	if l == nil {
		return
	}
	program := l
	if l == wrapped || w.losesVariables(n.Args[:at]) {
		program = unclear(l)
	}
	next, seen := false, false // next: the next word is the program; seen: a program was found
	skip := 0                  // number of words that belong to an option
	for _, arg := range n.Args[at+1:] {
		text, _ := w.flatten(arg)
		switch {
		case l == evaluated || next:
			w.code[arg] = program
			next, seen = false, true
		case skip > 0:
			skip--
		case l.flag != nil && l.flag.MatchString(text):
			next = true
		case l.attached != nil && l.attached.MatchString(text):
			w.code[arg] = unclear(l)
			seen = true
		case l.file != nil && l.file.MatchString(text):
			return // the program is in a file
		case strings.HasPrefix(text, "-") && text != "-":
			skip = l.values[text]
		case l == wrapped: // options of a wrapper may also follow other words
		case l.first && !seen:
			w.code[arg] = program
			return
		default:
			if isProcess(arg) {
				w.code[arg] = unclear(l)
			}
			return // the word is a file with the program; its arguments follow
		}
	}
}

func isProcess(arg *syntax.Word) bool {
	if len(arg.Parts) == 0 {
		return false
	}
	_, is := arg.Parts[0].(*syntax.ProcSubst)
	return is
}

// interpreter returns the language of the first word that names an interpreter, and the index of the word. If there is
// none, but a word has an expansion that could yield such a name, the language is unknown.
func (w *scriptWalker) interpreter(n *syntax.CallExpr) (*language, int) {
	unclear := -1
	for i, arg := range n.Args {
		text, _ := w.flatten(arg)
		if l := builtins[text]; l != nil && i == 0 {
			if l == evaluated && len(n.Args) == 2 || text == "trap" {
				return firstWord, i
			}
			return l, i
		}
		name := path.Base(text)
		if l := languageOf(name); l != nil && text != "" {
			return l, i
		}
		made := strings.Contains(name, "\x00") || w.mark.MatchString(name)
		if unclear < 0 && made && !strings.ContainsAny(text, "= ") {
			unclear = i
		}
	}
	if unclear >= 0 {
		return unknown, unclear
	}
	return nil, 0
}

// losesVariables reports whether a wrapper may start its command without the environment: a reference in that
// command would then be empty.
func (w *scriptWalker) losesVariables(before []*syntax.Word) bool {
	for _, arg := range before {
		if text, _ := w.flatten(arg); clearsVariables(path.Base(text)) {
			return true
		}
	}
	return false
}

// clearsVariables reports whether a word is a program that starts another without the environment, or the
// option with which env does so.
func clearsVariables(word string) bool {
	return bash.Wrappers[word].Clears == "*" || word == "-i" || word == "-" || word == "--ignore-environment"
}

// input marks the here-documents, here-strings and process substitutions from which an interpreter reads its program.
func (w *scriptWalker) input(n *syntax.Stmt) {
	l := w.readsProgram(n)
	if l == nil {
		return
	}
	for _, r := range n.Redirs {
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			if _, _, quoted := w.quotedText(r); quoted {
				w.code[r] = l
			} else if r.Hdoc != nil {
				w.code[r.Hdoc] = unclear(l)
			}
		case syntax.WordHdoc:
			w.code[r.Word] = l
		case syntax.RdrIn:
			if isProcess(r.Word) {
				w.code[r.Word] = unclear(l)
			}
		}
	}
}

// pipe marks text that is piped into an interpreter.
func (w *scriptWalker) pipe(n *syntax.BinaryCmd) {
	if n.Op == syntax.Pipe || n.Op == syntax.PipeAll {
		if l := w.readsProgram(n.Y); l != nil {
			w.code[n.X] = unclear(l)
		}
	}
}

// readsProgram returns the language of a command that reads its program from
// standard input.
func (w *scriptWalker) readsProgram(n *syntax.Stmt) *language {
	c, ok := n.Cmd.(*syntax.CallExpr)
	if !ok {
		return nil
	}
	l, at := w.interpreter(c)
	if l == nil || l.first || l == evaluated || l == wrapped || l == unknown { // an unknown program may read data
		return nil
	}
	skip := 0
	for _, arg := range c.Args[at+1:] {
		text, _ := w.flatten(arg)
		switch {
		case skip > 0:
			skip--
		case l.flag != nil && l.flag.MatchString(text), l.attached != nil && l.attached.MatchString(text):
			return nil
		case l == shell && strings.HasPrefix(text, "-") && strings.Contains(text, "s"):
			return l
		case text == "-" || text == "/dev/stdin":
			return l
		case strings.HasPrefix(text, "-"):
			skip = l.values[text]
		default:
			return nil
		}
	}
	return l
}

// program handles a word that may be a program text. It returns the context of the word's parts, and whether they have
// to be visited.
func (w *scriptWalker) program(n *syntax.Word, around, here nodeContext) (inside nodeContext, enter bool) {
	l := w.code[n]
	start, end, ok := w.span(n)
	if l == nil || !ok || !w.mark.MatchString(w.text[start:end]) {
		return here, true
	}
	text, static := w.flatten(n)
	switch whole := static && !here.Backtick && !here.Number && w.depth < maxDepth && around.code == nil; {
	case !whole:
	case l == shell || l == firstWord:
		inner := w.script(text, w.depth+1) // the inner shell expands the marks
		w.edits = append(w.edits, scriptEdit{start, end, "'" + strings.ReplaceAll(inner, "'", `'\''`) + "'"})
		return here, false
	case l.quotes != "":
		w.scan(text, l)
		here.code = nil // the text has been checked
	}
	return here, true
}

// flatten returns the text of a word after the shell has removed its quotes. static is false if the shell
// expands anything but marks in it.
func (w *scriptWalker) flatten(n *syntax.Word) (text string, static bool) {
	var out strings.Builder
	static = true
	for _, part := range n.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			static = static && !strings.ContainsAny(p.Value, "~*?[{")
			out.WriteString(bash.Unescape(p.Value, false))
		case *syntax.SglQuoted:
			static = static && !(p.Dollar && strings.Contains(p.Value, `\`))
			out.WriteString(p.Value)
		case *syntax.DblQuoted:
			static = w.flattenQuoted(&out, p) && static
		default:
			static = w.flattenMark(&out, p) && static
		}
	}
	return out.String(), static
}

func (w *scriptWalker) flattenQuoted(out *strings.Builder, n *syntax.DblQuoted) bool {
	static := !n.Dollar
	for _, part := range n.Parts {
		if lit, ok := part.(*syntax.Lit); ok {
			out.WriteString(bash.Unescape(lit.Value, true))
			continue
		}
		static = w.flattenMark(out, part) && static
	}
	return static
}

// flattenMark writes a mark as it is, and a NUL for an unknown value.
func (w *scriptWalker) flattenMark(out *strings.Builder, n syntax.Node) bool {
	start, end, ok := w.span(n)
	if ok && w.mark.FindString(w.text[start:end]) == w.text[start:end] {
		out.WriteString(w.text[start:end])
		return true
	}
	out.WriteByte(0)
	return false
}
