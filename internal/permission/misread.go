package permission

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/snaphook-go/snaphook/internal/lazyregexp"
)

// confusing matches text that the parser reads, or may read, in another way than bash: a line continuation
// after $ or an operator, a comment right after a bracket, and $< $> before a bracket. Differential tests
// against bash found these; see TestNoTrickOfBashGetsPastARule.
var confusing = lazyregexp.New(`(?:^|[^\w \t\n'".,:/@%\\-])\\\n|\)#|\$[<>]\(`)

// misread reports whether bash may read a node differently from the parser, and run a command that the parser
// does not see.
func misread(node syntax.Node, read pieceReader) bool {
	switch node := node.(type) {
	case *syntax.Comment:
		// The parser joins the next line to a comment that ends in a backslash.
		return strings.HasSuffix(node.Text, "\\\n")
	case *syntax.CmdSubst:
		// The parser miscounts backslashes in backticks within backticks.
		return node.Backquotes && strings.Contains(read.slice(node.Pos(), node.End()), `\\`)
	case *syntax.ParamExp:
		// In double quotes the parser honours single quotes, and takes the text after them for plain text:
		// "${x:-'}"; rm y; echo "'}". To bash, <( is plain text in any quotes.
		text := read.slice(node.Pos(), node.End())
		return strings.Contains(text, "'") || strings.Contains(text, `$"`) ||
			strings.Contains(text, "<(") || strings.Contains(text, ">(")
	case *syntax.ExtGlob:
		// The pattern is text to the parser: [[ a = @($(rm x)) ]].
		return strings.ContainsAny(node.Pattern.Value, "$`<>")
	case *syntax.CoprocClause:
		if call, ok := node.Stmt.Cmd.(*syntax.CallExpr); ok && len(call.Args) > 0 {
			// An assignment is a word to the parser here.
			first := call.Args[0]
			after := func(r *syntax.Redirect) bool { return r.OpPos == first.End() } // coproc 2>x rm
			return strings.Contains(read.slice(first.Pos(), first.End()), "=") ||
				slices.ContainsFunc(node.Stmt.Redirs, after)
		}
		return node.Name != nil && !compound(node.Stmt)
	case *syntax.ArrayElem:
		// Bash stops at x=(@(a)) and continues with the next line, which the parser may take for a part of a
		// here-document.
		return node.Value != nil && slices.ContainsFunc(node.Value.Parts, isExtGlob)
	case *syntax.Redirect:
		return node.Op == syntax.Hdoc && misreadHeredoc(node, read) ||
			node.Op == syntax.DashHdoc && misreadHeredoc(node, read)
	}
	return false
}

func isExtGlob(part syntax.WordPart) bool {
	_, ok := part.(*syntax.ExtGlob)
	return ok
}

// hereDocs compares the places of here-documents in a command.
type hereDocs struct {
	end uint // of the last here-document
}

// elsewhere reports whether bash may begin a here-document on another line than the parser. Bash begins on the next
// line. The parser begins later if a [[ ]] of several lines is open, or if the enclosing substitution ends on the same
// line: it first reads them to their end.
func (h *hereDocs) elsewhere(node syntax.Node, around nodeContext, read pieceReader) bool {
	to, ok := node.(*syntax.Redirect)
	if !ok || to.Op != syntax.Hdoc && to.Op != syntax.DashHdoc {
		return false
	}
	if to.Hdoc == nil {
		return around.subst > 0
	}
	begin, from := to.Hdoc.Pos().Offset(), max(to.Word.End().Offset(), h.end)
	h.end = to.Hdoc.End().Offset()
	return around.subst > 0 && begin > around.subst || from > begin || strings.Count(read.command[from:begin], "\n") > 1
}

// compound reports whether the statement of a coprocess may follow a name. The parser also accepts a name before other
// statements; bash would take this name as the command: coproc rm >x.
func compound(stmt *syntax.Stmt) bool {
	if stmt.Negated {
		return false
	}
	switch stmt.Cmd.(type) {
	case *syntax.Block, *syntax.Subshell, *syntax.IfClause, *syntax.WhileClause, *syntax.ForClause, *syntax.CaseClause,
		*syntax.TestClause, *syntax.ArithmCmd:
		return true
	}
	return false
}

// delimiter matches the here-document delimiters that the parser and bash read alike.
var delimiter = lazyregexp.New(`^(?:\\?[\w.-]+|'[\w. -]+'|"[\w. -]+")$`)

// misreadHeredoc reports whether bash may end a here-document elsewhere, or
// find other substitutions in it.
func misreadHeredoc(node *syntax.Redirect, read pieceReader) bool {
	end := read.slice(node.Word.Pos(), node.Word.End())
	if !delimiter.MatchString(end) {
		return true
	}
	if node.Hdoc == nil {
		return false
	}
	body := read.slice(node.Hdoc.Pos(), node.Hdoc.End())
	return strings.Contains(body, "\\\n") || strings.Contains(body, `$'`) || strings.Contains(body, `$"`) ||
		endsEarly(body, strings.Trim(end, `\'"`))
}

// endsEarly reports whether bash may end a here-document before the parser does. A line of the body may be the
// delimiter: the parser overlooks it inside an expansion. Or a line may begin with the delimiter and have a bracket:
// inside $( ) bash runs the rest of the line.
func endsEarly(body, end string) bool {
	for line := range strings.Lines(body) {
		rest, begins := strings.CutPrefix(strings.TrimLeft(line, "\t"), end)
		if begins && (rest == "\n" || strings.ContainsAny(rest, ")}")) {
			return true
		}
	}
	return false
}
