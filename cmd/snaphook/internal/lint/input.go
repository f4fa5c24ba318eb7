package lint

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/snaphook-go/snaphook/internal/bash"
)

// ownInput returns the statements of a script that have the script's own standard input: they are not in a function or
// a while loop, and have no pipe or redirection as input.
func ownInput(file *syntax.File) map[*syntax.Stmt]bool {
	own, fed := map[*syntax.Stmt]bool{}, map[*syntax.Stmt]bool{}
	bash.Walk(file, false, func(node syntax.Node, around bool) (foreign, enter bool) {
		foreign = around
		switch n := node.(type) {
		case *syntax.FuncDecl, *syntax.WhileClause:
			foreign = true
		case *syntax.BinaryCmd:
			if n.Op == syntax.Pipe || n.Op == syntax.PipeAll {
				fed[n.Y] = true
			}
		case *syntax.Stmt:
			foreign = foreign || fed[n]
			for _, r := range n.Redirs {
				target, _ := literal(r.Word)
				switch r.Op {
				case syntax.RdrIn, syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc, syntax.DplIn:
					foreign = foreign || !isStdin(target)
				}
			}
			own[n] = !foreign
		}
		return foreign, true
	})
	return own
}

// inputVariables returns the variables that contain exactly the standard input of a script.
func inputVariables(file *syntax.File) map[string]bool {
	inputs, own := map[string]bool{}, ownInput(file)
	syntax.Walk(file, func(node syntax.Node) bool {
		switch n := node.(type) {
		case *syntax.Assign:
			if n.Name == nil || n.Value == nil {
				return true
			}
			is := readsAll(n.Value) || isVariable(n.Value, inputs)
			if before, seen := inputs[n.Name.Value]; seen {
				is = is && before
			}
			inputs[n.Name.Value] = is
		case *syntax.Stmt:
			call := callOf(n)
			if name(call) != "read" {
				return true
			}
			variables, whole := readVariables(call)
			for _, variable := range variables {
				before, seen := inputs[variable]
				inputs[variable] = whole && len(variables) == 1 && own[n] && (before || !seen)
			}
		}
		return true
	})
	for variable, is := range inputs {
		if !is {
			delete(inputs, variable)
		}
	}
	return inputs
}

// readVariables returns the variables that a call of read sets; whole is false if it may read only a
// part of the line, or another file.
func readVariables(call *syntax.CallExpr) (variables []string, whole bool) {
	whole = true
	for i := 1; i < len(call.Args); i++ {
		word, ok := literal(call.Args[i])
		switch {
		case !ok:
			whole = false
		case !strings.HasPrefix(word, "-"):
			variables = append(variables, word)
		case isFlags(word, 'n'), isFlags(word, 'N'), isFlags(word, 'u'), isFlags(word, 'a'):
			whole = false
			i++
		case strings.HasSuffix(word, "d"), strings.HasSuffix(word, "t"), strings.HasSuffix(word, "p"), strings.HasSuffix(word, "i"):
			i++
		}
	}
	return variables, whole
}

// readsAll reports whether a word is $(cat) or $(</dev/stdin).
func readsAll(w *syntax.Word) bool {
	parts := w.Parts
	if len(parts) == 1 {
		if quoted, ok := parts[0].(*syntax.DblQuoted); ok {
			parts = quoted.Parts
		}
	}
	if len(parts) != 1 {
		return false
	}
	subst, ok := parts[0].(*syntax.CmdSubst)
	if !ok || len(subst.Stmts) != 1 {
		return false
	}
	s := subst.Stmts[0]
	if s.Cmd == nil && len(s.Redirs) == 1 {
		target, _ := literal(s.Redirs[0].Word)
		return isStdin(target)
	}
	c := callOf(s)
	if name(c) != "cat" {
		return false
	}
	for _, w := range c.Args[1:] {
		if text, _ := literal(w); text != "-" && !isStdin(text) {
			return false
		}
	}
	return len(s.Redirs) == 0 || len(c.Args) == 1 && s.Redirs[0].Op != syntax.RdrIn
}

// printsVariable reports whether a call is echo or printf with one of the variables as its last argument.
func printsVariable(call *syntax.CallExpr, variables map[string]bool) bool {
	if n := name(call); n != "echo" && n != "printf" {
		return false
	}
	return isVariable(call.Args[len(call.Args)-1], variables)
}

func isVariable(w *syntax.Word, variables map[string]bool) bool {
	if w == nil || len(w.Parts) != 1 {
		return false
	}
	part := w.Parts[0]
	if quoted, ok := part.(*syntax.DblQuoted); ok && len(quoted.Parts) == 1 {
		part = quoted.Parts[0]
	}
	return variables[plainVar(part)]
}
