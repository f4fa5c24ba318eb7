package shell

import (
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// A script for dash runs here if dash runs it as bash would, or if all versions of dash from 0.5.9 to 0.5.12 differ
// from bash in the same way. The grammar is POSIX's. Syntax that another shell might read in another way is refused
// with the whole script; see doubtDash. The builtins of this file differ from those of bash.

// dashBuiltins lists the builtins that behave as in dash, beside export and local.
var dashBuiltins = map[string]builtin{
	":":      builtins[":"],
	"true":   builtins["true"],
	"false":  builtins["false"],
	"echo":   echoDash,
	"printf": printf,
	"read":   readDash,
	"exit":   builtins["exit"],
	"shift":  shift,
	"unset":  unset,
	"pwd":    pwd,
	"cd":     cd,
	"test":   func(s *state, args []string, _ bool) int { return truth(s.testDash(args)) },
	"[":      bracketDash,
}

// ofDash lists the names that a function of a script for dash must not have here: builtins and reserved words of dash.
var ofDash = set(`. : [ alias bg break cd chdir command continue echo eval exec exit export false fc fg getopts hash jobs
	kill local printf pwd read readonly return set shift test times trap true type ulimit umask unalias unset wait
	! { } case do done elif else esac fi for if in then until while`)

// dash marks quotes and expansions in a text with the bytes from firstMark to lastMark.
const (
	firstMark = 0x81
	lastMark  = 0x88
)

// hasMarks reports whether a text has bytes with which dash marks expansions.
func hasMarks(text string) bool {
	for i := range len(text) {
		if text[i] >= firstMark && text[i] <= lastMark {
			return true
		}
	}
	return false
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= 0x80 {
			return false
		}
	}
	return true
}

// unmarked leaves the script to dash if a value has the bytes that dash uses as marks.
func (s *state) unmarked(value string) {
	if s.dash && hasMarks(value) {
		panic(cold("a byte that dash uses as a mark"))
	}
}

// doubtDash refuses a script in which dash might read other commands than this parser.
func (c *compiler) doubtDash(file *syntax.File, text string) {
	if !utf8.ValidString(text) {
		panic(refused{1, "a text that is not UTF-8", c.shell()})
	}
	everywhere(file, func(n syntax.Node, quoted bool) { c.doubtfulInDash(n, text, quoted) })
}

func (c *compiler) doubtfulInDash(n syntax.Node, text string, quoted bool) {
	switch n := n.(type) {
	case *syntax.Subshell:
		if strings.HasPrefix(text[n.Pos().Offset():], "((") {
			c.refuse(n, "((")
		}
	case *syntax.CmdSubst:
		if n.Backquotes && quoted {
			c.refuse(n, "backquotes in double quotes")
		}
	case *syntax.FuncDecl:
		if n.Name == nil || ofDash[n.Name.Value] {
			c.refuse(n, "this function")
		}
	case *syntax.Lit:
		if !isASCII(n.Value) && (!quoted || hasMarks(n.Value)) {
			c.refuse(n, "these characters beyond ASCII")
		}
	case *syntax.SglQuoted:
		if hasMarks(n.Value) {
			c.refuse(n, "these characters beyond ASCII")
		}
	case *syntax.Word:
		c.dollars(n.Parts)
	case *syntax.DblQuoted:
		c.dollars(n.Parts)
	case *syntax.ParamExp:
		if n.Exp != nil && n.Exp.Word != nil {
			c.operandInDash(n, quoted)
		}
		if end := int(n.End().Offset()); n.Short && n.Param != nil && isDigit(n.Param.Value) &&
			end < len(text) && isDigit(text[end:end+1]) {
			c.refuse(n, "a number of two digits after a dollar sign")
		}
	}
}

func isDigit(text string) bool { return len(text) == 1 && text[0] >= '0' && text[0] <= '9' }

// dollars refuses $'…' and $"…", which newer versions may read as other shells do.
func (c *compiler) dollars(parts []syntax.WordPart) {
	for i, p := range parts[:max(0, len(parts)-1)] {
		lit, ok := p.(*syntax.Lit)
		_, param := parts[i+1].(*syntax.ParamExp)
		if ok && strings.HasSuffix(lit.Value, "$") && !param {
			c.refuse(lit, "a dollar sign before quotes")
		}
	}
}

// operandInDash refuses the word of an expansion unless all versions of dash agree on where the word ends.
func (c *compiler) operandInDash(p *syntax.ParamExp, quoted bool) {
	for _, part := range p.Exp.Word.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			if !isASCII(part.Value) || strings.ContainsAny(part.Value, "\\'\"{}~`$&;|<>()\n") {
				c.refuse(p, "this word of an expansion")
			}
		case *syntax.SglQuoted, *syntax.DblQuoted:
			if quoted {
				c.refuse(p, "quotes in an expansion")
			}
		case *syntax.ParamExp:
			if part.Exp != nil {
				c.refuse(p, "an expansion in an expansion")
			}
		default:
			c.refuse(p, "this word of an expansion")
		}
	}
}

