package permission

import (
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// confusing is text that the parser reads in another way than bash, or may:
// a line continuation after $ or an operator, a comment right after a bracket,
// and $< $> before a bracket. Differential tests against bash found these; see
// TestNoTrickOfBashGetsPastARule.
var confusing = regexp.MustCompile(`(?:^|[^\w \t\n'".,:/@%\\-])\\\n|\)#|\$[<>]\(`)

// misread reports whether the parser may take a node for something else than
// bash does, so that a command would hide in it.
func misread(node syntax.Node, read reader) bool {
	switch node := node.(type) {
	case *syntax.Comment:
		// The parser joins the next line to a comment that ends in a backslash.
		return strings.HasSuffix(node.Text, "\\\n")
	case *syntax.CmdSubst:
		// It loses count of backslashes in backticks within backticks.
		return node.Backquotes && strings.Contains(read.slice(node.Pos(), node.End()), `\\`)
	case *syntax.ParamExp:
		// In double quotes it believes in single quotes, and takes the text after them for text:
		// "${x:-'}"; rm y; echo "'}". <( is text in any quotes.
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
		// Bash stops at x=(@(a)), goes on with the next line, and that may be a
		// here-document to the parser.
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

// enter notes which substitution a node is in.
func (s *search) enter(node syntax.Node) {
	var end uint
	switch node.(type) {
	case *syntax.CmdSubst, *syntax.ProcSubst:
		end = node.End().Offset()
	default:
		if n := len(s.ends); n > 0 {
			end = s.ends[n-1]
		}
	}
	s.ends = append(s.ends, end)
}

// elsewhere reports whether bash may begin a here-document on another line: it
// takes the next one, but the parser looks past [[ ]], and out of a substitution
// that ends before.
func (s *search) elsewhere(node syntax.Node) bool {
	to, ok := node.(*syntax.Redirect)
	if !ok || to.Op != syntax.Hdoc && to.Op != syntax.DashHdoc {
		return false
	}
	within := s.ends[len(s.ends)-1]
	if to.Hdoc == nil {
		return within > 0
	}
	begin, from := to.Hdoc.Pos().Offset(), max(to.Word.End().Offset(), s.docEnd)
	s.docEnd = to.Hdoc.End().Offset()
	return within > 0 && begin > within || from > begin || strings.Count(s.command[from:begin], "\n") > 1
}

// compound reports whether a coprocess may have a name in front of the
// statement. The parser believes in one before others too, which is the command
// to bash: coproc rm >x.
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

// delimiter is the end of a here-document as the parser and bash read it alike.
var delimiter = regexp.MustCompile(`^(?:\\?[\w.-]+|'[\w. -]+'|"[\w. -]+")$`)

// misreadHeredoc reports whether bash may end a here-document elsewhere, or
// find other substitutions in it.
func misreadHeredoc(node *syntax.Redirect, read reader) bool {
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

// endsEarly reports whether a line is the end of the here-document, which the
// parser does not believe in an expansion, or begins with it and goes on to a
// bracket: in $( ) bash takes the rest of such a line for commands.
func endsEarly(body, end string) bool {
	for line := range strings.Lines(body) {
		rest, begins := strings.CutPrefix(strings.TrimLeft(line, "\t"), end)
		if begins && (rest == "\n" || strings.ContainsAny(rest, ")}")) {
			return true
		}
	}
	return false
}
