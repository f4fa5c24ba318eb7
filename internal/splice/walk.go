package splice

import (
	"mvdan.cc/sh/v3/syntax"

	"github.com/snaphook-go/snaphook/internal/bash"
)

// scriptWalker looks at every node of one script.
type scriptWalker struct {
	*splicer
	text  string
	depth int
	code  map[syntax.Node]*language // words, statements and redirections whose text is a program
	edits []scriptEdit
}

// nodeContext describes the nodes that enclose a node.
type nodeContext struct {
	bash.SyntaxContext
	code *language // the node becomes a part of a program in this language
}

// visit handles one node before its children; see [bash.Walk].
func (w *scriptWalker) visit(node syntax.Node, around nodeContext) (here nodeContext, enter bool) {
	here = nodeContext{around.Inside(node), around.code}
	if _, looks := node.(*syntax.Redirect); !looks && w.code[node] != nil {
		here.code = w.code[node]
	}
	switch n := node.(type) {
	case *syntax.BinaryCmd:
		w.pipe(n)
	case *syntax.Stmt:
		w.input(n)
	case *syntax.CallExpr:
		w.call(n)
	case *syntax.Word:
		return w.program(n, around, here)
	case *syntax.Redirect:
		return here, !w.hereDocument(n, here)
	case *syntax.SglQuoted:
		w.singleQuoted(n, here)
	case *syntax.ParamExp:
		w.reference(n, here)
	}
	return here, true
}

// span returns the offsets of a node in the text.
func (w *scriptWalker) span(n syntax.Node) (start, end int, ok bool) {
	start, end = int(n.Pos().Offset()), int(n.End().Offset())
	return start, end, start >= 0 && start < end && end <= len(w.text)
}

// reference handles a mark where the shell expands it.
func (w *scriptWalker) reference(n *syntax.ParamExp, here nodeContext) {
	start, end, ok := w.span(n)
	if !ok {
		return
	}
	mark := w.text[start:end]
	if w.mark.FindString(mark) != mark {
		return
	}
	v := w.of(mark)
	w.fits(v, here)
	escaped := start > 0 && (w.text[start-1] == '\\' || w.text[start-1] == '$')
	if v.Word && here.Bare && !(here.Backtick && escaped) {
		w.edits = append(w.edits, scriptEdit{start, end, `"` + mark + `"`})
	}
}

// fits refuses a value that is not a number in arithmetic, and a value that is not a plain word in a program.
func (w *scriptWalker) fits(v placed, here nodeContext) {
	switch {
	case here.Number && !number.MatchString(v.Value):
		w.refuse(v, arithmetic)
	case here.code != nil && !word.MatchString(v.Value):
		w.refuse(v, here.code)
	}
}

// singleQuoted closes the quotes around each mark.
func (w *scriptWalker) singleQuoted(n *syntax.SglQuoted, here nodeContext) {
	start, end, ok := w.span(n)
	if !ok || !w.mark.MatchString(w.text[start:end]) {
		return
	}
	open := "'"
	if n.Dollar {
		open = "$'"
	}
	spliced := w.mark.ReplaceAllStringFunc(w.text[start:end], func(mark string) string {
		w.fits(w.of(mark), here)
		return `'"` + mark + `"` + open
	})
	w.edits = append(w.edits, scriptEdit{start, end, spliced})
}
