package permission

import (
	"cmp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	sh "github.com/snaphook-go/snaphook/internal/bash"
)

const (
	// maxCommand limits the length of a command that is parsed: it limits the time, and the stack
	// of a parser that recurses.
	maxCommand = 64 << 10
	// maxDepth limits the nesting of the syntax: the text of each level is compared again.
	maxDepth = 2000
	// maxLists limits the pipelines and lists that are compared as a whole.
	maxLists = 200
	// maxWrappers limits the wrappers of a command, because the rest of the command is compared after each wrapper.
	// Every rule matches a command with more wrappers.
	maxWrappers = 64
)

// parseShell returns the syntax of a command, or nil if bash could not parse it or it exceeds a limit. The parser drops
// zero bytes and carriage returns. To bash they are characters: two delimiters of here-documents may differ only in
// such a character.
func parseShell(command string) *syntax.File {
	if len(command) > maxCommand || strings.ContainsAny(command, "\x00\r") {
		return nil
	}
	file, err := sh.ParseComments(command)
	if err != nil {
		return nil
	}
	return file
}

// search compares the commands of a syntax tree with a rule, or records them for all rules.
type search struct {
	rule    *bash
	record  *forms // not nil: record, and compare nothing
	command string
	constructs
	hereDocs
	found bool
	lists int
	depth int    // nesting of text that builtins run
	whole string // the command, followed by the text that builtins run
}

// maxText limits the nesting of text that builtins run.
const maxText = 4

// text reports whether the rule matches, or may match, a command. It is also called for the text that eval
// and trap run.
func (s *search) text(command string) bool {
	if confusing.MatchString(command) || s.depth > maxText {
		return true
	}
	file := parseShell(command)
	if file == nil {
		return true
	}
	return s.tree(command, file)
}

// tree does the same as text, for a command that has been parsed.
func (s *search) tree(command string, file *syntax.File) bool {
	inner := search{
		rule: s.rule, record: s.record, command: command, constructs: s.constructs, depth: s.depth + 1, lists: s.lists,
	}
	inner.whole = cmp.Or(s.whole, command)
	inner.in(file)
	s.constructs = inner.constructs
	return inner.found
}

func (s *search) reader() pieceReader {
	return pieceReader{s.command, strings.Contains(s.whole, "~") || !s.rule.argues && strings.Contains(s.whole, "$HOME")}
}

// nodeContext describes the nodes that enclose a node.
type nodeContext struct {
	depth int
	subst uint // where the innermost substitution ends; 0: the node is in no substitution
}

// in searches the tree, and stops at the first match.
func (s *search) in(file *syntax.File) {
	sh.Walk(file, nodeContext{depth: 1}, func(node syntax.Node, around nodeContext) (inside nodeContext, enter bool) {
		s.found = s.found || around.depth > maxDepth
		if !s.found { // Walk continues with the siblings of a node that it did not enter
			s.visit(node, around)
		}
		inside = nodeContext{around.depth + 1, around.subst}
		switch node.(type) {
		case *syntax.CmdSubst, *syntax.ProcSubst:
			inside.subst = node.End().Offset()
		}
		return inside, !s.found
	})
}

func (s *search) visit(node syntax.Node, around nodeContext) {
	read := pieceReader{command: s.command}
	if misread(node, read) || computes(node, s.reader()) || s.elsewhere(node, around, read) {
		s.found = true
		return
	}
	if s.rule.chain != nil && s.chained(node) {
		s.found = true
		return
	}
	s.note(node, s.rule.chain != nil)
	switch node := node.(type) {
	case *syntax.Redirect:
		s.found = s.rule.borrows(node)
	case *syntax.Stmt:
		s.found = s.statement(node)
	}
}

