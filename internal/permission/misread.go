package permission

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// misread reports whether the parser may take a node for something else than
// bash does, so that a command would hide in it. A differential test found
// these; see TestNoTrickOfBashGetsPastARule.
func misread(node syntax.Node, read reader) bool {
	switch node := node.(type) {
	case *syntax.Comment:
		// The parser joins the next line to a comment that ends in a backslash.
		return strings.HasSuffix(node.Text, "\\\n")
	case *syntax.CmdSubst:
		// It loses count of backslashes in backticks within backticks.
		return node.Backquotes && strings.Contains(read.slice(node.Pos(), node.End()), `\\`)
	case *syntax.ParamExp:
		// In double quotes it believes in single quotes, and takes what stands
		// behind for text: "${x:-'}"; rm y; echo "'}".
		return strings.Contains(read.slice(node.Pos(), node.End()), "'")
	}
	return false
}
