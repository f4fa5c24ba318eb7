package shell

import (
	"fmt"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	sh "github.com/snaphook-go/snaphook/internal/bash"
)

// compileSource compiles a file that a script sources, or a script that another one runs in a bash of its own.
func compileSource(text string, sourced bool, tools *tools) (action, error) {
	c, file, err := parse(text, tools, false)
	if err != nil {
		return nil, err
	}
	if sourced {
		c.sourced, c.sources = true, true
	}
	return c.whole(file, text)
}

// parse returns a compiler for a text, and its syntax.
func parse(text string, tools *tools, dash bool) (*compiler, *syntax.File, error) {
	for i := range len(text) {
		if c := text[i]; c < ' ' && c != '\n' && c != '\t' || c == 0x7f {
			return nil, nil, fmt.Errorf("the script has the byte %#x", c)
		}
	}
	var file *syntax.File
	var err error
	if dash {
		file, err = sh.ParseAs(text, syntax.LangPOSIX)
	} else {
		file, err = sh.Parse(text)
	}
	if err != nil {
		return nil, nil, err
	}
	c := &compiler{functions: map[string]bool{}, tools: tools, dash: dash, refusals: map[*syntax.Stmt]refused{}}
	for n := range sh.Nodes(file) {
		switch n := n.(type) {
		case *syntax.FuncDecl:
			if n.Name != nil {
				c.functions[n.Name.Value] = true
			}
		case *syntax.CallExpr:
			if !dash && len(n.Args) > 0 && (n.Args[0].Lit() == "source" || n.Args[0].Lit() == ".") {
				c.sources = true
			}
		}
	}
	return c, file, nil
}

// whole compiles all statements of a text.
func (c *compiler) whole(file *syntax.File, text string) (body action, err error) {
	defer func() {
		switch why := recover().(type) {
		case nil:
		case refused:
			body, err = nil, why
		default:
			body, err = nil, fmt.Errorf("the script cannot be read here: %v", why)
		}
	}()
	c.doubt(file, text)
	if c.dash {
		c.doubtDash(file, text)
	}
	body = c.list(file.Stmts)
	if err := c.certain(file.Stmts); err != nil {
		return nil, err
	}
	return body, nil
}

// refused is the reason why a script cannot be run in this process.
type refused struct {
	line  uint
	what  string
	shell string
}

func (r refused) Error() string {
	return fmt.Sprintf("line %d: %s alone runs %s", r.line, r.shell, r.what)
}

// compiler turns commands into actions. It panics with a refusal.
type compiler struct {
	functions  map[string]bool // the names of all functions that the script defines
	tools      *tools
	dash       bool // the script is for dash, and not for bash
	usesPWD    bool
	refusals   map[*syntax.Stmt]refused
	quiet      bool // the standard error of the command is /dev/null
	sources    bool // the script reads other files, which may define functions
	sourced    bool // the text is one that a script sources
	unnumbered bool // the command is in a command substitution of several lines, where bash counts lines differently
	line       int  // line of the command, if bash names it in an error about the command's words; else 0
	loops      int  // the enclosing loops that break and continue can leave
	inFunc     bool // the code is in a function, where return and local are allowed
}

func (c *compiler) refuse(n syntax.Node, what string, args ...any) {
	panic(refused{n.Pos().Line(), fmt.Sprintf(what, args...), c.shell()})
}

// apart compiles the body of a subshell.
func (c *compiler) apart(compile func()) {
	was := *c
	c.line = 0
	c.loops, c.inFunc = 0, false
	compile()
	was.usesPWD = c.usesPWD
	*c = was
}

func succeed(s *state) flow {
	s.status = 0
	return next
}

func (c *compiler) list(stmts []*syntax.Stmt) action {
	all := make([]action, len(stmts))
	for i, stmt := range stmts {
		all[i] = c.lazy(stmt)
	}
	if len(all) == 1 {
		return all[0]
	}
	return func(s *state) flow {
		for _, a := range all {
			if f := a(s); f != next {
				return f
			}
		}
		return next
	}
}

func (c *compiler) stmt(stmt *syntax.Stmt) action {
	if stmt.Background || stmt.Coprocess || stmt.Disown {
		c.refuse(stmt, "commands in the background")
	}
	if stmt.Cmd == nil {
		c.refuse(stmt, "a redirection without a command")
	}
	var a action
	call, simple := stmt.Cmd.(*syntax.CallExpr)
	was := c.line
	c.line = 0
	if simple {
		redirects := c.redirects(stmt.Redirs)
		c.line = c.lineOf(call)
		c.quiet = losesErrors(stmt.Redirs)
		a = checked(c.call(call, redirects))
	} else if a = c.compound(stmt.Cmd); len(stmt.Redirs) > 0 {
		a = redirected(c.redirects(stmt.Redirs), a)
	}
	c.line = was
	if !stmt.Negated {
		return a
	}
	return func(s *state) flow {
		s.cond++
		f := a(s)
		s.cond--
		if s.dash && f != exits && f != next {
			panic(cold("! before break, continue or return"))
		}
		if f != exits && f != returns {
			s.status = truth(s.status != 0)
		}
		return f
	}
}

