package permission

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// link is one command of a list or a pipeline.
type link struct {
	texts []wildcard // the texts that rules are compared with
	next  string     // the operator after the command
}

// linkReader makes links of a command's syntax.
type linkReader struct{ pieceReader }

// links returns the commands of statements, in order.
func (r linkReader) links(stmts []*syntax.Stmt) (all []link) {
	for _, stmt := range stmts {
		all = r.appendLinks(all, stmt)
		if len(all) > maxChain {
			break
		}
		all[len(all)-1].next = ";"
		if stmt.Background {
			all[len(all)-1].next = "&"
		}
	}
	return all
}

func (r linkReader) appendLinks(all []link, stmt *syntax.Stmt) []link {
	if binary, ok := stmt.Cmd.(*syntax.BinaryCmd); ok && len(all) <= maxChain {
		all = r.appendLinks(all, binary.X)
		all[len(all)-1].next = strings.Replace(binary.Op.String(), "|&", "|", 1)
		return r.appendLinks(all, binary.Y)
	}
	return append(all, link{texts: r.readings(stmt)})
}

// anything stands for a compound command, and matches every text.
var anything = []wildcard{{"", ""}}

// readings returns the texts that a rule is compared with for one command of a list: with and without its assignments
// and redirections, and after its wrappers.
func (r linkReader) readings(stmt *syntax.Stmt) (texts []wildcard) {
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 {
		return anything
	}
	words, redirects := r.words(call.Args), r.redirects(stmt.Redirs)
	add := func(st simpleCommand) {
		source, plain := join(st.words)
		texts = append(texts, wildcard{source}, wildcard{plain})
		if shape := st.shape(true); shape != nil {
			texts = append(texts, shape)
		}
	}
	add(simpleCommand{words: slices.Concat(r.assigns(call.Assigns), words)})
	wrapped := 0 // a command with more than maxWrappers wrappers matches every rule; see simple
	for next, ok := (simpleCommand{words: words}), true; ok && wrapped <= maxWrappers; next, ok = next.unwrap() {
		if wrapped++; next.runsHere() || len(next.words) > 0 && next.words[0].plain == "trap" {
			return anything
		}
		add(next)
		if len(redirects) > 0 {
			add(simpleCommand{words: slices.Concat(next.words, redirects), open: next.open})
		}
	}
	return texts
}

// sequences returns the lists of statements in a node.
func sequences(node syntax.Node) [][]*syntax.Stmt {
	switch node := node.(type) {
	case *syntax.File:
		return [][]*syntax.Stmt{node.Stmts}
	case *syntax.Block:
		return [][]*syntax.Stmt{node.Stmts}
	case *syntax.Subshell:
		return [][]*syntax.Stmt{node.Stmts}
	case *syntax.CmdSubst:
		return [][]*syntax.Stmt{node.Stmts}
	case *syntax.ProcSubst:
		return [][]*syntax.Stmt{node.Stmts}
	case *syntax.CaseItem:
		return [][]*syntax.Stmt{node.Stmts}
	case *syntax.IfClause:
		return [][]*syntax.Stmt{node.Cond, node.Then}
	case *syntax.WhileClause:
		return [][]*syntax.Stmt{node.Cond, node.Do}
	case *syntax.ForClause:
		return [][]*syntax.Stmt{node.Do}
	case *syntax.FuncDecl:
		return [][]*syntax.Stmt{{node.Body}}
	case *syntax.TimeClause:
		return [][]*syntax.Stmt{{node.Stmt}}
	case *syntax.CoprocClause:
		return [][]*syntax.Stmt{{node.Stmt}}
	}
	return nil
}
