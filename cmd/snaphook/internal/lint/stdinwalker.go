package lint

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// stdinUse records how a shell script uses its standard input.
type stdinUse struct {
	surely  bool // the script certainly reads standard input
	perhaps bool // the script may read standard input
	onlyTTY bool // the script reads standard input only if it is a terminal
}

// silent lists programs that do not read their standard input.
var silent = strings.Fields(`
	: [ [[ afplay basename break cd chmod command continue cp curl date declare dirname echo exit export false find
	getopts git hash kill let local ls mkdir mktemp mv notify-send osascript paplay popd printf pushd pwd readlink
	realpath return rm say set shift shopt sleep stat test touch tput trap true type typeset umask uname unset wait
	wget which whoami hostname id npm npx pnpm yarn make`)

// filters lists programs that read standard input if they are given no file.
var filters = strings.Fields("cat jq read mapfile readarray grep egrep rg sed awk head tail tee tr cut sort wc xargs")

// stdinWalker walks through a script and tracks whether the standard input of a statement is the
// hook's.
type stdinWalker struct{ stdinUse }

func readingOf(file *syntax.File) stdinUse {
	r := &stdinWalker{}
	r.list(file.Stmts, true)
	return r.stdinUse
}

func (r *stdinWalker) list(all []*syntax.Stmt, mine bool) {
	for _, s := range all {
		r.stmt(s, mine)
	}
}

func (r *stdinWalker) stmt(s *syntax.Stmt, mine bool) {
	if s == nil {
		return
	}
	for _, redirect := range s.Redirs {
		target, _ := literal(redirect.Word)
		switch redirect.Op {
		case syntax.RdrIn, syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc, syntax.DplIn:
			r.surely = r.surely || mine && isStdin(target)
			mine = mine && isStdin(target)
		}
		r.word(redirect.Word, mine)
	}
	switch cmd := s.Cmd.(type) {
	case *syntax.CallExpr:
		r.call(cmd, mine)
	case *syntax.BinaryCmd:
		if cmd.Op == syntax.Pipe || cmd.Op == syntax.PipeAll {
			r.stmt(cmd.X, mine)
			r.stmt(cmd.Y, false)
			return
		}
		r.branch([]*syntax.Stmt{cmd.X}, []*syntax.Stmt{cmd.Y}, cmd.Op == syntax.AndStmt, mine)
	case *syntax.IfClause:
		for b := cmd; b != nil; b = b.Else {
			r.branch(b.Cond, b.Then, true, mine)
		}
	case *syntax.Block:
		r.list(cmd.Stmts, mine)
	case *syntax.Subshell:
		r.list(cmd.Stmts, mine)
	case *syntax.WhileClause:
		r.list(cmd.Cond, mine)
		r.list(cmd.Do, mine)
	case *syntax.ForClause:
		r.list(cmd.Do, mine)
	case *syntax.CaseClause:
		r.word(cmd.Word, mine)
		for _, item := range cmd.Items {
			r.list(item.Stmts, mine)
		}
	case *syntax.FuncDecl:
		r.stmt(cmd.Body, mine)
	case *syntax.TimeClause:
		r.stmt(cmd.Stmt, mine)
	case nil:
	default:
		r.words(cmd, mine)
	}
}

// branch visits a condition and its branch: a read that happens only on a terminal does not read
// the hook's input.
func (r *stdinWalker) branch(cond, then []*syntax.Stmt, yes, mine bool) {
	r.list(cond, mine)
	inner := &stdinWalker{}
	inner.list(then, mine)
	if yes && len(cond) == 1 && asksTTY(cond[0]) && inner.surely {
		r.onlyTTY = true
		return
	}
	r.surely, r.perhaps = r.surely || inner.surely, r.perhaps || inner.perhaps
}

// asksTTY reports whether a condition tests that standard input is a terminal.
func asksTTY(s *syntax.Stmt) bool {
	if s.Negated {
		return false
	}
	if t, ok := s.Cmd.(*syntax.TestClause); ok {
		u, ok := t.X.(*syntax.UnaryTest)
		return ok && u.Op == syntax.TsFdTerm
	}
	c := callOf(s)
	if n := name(c); n != "[" && n != "test" || len(c.Args) < 3 {
		return false
	}
	flag, _ := literal(c.Args[1])
	fd, _ := literal(c.Args[2])
	return flag == "-t" && fd == "0"
}

func isStdin(target string) bool {
	return target == "/dev/stdin" || target == "/proc/self/fd/0" || target == "0" || target == "/dev/fd/0"
}

func (r *stdinWalker) call(c *syntax.CallExpr, mine bool) {
	for _, a := range c.Assigns {
		r.words(a, mine)
	}
	named, args := "", []string{}
	for i, w := range c.Args {
		r.word(w, mine)
		text, ok := literal(w)
		if i == 0 && ok {
			named = base(text)
		}
		args = append(args, text)
		if isStdin(text) && text != "0" {
			r.surely = true
		}
	}
	switch {
	case !mine || len(c.Args) == 0:
	case slices.Contains(filters, named):
		if readsStdin(named, args[1:]) {
			r.surely = true
		} else {
			r.perhaps = r.perhaps || named != "cat"
		}
	case !slices.Contains(silent, named):
		r.perhaps = true
	}
}

// readsStdin reports whether a filter certainly reads standard input.
func readsStdin(named string, args []string) bool {
	files := 0
	for _, arg := range args {
		if arg == "-" {
			return true
		}
		if !strings.HasPrefix(arg, "-") {
			files++
		}
	}
	switch named {
	case "cat", "head", "tail", "tee", "sort", "wc":
		return files == 0 || named == "tee"
	case "jq":
		return !slices.ContainsFunc(args, func(arg string) bool {
			return arg == "--null-input" || isFlags(arg, 'n') || strings.HasSuffix(arg, ".json")
		})
	case "read", "mapfile", "readarray", "tr", "cut", "xargs":
		return true
	}
	return files <= 1 // the first argument of grep, sed and awk is a pattern or program
}

// word visits the command substitutions of a word.
func (r *stdinWalker) word(w *syntax.Word, mine bool) {
	if w != nil {
		r.words(w, mine)
	}
}

// words visits the command substitutions in all words of a node.
func (r *stdinWalker) words(node syntax.Node, mine bool) {
	syntax.Walk(node, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			if len(n.Stmts) == 1 && n.Stmts[0].Cmd == nil {
				for _, redirect := range n.Stmts[0].Redirs { // $(</dev/stdin)
					target, _ := literal(redirect.Word)
					r.surely = r.surely || isStdin(target)
				}
			}
			r.list(n.Stmts, mine)
			return false
		case *syntax.ProcSubst:
			r.list(n.Stmts, mine)
			return false
		case *syntax.Stmt:
			r.stmt(n, mine)
			return false
		}
		return true
	})
}