// statement compares one statement with the rule, without the statements inside it.
func (s *search) statement(stmt *syntax.Stmt) bool {
	read := s.reader()
	if _, simple := stmt.Cmd.(*syntax.CallExpr); !simple && stmt.Cmd != nil && s.redirects(stmt.Redirs) {
		return true
	}
	switch cmd := stmt.Cmd.(type) {
	case nil:
		return s.simple(nil, nil, stmt.Redirs)
	case *syntax.CallExpr:
		return s.simple(cmd.Assigns, read.words(cmd.Args), stmt.Redirs)
	case *syntax.DeclClause:
		name := &syntax.Word{Parts: []syntax.WordPart{cmd.Variant}}
		words := []piece{read.word(name)}
		for _, a := range cmd.Args {
			words = append(words, read.assign(a))
		}
		return s.simple(nil, words, stmt.Redirs)
	case *syntax.TimeClause, *syntax.TestClause, *syntax.ArithmCmd, *syntax.LetClause:
		return s.raw(read.slice(cmd.Pos(), cmd.End()))
	case *syntax.BinaryCmd:
		return s.rule.compound && s.list(read.slice(cmd.Pos(), cmd.End()))
	}
	return false
}

// list compares a pipeline or a list as a whole. Every rule matches a command with more than maxLists of
// them.
func (s *search) list(text string) bool {
	s.lists++
	return s.lists > maxLists || s.rule.matchRaw(text)
}

// simple compares a command with its assignments, without them, and after
// each wrapper.
func (s *search) simple(assigns []*syntax.Assign, words []piece, redirs []*syntax.Redirect) bool {
	redirects := s.reader().redirects(redirs)
	if len(assigns) > 0 {
		assigned := simpleCommand{words: slices.Concat(s.reader().assigns(assigns), words)}
		if s.simpleForm(redirectedCommand{assigned, redirects}) {
			return true
		}
	}
	wrapped := 0
	for next, ok := (simpleCommand{words: words}), true; ok; next, ok = next.unwrap() {
		if wrapped++; wrapped > maxWrappers {
			return true
		}
		if s.simpleForm(redirectedCommand{next, redirects}) || s.runsText(next) || next.runsHere() && s.redirects(redirs) {
			return true
		}
	}
	return false
}

// simpleForm compares a simple command with the rule, or records it.
func (s *search) simpleForm(c redirectedCommand) bool {
	f := newForm(c, s.rule.argues)
	if s.record != nil {
		return s.record.add(f)
	}
	return s.rule.matchForm(&f)
}

// raw compares a part of the command with the rule, or records it.
func (s *search) raw(text string) bool {
	if s.record != nil {
		return s.record.addText(text)
	}
	return s.rule.matchRaw(text)
}

// redirects reports whether the rule may match the redirections of a compound command, or of a command that
// runs others.
func (s *search) redirects(redirs []*syntax.Redirect) bool {
	others := redirectedCommand{redirects: s.reader().redirects(redirs)}
	if s.rule.redirect { // any command; without redirections in the pattern no command
		others.simpleCommand = unknown
	}
	if s.record != nil {
		return s.record.add(newForm(others, s.rule.argues))
	}
	return others.matchedBy(s.rule)
}

// chained compares the commands of lists and pipelines, one after the other.
func (s *search) chained(node syntax.Node) bool {
	return slices.ContainsFunc(sequences(node), func(stmts []*syntax.Stmt) bool {
		if s.lists++; s.lists > maxLists {
			return true
		}
		s.joins = s.joins || len(stmts) > 1 && s.rule.chain.hasLists()
		return len(stmts) > 0 && stmts[0] != nil && s.rule.chain.matches(linkReader{s.reader()}.links(stmts))
	})
}

// runsText reports whether a builtin of bash may run text that is not in the syntax tree, or changes how bash parses
// the text after it. Text that is known is searched like the command itself.
func (s *search) runsText(st simpleCommand) bool {
	if len(st.words) == 0 {
		return false
	}
	if st.words[0].expands() {
		return couldName(st.words[0])
	}
	check := builtins[st.words[0].plain]
	return check != nil && (check(builtinCall{s, st.words[1:]}) || st.open)
}
