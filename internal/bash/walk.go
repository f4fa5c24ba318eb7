package bash

import (
	"iter"

	"mvdan.cc/sh/v3/syntax"
)

// Walk calls visit for each node of a syntax tree, for a node before its children. around is the value that visit has
// returned for the node around it; for root it is top. visit returns the value for the node's children, and whether
// Walk visits them. Walk always continues with the node's siblings.
//
// A tree of [Parse] has at most as many levels and nodes as [bounded.Shell] permits.
func Walk[T any](root syntax.Node, top T, visit func(node syntax.Node, around T) (inside T, enter bool)) {
	stack := []T{top}
	syntax.Walk(root, func(node syntax.Node) bool {
		if node == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		inside, enter := visit(node, stack[len(stack)-1])
		if enter {
			stack = append(stack, inside)
		}
		return enter
	})
}

// Nodes returns all nodes of a syntax tree, in the order of [Walk].
func Nodes(root syntax.Node) iter.Seq[syntax.Node] {
	return func(yield func(syntax.Node) bool) {
		more := true
		syntax.Walk(root, func(node syntax.Node) bool {
			more = more && (node == nil || yield(node))
			return more
		})
	}
}

// Calls returns all simple commands of a syntax tree that have a word, in the order of [Walk]: in lists, pipelines,
// compound commands, functions, coprocesses and substitutions. It does not return the commands in the text that eval,
// trap or another shell runs.
func Calls(root syntax.Node) iter.Seq[*syntax.CallExpr] {
	return func(yield func(*syntax.CallExpr) bool) {
		for node := range Nodes(root) {
			if call, ok := node.(*syntax.CallExpr); ok && len(call.Args) > 0 && !yield(call) {
				return
			}
		}
	}
}
