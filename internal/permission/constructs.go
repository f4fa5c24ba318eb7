package permission

import "mvdan.cc/sh/v3/syntax"

// constructs records which constructs occur in the command, or in text that it runs.
type constructs struct {
	expands    bool // an expansion
	declares   bool // a function
	joins      bool // a pipeline or a list
	redirected bool // a redirection
}

// note records the construct of a node. chained reports that the rule has operators of pipelines and lists.
func (c *constructs) note(node syntax.Node, chained bool) {
	switch node.(type) {
	case *syntax.ParamExp, *syntax.CmdSubst, *syntax.ArithmExp:
		c.expands = true
	case *syntax.ProcSubst, *syntax.CoprocClause: // these connect commands, as a pipeline does
		c.expands = c.expands || chained
	case *syntax.FuncDecl:
		c.declares = true
	case *syntax.BinaryCmd:
		c.joins = true
	case *syntax.Redirect:
		c.redirected = true
	}
}

// detours reports whether a function may hide commands or redirections from a rule about several commands or
// about redirections.
func (c *constructs) detours(b *bash) bool {
	return c.declares && (b.chain != nil && c.joins || b.redirect && c.redirected)
}
