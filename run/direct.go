package run

import (
	"os"
	"runtime"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/snaphook-go/snaphook/internal/bash"
)

// Direct returns the program and the arguments of a script that is one call of a program, and in which a shell would
// have nothing to expand. A [Command] with Argv from [Shell] and Direct from this function does not start a shell,
// which is the most expensive part of most hooks.
//
// vars are variables with known values. They count as literal text in three forms: inside double quotes; as an unquoted
// $NAME, which is one word because the script goes through [QuoteVars] with the same names before a shell runs it; and
// as an unquoted ${NAME} with a value that the shell would not split.
//
// ok is false if a shell is needed: for any other expansion, pattern, tilde, assignment, redirection, list or second
// line, for a builtin or reserved word of bash, and in every case of doubt. ok is also false if Shell does not use
// bash. Argv is then nil.
func Direct(script string, vars map[string]string) (argv []string, ok bool) {
	if !oneLine(script) || direct.find(os.Getenv("PATH"), "bash", directBash) == "" {
		return nil, false
	}
	if argv, ok = plainWords(script); !ok {
		argv, ok = parsedWords(script, vars)
	}
	if !ok {
		return nil, false
	}
	if name := argv[0]; name == "" || name[0] == '%' || strings.Contains(name, "=") || bashWords[name] {
		return nil, false
	}
	return argv, true
}

// direct caches the searches of directBash.
var direct found

// directBash finds the bash that [Shell] uses. It returns "" if there is none, or if bash would drop set-user-id rights,
// which a program without bash would keep.
func directBash(path, name string) string {
	if runtime.GOOS == "windows" || os.Geteuid() != os.Getuid() || os.Getegid() != os.Getgid() {
		return ""
	}
	return lookPath(path, name)
}

// plainWords splits a script of unquoted plain text without the parser. ok is false for any other script, and for a
// script without a word.
func plainWords(script string) (argv []string, ok bool) {
	for i := range len(script) {
		if c := script[i]; c != ' ' && !isBare(c) {
			return nil, false
		}
	}
	argv = strings.Fields(script)
	return argv, len(argv) > 0
}

// parsedWords returns the words of a script that is one call.
func parsedWords(script string, vars map[string]string) (argv []string, ok bool) {
	file, err := bash.Parse(script)
	if err != nil || len(file.Stmts) != 1 || len(file.Last) > 0 {
		return nil, false
	}
	call, ok := onlyCall(file.Stmts[0])
	if !ok {
		return nil, false
	}
	words := literals{script, vars}
	for _, word := range call.Args {
		text, ok := words.word(word)
		if !ok {
			return nil, false
		}
		argv = append(argv, text)
	}
	return argv, true
}

// bashWords are the builtins and the reserved words of all versions of bash.
var bashWords = func() map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(`
		. : [ alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs disown echo
		enable eval exec exit export false fc fg getopts hash help history jobs kill let local logout mapfile popd
		printf pushd pwd read readarray readonly return set shift shopt source suspend test times trap true type
		typeset ulimit umask unalias unset wait
		! [[ ]] { } case coproc do done elif else esac fi for function if in select then time until while`) {
		set[word] = true
	}
	return set
}()

// oneLine reports whether a script is one line of text, of less than 64 KiB. With a second line bash would outlive the
// program, and a script of 128 KiB cannot be passed to bash at all.
func oneLine(script string) bool {
	return len(script) < 64<<10 && isText(strings.ReplaceAll(script, "\t", " "))
}

// isText reports whether s has no control characters, some of which bash uses internally.
func isText(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f || r == '\uFFFD' })
}

// onlyCall returns the call that a statement consists of.
func onlyCall(s *syntax.Stmt) (*syntax.CallExpr, bool) {
	if s.Negated || s.Background || s.Coprocess || s.Disown || s.Semicolon.IsValid() || len(s.Redirs) > 0 ||
		len(s.Comments) > 0 {
		return nil, false
	}
	call, ok := s.Cmd.(*syntax.CallExpr)
	return call, ok && len(call.Assigns) == 0 && len(call.Args) > 0
}

// literals evaluates words of a script whose values are known before the script runs.
type literals struct {
	script string
	vars   map[string]string
}

func (l literals) word(word *syntax.Word) (text string, ok bool) {
	for _, part := range word.Parts {
		var more string
		switch part := part.(type) {
		case *syntax.Lit:
			more, ok = unescape(part.Value, isBare, isPrintable)
		case *syntax.SglQuoted:
			more, ok = part.Value, !part.Dollar
		case *syntax.DblQuoted:
			more, ok = l.quoted(part)
		default:
			more, ok = l.variable(part, false)
		}
		if !ok {
			return "", false
		}
		text += more
	}
	return text, true
}

func (l literals) quoted(q *syntax.DblQuoted) (text string, ok bool) {
	if q.Dollar {
		return "", false
	}
	for _, part := range q.Parts {
		var more string
		if lit, is := part.(*syntax.Lit); is {
			more, ok = unescape(lit.Value, isQuotable, isSpecial)
		} else {
			more, ok = l.variable(part, true)
		}
		if !ok {
			return "", false
		}
		text += more
	}
	return text, true
}

// variable returns the value of a $NAME or ${NAME}.
func (l literals) variable(part syntax.WordPart, quoted bool) (value string, ok bool) {
	v, ok := part.(*syntax.ParamExp)
	if !ok || v.Param == nil {
		return "", false
	}
	value, known := l.vars[v.Param.Value]
	if !known || !isText(value) {
		return "", false
	}
	start, end := int(v.Pos().Offset()), int(v.End().Offset())
	if start < 0 || start > end || end > len(l.script) {
		return "", false
	}
	switch l.script[start:end] {
	case "$" + v.Param.Value:
		return value, true
	case "${" + v.Param.Value + "}":
		return value, quoted || value != "" && !strings.ContainsAny(value, " \t\n*?[\\")
	}
	return "", false
}

// unescape removes the backslashes from literal text. ok is false unless each byte is plain, or is escaped and
// escapable.
func unescape(s string, plain, escapable func(byte) bool) (text string, ok bool) {
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s) && escapable(s[i+1]):
			i++
		case !plain(s[i]):
			return "", false
		}
		out.WriteByte(s[i])
	}
	return out.String(), true
}

// isBare reports whether an unquoted byte has no special meaning.
func isBare(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' ||
		strings.IndexByte("%+,-./:=@_", c) >= 0
}

func isPrintable(c byte) bool { return c >= ' ' && c < 0x7f }

// isQuotable reports whether a byte has no special meaning in double quotes. isSpecial reports whether bash removes a
// backslash before the byte in double quotes.
func isQuotable(c byte) bool { return c != '$' && c != '`' && c != '"' }
func isSpecial(c byte) bool  { return strings.IndexByte("$`\"\\", c) >= 0 }