// shell returns the name of the shell that the script is for.
func (c *compiler) shell() string {
	if c.dash {
		return "dash"
	}
	return "bash"
}

// builtin returns a builtin of the shell, or nil if the shell has no such builtin or compiles it in another way.
func (c *compiler) builtin(name string) builtin {
	if c.dash {
		return dashBuiltins[name]
	}
	return builtins[name]
}

// declareWords compiles export and local of dash. An expansion in a value has to be quoted, because some versions split
// it.
func (c *compiler) declareWords(n *syntax.CallExpr, kind string) action {
	local := kind == "local"
	if local && !c.inFunc || len(n.Args) < 2 || len(n.Assigns) > 0 {
		c.refuse(n, "this %s", kind)
	}
	var all []declaration
	for _, w := range n.Args[1:] {
		all = append(all, c.declarationOf(w, kind))
	}
	return func(s *state) flow {
		s.spend(64)
		for _, d := range all {
			value := ""
			if d.value != nil {
				value = d.value(s)
			}
			if local {
				s.hide(d.name) // a local variable of dash begins with the value that it hides
			}
			if d.value != nil {
				s.set(d.name, value)
			}
		}
		if !local {
			s.export(all)
		}
		s.status = 0
		return next
	}
}

// declarationOf reads NAME or NAME=value.
func (c *compiler) declarationOf(w *syntax.Word, kind string) declaration {
	first, ok := w.Parts[0].(*syntax.Lit)
	if !ok {
		c.refuse(w, "this %s", kind)
	}
	name, rest, assigns := strings.Cut(first.Value, "=")
	if !assignable(name) || !assigns && len(w.Parts) > 1 || strings.Contains(rest, "~") {
		c.refuse(w, "this %s", kind)
	}
	if !assigns {
		return declaration{name: name}
	}
	value := &syntax.Word{Parts: w.Parts[1:]}
	if rest != "" {
		lit := *first
		lit.Value = rest
		value.Parts = append([]syntax.WordPart{&lit}, value.Parts...)
	}
	for _, p := range value.Parts {
		switch p := p.(type) {
		case *syntax.SglQuoted, *syntax.DblQuoted:
		case *syntax.Lit:
			if strings.ContainsAny(p.Value, `\~*?[{$`) {
				c.refuse(w, "this %s", kind)
			}
		default:
			c.refuse(w, "%s of a value without quotes", kind)
		}
	}
	return declaration{name: name, value: c.text(value)}
}

// echoDash is the builtin echo: its only option is -n, and it replaces escapes.
func echoDash(s *state, args []string, _ bool) int {
	newline := true
	if len(args) > 0 && args[0] == "-n" {
		newline, args = false, args[1:]
	}
	text := s.join(args)
	if strings.IndexByte(text, '\\') >= 0 {
		text = dashEscapes(text)
	}
	if newline {
		text += "\n"
	}
	s.print(text)
	return 0
}

// dashEscapes replaces the escapes of echo. A backslash before any other character stays.
func dashEscapes(text string) string {
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			out.WriteByte(text[i])
			continue
		}
		switch next := text[i+1]; {
		case next == 'c' || next == 'e' || next >= '0' && next <= '7':
			panic(cold("this escape of echo"))
		case strings.IndexByte(`abfnrtv\`, next) >= 0:
			i++
			out.WriteByte("\a\b\f\n\r\t\v\\"[strings.IndexByte(`abfnrtv\`, next)])
		default:
			out.WriteByte('\\')
		}
	}
	return out.String()
}

// readDash reads a line into variables; the option -r is the only one.
func readDash(s *state, args []string, noFields bool) int {
	names := args
	if len(names) > 0 && names[0] == "-r" {
		names = names[1:]
	}
	if len(names) == 0 || strings.HasPrefix(names[0], "-") {
		panic(cold("this read"))
	}
	return read(s, args, noFields)
}

func bracketDash(s *state, args []string, _ bool) int {
	if len(args) == 0 || args[len(args)-1] != "]" {
		panic(cold("[ without ]"))
	}
	return truth(s.testDash(args[:len(args)-1]))
}

// testDash is the builtin test. A text that test might take for an operator is left to dash.
func (s *state) testDash(args []string) bool {
	if len(args) > 1 && args[0] == "!" && len(args) < 5 {
		rest := args[1:]
		if len(rest) > 1 && (rest[0] == "!" || len(rest) == 3 && strings.HasPrefix(rest[0], "-")) {
			panic(cold("this test"))
		}
		return !s.testDash(rest)
	}
	switch len(args) {
	case 0:
		return false
	case 1:
		return args[0] != ""
	case 2:
		return s.unaryTest(args[0], args[1])
	case 3:
		if op := args[1]; isComparison[op] && op != "==" && !isParenthesis(args[0]) && args[0] != "!" {
			return s.compare(op, args[0], args[2])
		}
	}
	panic(cold("this test"))
}

func isParenthesis(arg string) bool { return arg == "(" || arg == ")" }
