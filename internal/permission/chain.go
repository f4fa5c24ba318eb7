package permission

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// chain is a pattern, cut at its operators (| & ;). In this form "curl * | sh" matches a pipeline however the pipeline
// is spelled.
type chain struct {
	parts     []wildcards
	operators []string // the operators between the parts
}

// link is one command of a list or a pipeline.
type link struct {
	texts []wildcard // the texts that rules are compared with
	next  string     // the operator after the command
}

// maxChain limits the commands of a list that is compared with chains.
const maxChain = 64

// newChain cuts a pattern; nil if it has no operator.
func newChain(pattern string) *chain {
	var c chain
	start := 0
	cut := func(from, to int) {
		c.parts = append(c.parts, newEscaped(strings.TrimSpace(pattern[start:from])).words())
		start = to
	}
	var quote byte
	for i := 0; i < len(pattern); i++ {
		switch b := pattern[i]; {
		case b == '\\' && quote != '\'':
			i++
		case quote != 0:
			if b == quote {
				quote = 0
			}
		case b == '\'' || b == '"':
			quote = b
		case operatorAt(pattern, i) != "":
			op := operatorAt(pattern, i)
			cut(i, i+len(op))
			c.operators = append(c.operators, strings.Replace(op, "|&", "|", 1))
			i += len(op) - 1
		}
	}
	if len(c.operators) == 0 {
		return nil
	}
	if strings.TrimSpace(pattern[start:]) == "" { // "sleep * &"
		return &c
	}
	cut(len(pattern), len(pattern))
	return &c
}

// hasLists reports whether the pattern has ; or &, besides the operators of pipelines and conditions.
func (c *chain) hasLists() bool {
	return slices.Contains(c.operators, ";") || slices.Contains(c.operators, "&")
}

// operatorAt returns the operator that begins at i. The & in >&, &> and <& is not an operator.
func operatorAt(text string, i int) string {
	for _, op := range [...]string{"&&", "||", "|&", "|", ";"} {
		if strings.HasPrefix(text[i:], op) {
			return op
		}
	}
	if text[i] != '&' || i > 0 && strings.IndexByte("<>", text[i-1]) >= 0 || strings.HasPrefix(text[i+1:], ">") {
		return ""
	}
	return "&"
}

// matches reports whether the parts of the pattern match consecutive commands of links. A part with a star
// may match several commands.
func (c *chain) matches(links []link) bool {
	if len(links) < len(c.operators) {
		return false
	}
	if len(links) > maxChain {
		return true
	}
	starts := make([]bool, len(links)) // starts[i]: the next part may begin at command i
	for i := range starts {
		starts[i] = true
	}
	for n, part := range c.parts {
		next := make([]bool, len(links))
		for from := range links {
			if !starts[from] {
				continue
			}
			for to := from; to < len(links); to++ {
				if !part.cover(links[from : to+1]) {
					continue
				}
				if n == len(c.operators) || links[to].next == c.operators[n] && n == len(c.parts)-1 {
					return true
				}
				if links[to].next == c.operators[n] && to+1 < len(links) {
					next[to+1] = true
				}
			}
		}
		starts = next
	}
	return false
}

// cover reports whether a part of a pattern may match all the links.
func (all wildcards) cover(links []link) bool {
	first, last := links[0].texts, links[len(links)-1].texts
	if len(links) == 1 {
		return slices.ContainsFunc(first, all.overlap)
	}
	return slices.ContainsFunc(all, func(w wildcard) bool {
		if len(w) == 1 {
			return false
		}
		begins := func(t wildcard) bool { return w.overlaps(slices.Concat(t, wildcard{""})) }
		ends := func(t wildcard) bool { return w.overlaps(slices.Concat(wildcard{""}, t)) }
		return slices.ContainsFunc(first, begins) && slices.ContainsFunc(last, ends)
	})
}

// links returns the commands of statements, in order.
func (s *search) links(stmts []*syntax.Stmt) (all []link) {
	for _, stmt := range stmts {
		all = s.appendLinks(all, stmt)
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

func (s *search) appendLinks(all []link, stmt *syntax.Stmt) []link {
	if binary, ok := stmt.Cmd.(*syntax.BinaryCmd); ok && len(all) <= maxChain {
		all = s.appendLinks(all, binary.X)
		all[len(all)-1].next = strings.Replace(binary.Op.String(), "|&", "|", 1)
		return s.appendLinks(all, binary.Y)
	}
	return append(all, link{texts: s.readings(stmt)})
}

// anything stands for a compound command, and matches every text.
var anything = []wildcard{{"", ""}}

// readings returns the texts that a rule is compared with for one command of a list: with and without its assignments
// and redirections, and after its wrappers.
func (s *search) readings(stmt *syntax.Stmt) (texts []wildcard) {
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 {
		return anything
	}
	read := s.reader()
	words := read.words(call.Args)
	var redirects []piece
	for _, r := range stmt.Redirs {
		redirects = append(redirects, read.redirect(r))
	}
	add := func(st simpleCommand) {
		source, plain := join(st.words)
		texts = append(texts, wildcard{source}, wildcard{plain})
		if shape := st.shape(true); shape != nil {
			texts = append(texts, shape)
		}
	}
	add(simpleCommand{words: slices.Concat(read.assigns(call.Assigns), words)})
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
