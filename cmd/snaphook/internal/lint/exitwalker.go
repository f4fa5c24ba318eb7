package lint

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// exitWalker records how a script can end.
type exitWalker struct {
	two     bool               // the script can end with status 2, or with an unknown status
	ones    []*syntax.CallExpr // calls of exit 1 after a message, in a branch
	warners map[string]bool    // functions of the script that write to standard error
	said    map[string]string  // texts passed to the script's functions, by function name

	tools map[*syntax.Stmt]bool // cached results of looksForTools
}

// functionsThatWarn returns the functions of a script that write to standard error.
func functionsThatWarn(file *syntax.File) map[string]bool {
	found := map[string]bool{}
	for _, s := range file.Stmts {
		f, ok := s.Cmd.(*syntax.FuncDecl)
		if !ok {
			continue
		}
		body, ok := f.Body.Cmd.(*syntax.Block)
		if !ok {
			continue
		}
		w := &exitWalker{}
		for _, inner := range body.Stmts {
			if _, warns := w.warns(inner); warns {
				found[f.Name.Value] = true
			}
		}
	}
	return found
}

// calledWith maps each name that a script calls to the texts in its calls.
func calledWith(file *syntax.File) map[string]string {
	said := map[string]string{}
	syntax.Walk(file, func(node syntax.Node) bool {
		if call, ok := node.(*syntax.CallExpr); ok && len(call.Args) > 1 {
			n := name(call)
			said[n] = joined(said[n], wordsOf(call))
		}
		return true
	})
	return said
}

// list visits statements that run one after another; branch means that they run only in some cases.
func (w *exitWalker) list(stmts []*syntax.Stmt, branch bool) {
	warned, text := false, ""
	for _, s := range stmts {
		if said, ok := w.warns(s); ok {
			warned, text = true, joined(text, said)
		}
		w.stmt(s, branch, warned, text)
	}
}

func (w *exitWalker) stmt(s *syntax.Stmt, branch, warned bool, text string) {
	switch cmd := s.Cmd.(type) {
	case *syntax.CallExpr:
		w.exit(cmd, branch && warned && !isTrouble(text))
	case *syntax.Block:
		w.inner(cmd.Stmts, branch, warned, text)
	case *syntax.Subshell:
		w.inner(cmd.Stmts, branch, warned, text)
	case *syntax.BinaryCmd:
		if cmd.Op == syntax.Pipe || cmd.Op == syntax.PipeAll {
			w.stmt(cmd.X, branch, false, "")
			w.stmt(cmd.Y, branch, false, "")
			return
		}
		w.stmt(cmd.X, branch, warned, text)
		trouble := w.looksForTools(cmd.X)
		if said, ok := w.warns(cmd.X); ok {
			warned, text = true, joined(text, said)
		}
		w.stmt(cmd.Y, !trouble, warned, text)
	case *syntax.IfClause:
		for b := cmd; b != nil; b = b.Else {
			w.list(b.Cond, false)
			trouble := len(b.Cond) == 1 && w.looksForTools(b.Cond[0])
			w.list(b.Then, !trouble)
		}
	case *syntax.CaseClause:
		for _, item := range cmd.Items {
			w.list(item.Stmts, true)
		}
	case *syntax.WhileClause:
		w.list(cmd.Cond, false)
		w.list(cmd.Do, branch)
	case *syntax.ForClause:
		w.list(cmd.Do, branch)
	case *syntax.FuncDecl:
		if body, ok := cmd.Body.Cmd.(*syntax.Block); ok {
			w.list(body.Stmts, w.refuses(cmd.Name.Value))
		}
	}
}

func (w *exitWalker) inner(stmts []*syntax.Stmt, branch, warned bool, text string) {
	for _, s := range stmts {
		if said, ok := w.warns(s); ok {
			warned, text = true, joined(text, said)
		}
		w.stmt(s, branch, warned, text)
	}
}

func (w *exitWalker) exit(c *syntax.CallExpr, refuses bool) {
	switch n := name(c); {
	case n == "exit" && len(c.Args) == 2:
		status, ok := literal(c.Args[1])
		switch {
		case !ok || status == "2":
			w.two = true
		case status == "1" && refuses:
			w.ones = append(w.ones, c)
		}
	case n == "exec" && len(c.Args) > 1, n == "return" && len(c.Args) == 2:
		status, ok := literal(c.Args[len(c.Args)-1])
		w.two = w.two || !ok || status == "2" || n == "exec"
	}
}

// refuses reports whether a script's function is used to refuse, judged by its name or by the texts
// passed to it. Other functions, such as die and usage, report problems of the script.
func (w *exitWalker) refuses(function string) bool {
	return isVerdict(function) || isVerdict(w.said[function])
}

// warns reports whether a statement writes to standard error, and returns the text.
func (w *exitWalker) warns(s *syntax.Stmt) (text string, ok bool) {
	if s == nil {
		return "", false
	}
	for _, r := range s.Redirs {
		if target, lit := literal(r.Word); lit && (r.Op == syntax.DplOut && target == "2" || target == "/dev/stderr") {
			ok = true
		}
	}
	c := callOf(s)
	if w.warners[name(c)] {
		ok = true
	}
	if ok {
		return wordsOf(s), true
	}
	switch cmd := s.Cmd.(type) {
	case *syntax.Block:
		for _, inner := range cmd.Stmts {
			if said, yes := w.warns(inner); yes {
				return said, true
			}
		}
	case *syntax.BinaryCmd:
		return w.warns(cmd.Y)
	}
	return "", false
}

// looksForTools reports whether a condition tests for the presence of a program, a file or an
// argument. Conditions nest; the result for each is cached.
func (w *exitWalker) looksForTools(s *syntax.Stmt) bool {
	found, nodes := false, 0
	syntax.Walk(s, func(node syntax.Node) bool {
		if inner, ok := node.(*syntax.Stmt); ok {
			if asks, known := w.tools[inner]; known {
				found = found || asks
				return false
			}
		}
		found = found || asksForTools(node)
		nodes++
		return !found && nodes < maxNodes
	})
	if w.tools == nil {
		w.tools = map[*syntax.Stmt]bool{}
	}
	w.tools[s] = found
	return found
}

// asksForTools reports whether a node tests for the presence of a program, a file or an argument.
func asksForTools(node syntax.Node) bool {
	switch n := node.(type) {
	case *syntax.CallExpr:
		switch name(n) {
		case "command", "which", "type", "hash":
			return true
		case "[", "test":
			return slices.ContainsFunc(n.Args[1:], func(w *syntax.Word) bool {
				text, _ := literal(w)
				return slices.Contains(fileTests, text)
			})
		}
	case *syntax.UnaryTest:
		switch n.Op {
		case syntax.TsExists, syntax.TsRegFile, syntax.TsDirect, syntax.TsExec, syntax.TsRead, syntax.TsNoEmpty:
			return true
		}
	case *syntax.ParamExp:
		return n.Param != nil && n.Param.Value == "#"
	}
	return false
}

// fileTests lists the operators of test that check a file.
var fileTests = []string{"-x", "-f", "-e", "-d", "-s", "-r"}

// maxSaid limits the length of messages that are kept, in bytes.
const maxSaid = 4096

// joined joins two messages. If they have more than maxSaid bytes together, it returns only the second.
func joined(a, b string) string {
	if len(a)+len(b) > maxSaid {
		return b
	}
	return a + " " + b
}
