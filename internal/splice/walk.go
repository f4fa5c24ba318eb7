package splice

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// walker looks at every node of one script.
type walker struct {
	*splicer
	text  string
	depth int
	code  map[syntax.Node]*language // words and statements whose text is a program
	stack []place
	edits []edit
}

// place is what the nodes around a node make of it.
type place struct {
	bare     bool      // quotes would be quotes there, and there are none yet
	backtick bool      // a backslash is read twice there
	code     *language // what is there becomes a part of a program
	number   bool      // arithmetic, in which a name is looked up and an index runs commands
}

// visit is called before the children of a node, and with nil after them.
func (w *walker) visit(node syntax.Node) bool {
	if node == nil {
		w.stack = w.stack[:len(w.stack)-1]
		return true
	}
	here := w.stack[len(w.stack)-1].inside(node)
	if _, looks := node.(*syntax.Redirect); !looks && w.code[node] != nil {
		here.code = w.code[node]
	}
	done := false
	switch n := node.(type) {
	case *syntax.BinaryCmd:
		w.pipe(n)
	case *syntax.Stmt:
		w.input(n)
	case *syntax.CallExpr:
		w.call(n)
	case *syntax.Word:
		done = w.program(n, here)
	case *syntax.Redirect:
		done = w.hereDocument(n, here)
	case *syntax.SglQuoted:
		w.singleQuoted(n, here)
	case *syntax.ParamExp:
		w.reference(n, here)
	}
	if done {
		return false
	}
	w.stack = append(w.stack, here)
	return true
}

// inside returns the place inside a node of p.
func (p place) inside(node syntax.Node) place {
	switch n := node.(type) {
	case *syntax.CmdSubst: // quotes of its own, also within quotes
		return place{bare: true, backtick: p.backtick || n.Backquotes, code: p.code}
	case *syntax.ProcSubst:
		return place{bare: true, backtick: p.backtick, code: p.code}
	case *syntax.DblQuoted:
		p.bare = false
	case *syntax.ArithmExp, *syntax.ArithmCmd, *syntax.LetClause, *syntax.CStyleLoop:
		p.bare, p.number = false, true
	case *syntax.BinaryTest:
		p.number = p.number || n.Op >= syntax.TsEql && n.Op <= syntax.TsGtr
	case *syntax.Redirect:
		p.bare = p.bare && n.Op != syntax.Hdoc && n.Op != syntax.DashHdoc
	case *syntax.ParamExp: // an index or an offset is arithmetic
		if n.Index != nil || n.Slice != nil {
			p.bare, p.number = false, true
		}
	case *syntax.Assign:
		if n.Index != nil {
			p.bare, p.number = false, true
		}
	case *syntax.ArrayElem:
		if n.Index != nil {
			p.bare, p.number = false, true
		}
	case *syntax.DeclClause:
		p.number = p.number || declaresNumbers(n)
	}
	return p
}

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

// span returns where a node stands in the text.
func (w *walker) span(n syntax.Node) (start, end int, ok bool) {
	start, end = int(n.Pos().Offset()), int(n.End().Offset())
	return start, end, start >= 0 && start < end && end <= len(w.text)
}

// reference looks at a mark where a shell expands it.
func (w *walker) reference(n *syntax.ParamExp, here place) {
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
	if v.Word && here.bare && !(here.backtick && escaped) {
		w.edits = append(w.edits, edit{start, end, `"` + mark + `"`})
	}
}

// fits refuses a value that has to be harmless in a place, and is not.
func (w *walker) fits(v placed, here place) {
	switch {
	case here.number && !number.MatchString(v.Value):
		w.refuse(v, arithmetic)
	case here.code != nil && !word.MatchString(v.Value):
		w.refuse(v, here.code)
	}
}

// singleQuoted closes the quotes around each mark.
func (w *walker) singleQuoted(n *syntax.SglQuoted, here place) {
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
	w.edits = append(w.edits, edit{start, end, spliced})
}
