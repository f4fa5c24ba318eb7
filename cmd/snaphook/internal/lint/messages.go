package lint

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// maxNodes limits the nodes visited for one statement. A nested statement is visited again for each statement around
// it: without the limit the time would be quadratic.
const maxNodes = 1000

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

// wordsOf returns the texts in a statement.
func wordsOf(node syntax.Node) string {
	var b strings.Builder
	nodes := 0
	syntax.Walk(node, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Lit:
			b.WriteString(n.Value + " ")
		case *syntax.SglQuoted:
			b.WriteString(n.Value + " ")
		}
		nodes++
		return b.Len() < maxSaid && nodes < maxNodes
	})
	return b.String()
}

// troubles lists words of messages about problems of the hook itself: a branch with such a message
// fails, and does not refuse.
var troubles = []string{
	"not found", "not installed", "is required", "are required", "requires ", "usage:", "usage ", "missing", "no such",
	"could not", "couldn't", "unable to", "failed to", "invalid json", "parse", "install ", "internal error",
	"not executable", "unknown option", "traceback", "warning:", "not set", "expected",
}

// verdicts lists words that mark a message as a refusal.
var verdicts = []string{
	"block", "denied", "deny", "refus", "forbid", "forbidden", "not allowed", "not permitted", "prohibit", "protected",
	"dangerous", "reject",
}

func isVerdict(text string) bool {
	text = strings.ToLower(text)
	for _, word := range verdicts {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}

func isTrouble(text string) bool {
	if isVerdict(text) {
		return false
	}
	text = strings.ToLower(text)
	for _, word := range troubles {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
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
