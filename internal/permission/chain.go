package permission

import (
	"slices"
	"strings"
)

// chain is a pattern, cut at its operators (| & ;). In this form "curl * | sh" matches a pipeline however the pipeline
// is spelled.
type chain struct {
	parts     []wildcards
	operators []string // the operators between the parts
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
