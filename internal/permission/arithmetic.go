package permission

import (
	"mvdan.cc/sh/v3/syntax"

	"github.com/snaphook-go/snaphook/internal/lazyregexp"
)

// numbers matches arithmetic without variables. Bash evaluates the value of a variable as arithmetic again,
// and expands its subscripts: after x='a[$(rm y)]', $((x)) runs rm.
var numbers = lazyregexp.New(`^[\d\s+*/%<>=!&|^~?:,()-]*$`)

// subscript matches subscripts that bash does not evaluate as arithmetic over variables.
var subscript = lazyregexp.New(`^(?:-?\d+|[@*])$`)

// computes reports whether bash would evaluate text in a node as arithmetic, which may run commands that are
// not in the syntax tree.
func computes(node syntax.Node, read pieceReader) bool {
	switch node := node.(type) {
	case *syntax.ArithmExp:
		return !onlyNumbers(node.X, read)
	case *syntax.ArithmCmd:
		return !onlyNumbers(node.X, read)
	case *syntax.CStyleLoop:
		return !onlyNumbers(node.Init, read) || !onlyNumbers(node.Cond, read) || !onlyNumbers(node.Post, read)
	case *syntax.LetClause:
		return true
	case *syntax.ParamExp:
		return computesParam(node, read)
	case *syntax.Assign:
		return !plainSubscript(node.Index, read) || node.Name != nil && !node.Naked &&
			!harmless(node.Name.Value, read.value(node), read)
	case *syntax.ArrayElem:
		return !plainSubscript(node.Index, read)
	case *syntax.WordIter:
		return special[node.Name.Value] != nil
	case *syntax.Redirect:
		// Bash expands the word of >& twice if it is not a number.
		duplicates := node.Op == syntax.DplOut || node.Op == syntax.DplIn
		return node.N != nil && !redirected.MatchString(node.N.Value) ||
			duplicates && !duplicated.MatchString(read.slice(node.Word.Pos(), node.Word.End()))
	case *syntax.UnaryTest:
		return node.Op == syntax.TsVarSet || node.Op == syntax.TsRefVar
	case *syntax.BinaryTest:
		return node.Op >= syntax.TsEql && node.Op <= syntax.TsGtr &&
			(!onlyNumbers(node.X, read) || !onlyNumbers(node.Y, read))
	}
	return false
}

// redirected matches the descriptor before a redirection operator: 2>x, {fd}>x.
var redirected = lazyregexp.New(`^(?:\d+|\{\w+\})$`)

// duplicated matches words of >& without expansions. After a - bash begins another word: <&-rm closes the
// input of rm.
var duplicated = lazyregexp.New(`^(?:-|[\w./][\w./-]*)$`)

func computesParam(node *syntax.ParamExp, read pieceReader) bool {
	switch {
	case node.Excl, node.Exp != nil && node.Exp.Op == syntax.OtherParamOps && !node.Short && runsPrompt(node):
		return true
	case node.Slice != nil && !(onlyNumbers(node.Slice.Offset, read) && onlyNumbers(node.Slice.Length, read)):
		return true
	case node.Exp != nil && (node.Exp.Op == syntax.AssignUnset || node.Exp.Op == syntax.AssignUnsetOrNull) &&
		special[node.Param.Value] != nil:
		return true
	}
	return !plainSubscript(node.Index, read)
}

// runsPrompt reports whether ${x@…} may be ${x@P}, which expands the value.
func runsPrompt(node *syntax.ParamExp) bool {
	lit := node.Exp.Word.Lit()
	return lit == "" || lit == "P"
}

func onlyNumbers(node syntax.Node, read pieceReader) bool {
	return absent(node) || numbers.MatchString(read.slice(node.Pos(), node.End()))
}

func plainSubscript(node syntax.ArithmExpr, read pieceReader) bool {
	return absent(node) || subscript.MatchString(read.slice(node.Pos(), node.End()))
}

// absent reports whether an optional part of the syntax is missing.
func absent(node syntax.Node) bool {
	if node == nil {
		return true
	}
	word, ok := node.(*syntax.Word)
	return ok && word == nil
}

// special maps variables with a special meaning to an expression for their harmless values. Bash expands such
// a variable, evaluates it as a number on assignment, or changes its grammar by it.
var special = map[string]*lazyregexp.Regexp{
	"OPTIND": integer, "RANDOM": integer, "SRANDOM": integer, "HISTCMD": integer, "SECONDS": integer, "LINENO": integer, "BASHPID": integer,
	"PS4": never, "BASH_ALIASES": never, "BASH_CMDS": never, "POSIXLY_CORRECT": never, "BASH_COMPAT": never, "SHELLOPTS": never, "BASHOPTS": never,
	"HOME": absolutePath, "PWD": absolutePath, "OLDPWD": absolutePath, // bash expands ~, ~+ and ~- to the values of these
}

var (
	integer      = lazyregexp.New(`^\d*$`)
	never        = lazyregexp.New(`^\b$`)
	absolutePath = lazyregexp.New(`^/`)
)

// harmless reports whether the assignment of value to a variable has no special effect.
func harmless(name string, value piece, read pieceReader) bool {
	values := special[name]
	if values == nil || values == absolutePath && !read.tilde {
		return true
	}
	return value.isLiteral() && values.MatchString(value.plain) ||
		values == absolutePath && values.MatchString(value.plain[:value.fixed])
}