// lineOf returns the line of a simple command, of a declaration or of [[ … ]]. It returns 0 for a command of several
// lines, for one with assignments before its name, for one in a function that may come from another file, and for one
// in a command substitution of several lines.
func (c *compiler) lineOf(n syntax.Node) int {
	call, simple := n.(*syntax.CallExpr)
	assigns := simple && len(call.Args) > 0 && len(call.Assigns) > 0
	if c.unnumbered || assigns || c.inFunc && c.sources || n.Pos().Line() != n.End().Line() {
		return 0
	}
	return int(n.Pos().Line())
}

// losesErrors reports whether redirections lead standard error to /dev/null.
func losesErrors(list []*syntax.Redirect) bool {
	for _, r := range list {
		if r.N != nil && r.N.Value == "2" && r.Op == syntax.RdrOut || r.Op == syntax.RdrAll {
			return r.Word.Lit() == "/dev/null"
		}
	}
	return false
}

// truth returns the status 0 for true, and 1 for false.
func truth(yes bool) int {
	if yes {
		return 0
	}
	return 1
}

// checked returns an action that runs a, and ends the shell if a fails while errexit is in effect.
func checked(a action) action {
	return func(s *state) flow {
		f := a(s)
		if f == next && s.status != 0 && s.errexit && s.cond == 0 {
			return exits
		}
		return f
	}
}

func (c *compiler) compound(cmd syntax.Command) action {
	switch n := cmd.(type) {
	case *syntax.BinaryCmd:
		return c.binary(n)
	case *syntax.Block:
		return c.list(n.Stmts)
	case *syntax.Subshell:
		var body action
		c.apart(func() { body = c.list(n.Stmts) })
		return checked(func(s *state) flow {
			sub := s.sub()
			sub.whole(body)
			s.status = sub.status
			return next
		})
	case *syntax.IfClause:
		return c.ifClause(n)
	case *syntax.WhileClause:
		return c.while(n)
	case *syntax.ForClause:
		return c.forClause(n)
	case *syntax.CaseClause:
		return c.caseClause(n)
	case *syntax.FuncDecl:
		return c.function(n)
	case *syntax.DeclClause:
		c.line = c.lineOf(n)
		return checked(c.declare(n))
	case *syntax.TestClause:
		c.line = c.lineOf(n)
		return checked(c.testClause(n))
	case *syntax.ArithmCmd:
		x := c.arithmetic(n.X)
		return checked(func(s *state) flow { s.status = truth(x(s) != 0); return next })
	}
	c.refuse(cmd, "%s", strings.TrimPrefix(fmt.Sprintf("%T", cmd), "*syntax."))
	return nil
}

func (c *compiler) binary(n *syntax.BinaryCmd) action {
	if n.Op != syntax.AndStmt && n.Op != syntax.OrStmt {
		return c.pipeline(n)
	}
	x, y, and := c.lazy(n.X), c.lazy(n.Y), n.Op == syntax.AndStmt
	return func(s *state) flow {
		s.cond++
		f := x(s)
		s.cond--
		if f != next || (s.status == 0) != and {
			return f
		}
		return y(s)
	}
}

// pipeline compiles a pipeline, whose commands run one after the other, each in a subshell.
func (c *compiler) pipeline(n *syntax.BinaryCmd) action {
	var parts []action
	var add func(stmt *syntax.Stmt)
	add = func(stmt *syntax.Stmt) {
		if pipe, ok := stmt.Cmd.(*syntax.BinaryCmd); ok && pipe.Op != syntax.AndStmt && pipe.Op != syntax.OrStmt {
			if pipe.Op != syntax.Pipe || len(stmt.Redirs) > 0 || stmt.Negated {
				c.refuse(stmt, "this pipeline")
			}
			add(pipe.X)
			add(pipe.Y)
			return
		}
		if stmt.Negated {
			c.refuse(stmt, "! in a pipeline")
		}
		c.apart(func() { parts = append(parts, c.lazy(stmt)) })
	}
	add(&syntax.Stmt{Cmd: n, Position: n.Pos()})
	return checked(func(s *state) flow {
		in, last, failed, wrote := s.in, 0, 0, 0
		for i, part := range parts {
			sub := s.sub()
			sub.in, sub.piped = in, true
			if i < len(parts)-1 {
				sub.out = &output{}
			}
			before := s.written()
			sub.whole(part)
			if i > 0 && in.at < len(in.data) && (s.pipefail || wrote > 0) {
				panic(cold("a pipe that is not read to its end, whose writer may be killed"))
			}
			if s.written() > before {
				wrote++
			}
			if wrote > 1 && s.dash {
				panic(cold("a pipe in which two commands write to a file or to standard error"))
			}
			in = &input{data: sub.out.data, outer: s.in}
			if last = sub.status; last != 0 {
				failed = last
			}
		}
		if s.status = last; s.pipefail {
			s.status = failed
		}
		return next
	})
}
